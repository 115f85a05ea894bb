import { type Kysely, type RawBuilder, type Selectable, sql } from 'kysely';
import { dedupeKey, type Effect, LANES } from '../../core/step/effects.ts';
import { type Backend, isUnleased, type LeaseHolder } from './engine/backend.ts';
import { toStored } from './engine/json.ts';
import type { DatabaseSchema } from './engine/schema.ts';
import type { RecoveryProgress, RecoveryTurn, Store } from './store.ts';

async function scheduleCatchUps(
  db: Kysely<DatabaseSchema>,
  since: string,
  now: number,
  pauseMs: number,
): Promise<number> {
  const { rows } = await sql`${insertCatchUps(since, sql`pulls`, now, pauseMs)} returning id`.execute(db);
  return rows.length;
}

/** Replaced by the `active_since` of each row. */
const ACTIVE_SINCE_PLACEHOLDER = 'active-since';

/**
 * Inserts a catch-up for each pull request of `from` that is active or has pending signals, `pauseMs` apart. Without
 * `since`, it starts at the row's own `active_since`. A catch-up that is already running does not count as a duplicate:
 * it might have read the comments already.
 */
export function insertCatchUps(
  since: string | null,
  from: RawBuilder<unknown>,
  now: number,
  pauseMs: number,
): RawBuilder<unknown> {
  const effect: Effect = { type: 'catch-up', since: since ?? ACTIVE_SINCE_PLACEHOLDER, expiresAfter: false };
  const body = sql`replace(${toStored(effect)}, ${JSON.stringify(ACTIVE_SINCE_PLACEHOLDER)}, coalesce(to_json(active_since)::text, 'null'))`;
  const key = sql`replace(${dedupeKey(effect)}, ${ACTIVE_SINCE_PLACEHOLDER}, coalesce(active_since, 'null'))`;
  return sql`
    insert into effects (pull_key, lane, type, dedupe_key, body, created_at, not_before)
    select pulls.pull_key, ${LANES[effect.type]}, ${effect.type}, ${key}, ${body}, ${now}::bigint,
      ${now}::bigint + (row_number() over (order by pulls.pull_key) - 1) * ${pauseMs}::bigint
    from ${from}
    where (pulls.active
      or exists (select 1 from inbox as pending where pending.pull_key = pulls.pull_key and pending.done_at is null))
    and not exists (
      select 1 from effects as duplicate
      where duplicate.pull_key = pulls.pull_key and duplicate.done_at is null and duplicate.dedupe_key = ${key}
        and not duplicate.started
    )`;
}

/** Store methods for the recovery of lost webhooks. */
export function createRecoveryMethods(
  backend: Pick<Backend, 'db'> & LeaseHolder,
  notify: () => void,
): Pick<
  Store,
  'findKnownDeliveries' | 'listActivePulls' | 'scheduleCatchUps' | 'beginRecovery' | 'endRecovery' | 'recordHeartbeat'
> {
  const { db } = backend;
  return {
    findKnownDeliveries: (ids) => findKnownDeliveries(db, ids),
    listActivePulls: () => listActivePulls(db),
    async scheduleCatchUps(since, now, pauseMs) {
      const count = await scheduleCatchUps(db, since, now, pauseMs);
      if (count > 0) notify();
      return count;
    },
    beginRecovery: (now, leaseMs, early) => beginRecovery(backend, now, leaseMs, early),
    endRecovery: (turn, progress, nextAt) => endRecovery(db, turn, progress, nextAt),
    recordHeartbeat: (at, last) => recordHeartbeat(db, at, last),
  };
}

/**
 * Returns null while a living process has the turn, and before its time unless `early`. The turn counts from its start:
 * if the database dies during it, no other process begins at once.
 */
