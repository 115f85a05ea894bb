import { type Kysely, type Selectable, sql } from 'kysely';
import { type Backend, isUnleased, type LeaseHolder } from './engine/backend.ts';
import type { DatabaseSchema } from './engine/schema.ts';
import { voidVotes } from './receive.ts';
import type { RecoveryTurn, Store } from './store.ts';

/** Store methods for the recovery of lost webhooks. */
export function createRecoveryMethods(
  backend: Pick<Backend, 'db'> & LeaseHolder,
  notify: () => void,
): Pick<Store, 'findKnownDeliveries' | 'voidVotes' | 'beginRecovery' | 'endRecovery'> {
  const { db } = backend;
  return {
    findKnownDeliveries: (ids) => findKnownDeliveries(db, ids),
    async voidVotes(now) {
      await voidVotes(db, now);
      notify();
    },
    beginRecovery: (now, leaseMs, early) => beginRecovery(backend, now, leaseMs, early),
    endRecovery: (turn, until, nextAt) => endRecovery(db, turn, until, nextAt),
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
  const { rows } = await sql<Pick<Selectable<DatabaseSchema['recovery_state']>, 'fence' | 'recovered_until'>>`
    insert into recovery_state (id, fence, lease_until, leased_by, next_run_at)
    values (1, 1, ${leaseUntil}, ${leaseHolder.leaseHolderId}, ${leaseUntil})
    on conflict (id) do update set fence = recovery_state.fence + 1,
      lease_until = ${leaseUntil}, leased_by = ${leaseHolder.leaseHolderId}, next_run_at = ${leaseUntil}
    where ${isUnleased('recovery_state', leaseHolder, now)} and (${early}::boolean or recovery_state.next_run_at <= ${now})
    returning fence, recovered_until
  `.execute(db);
  const [row] = rows;
  return row === undefined ? null : { fencingToken: row.fence, recoveredUntil: row.recovered_until };
}

/** Changes nothing if another process has taken the turn since. `greatest` ignores nulls. */
async function endRecovery(
  db: Kysely<DatabaseSchema>,
  { fencingToken }: RecoveryTurn,
  until: number | null,
  nextAt: number,
): Promise<void> {
  await sql`
    update recovery_state set next_run_at = ${nextAt}, lease_until = null, leased_by = null,
      recovered_until = greatest(recovered_until, ${until}::bigint)
    where fence = ${fencingToken}
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
