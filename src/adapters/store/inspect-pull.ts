import type { Kysely } from 'kysely';
import { describeProposal, type Proposal } from '../../core/state/proposal.ts';
import type { Run } from '../../core/state/run.ts';
import type { Signal } from '../../core/step/signals.ts';
import { type DatabaseSchema, fromStored, RUN_SCHEMA } from './engine/schema.ts';
import { findPullKeys } from './ledger.ts';
import type { StoredPullState } from './load.ts';

/** Events and effects that are shown, the last ones. */
const MAX_ROWS = 30;

/** The pull request of this name, once for each installation that had it; empty if none is stored. */
export async function inspectPull(
  db: Kysely<DatabaseSchema>,
  { repository, number }: { readonly repository: string; readonly number: number },
): Promise<readonly InspectedPull[]> {
  const keys = await findPullKeys(db, { repository, number });
  return Promise.all(keys.map((key) => inspectKey(db, key)));
}

/** One pull request as stored. Times are ISO 8601. */
export type InspectedPull = Awaited<ReturnType<typeof inspectKey>>;

/** `run` is the active one, or else the last one; null if there is none, or if another version stored it. */
async function inspectKey(db: Kysely<DatabaseSchema>, key: string) {
  const pull = await db
    .selectFrom('pulls')
    .leftJoin('runs', (join) => join.onRef('runs.run_id', '=', 'pulls.run_id').on('runs.schema', '=', RUN_SCHEMA))
    .select(['pulls.state', 'runs.state as run'])
    .where('pulls.pull_key', '=', key)
    .executeTakeFirstOrThrow();
  const { ref, queue } = fromStored<StoredPullState>(pull.state);
  const run = pull.run === null ? null : fromStored<Run>(pull.run);
  return {
    pull: ref,
    run: run === null ? null : describeRun(run),
    queuedTasks: queue.length,
    changes: await listChanges(db, key, run),
    events: await listEvents(db, key),
    effects: await listEffects(db, key),
  };
}

function describeRun({ id, task, phase, turns }: Run) {
  return { id, task: task.text, requester: task.by.login, phase, responses: turns };
}

/** The changes of the run and all open ones, oldest first. */
async function listChanges(db: Kysely<DatabaseSchema>, key: string, run: Run | null) {
  const rows = await db
    .selectFrom('proposals')
    .select('body')
    .where('pull_key', '=', key)
    .where('schema', '=', RUN_SCHEMA)
    .where((where) =>
      where.or([where('run_id', '=', run?.id ?? ''), where('state', 'in', ['proposed', 'approved', 'executing'])]),
    )
    .orderBy('seq')
    .execute();
  return rows.map(({ body }) => {
    const proposal = fromStored<Proposal>(body);
    const { id, state, comment, note } = proposal;
    return { id, state, what: describeProposal(proposal), url: comment?.url ?? null, note };
  });
}

/** Oldest first. `reason` is null while the event waits. */
async function listEvents(db: Kysely<DatabaseSchema>, key: string) {
  const rows = await db
    .selectFrom('inbox')
    .select(['received_at', 'delivery_id', 'kind', 'signal', 'reason', 'attempts', 'error'])
    .where('pull_key', '=', key)
    .orderBy('id', 'desc')
    .limit(MAX_ROWS)
    .execute();
  return rows.toReversed().map(({ received_at, delivery_id: delivery, kind, signal, reason, attempts, error }) => ({
    ...{ at: toTime(received_at), ...describeSignal(signal === null ? null : fromStored<Signal>(signal), kind) },
    ...{ delivery, reason, attempts, error },
  }));
}

/** What happened, and the login of who did it. The text of a comment that was not for the App is not stored. */
function describeSignal(signal: Signal | null, kind: string): { readonly what: string; readonly by: string | null } {
  if (signal?.type !== 'intent') return { what: signal?.type ?? kind, by: null };
  const { intent } = signal;
  const isCommand = intent.kind === 'comment' && intent.parsed.kind === 'command';
  return { what: isCommand ? `/${intent.parsed.command.name}` : intent.kind, by: intent.actor.login };
}

/** Oldest first. `doneAt` is null while the effect waits or is performed. */
async function listEffects(db: Kysely<DatabaseSchema>, key: string) {
  const rows = await db
    .selectFrom('effects')
    .select(['type', 'created_at', 'not_before', 'done_at', 'attempts', 'error'])
    .where('pull_key', '=', key)
    .orderBy('id', 'desc')
    .limit(MAX_ROWS)
    .execute();
  return rows.toReversed().map(({ type, created_at, not_before, done_at, attempts, error }) => ({
    ...{ type, requestedAt: toTime(created_at), dueAt: toTime(not_before) },
    ...{ doneAt: done_at === null ? null : toTime(done_at), attempts, error },
  }));
}

function toTime(ms: number): string {
  return new Date(ms).toISOString();
}
