import { randomBytes, randomInt, randomUUID } from 'node:crypto';
import { type Kysely, type RawBuilder, sql } from 'kysely';
import type { InstallationEvent, PullRequestRef } from '../../core/state/intent.ts';
import { createPullState, pullRequestKey } from '../../core/state/pull-state.ts';
import type { Signal } from '../../core/step/signals.ts';
import type { Backend } from './engine/backend.ts';
import { toStored } from './engine/json.ts';
import type { DatabaseSchema } from './engine/schema.ts';
import { toStoredPullState } from './load.ts';
import type { InterpretedDelivery } from './store.ts';

/** A delivery and its time of arrival (ms). */
export type ReceivedDelivery = { readonly delivery: InterpretedDelivery; readonly now: number };

/** The database that stores deliveries. */
type ReceiveBackend = Pick<Backend, 'db' | 'embedded'>;

export type Receipt = 'stored' | 'duplicate';

/** First key of the advisory locks of receivers; the second is a hash of the content key. */
const RECEIVE_LOCKS = 1_129_534_292;

/**
 * PostgreSQL has about 6,400 lock slots by default; ten processes that store hundreds of deliveries at once use 2,560.
 */
const MAX_RECEIVE_LOCKS = 256;

/** Cleanup can delete the row of a pull request between the two statements. */
const MAX_INSERT_ATTEMPTS = 3;

/**
 * Stores deliveries, all or none; returns one result for each, in order. A known delivery id or content key makes a
 * delivery a duplicate, and nothing is changed for it.
 */
export async function receive(
  { db, embedded }: ReceiveBackend,
  received: readonly ReceivedDelivery[],
): Promise<readonly Receipt[]> {
  if (received.length === 0) return [];
  const pulls = new Map(received.map(({ delivery }) => [pullRequestKey(delivery.intent.pull), delivery.intent.pull]));
  // Values are passed as one JSON text, so that the statement is the same for any number of rows and is planned once.
  const [keys, rows] = [JSON.stringify([...pulls.keys()]), JSON.stringify(received.map(signalRow))];
  for (let attempt = 1; attempt <= MAX_INSERT_ATTEMPTS; attempt += 1) {
    const stored = await insertSignals({ db, embedded }, keys, pulls.size, rows);
    if (stored === 'pulls-missing') await insertPulls(db, [...pulls]);
    else return received.map(({ delivery: { id } }) => (stored.delete(id) ? 'stored' : 'duplicate'));
  }
  throw new Error('Rows of pull requests were deleted while deliveries were stored');
}

/**
 * One statement: one round trip and one disk sync. `locked` takes the weakest lock that conflicts with
 * `withClaim`, after `turns` has ordered the receivers so that none deadlock. PGlite runs one transaction at a
 * time and needs neither. Returns the new ids; stores nothing unless all `count` rows of pull requests exist.
 */
async function insertSignals(
  { db, embedded }: ReceiveBackend,
  keys: string,
  count: number,
  signals: string,
): Promise<Set<string> | 'pulls-missing'> {
  const { rows } = await sql<{ locked: number; delivery_id: string | null }>`
    with ${embedded ? sql`` : lockReceivers(signals)} locked as materialized (
      select from pulls where pull_key = any (array(select json_array_elements_text(${keys}::json)))
      ${embedded ? sql`` : sql`and (select count(*) from turns) > 0`}
      ${embedded ? sql`` : sql`order by pull_key for key share`}
    ), stored as (
      insert into inbox (pull_key, kind, delivery_id, content_key, signal, received_at, not_before)
      select pull_key, 'webhook', delivery_id, content_key, signal, received_at, received_at
      from rows from (
        json_to_recordset(${signals}::json)
          as (pull_key text, delivery_id text, content_key text, signal text, received_at bigint)
      ) with ordinality as delivery (pull_key, delivery_id, content_key, signal, received_at, ordinal)
      where (select count(*) from locked) = ${count}
      order by ordinal
      on conflict do nothing returning delivery_id
    )
    select counted.locked, stored.delivery_id
    from (select count(*) as locked from locked) as counted left join stored on true
  `.execute(db);
  return rows[0]?.locked === count ? new Set(rows.flatMap((row) => row.delivery_id ?? [])) : 'pulls-missing';
}

/**
 * Serializes receivers of the same content, in one order for all. Other receivers wait only if their hashes collide:
 * hashing bounds the number of locks that the server holds.
 */
function lockReceivers(signals: string): RawBuilder<unknown> {
  return sql`turns as materialized (
    select pg_advisory_xact_lock(${sql.lit(RECEIVE_LOCKS)}, number) from (
      select distinct hashtext(coalesce(content_key, delivery_id)) & ${sql.lit(MAX_RECEIVE_LOCKS - 1)} as number
      from json_to_recordset(${signals}::json) as delivery (delivery_id text, content_key text) order by number
    ) as numbers
  ),`;
}

/**
 * Inserts the rows that claims lock. It needs a transaction of its own, because a running statement does not see rows
 * of other processes. Sorted, so that two processes never deadlock on each other's new rows.
 */
