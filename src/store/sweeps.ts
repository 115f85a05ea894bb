import { type Kysely, type Selectable, sql } from 'kysely';
import { type Asking, type Backend, isFree } from './backend.ts';
import { catchUpAll } from './catch-up-all.ts';
import type { Store, SweepProgress, SweepTurn } from './store.ts';
import type { Tables } from './tables.ts';

/** What the store has for looking after lost webhooks. */
export function sweepMethods(
  backend: Pick<Backend, 'db'> & Asking,
  wake: () => void,
): Pick<Store, 'knownDeliveries' | 'activePulls' | 'catchUpAll' | 'beginSweep' | 'endSweep' | 'heartbeat'> {
  const { db } = backend;
  return {
    knownDeliveries: (ids) => knownDeliveries(db, ids),
    activePulls: () => activePulls(db),
    async catchUpAll(since, now, pauseMs) {
      const count = await catchUpAll(db, since, now, pauseMs);
      if (count > 0) wake();
      return count;
    },
    beginSweep: (now, leaseMs, early) => beginSweep(backend, now, leaseMs, early),
    endSweep: (turn, progress, nextAt) => endSweep(db, turn, progress, nextAt),
    heartbeat: (at, last) => heartbeat(db, at, last),
  };
}

/** Takes the turn to look for lost webhooks; null while somebody who lives has it, and before its time unless `early`. */
async function beginSweep(
  { db, ...asking }: Pick<Backend, 'db'> & Asking,
  now: number,
  leaseMs: number,
  early: boolean,
): Promise<SweepTurn | null> {
  const leaseUntil = now + leaseMs;
  const { rows } = await sql<TurnRow>`
    insert into sweeps (id, fence, lease_until, leased_by) values (1, 1, ${leaseUntil}, ${asking.holder})
    on conflict (id) do update
    set fence = sweeps.fence + 1, lease_until = ${leaseUntil}, leased_by = ${asking.holder}
    where ${isFree('sweeps', asking, now)} and (${early}::boolean or sweeps.next_at <= ${now})
    returning fence, heard_until, doubt_since, doubt_until
  `.execute(db);
  return rows[0] === undefined ? null : asTurn(rows[0]);
}

type TurnRow = Pick<Selectable<Tables['sweeps']>, 'fence' | 'heard_until' | 'doubt_since' | 'doubt_until'>;

function asTurn({ fence, heard_until: heardUntil, doubt_since: since, doubt_until: until }: TurnRow): SweepTurn {
  return { fence, heardUntil, doubt: since === null || until === null ? null : { since, until } };
}

/** Gives the turn back; nothing happens where the fence is another's. */
async function endSweep(
  db: Kysely<Tables>,
  { fence }: SweepTurn,
  { until, doubt }: SweepProgress,
  nextAt: number,
): Promise<void> {
  const settled = sql`doubt_until = ${doubt?.until ?? null}::bigint`;
  const whole = sql`${settled} and doubt_until <= ${until}::bigint`;
  await sql`
    update sweeps set next_at = ${nextAt}, lease_until = null, leased_by = null,
      heard_until = greatest(heard_until, ${until}::bigint),
      doubt_since = case when ${whole} then null when ${settled} then greatest(doubt_since, ${until}::bigint) else doubt_since end,
      doubt_until = case when ${whole} then null else doubt_until end
    where fence = ${fence}
  `.execute(db);
}

/** `greatest` and `least` pass over what is null. */
async function heartbeat(db: Kysely<Tables>, at: number, last: number | null): Promise<void> {
  const remembered = sql`coalesce(sweeps.alive_until, sweeps.heard_until)`;
  const isUnsure = sql`${remembered} is not null and (${last}::bigint is null or ${remembered} < ${last}::bigint)`;
  await sql`
    insert into sweeps (id, fence, alive_until) values (1, 0, ${at})
    on conflict (id) do update set
      alive_until = greatest(sweeps.alive_until, ${at}::bigint),
      doubt_since = case when ${isUnsure} then least(sweeps.doubt_since, ${remembered}) else sweeps.doubt_since end,
      doubt_until = case when ${isUnsure} then greatest(sweeps.doubt_until, ${at}::bigint) else sweeps.doubt_until end
  `.execute(db);
}

/** Those of these delivery ids that the inbox or the notices hold. */
async function knownDeliveries(db: Kysely<Tables>, ids: readonly string[]): Promise<ReadonlySet<string>> {
  if (ids.length === 0) return new Set();
  const rows = await db
    .selectFrom('inbox')
    .select('delivery_id')
    .where('delivery_id', 'in', ids)
    .union(db.selectFrom('notices').select('delivery_id').where('delivery_id', 'in', ids))
    .execute();
  return new Set(rows.flatMap(({ delivery_id: id }) => id ?? []));
}

/** Every pull request where something goes on. */
async function activePulls(db: Kysely<Tables>) {
  return db
    .selectFrom('pulls')
    .select(['repository_id as repositoryId', 'number'])
    .where('active', '=', true)
    .execute();
}
