import { createHash } from 'node:crypto';
import { isOutage, UnsupportedSchemaError } from '../../adapters/store/engine/errors.ts';
import type { Claim, DeadLetterFollowUp, StoredEffect, StoredSignal } from '../../adapters/store/store.ts';
import { deadLetterReply, mightBeDenial } from '../../core/outcomes/failures.ts';
import { GitHubError, ModelError, RateLimitExceededError } from '../../core/state/ports.ts';
import type { PullState } from '../../core/state/run.ts';
import type { Signal, ToolResult } from '../../core/state/signals.ts';
import type { EffectResult, Job, WorkerContext } from './job.ts';

/** The part of a signal's handling that failed: `storing` includes loading. */
export type AttemptStage = keyof typeof MAX_SIGNAL_ERRORS;

/**
 * Internal errors before a signal becomes a dead letter, so that it blocks nothing. Database outages do not count, but
 * an unknown error of the database might be an outage too, so storing gets more attempts.
 */
const MAX_SIGNAL_ERRORS = { deciding: 5, storing: 8 } as const;

/** Attempts to read a state with an unknown schema, about 30 s: a newer process can take it over meanwhile. [S84] */
const MAX_SCHEMA_ATTEMPTS = 6;

/**
 * Refused attempts of work that must not be lost, about three days. Suspended installations and blocked IP addresses
 * are usually fixed in that time.
 */
export const MAX_REFUSED_ATTEMPTS = 870;

/** A failed attempt to handle a signal; `pull` is null if it could not be loaded. */
type FailedAttempt = { readonly error: unknown; readonly stage: AttemptStage; readonly pull: PullState | null };

/** Postpones a signal after a failed attempt, or moves it to the dead letters after too many. */
export async function handleSignalFailure(
  context: WorkerContext,
  claim: Claim,
  stored: StoredSignal,
  failed: FailedAttempt,
): Promise<void> {
  const { store, clock, log } = context;
  const { error } = failed;
  if (shouldDeadLetter(stored, failed)) return deadLetter(context, claim, stored, failed);
  const attempts = stored.attempts + 1;
  log.warn({ err: error, signal: stored.id, attempts }, 'signal failed, will retry');
  const failure = { errorText: errorText(error), isInternal: isInternalError(error) };
  await store.postponeSignal(claim, stored, nextRetryAt(clock.now(), attempts, error), failure);
}

/** Outages of GitHub and the database end, so they never lose a comment or leave a run without a result. */
function shouldDeadLetter({ attempts, internalErrors }: StoredSignal, { error, stage }: FailedAttempt): boolean {
  if (error instanceof UnsupportedSchemaError) return attempts + 1 >= MAX_SCHEMA_ATTEMPTS;
  if (isInternalError(error)) return internalErrors + 1 >= MAX_SIGNAL_ERRORS[stage];
  return isPermanent(error) && attempts + 1 >= MAX_REFUSED_ATTEMPTS;
}

async function deadLetter(
  { store, clock, log, recordMetric }: WorkerContext,
  claim: Claim,
  stored: StoredSignal,
  { error, pull }: FailedAttempt,
): Promise<void> {
  const { id, signal } = stored;
  const deliveryId = signal.type === 'intent' ? signal.deliveryId : undefined;
  const errorId = createErrorId(claim.pullRequestKey, 'signal', id);
  recordMetric({ kind: 'signal', reason: 'dead-lettered' });
  log.error({ err: error, errorId, signal: id, type: signal.type, deliveryId }, 'signal moved to dead letters');
  const followUp = isUnreachable(signal, error) ? UNREACHABLE : followUpFor(signal, pull, errorId, error);
  await store.deadLetterSignal(claim, stored, { id: errorId, errorText: errorText(error) }, followUp, clock.now());
}

/** Without the lost result its run would hang, and no comment can be posted. */
const UNREACHABLE: DeadLetterFollowUp = { reply: null, signal: { type: 'access-lost', cause: 'unreachable' } };

function isUnreachable(signal: Signal, error: unknown): boolean {
  return signal.type !== 'intent' && isPermanent(error);
}

function followUpFor(signal: Signal, pull: PullState | null, errorId: string, error: unknown): DeadLetterFollowUp {
  const about = error instanceof UnsupportedSchemaError ? 'stored-schema' : undefined;
  return {
    reply: deadLetterReply(signal, pull, errorId, about),
    signal: mightBeDenial(signal, pull) ? { type: 'dead-lettered', errorId } : null,
  };
}

export type RetryResult = Extract<EffectResult, { kind: 'retry' }>;

/** Pending comments are usually handled at once, because signals come before effects. */
const COMMENT_DELAY_MS = 100;

