import { type Kysely, type RawBuilder, sql } from 'kysely';
import type { CheckEvent } from '../../core/state/checks.ts';
import type { InstallationEvent, PullRequestRef } from '../../core/state/intent.ts';
import { createPullState, pullRequestKey } from '../../core/state/pull-state.ts';
import type { Signal } from '../../core/step/signals.ts';
import { type DatabaseSchema, toStored } from './engine/schema.ts';
import { toStoredPullState } from './load.ts';
import { noticeCte, repositoryName } from './pauses.ts';
import type { InterpretedDelivery } from './store.ts';

type Receipt = 'stored' | 'duplicate';

/** Cleanup can delete the row of a pull request between the two statements. */
const MAX_ATTEMPTS = 3;

/** Stores a delivery. Nothing changes for one whose id or content key is known. */
export async function receive(
  db: Kysely<DatabaseSchema>,
  delivery: InterpretedDelivery,
  now: number,
): Promise<Receipt> {
  const { id, contentKey, intent } = delivery;
  const key = pullRequestKey(intent.pull);
  const signal: Signal = { type: 'intent', deliveryId: id, intent };
  for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt += 1) {
    // The weakest lock that conflicts with a `withClaim` without deliveries.
    const { rows } = await sql<{ isPullKnown: boolean; isStored: boolean }>`
      with pull as materialized (
        select pull_key from pulls where pull_key = ${key} for key share
      ), stored as (
        insert into inbox (pull_key, kind, delivery_id, content_key, signal, received_at, not_before)
        select pull_key, 'webhook', ${id}, ${contentKey}, ${toStored(signal)}, ${now}::bigint, ${now}::bigint from pull
        on conflict do nothing returning pull_key
      ), ${noticeCte(delivery, now)}
      select exists (select from pull) as "isPullKnown", exists (select from stored) as "isStored"
    `.execute(db);
    if (rows[0]?.isPullKnown === true) return rows[0].isStored ? 'stored' : 'duplicate';
    await insertPull(db, key, intent.pull);
  }
  throw new Error(`The row of pull request ${key} was deleted while a delivery was stored`);
}

/** Inserts the row that claims lock. A running statement would not see the row that another process inserts. */
async function insertPull(db: Kysely<DatabaseSchema>, key: string, ref: PullRequestRef): Promise<void> {
  await sql`
    insert into pulls (pull_key, installation_id, repository_id, number, repository, state)
    values (${key}, ${ref.installationId}, ${ref.repositoryId}, ${ref.number}, ${repositoryName(ref)},
      ${toStored(toStoredPullState(createPullState(ref)))})
    on conflict do nothing
  `.execute(db);
}

/**
 * Stores a signal for every affected pull request, in one statement. A repeated delivery changes nothing, even if there
 * are more pull requests by then.
 */
export async function broadcastToPulls(
  db: Kysely<DatabaseSchema>,
  deliveryId: string,
  event: InstallationEvent,
  now: number,
): Promise<Receipt> {
  const uninstalled = event.kind === 'access-lost' && event.cause === 'uninstalled' ? event.installationId : null;
  const signal: Signal = event.kind === 'access-lost' ? { type: 'access-lost', cause: event.cause } : WEBHOOKS_LOST;
  const { rows } = await sql<{ delivery_id: string }>`
    with new_event as (
      insert into installation_events (delivery_id, received_at, uninstalled_installation_id)
      values (${deliveryId}, ${now}::bigint, ${uninstalled}::bigint)
      on conflict do nothing returning delivery_id
    ), affected as (
      select pulls.pull_key, pulls.active from pulls join new_event on true
      where pulls.installation_id = ${event.installationId} and ${isInRepositories(event)}
    ), inserted as (
      ${insertForActivePulls(signal, now)}
    )
    select delivery_id from new_event
  `.execute(db);
  return rows.length > 0 ? 'stored' : 'duplicate';
}

