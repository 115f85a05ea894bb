import type { Transaction } from 'kysely';
import type { Reason } from '../run/reason.ts';
import { goesOn, goesOnSince, RUN_SCHEMA, type Run } from '../run/run.ts';
import { type Signal, tellsOfCommit } from '../run/signal.ts';
import type { Step } from '../run/step.ts';
import { whileAlone, whileHeld } from './claims.ts';
import { IDLE } from './effects.ts';
import { hasWaitingSignal, settleSignal } from './inbox.ts';
import type { Unchanged } from './load.ts';
import { pullState } from './pull-state.ts';
import { type Place, type Saving, saveAtOnce } from './save-at-once.ts';
import { saveVotes, saveWrites } from './save-ledger.ts';
import { messageRows } from './save-messages.ts';
import { saveProposals } from './save-proposals.ts';
import type { Claim, SaveResult } from './store.ts';
import { fromStored, toStored } from './stored-json.ts';
import type { Tables } from './tables.ts';
import { wantEffects } from './want-effects.ts';

/** Saves a decided signal and marks it done, in one transaction; `lost` also where the signal was done already. */
export async function save(place: Place, saving: Saving): Promise<SaveResult> {
  const { claim, signal, step, now } = saving;
  const atOnce = await saveAtOnce(place, saving);
  if (atOnce !== null) return atOnce;
  return whileHeld<SaveResult, SaveResult>(place.db, claim, 'lost', async (transaction) => {
    if (!(await settleSignal(transaction, claim, signal, step.reason, now))) return 'lost';
    await saveStep(transaction, place.unchanged, claim.pullKey, step, now);
    return 'saved';
  });
}

/**
 * Saves a step of our own, and only while no signal waits: what people said is decided first, and what they say from
 * then on is stored after the step.
 */
export function saveDirect(place: Place, claim: Claim, step: Step, now: number): Promise<SaveResult> {
  return whileAlone<SaveResult, SaveResult>(place.db, claim, 'lost', async (transaction) => {
    if (await hasWaitingSignal(transaction, claim.pullKey, now)) return 'signals-waiting';
    await saveStep(transaction, place.unchanged, claim.pullKey, step, now);
    return 'saved';
  });
}

async function saveStep(
  transaction: Transaction<Tables>,
  unchanged: Unchanged,
  pullKey: string,
  step: Step,
  now: number,
): Promise<void> {
  const { run, proposals } = step.pull;
  if (run !== null && !unchanged.has(run)) await saveRun(transaction, pullKey, run, now);
  const changed = proposals.filter((proposal) => !unchanged.has(proposal));
  await saveProposals(transaction, pullKey, { changed, run }, now);
  await saveVotes(transaction, pullKey, step.votes);
  await saveWrites(transaction, pullKey, step.writes, now);
  const messages = messageRows(step);
  if (messages.length > 0) await transaction.insertInto('messages').values(messages).execute();
  if (step.dropsRest) await dropRest(transaction, pullKey, step.reason, now);
  await wantEffects(transaction, pullKey, step.effects, now);
  await transaction
    .updateTable('pulls')
    .set({
      state: toStored(pullState(step.pull)),
      run_id: run?.id ?? null,
      active: goesOn(step.pull),
      goes_on_since: goesOnSince(step.pull),
    })
    .where('pull_key', '=', pullKey)
    .execute();
}

/**
 * What waits and what is under way alike: an outcome that comes later finds its effect done. What is known of a commit
 * belongs to the ledger, and is heard.
 */
async function dropRest(transaction: Transaction<Tables>, pullKey: string, reason: Reason, now: number): Promise<void> {
  const kept = await commitsHeard(transaction, pullKey);
  await transaction
    .updateTable('inbox')
    .set({ done_at: now, reason })
    .where('pull_key', '=', pullKey)
    .where('done_at', 'is', null)
    .$if(kept.length > 0, (query) => query.where('id', 'not in', kept))
    .execute();
  await transaction
    .updateTable('effects')
    .set({ done_at: now, error: reason, ...IDLE })
    .where('pull_key', '=', pullKey)
    .where('done_at', 'is', null)
    .execute();
}

/** Ids of the outcomes that wait and tell of a commit. Read here: the database refuses some of their JSON. */
async function commitsHeard(transaction: Transaction<Tables>, pullKey: string): Promise<readonly number[]> {
  const rows = await transaction
    .selectFrom('inbox')
    .select(['id', 'signal'])
    .where('pull_key', '=', pullKey)
    .where('kind', '=', 'outcome')
    .where('done_at', 'is', null)
    .execute();
  return rows.flatMap(({ id, signal }) => (signal !== null && tellsOfCommit(fromStored<Signal>(signal)) ? [id] : []));
}

async function saveRun(transaction: Transaction<Tables>, pullKey: string, run: Run, now: number): Promise<void> {
  const state = toStored(run);
  const result = await transaction
    .insertInto('runs')
    .values({ run_id: run.id, pull_key: pullKey, schema: RUN_SCHEMA, state, created_at: now, updated_at: now })
    .onConflict((conflict) =>
      conflict
        .column('run_id')
        .doUpdateSet({ schema: RUN_SCHEMA, state, updated_at: now })
        .where('runs.pull_key', '=', pullKey),
    )
    .executeTakeFirst();
  if (result.numInsertedOrUpdatedRows === 0n) throw new Error(`Run ${run.id} belongs to another pull request`);
}