/** Retries the effect after the pending comments, which can be handled at `dueAt` (ms; null if unknown). */
export function retryAfterComments({ context }: Pick<Job, 'context'>, dueAt: number | null): RetryResult {
  return {
    kind: 'retry',
    retryAt: Math.max(dueAt ?? 0, context.clock.now() + COMMENT_DELAY_MS),
    error: 'pending comments go first',
  };
}

const INITIAL_DELAY_MS = 1_000;

const MAX_DELAY_MS = 5 * 60_000;

/**
 * The time (ms) of the next attempt after `attempts` failures: as our rate limit demands, else after exponential
 * backoff and no earlier than GitHub or the model demands. The backoff is at most 1 s longer than `waitedMs`, the age
 * of the request, so a renewed request starts with short delays again.
 */
export function nextRetryAt(
  now: number,
  attempts: number,
  error: unknown,
  waitedMs = Number.POSITIVE_INFINITY,
): number {
  if (error instanceof RateLimitExceededError) return error.retryAt;
  const requestedAt = error instanceof GitHubError || error instanceof ModelError ? error.retryAt : null;
  const delayMs = Math.min(
    INITIAL_DELAY_MS * 2 ** Math.max(0, attempts - 1),
    INITIAL_DELAY_MS + Math.max(0, waitedMs),
    MAX_DELAY_MS,
  );
  return Math.max(requestedAt ?? 0, now + delayMs);
}

/** Responses that a retry does not change: the resource is gone, locked, or the request was refused. */
const PERMANENT_STATUSES = new Set([400, 403, 404, 410, 422, 451]);

export function isPermanent(error: unknown): boolean {
  if (error instanceof ModelError) return error.kind === 'permanent';
  return (
    error instanceof GitHubError &&
    error.retryAt === null &&
    error.status !== null &&
    PERMANENT_STATUSES.has(error.status)
  );
}

/** Whether the error comes from neither GitHub, the model nor a database outage. */
export function isInternalError(error: unknown): boolean {
  return !(error instanceof GitHubError || error instanceof ModelError || isOutage(error));
}

/** Whether GitHub or our own rate limit set the time of the next attempt. */
export function isRateLimit(error: unknown): boolean {
  return error instanceof GitHubError && error.retryAt !== null;
}

/** The error as text for the database. Never posted on GitHub. */
export function errorText(error: unknown): string {
  return error instanceof Error ? `${error.name}: ${error.message}` : String(error);
}

/** A stable id for a failed signal or effect, shown on GitHub and written to the log. It reveals nothing about them. */
export function createErrorId(pullKey: string, kind: 'signal' | 'effect', id: number): string {
  return createHash('sha256').update(`${pullKey} ${kind} ${id}`).digest('hex').slice(0, 12);
}

/**
 * The signal that replaces the result of an abandoned effect; `errorId` is null unless an internal error was the cause.
 */
export function signalForAbandonedEffect(
  { effect, attempts }: Pick<StoredEffect, 'effect' | 'attempts'>,
  errorId: string | null,
): Signal | null {
  switch (effect.type) {
    case 'ask-model': {
      const { runId, turn } = effect;
      return { type: 'model-failed', runId, turn, message: failureText(errorId, 'it could not be asked') };
    }
    case 'ask-question': {
      const message = failureText(errorId, 'The question could not be put to the model.');
      return { type: 'question-answered', question: effect.question, result: { kind: 'failed', message } };
    }
    case 'post-proposals': {
      const { runId, turn, proposalIds } = effect;
      const message = failureText(errorId, 'GitHub did not accept them');
      return { type: 'posting-failed', runId, turn, proposalIds, message };
    }
    case 'commit': {
      // An earlier attempt might have succeeded, and neither a look at the branch nor a comment is possible.
      if (attempts > 1) return { type: 'access-lost', cause: 'unreachable' };
      const { runId, proposalIds } = effect;
      const message = 'GitHub did not take the commit';
      return { type: 'commit-failed', runId, proposalIds, message, refusedByRule: false };
    }
    case 'run-tools': {
      const { runId, turn } = effect;
      const results = effect.calls.map(
        ({ id }): ToolResult => ({
          callId: id,
          kind: 'output',
          output: 'The repository could not be read.',
          readBlob: null,
        }),
      );
      return { type: 'tools-finished', runId, turn, headSha: null, results };
    }
    case 'catch-up':
      return { type: 'caught-up', read: false, expiresAfter: effect.expiresAfter };
    case 'dismiss-review':
      return { type: 'review-dismiss-refused', runId: effect.runId, reviewId: effect.reviewId };
    default:
      return null;
  }
}

/** With an error id, the text refers to the log. */
function failureText(errorId: string | null, otherwise: string): string {
  return errorId === null ? otherwise : `Countersign gave up because of an internal error (error id ${errorId})`;
}