/** A waiting run has a look that is not due yet. */
export async function noticeChecks(db: Kysely<DatabaseSchema>, event: CheckEvent, now: number): Promise<boolean> {
  const { repositoryId, ...completed } = event;
  const signal: Signal = { type: 'checks-changed', ...completed };
  const { rows } = await sql`
    insert into inbox (pull_key, kind, signal, received_at, not_before)
    select distinct pulls.pull_key, 'effect-result', ${toStored(signal)}, ${now}::bigint, ${now}::bigint
    from effects join pulls on pulls.pull_key = effects.pull_key
    where effects.lane = 'concurrent' and effects.done_at is null and effects.type = 'read-checks'
      and pulls.repository_id = ${repositoryId}
    returning pull_key
  `.execute(db);
  return rows.length > 0;
}

/** All ids are one parameter, because a statement takes at most 65,535 and a large organization can have more. */
function isInRepositories({ repositoryIds }: InstallationEvent): RawBuilder<unknown> {
  if (repositoryIds === null) return sql`true`;
  return sql`pulls.repository_id = any(string_to_array(${repositoryIds.join(',')}, ',')::bigint[])`;
}

/** Denials can be missing: GitHub sends no webhooks to a suspended App, and its delivery log ends after three days. */
const WEBHOOKS_LOST: Signal = { type: 'dead-lettered', errorId: null };

/** Voids the votes of all changes that are not committed, because webhooks are lost. */
export async function voidVotes(db: Kysely<DatabaseSchema>, now: number): Promise<void> {
  const insert = insertForActivePulls(WEBHOOKS_LOST, now);
  await sql`with affected as (select pull_key, active from pulls) ${insert}`.execute(db);
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

/** Those of these deliveries that are stored. */
export async function findKnownDeliveries(
  db: Kysely<DatabaseSchema>,
  ids: readonly string[],
): Promise<ReadonlySet<string>> {
  const { rows } = await sql<{ delivery_id: string }>`
    with wanted as (select json_array_elements_text(${JSON.stringify(ids)}::json) as delivery_id)
    select delivery_id from inbox join wanted using (delivery_id)
    union select delivery_id from installation_events join wanted using (delivery_id)
  `.execute(db);
  return new Set(rows.map(({ delivery_id: id }) => id));
}

/** Begins a look for lost webhooks; null within `intervalMs` of the last one, unless `early`. */
export async function beginRecovery(
  db: Kysely<DatabaseSchema>,
  now: number,
  intervalMs: number,
  early: boolean,
): Promise<{ readonly recoveredUntil: number | null } | null> {
  const { rows } = await sql<{ recoveredUntil: number | null }>`
    insert into recovery_state (id, next_look_at) values (1, ${now + intervalMs})
    on conflict (id) do update set next_look_at = excluded.next_look_at
    where ${early}::boolean or recovery_state.next_look_at <= ${now}
    returning recovered_until as "recoveredUntil"
  `.execute(db);
  return rows[0] ?? null;
}

/** No webhook is missing up to `until`. A look that took longer than the next one takes nothing back. */
export async function endRecovery(db: Kysely<DatabaseSchema>, until: number): Promise<void> {
  await sql`update recovery_state set recovered_until = greatest(recovered_until, ${until}::bigint)`.execute(db);
}

/** Stores a delivery of no pull request and takes it back. Rejects with the error that a real one would meet. */
export async function rehearseReceive(db: Kysely<DatabaseSchema>, now: number): Promise<void> {
  const rehearsed = new Error('The rehearsal is over');
  const transaction = db.transaction().execute(async (unsaved) => {
    await sql`
      insert into inbox (pull_key, kind, signal, received_at, not_before)
      values ('rehearsal', 'webhook', ${REHEARSED_TEXT}, ${now}, ${now})
    `.execute(unsaved);
    throw rehearsed;
  });
  await transaction.catch((error: unknown) => {
    if (error !== rehearsed) throw error;
  });
}

/** As long as a delivery, so that it does not fit into leftover space of a full disk. */
const REHEARSED_TEXT = '0123456789'.repeat(800);
