import type { EffectRetry, RetryCause, StoredEffect } from '../adapters/store/store.ts';
import { PRIORITY_OF } from '../core/step/effects.ts';
import type { Priority } from '../core/step/rate-limit.ts';
import type { Signal } from '../core/step/signals.ts';
import { signalForAbandoned } from './abandoned-effects.ts';
import { performEffect } from './effects/perform.ts';
import {
  createErrorId,
  type EffectResult,
  errorText,
  isInternalError,
  isPermanent,
  isRateLimit,
  type Job,
  MAX_REFUSED_ATTEMPTS,
  nextRetryAt,
  type RetryResult,
  type WorkerContext,
} from './jobs/job.ts';
import { effectLog, logRetry } from './jobs/job-log.ts';

/** The rights of the current holder of a pull request. `isLeased` is true while a write to GitHub can start safely. */
type EffectContext = Pick<Job, 'decideNow' | 'pendingCommentsDueAt'> & { readonly isLeased: () => boolean };

/** For effects that run without a claim of their pull request: they decide nothing and write nothing to GitHub. */
export const NO_CLAIM: EffectContext = {
  decideNow: () => Promise.resolve(null),
  pendingCommentsDueAt: () => Promise.resolve(null),
  isLeased: () => true,
};

/** Performs an effect and stores its result. A failure leads to a retry or a signal; only a store error rejects. */
export async function runEffect(
  context: WorkerContext,
  stored: StoredEffect,
  stopping: AbortSignal,
  { isLeased, ...effectContext }: EffectContext,
): Promise<void> {
  const { attempts, effect } = stored;
  const [log, begunAt] = [await effectLog(context, stored), performance.now()];
  const limited = withPriority({ ...context, log }, PRIORITY_OF[effect.type], isLeased);
  const result = await attemptEffect(
    { context: limited, stored, effect, attempts, stopping, ...effectContext },
    begunAt,
  );
  log.debug({ attempts, outcome: result.kind, ms: msSince(begunAt) }, 'effect performed');
  const now = context.clock.now();
  context.recordMetric({ kind: 'effect', effect: effect.type, outcome: result.kind });
  if (result.kind === 'done') await context.store.finishEffect(stored, result.signal, now);
  else await context.store.postponeEffect(stored, toEffectRetry(result, now));
}

/** Counts all requests to GitHub under this priority, and rejects writes once the lease might expire during them. */
function withPriority(context: WorkerContext, priority: Priority, isLeased: () => boolean): WorkerContext {
  const { githubApp } = context;
  return { ...context, githubApp: { ...githubApp, forPull: (ref) => githubApp.forPull(ref, priority, isLeased) } };
}

function toEffectRetry({ retryAt, error, retryCause = 'other', signal }: RetryResult, now: number): EffectRetry {
  return { now, notBefore: retryAt, error, retryCause, signal: signal ?? null };
}

async function attemptEffect(job: Job, begunAt: number): Promise<EffectResult> {
  try {
    return await performEffect(job);
  } catch (error) {
    return resultOfFailure(job, error, msSince(begunAt));
  }
}

function msSince(begunAt: number): number {
  return Math.round(performance.now() - begunAt);
}

function resultOfFailure(job: Job, error: unknown, ms: number): EffectResult {
  const { context, stored, attempts } = job;
  const now = context.clock.now();
  if (job.stopping.aborted) return { kind: 'retry', retryAt: now, error: 'the process stopped' };
  if (shouldAbandon(job, error)) {
    const errorId = isInternalError(error) ? createErrorId(stored.pullRequestKey, 'effect', stored.id) : null;
    const fields = { attempts, ms, ...(errorId === null ? {} : { errorId }), err: error };
    context.log.error(fields, 'effect abandoned');
    return { kind: 'done', signal: signalForAbandoned(stored, errorId) };
  }
  const line = {
    log: context.log,
    level: 'warn',
    message: 'effect failed, will retry',
    about: stored.effect.type,
  } as const;
  logRetry(context, line, error, { attempts, ms });
  return {
    kind: 'retry',
    retryAt: nextRetryAt(now, attempts, error, msSinceRequested(job)),
    error: errorText(error),
    retryCause: retryCauseOf(error),
    ...delayNotice(job, error),
  };
}

/** A commit that has been failing for this long (ms) is reported on the pull request. */
const DELAY_NOTICE_AFTER_MS = 30_000;

/** Reports a delayed commit once, so that people can see the reason for the delay. [S87] */
function delayNotice(job: Job, error: unknown): { readonly signal?: Signal } {
  const { effect } = job;
  if (effect.type !== 'commit' || isRateLimit(error) || msSinceRequested(job) < DELAY_NOTICE_AFTER_MS) return {};
  const { runId, proposalIds, location } = effect;
  return { signal: { type: 'commit-delayed', runId, proposalIds, location } };
}

function retryCauseOf(error: unknown): RetryCause {
  if (isRateLimit(error)) return 'waiting';
  return isInternalError(error) ? 'internal' : 'other';
}

/**
 * A notification is abandoned after this many attempts, and not before this time since its request (ms): an outage of
 * GitHub can last for hours.
 */
const MAX_NOTIFY_ATTEMPTS = 12;
const MIN_NOTIFY_MS = 6 * 3_600_000;

/** A conversation can stay locked forever. By then (ms), comments are too old to be caught up with, too. */
const MAX_REPLY_WAIT_MS = 29 * 86_400_000;

/** A catch-up that fails holds back commits, so it is abandoned sooner (ms). */
const MIN_CATCH_UP_MS = 60 * 60_000;

/** Internal errors before an effect is abandoned, about 20 minutes: the cause might be an unknown database outage. */
const MAX_INTERNAL_ERRORS = 12;

/**
 * An earlier attempt of a commit might have succeeded unseen, so a commit is abandoned only after days of refusals.
 * Attempts that only waited do not count: otherwise the first error after a long suspension would be the last.
 */
function shouldAbandon(job: Job, error: unknown): boolean {
  const { attempts, effect, stored } = job;
  if (isInternalError(error)) return stored.internalErrors + 1 >= MAX_INTERNAL_ERRORS && effect.type !== 'commit';
  if (isRateLimit(error)) return effect.type === 'reply' && msSinceRequested(job) >= MAX_REPLY_WAIT_MS;
  const countedAttempts = attempts - stored.waitingAttempts;
  if (isPermanent(error)) return effect.type !== 'commit' || attempts === 1 || countedAttempts >= MAX_REFUSED_ATTEMPTS;
  if (countedAttempts < MAX_NOTIFY_ATTEMPTS) return false;
  // Proposals expire only once pending comments are known, so outages never abandon a catch-up before an expiry.
  if (effect.type === 'catch-up' && !effect.expiresAfter) return msSinceRequested(job) >= MIN_CATCH_UP_MS;
  return PRIORITY_OF[effect.type] === 'notify' && msSinceRequested(job) >= MIN_NOTIFY_MS;
}

function msSinceRequested({ context, stored }: Job): number {
  return context.clock.now() - Date.parse(stored.requestedAt);
}
