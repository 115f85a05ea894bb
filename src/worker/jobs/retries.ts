import { createHash } from 'node:crypto';
import { GitHubError, ModelError, RateLimitExceededError } from '../../core/state/ports.ts';
import { isOutage } from '../../lib/outage.ts';
import type { EffectResult, Job } from './job.ts';

/**
 * Refused attempts of work that must not be lost, about three days. Suspended installations and blocked IP addresses
 * are usually fixed in that time.
 */
export const MAX_REFUSED_ATTEMPTS = 870;

export type RetryResult = Extract<EffectResult, { kind: 'retry' }>;

/** Pending comments are usually handled at once, because signals come before effects. */
const COMMENT_DELAY_MS = 100;

/** Retries the effect after the pending comments, which can be handled at `dueAt` (ms; null if unknown). */
export function retryAfterComments({ context }: Pick<Job, 'context'>, dueAt: number | null): RetryResult {
  return {
    kind: 'retry',
    retryAt: Math.max(dueAt ?? 0, context.clock.now() + COMMENT_DELAY_MS),
    error: 'pending comments go first',
    retryCause: 'waiting',
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