async function insertPulls(
  db: Kysely<DatabaseSchema>,
  pulls: readonly (readonly [key: string, ref: PullRequestRef])[],
): Promise<void> {
  await sql`
    insert into pulls (pull_key, installation_id, repository_id, number, state)
    select pull_key, installation_id, repository_id, number, state
    from json_to_recordset(${JSON.stringify(pulls.map(pullRow))}::json)
      as delivery (pull_key text, installation_id bigint, repository_id bigint, number bigint, state text)
    order by pull_key
    on conflict (pull_key) do nothing
  `.execute(db);
}

function pullRow([key, ref]: readonly [key: string, ref: PullRequestRef]) {
  return {
    pull_key: key,
    installation_id: ref.installationId,
    repository_id: ref.repositoryId,
    number: ref.number,
    state: toStored(toStoredPullState(createPullState(ref))),
  };
}

function signalRow({ delivery, now }: ReceivedDelivery) {
  const signal: Signal = { type: 'intent', deliveryId: delivery.id, intent: delivery.intent };
  return {
    pull_key: pullRequestKey(delivery.intent.pull),
    delivery_id: delivery.id,
    content_key: delivery.contentKey,
    signal: toStored(signal),
    received_at: now,
  };
}

/**
 * Stores a signal or effect for every affected pull request, in one statement. A repeated delivery changes nothing,
 * even if there are more pull requests by then.
 */
export async function broadcastToPulls(
  db: Kysely<DatabaseSchema>,
  deliveryId: string,
  event: InstallationEvent,
  now: number,
): Promise<'stored' | 'duplicate'> {
  const uninstalled = event.kind === 'access-lost' && event.cause === 'uninstalled' ? event.installationId : null;
  const { rows } = await sql<{ delivery_id: string }>`
    with new_event as (
      insert into installation_events (delivery_id, received_at, uninstalled_installation_id)
      values (${deliveryId}, ${now}::bigint, ${uninstalled}::bigint)
      on conflict do nothing returning delivery_id
    ), affected as (
      select pulls.pull_key, pulls.active from pulls join new_event on true
      where pulls.installation_id = ${event.installationId} and ${isInRepositories(event)}
    ), inserted as (
      ${insertForActivePulls(event.kind === 'access-lost' ? { type: 'access-lost', cause: event.cause } : WEBHOOKS_LOST, now)}
    )
    select delivery_id from new_event
  `.execute(db);
  return rows.length > 0 ? 'stored' : 'duplicate';
}

/** All ids are one parameter, because a statement takes at most 65,535 and a large organization can have more. */
function isInRepositories({ repositoryIds }: InstallationEvent): RawBuilder<unknown> {
  if (repositoryIds === null) return sql`true`;
  return sql`pulls.repository_id = any(string_to_array(${repositoryIds.join(',')}, ',')::bigint[])`;
}

/** GitHub sends no webhooks to a suspended App, so denials can be missing. */
const WEBHOOKS_LOST: Signal = { type: 'dead-lettered', errorId: null };

/** Voids the votes of all changes that are not committed, because webhooks are lost; denials can be among them. */
export async function voidVotes(db: Kysely<DatabaseSchema>, now: number): Promise<void> {
  await sql`with affected as (select pull_key, active from pulls) ${insertForActivePulls(WEBHOOKS_LOST, now)}`.execute(
    db,
  );
}

/** One signal for each pull request of `affected` with active or pending work. */
function insertForActivePulls(signal: Signal, now: number): RawBuilder<unknown> {
  return sql`
    insert into inbox (pull_key, kind, signal, received_at, not_before)
    select pull_key, 'effect-result', ${toStored(signal)}, ${now}::bigint, ${now}::bigint
    from affected
    where active
      or exists (select 1 from inbox as pending where pending.pull_key = affected.pull_key and pending.done_at is null)
      or exists (select 1 from effects where effects.pull_key = affected.pull_key and effects.done_at is null)`;
}

/** Random text, which does not compress, so that the rows do not fit into leftover space of a full disk. */
const REHEARSED_BYTES = 8_192;

/**
 * Stores a made-up delivery, claims its pull request and takes all of it back. Nobody ever sees it: its transaction is
 * always rolled back. Rejects with the error that a real delivery would meet.
 */
export async function rehearseReceive({ db, embedded }: ReceiveBackend, now: number): Promise<void> {
  const rehearsed = new RehearsedError();
  try {
    await db.transaction().execute(async (transaction) => {
      const delivery = makeUpDelivery();
      await receive({ db: transaction, embedded }, [{ delivery, now }]);
      await sql`update pulls set fence = fence + 1 where pull_key = ${pullRequestKey(delivery.intent.pull)}`.execute(
        transaction,
      );
      throw rehearsed;
    });
  } catch (error) {
    if (error !== rehearsed) throw error;
  }
}

/** Rolls back the transaction of a successful rehearsal. */
class RehearsedError extends Error {}

/** A push to a pull request that cannot exist: GitHub's ids are positive. */
function makeUpDelivery(): InterpretedDelivery {
  const pull = { installationId: -1, repositoryId: -randomInt(1, 0x7fff_ffff), owner: '', repo: '', number: 0 };
  const actor = { id: 0, login: '', type: 'Bot', viaApp: true } as const;
  const before = randomBytes(REHEARSED_BYTES).toString('base64');
  return {
    id: `rehearsal-${randomUUID()}`,
    contentKey: null,
    intent: { kind: 'pushed', pull, actor, before, after: '' },
  };
}
