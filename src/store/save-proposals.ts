import { setImmediate as breath } from 'node:timers/promises';
import { sql, type Transaction } from 'kysely';
import type { Proposal } from '../run/proposal.ts';
import { recordOf } from '../run/record.ts';
import { RUN_SCHEMA, type Run } from '../run/run.ts';
import { isFinal } from '../run/transition.ts';
import { plainText, toStored } from './stored-json.ts';
import type { Tables } from './tables.ts';

/** Rows of one insert, and letters after which it is made: a proposal may hold a whole file. */
const MOST_ROWS = 100;
const MOST_LETTERS = 1_000_000;

/** Proposals to be written, and the pull request's run. */
export type Changed = { readonly changed: readonly Proposal[]; readonly run: Run | null };

/** Writes proposals that are new or changed, and the outcome of each that is final now: the first one stays (S77). */
export async function saveProposals(
  transaction: Transaction<Tables>,
  pullKey: string,
  { changed, run }: Changed,
  now: number,
): Promise<void> {
  let rows: Row[] = [];
  let letters = 0;
  for (const proposal of changed) {
    const row = rowOf(pullKey, proposal, now);
    rows.push(row);
    letters += row.body.length;
    if (rows.length < MOST_ROWS && letters < MOST_LETTERS) continue;
    await upsert(transaction, pullKey, rows);
    // What else waits for the process comes in between.
    await breath();
    [rows, letters] = [[], 0];
  }
  if (rows.length > 0) await upsert(transaction, pullKey, rows);
  const final = changed.filter((proposal) => isFinal(proposal.state));
  if (final.length > 0) await saveOutcomes(transaction, pullKey, { changed: final, run }, now);
}

async function upsert(transaction: Transaction<Tables>, pullKey: string, rows: readonly Row[]): Promise<void> {
  const result = await transaction
    .insertInto('proposals')
    .values(rows)
    .onConflict((conflict) =>
      conflict
        .columns(['pull_key', 'proposal_id'])
        .doUpdateSet((row) => ({
          schema: row.ref('excluded.schema'),
          state: row.ref('excluded.state'),
          comment_id: row.ref('excluded.comment_id'),
          former_comment_ids: row.ref('excluded.former_comment_ids'),
          digest: row.ref('excluded.digest'),
          body: row.ref('excluded.body'),
          updated_at: row.ref('excluded.updated_at'),
        }))
        .whereRef('proposals.run_id', '=', 'excluded.run_id'),
    )
    .executeTakeFirst();
  if (result.numInsertedOrUpdatedRows !== BigInt(rows.length)) throw new Error(`An id of ${pullKey} was given twice`);
}

type Row = ReturnType<typeof rowOf>;

function rowOf(pullKey: string, proposal: Proposal, now: number) {
  return {
    pull_key: pullKey,
    proposal_id: proposal.id,
    run_id: proposal.runId,
    schema: RUN_SCHEMA,
    state: proposal.state,
    comment_id: proposal.comment?.id ?? null,
    former_comment_ids: proposal.formerThreads.length === 0 ? null : `{${proposal.formerThreads.join(',')}}`,
    digest: proposal.change.digest,
    body: toStored(proposal),
    created_at: now,
    updated_at: now,
  };
}

async function saveOutcomes(
  transaction: Transaction<Tables>,
  pullKey: string,
  { changed: proposals, run }: Changed,
  now: number,
): Promise<void> {
  await transaction
    .insertInto('outcomes')
    .values(proposals.map((proposal) => outcomeOf(pullKey, proposal, run, now)))
    .onConflict((conflict) => conflict.columns(['pull_key', 'proposal_id']).doNothing())
    .execute();
  await refuseSecondOutcome(transaction, pullKey, proposals);
}

function outcomeOf(pullKey: string, proposal: Proposal, run: Run | null, now: number) {
  return {
    pull_key: pullKey,
    proposal_id: proposal.id,
    run_id: proposal.runId,
    state: proposal.state,
    // The votes have the digest that people saw.
    digest: proposal.made?.digest ?? proposal.change.digest,
    commit_sha: proposal.commit,
    note: proposal.note === null ? null : plainText(proposal.note),
    decided_at: now,
    place: sql<number>`(select place from proposals where pull_key = ${pullKey} and proposal_id = ${proposal.id})`,
    record: toStored(recordOf(proposal, run)),
  };
}

/** The last line of defence: a step that would give a proposal another final state is undone whole. */
async function refuseSecondOutcome(
  transaction: Transaction<Tables>,
  pullKey: string,
  proposals: readonly Proposal[],
): Promise<void> {
  const ids = proposals.map((proposal) => proposal.id);
  const rows = await transaction
    .selectFrom('outcomes')
    .select(['proposal_id', 'state'])
    .where('pull_key', '=', pullKey)
    .where('proposal_id', 'in', ids)
    .execute();
  const stored = new Map(rows.map((row) => [row.proposal_id, row.state]));
  const second = proposals.find((proposal) => stored.get(proposal.id) !== proposal.state);
  if (second === undefined) return;
  throw new Error(`Proposal ${second.id} is ${stored.get(second.id)} for good and cannot become ${second.state}`);
}
