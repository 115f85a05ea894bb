import { randomInt } from 'node:crypto';
import type { Kysely } from 'kysely';
import { sql } from 'kysely';
import type { Tables } from './tables.ts';

/** A database that is open. What differs between the two kinds lies behind this. */
export type Backend = {
  readonly db: Kysely<Tables>;
  /** It lives in this process: whoever works on it dies with it. */
  readonly embedded: boolean;
  /** Second key of the advisory lock that this process holds for its life; leases carry it. */
  readonly holder: number;
  /** Tells other processes that there may be work; a hint that may get lost. */
  readonly tellOthers: () => void;
  /** Calls back when another process says so. */
  readonly onTold: (listener: () => void) => void;
  /** Calls back, for as long as the process lives, as soon as its connection breaks: what answers next may be another server. */
  readonly onCut: (listener: () => void) => void;
  /** The connection that keeps this process's leases; null while it is opened anew, when others may take what it holds. */
  readonly tenure: () => object | null;
  readonly close: () => Promise<void>;
};

/** First key of the advisory locks that say which processes live. */
export const HOLDERS = 1_129_534_291;

/** A key for `holder`: random, so that a process never meets the leases of an earlier one under its own key. */
export function newHolder(): number {
  return randomInt(1, 0x7fff_ffff);
}

/** Tables whose rows are leased. */
type Leased = 'pulls' | 'effects' | 'sweeps';

/** Keys of the processes that live now: a lease of any other is void at once, whatever its time says. */
const LIVE_HOLDERS = sql`(
  select objid::bigint from pg_locks
  where locktype = 'advisory' and granted and classid::bigint = ${sql.lit(HOLDERS)} and objsubid = 2
    and database = (select oid from pg_database where datname = current_database())
)`;

/** Who asks, and whether others may hold anything. */
export type Asking = Pick<Backend, 'holder' | 'embedded'>;

/**
 * Whether a row is leased to a process that lives. This process does, whatever the database thinks: its lock is gone
 * while the connection that holds it is opened anew, and it must not begin again what it is at. With an embedded database
 * it is the only one.
 */
function isLeased(table: Leased, { holder, embedded }: Asking) {
  const by = sql.ref(`${table}.leased_by`);
  return embedded ? sql<boolean>`${by} = ${holder}` : sql<boolean>`(${by} = ${holder} or ${by} in ${LIVE_HOLDERS})`;
}

/** Whether a row with this lease may be taken. `table` is our own name for it in the query. */
export function isFree(table: Leased, asking: Asking, now: number) {
  const until = sql.ref(`${table}.lease_until`);
  return sql<boolean>`(${until} is null or ${until} <= ${now} or not ${isLeased(table, asking)})`;
}

/** Until when a row may not be taken; null where it may be now. */
export function leasedUntil(table: Leased, asking: Asking) {
  const until = sql.ref(`${table}.lease_until`);
  return sql<number | null>`case when ${until} is not null and ${isLeased(table, asking)} then ${until} end`;
}
