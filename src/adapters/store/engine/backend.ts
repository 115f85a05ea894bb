import { randomInt } from 'node:crypto';
import { type Kysely, sql } from 'kysely';
import type { DatabaseSchema } from './schema.ts';

/** An open database. It hides the differences between PGlite and PostgreSQL. */
export type Backend = {
  readonly db: Kysely<DatabaseSchema>;
  /** The database lives in this process, which is its only client. */
  readonly embedded: boolean;
  /** Second key of the advisory lock that this process holds for its life; its leases carry it. */
  readonly leaseHolderId: number;
  /** Tells other processes that there might be work; the notification can get lost. */
  readonly notifyOthers: () => void;
  /** Calls back when another process has called `notifyOthers`. */
  readonly onNotified: (listener: () => void) => void;
  /**
   * Calls back whenever the connection breaks, until the process ends; the next connection might reach another server.
   */
  readonly onDisconnect: (listener: () => void) => void;
  /** The connection that holds the leases of this process; null while reconnecting, when others can take them. */
  readonly connectionEpoch: () => object | null;
  readonly close: () => Promise<void>;
};

/** First key of the advisory locks that mark living processes. */
export const LEASE_HOLDER_LOCKS = 1_129_534_291;

/** A random id, so that a process never inherits the leases of an earlier one. */
export function createLeaseHolderId(): number {
  return randomInt(1, 0x7fff_ffff);
}

type LeasedTable = 'pulls' | 'effects' | 'recovery_state';

/** Ids of the living processes: leases of all others are void at once, even before they expire. */
const LIVE_LEASE_HOLDERS = sql`(
  select objid::bigint from pg_locks
  where locktype = 'advisory' and granted and classid::bigint = ${sql.lit(LEASE_HOLDER_LOCKS)} and objsubid = 2
    and database = (select oid from pg_database where datname = current_database())
)`;

/** This process; `embedded` means that no other process uses the database. */
export type LeaseHolder = Pick<Backend, 'leaseHolderId' | 'embedded'>;

/**
 * Whether a living process holds the lease. Our own leases always count: our lock is gone while we reconnect, but the
 * work that we are still doing must not start again.
 */
function isLeased(table: LeasedTable, { leaseHolderId, embedded }: LeaseHolder) {
  const leasedBy = sql.ref(`${table}.leased_by`);
  return embedded
    ? sql<boolean>`${leasedBy} = ${leaseHolderId}`
    : sql<boolean>`(${leasedBy} = ${leaseHolderId} or ${leasedBy} in ${LIVE_LEASE_HOLDERS})`;
}

/** A condition: the row can be leased. */
export function isUnleased(table: LeasedTable, leaseHolder: LeaseHolder, now: number) {
  const until = sql.ref(`${table}.lease_until`);
  return sql<boolean>`(${until} is null or ${until} <= ${now} or not ${isLeased(table, leaseHolder)})`;
}

/** When the lease on a row ends (ms); null if it has none. */
export function leasedUntil(table: LeasedTable, leaseHolder: LeaseHolder) {
  const until = sql.ref(`${table}.lease_until`);
  return sql<number | null>`case when ${until} is not null and ${isLeased(table, leaseHolder)} then ${until} end`;
}
