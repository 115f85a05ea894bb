import { type Kysely, sql } from 'kysely';
import { type Backend, isFree } from './backend.ts';
import type { Store, SweepTurn } from './store.ts';
import type { Tables } from './tables.ts';

/** What the store has for looking after lost webhooks. */
export function sweepMethods(
  backend: Pick<Backend, 'db' | 'holder'>,
): Pick<Store, 'knownDeliveries' | 'activePulls' | 'beginSweep' | 'endSweep'> {
  const { db } = backend;
  return {
    knownDeliveries: (ids) => knownDeliveries(db, ids),
    activePulls: () => activePulls(db),
    beginSweep: (now, leaseMs, early) => beginSweep(backend, now, leaseMs, early),
    endSweep: (turn, heardUntil, nextAt) => endSweep(db, turn, heardUntil, nextAt),
  };
}

/** Takes the turn to look for lost webhooks; null while somebody who lives has it, and before its time unless `early`. */
async function beginSweep(
  { db, holder }: Pick<Backend, 'db' | 'holder'>,
  now: number,
  leaseMs: number,
  early: boolean,
): Promise<SweepTurn | null> {
  const leaseUntil = now + leaseMs;
  const { rows } = await sql<{ fence: number; heard_until: number | null }>`
    insert into sweeps (id, fence, lease_until, leased_by) values (1, 1, ${leaseUntil}, ${holder})
    on conflict (id) do update
    set fence = sweeps.fence + 1, lease_until = ${leaseUntil}, leased_by = ${holder}
    where ${isFree('sweeps', holder, now)} and (${early}::boolean or sweeps.next_at <= ${now})
    returning fence, heard_until
  `.execute(db);
  const row = rows[0];
  return row === undefined ? null : { fence: row.fence, heardUntil: row.heard_until };
}

/** Gives the turn back; nothing happens where the fence is another's. */
async function endSweep(
  db: Kysely<Tables>,
  { fence }: SweepTurn,
  heardUntil: number | null,
  nextAt: number,
): Promise<void> {
  await db
    .updateTable('sweeps')
    .set({ heard_until: heardUntil, next_at: nextAt, lease_until: null, leased_by: null })
    .where('fence', '=', fence)
    .execute();
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