async function beginRecovery(
  { db, ...leaseHolder }: Pick<Backend, 'db'> & LeaseHolder,
  now: number,
  leaseMs: number,
  early: boolean,
): Promise<RecoveryTurn | null> {
  const leaseUntil = now + leaseMs;
  const { rows } = await sql<RecoveryRow>`
    insert into recovery_state (id, fence, lease_until, leased_by, next_run_at)
    values (1, 1, ${leaseUntil}, ${leaseHolder.leaseHolderId}, ${leaseUntil})
    on conflict (id) do update set fence = recovery_state.fence + 1,
      lease_until = ${leaseUntil}, leased_by = ${leaseHolder.leaseHolderId}, next_run_at = ${leaseUntil}
    where ${isUnleased('recovery_state', leaseHolder, now)} and (${early}::boolean or recovery_state.next_run_at <= ${now})
    returning fence, recovered_until, gap_since, gap_until
  `.execute(db);
  return rows[0] === undefined ? null : toRecoveryTurn(rows[0]);
}

type RecoveryRow = Pick<
  Selectable<DatabaseSchema['recovery_state']>,
  'fence' | 'recovered_until' | 'gap_since' | 'gap_until'
>;

function toRecoveryTurn({
  fence: fencingToken,
  recovered_until: recoveredUntil,
  gap_since: since,
  gap_until: until,
}: RecoveryRow): RecoveryTurn {
  return { fencingToken, recoveredUntil, gap: since === null || until === null ? null : { since, until } };
}

/** Changes nothing if another process has taken the turn since. */
async function endRecovery(
  db: Kysely<DatabaseSchema>,
  { fencingToken }: RecoveryTurn,
  { until, gap }: RecoveryProgress,
  nextAt: number,
): Promise<void> {
  const isSameGap = sql`gap_until = ${gap?.until ?? null}::bigint`;
  const isGapSearched = sql`${isSameGap} and gap_until <= ${until}::bigint`;
  await sql`
    update recovery_state set next_run_at = ${nextAt}, lease_until = null, leased_by = null,
      recovered_until = greatest(recovered_until, ${until}::bigint),
      gap_since = case when ${isGapSearched} then null when ${isSameGap} then greatest(gap_since, ${until}::bigint) else gap_since end,
      gap_until = case when ${isGapSearched} then null else gap_until end
    where fence = ${fencingToken}
  `.execute(db);
}

/** Relies on `greatest` and `least` ignoring nulls. */
async function recordHeartbeat(db: Kysely<DatabaseSchema>, at: number, last: number | null): Promise<void> {
  const lastKnownUse = sql`coalesce(recovery_state.last_heartbeat_at, recovery_state.recovered_until)`;
  const hasGap = sql`${lastKnownUse} is not null and (${last}::bigint is null or ${lastKnownUse} < ${last}::bigint)`;
  await sql`
    insert into recovery_state (id, fence, last_heartbeat_at) values (1, 0, ${at})
    on conflict (id) do update set
      last_heartbeat_at = greatest(recovery_state.last_heartbeat_at, ${at}::bigint),
      gap_since = case when ${hasGap} then least(recovery_state.gap_since, ${lastKnownUse}) else recovery_state.gap_since end,
      gap_until = case when ${hasGap} then greatest(recovery_state.gap_until, ${at}::bigint) else recovery_state.gap_until end
  `.execute(db);
}

async function findKnownDeliveries(db: Kysely<DatabaseSchema>, ids: readonly string[]): Promise<ReadonlySet<string>> {
  if (ids.length === 0) return new Set();
  const rows = await db
    .selectFrom('inbox')
    .select('delivery_id')
    .where('delivery_id', 'in', ids)
    .union(db.selectFrom('installation_events').select('delivery_id').where('delivery_id', 'in', ids))
    .execute();
  return new Set(rows.flatMap(({ delivery_id: id }) => id ?? []));
}

async function listActivePulls(db: Kysely<DatabaseSchema>) {
  return db
    .selectFrom('pulls')
    .select(['repository_id as repositoryId', 'number'])
    .where('active', '=', true)
    .execute();
}
