import { type Kysely, type Selectable, sql, type Transaction } from 'kysely';
import { LRUCache } from 'lru-cache';
import { acquire, pauseUntil, type RateLimitState } from '../../core/step/rate-limit.ts';
import { fromStored, toStored } from './engine/json.ts';
import type { DatabaseSchema } from './engine/schema.ts';
import type { Store } from './store.ts';

type RateLimitRow = Pick<
  Selectable<DatabaseSchema['rate_limits']>,
  'used' | 'read_blocked_until' | 'act_blocked_until' | 'notify_blocked_until'
>;

type StateChange<Result> = (state: RateLimitState) => { readonly state: RateLimitState; readonly result: Result };

/** Holds until the end of the transaction, which is the statement itself. */
const WITHOUT_DISK_WAIT = sql<string>`set_config('synchronous_commit', 'off', true)`;

/** A row that falls out of the cache costs two more statements at its next use. */
const MAX_CACHED_ROWS = 1_000;

/**
 * Rate limits of installations. The rows that this process last wrote are cached: if no other process has changed the
 * row since, a request costs one statement.
 */
export function createRateLimitMethods(
  db: Kysely<DatabaseSchema>,
): Pick<Store, 'acquireRateLimit' | 'pauseInstallation'> {
  const cache = new LRUCache<number, RateLimitRow>({ max: MAX_CACHED_ROWS });

  async function changeState<Result>(id: number, change: StateChange<Result>): Promise<Result> {
    const cached = cache.get(id);
    // Removed from the cache, so that concurrent callers queue for the row lock instead of failing optimistically.
    cache.delete(id);
    const { row, result } =
      (cached && (await updateIfUnchanged(db, id, cached, change))) ?? (await updateLocked(db, id, change));
    cache.set(id, row);
    return result;
  }

  return {
    acquireRateLimit: (installationId, request, limits, now) =>
      changeState(installationId, (before) => {
        const { state, waitUntil } = acquire(before, request, limits, now);
        return { state, result: waitUntil };
      }),
    pauseInstallation: (installationId, until) =>
      changeState(installationId, (before) => ({
        state: pauseUntil(before, 'read', until),
        result: undefined,
      })),
  };
}

type UpdatedRow<Result> = { readonly row: RateLimitRow; readonly result: Result };

/**
 * Optimistic update: null, with nothing changed, if the row differs from the cached one. Every request to GitHub needs
 * one, so its commit alone does not wait for the disk: GitHub refuses a request that a lost count let through.
 */
async function updateIfUnchanged<Result>(
  db: Kysely<DatabaseSchema>,
  id: number,
  cached: RateLimitRow,
  change: StateChange<Result>,
): Promise<UpdatedRow<Result> | null> {
  const { state, result } = change(rateLimitStateFromRow(cached));
  const row = rateLimitStateToRow(state);
  const { numUpdatedRows } = await db
    .with('relaxed', (cte) => cte.selectNoFrom(WITHOUT_DISK_WAIT.as('setting')))
    .updateTable('rate_limits')
    .from('relaxed')
    .set(row)
    .where('installation_id', '=', id)
    .where((column) => column.and(cached))
    .where('setting', 'is not', null)
    .executeTakeFirst();
  return numUpdatedRows > 0n ? { row, result } : null;
}

/** Locks the row, which is created if missing, and updates it. */
function updateLocked<Result>(
  db: Kysely<DatabaseSchema>,
  id: number,
  change: StateChange<Result>,
): Promise<UpdatedRow<Result>> {
  return db.transaction().execute(async (transaction) => {
    const { state, result } = change(rateLimitStateFromRow(await lockRateLimitRow(transaction, id)));
    const row = rateLimitStateToRow(state);
    await transaction.updateTable('rate_limits').set(row).where('installation_id', '=', id).execute();
    return { row, result };
  });
}

function lockRateLimitRow(transaction: Transaction<DatabaseSchema>, id: number): Promise<RateLimitRow> {
  return transaction
    .insertInto('rate_limits')
    .values({ installation_id: id })
    .onConflict((conflict) => conflict.column('installation_id').doUpdateSet({ installation_id: id }))
    .returning(['used', 'read_blocked_until', 'act_blocked_until', 'notify_blocked_until'])
    .executeTakeFirstOrThrow();
}

function rateLimitStateFromRow(row: RateLimitRow): RateLimitState {
  const { read_blocked_until: read, act_blocked_until: act, notify_blocked_until: notify } = row;
  return { used: fromStored<RateLimitState['used']>(row.used), blockedUntil: { read, act, notify } };
}

function rateLimitStateToRow({ used, blockedUntil }: RateLimitState): RateLimitRow {
  const { read, act, notify } = blockedUntil;
  return { used: toStored(used), read_blocked_until: read, act_blocked_until: act, notify_blocked_until: notify };
}
