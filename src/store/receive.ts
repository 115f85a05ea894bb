import { type Kysely, type RawBuilder, sql } from 'kysely';
import type { PullRef } from '../command/intent.ts';
import { newPull, pullKey } from '../run/run.ts';
import type { Signal } from '../run/signal.ts';
import type { Backend } from './backend.ts';
import { pullState } from './pull-state.ts';
import type { Delivery } from './store.ts';
import { toStored } from './stored-json.ts';
import type { Tables } from './tables.ts';

/** A delivery and when it came. */
export type Received = { readonly delivery: Delivery; readonly now: number };
/** Where it is stored. */
type On = Pick<Backend, 'db' | 'embedded'>;
export type Receipt = 'stored' | 'duplicate';

/** First key of the advisory locks of those who store deliveries; the second is one of so many numbers for what they say. */
const RECEIVERS = 1_129_534_292;
/** A server remembers some 6,400 locks as it is installed: ten processes that store hundreds at once take 2,560 of them. */
const NUMBERS = 256;
/** The rows of pull requests may go away once, where an account was forgotten just then. */
const TRIES = 3;

/**
 * Stores deliveries, all or none; one answer each, in order. A delivery whose id or natural key is known is a duplicate
 * and changes nothing, whatever else it says.
 */
export async function receive({ db, embedded }: On, received: readonly Received[]): Promise<readonly Receipt[]> {
  if (received.length === 0) return [];
  const pulls = new Map(received.map(({ delivery }) => [pullKey(delivery.intent.pull), delivery.intent.pull]));
  // Values go as one JSON text: however many there are, the statement is the same, and is planned once.
  const [keys, rows] = [JSON.stringify([...pulls.keys()]), JSON.stringify(received.map(signalRow))];
  for (let attempt = 1; attempt <= TRIES; attempt += 1) {
    const stored = await insertSignals({ db, embedded }, keys, pulls.size, rows);
    if (stored === 'pulls-missing') await insertPulls(db, [...pulls]);
    else return received.map(({ delivery: { id } }) => (stored.delete(id) ? 'stored' : 'duplicate'));
  }
  throw new Error('The rows of pull requests went away while deliveries were stored');
}

/**
 * One statement: a single round trip, and a single sync of the disk. It holds the rows that claims lock, so that `whileAlone`
 * is over before, or sees what is stored here; with the weakest lock, which neither claims nor other receivers wait for.
 * Whoever is alone with a row waits for nobody, so waiting here for one after the other cannot end in a circle. Nor can two
 * that store the same deliveries in other orders: whoever is to wait for the other's new rows waits before it has made any of
 * its own (`turns`). An embedded database has one session and works on one transaction at a time: there a lock is only costly.
 * Gives the ids of what was new; stores nothing where not all of the `count` rows are there.
 */
async function insertSignals(
  { db, embedded }: On,
  keys: string,
  count: number,
  signals: string,
): Promise<Set<string> | 'pulls-missing'> {
  const { rows } = await sql<{ held: number; delivery_id: string | null }>`
    with ${embedded ? sql`` : turns(signals)} held as materialized (
      select from pulls where pull_key = any (array(select json_array_elements_text(${keys}::json)))
      ${embedded ? sql`` : sql`and (select count(*) from turns) > 0`}
      ${embedded ? sql`` : sql`order by pull_key for key share`}
    ), stored as (
      insert into inbox (pull_key, kind, delivery_id, natural_key, signal, received_at, not_before)
      select pull_key, 'intent', delivery_id, natural_key, signal, received_at, received_at
      from rows from (
        json_to_recordset(${signals}::json)
          as (pull_key text, delivery_id text, natural_key text, signal text, received_at bigint)
      ) with ordinality as given (pull_key, delivery_id, natural_key, signal, received_at, place)
      where (select count(*) from held) = ${count}
      order by place
      on conflict do nothing returning delivery_id
    )
    select counted.held, stored.delivery_id
    from (select count(*) as held from held) as counted left join stored on true
  `.execute(db);
  return rows[0]?.held === count ? new Set(rows.flatMap((row) => row.delivery_id ?? [])) : 'pulls-missing';
}

/**
 * One process at a time stores the same words, or a delivery where nobody said any, and all wait for each other in one order.
 * Whoever stores anything else waits for nobody, but for the few that have its number by chance: the numbers bound how many
 * locks the server has to remember.
 */
function turns(signals: string): RawBuilder<unknown> {
  return sql`turns as materialized (
    select pg_advisory_xact_lock(${sql.lit(RECEIVERS)}, number) from (
      select distinct hashtext(coalesce(natural_key, delivery_id)) & ${sql.lit(NUMBERS - 1)} as number
      from json_to_recordset(${signals}::json) as given (delivery_id text, natural_key text) order by number
    ) as numbers
  ),`;
}

/**
 * The rows that claims lock; without a signal they are no harm. A transaction of its own, because a statement does not see
 * a row that another process makes while it runs. In one order, so that two never wait for each other's new rows.
 */
async function insertPulls(
  db: Kysely<Tables>,
  pulls: readonly (readonly [key: string, ref: PullRef])[],
): Promise<void> {
  await sql`
    insert into pulls (pull_key, installation_id, repository_id, number, state)
    select pull_key, installation_id, repository_id, number, state
    from json_to_recordset(${JSON.stringify(pulls.map(pullRow))}::json)
      as given (pull_key text, installation_id bigint, repository_id bigint, number bigint, state text)
    order by pull_key
    on conflict (pull_key) do nothing
  `.execute(db);
}

function pullRow([key, ref]: readonly [key: string, ref: PullRef]) {
  return {
    pull_key: key,
    installation_id: ref.installationId,
    repository_id: ref.repositoryId,
    number: ref.number,
    state: toStored(pullState(newPull(ref))),
  };
}

function signalRow({ delivery, now }: Received) {
  const signal: Signal = { type: 'intent', deliveryId: delivery.id, intent: delivery.intent };
  return {
    pull_key: pullKey(delivery.intent.pull),
    delivery_id: delivery.id,
    natural_key: delivery.naturalKey,
    signal: toStored(signal),
    received_at: now,
  };
}
