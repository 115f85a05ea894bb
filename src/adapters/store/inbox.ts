import { type Kysely, type RawBuilder, sql, type Transaction } from 'kysely';
import type { Reason } from '../../core/step/reasons.ts';
import type { Signal } from '../../core/step/signals.ts';
import { isHeldBy, withClaim } from './claims.ts';
import { enqueueEffects } from './effects.ts';
import { type DatabaseSchema, toPlainText, toStored } from './engine/schema.ts';
import {
  type AttemptFailure,
  type Claim,
  countFailure,
  type DeadLetterFollowUp,
  type ErrorReport,
  MAX_REPORTED_ERRORS,
  type StoredSignal,
} from './store.ts';

/**
 * Webhooks, and the signals in place of dead letters: either could be a denial, so a commit waits for both, even while
 * they are postponed. The JSON column is text, and `toStored` writes the type first.
 */
const COULD_BE_DENIAL = sql<boolean>`(inbox.kind = 'webhook' or starts_with(inbox.signal, ${toStored({ type: 'dead-lettered' }).slice(0, -1)}))`;

/**
 * When the earliest signal that could be a denial can be handled (ms, at least `now`); null if none is pending. A read,
 * so it needs no fencing.
 */
export async function nextCommentAt(db: Kysely<DatabaseSchema>, claim: Claim, now: number): Promise<number | null> {
  const row = await db
    .selectFrom('inbox')
    .innerJoin('pulls', 'pulls.pull_key', 'inbox.pull_key')
    .select(['inbox.kind', 'inbox.not_before', 'pulls.webhooks_retry_at'])
    .where('inbox.pull_key', '=', claim.pullRequestKey)
    .where(COULD_BE_DENIAL)
    .where('inbox.done_at', 'is', null)
    .orderBy('inbox.not_before')
    .limit(1)
    .executeTakeFirst();
  if (row === undefined) return null;
  return Math.max(now, row.not_before, row.kind === 'webhook' ? row.webhooks_retry_at : 0);
}

/** Whether an effect result is due, or a denial could be pending, due or postponed. */
export async function hasPendingSignal(
  transaction: Transaction<DatabaseSchema>,
  pullRequestKey: string,
  now: number,
): Promise<boolean> {
  const row = await transaction
    .selectFrom('inbox')
    .select('id')
    .where('pull_key', '=', pullRequestKey)
    .where('done_at', 'is', null)
    .where((signal) => signal.or([COULD_BE_DENIAL, signal('not_before', '<=', now)]))
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

/**
 * The common table expression `pull`: locks the row of the pull request and marks a signal done. It has no row, and
 * nothing is changed, if the claim is lost or the signal was already done. The text of a comment that is not for us is
 * erased.
 */
export function completeSignalCte(
  claim: Claim,
  signal: StoredSignal,
  reason: Reason,
  now: number,
): RawBuilder<{ readonly pull_key: string }> {
  return sql`claimed as (select pull_key from pulls where ${isHeldBy(claim)} for no key update),
  pull as (
    update inbox set done_at = ${now}, reason = ${reason}${reason === 'not-for-us' ? sql`, signal = null` : sql``}
    from claimed where inbox.id = ${signal.id} and inbox.pull_key = claimed.pull_key and inbox.done_at is null
    returning inbox.pull_key
  )`;
}

/**
 * Postpones a signal until `notBefore`. With a failure, the attempt is counted and later webhooks of the pull request
 * are held back. Without one, the signal only waits for the result of an effect.
 */
export async function postponeSignal(
  db: Kysely<DatabaseSchema>,
  claim: Claim,
  signal: StoredSignal,
  notBefore: number,
  failure: AttemptFailure | null,
): Promise<void> {
  const attempt = failure === null ? {} : failureColumns(signal, failure);
  await withClaim(db, claim, 'deliveries', null, async (transaction) => {
    await transaction
      .updateTable('inbox')
      .set({ not_before: notBefore, ...attempt })
      .where('id', '=', signal.id)
      .where('done_at', 'is', null)
      .execute();
    if (failure !== null && signal.signal.type === 'intent') await holdBackWebhooks(transaction, claim, notBefore);
  });
}

function failureColumns(signal: StoredSignal, { now, error, failure }: AttemptFailure) {
  const { internalErrors, refusedSince } = countFailure(signal, failure, now);
  return {
    error: toPlainText(error),
    attempts: signal.attempts + 1,
    internal_errors: internalErrors,
    refused_since: refusedSince,
  };
}

async function holdBackWebhooks(transaction: Transaction<DatabaseSchema>, claim: Claim, until: number): Promise<void> {
  await transaction
    .updateTable('pulls')
    .set({ webhooks_retry_at: until })
    .where('pull_key', '=', claim.pullRequestKey)
    .execute();
}

/**
 * Moves a signal to the dead letters: the row stays with its error. The follow-up is stored in the same transaction.
 */
export async function deadLetterSignal(
  db: Kysely<DatabaseSchema>,
  claim: Claim,
  signal: StoredSignal,
  report: ErrorReport,
  { reply, signal: nextSignal }: DeadLetterFollowUp,
  now: number,
): Promise<void> {
  await withClaim(db, claim, 'deliveries', null, async (transaction) => {
    const { numUpdatedRows } = await transaction
      .updateTable('inbox')
      .set({ done_at: now, dead_lettered: true, error: toPlainText(report.errorText), error_id: report.id })
      .where('id', '=', signal.id)
      .where('done_at', 'is', null)
      .executeTakeFirst();
    if (numUpdatedRows === 0n) return;
    if (nextSignal !== null) await insertFollowUpSignal(transaction, claim.pullRequestKey, nextSignal, now);
    if (reply !== null && (await countDeadLetters(transaction, claim.pullRequestKey)) <= MAX_REPORTED_ERRORS)
      await enqueueEffects(transaction, claim.pullRequestKey, [reply], now);
  });
}

async function insertFollowUpSignal(
  transaction: Transaction<DatabaseSchema>,
  pullRequestKey: string,
  signal: Signal,
  now: number,
) {
  const row = { kind: 'effect-result', signal: toStored(signal), received_at: now, not_before: now } as const;
  await transaction
    .insertInto('inbox')
    .values({ pull_key: pullRequestKey, ...row })
    .execute();
}

async function countDeadLetters(transaction: Transaction<DatabaseSchema>, pullRequestKey: string): Promise<number> {
  const { count } = await transaction
    .selectFrom('inbox')
    .select((row) => row.fn.countAll<number>().as('count'))
    .where('pull_key', '=', pullRequestKey)
    .where('dead_lettered', '=', true)
    .executeTakeFirstOrThrow();
  return Number(count);
}
