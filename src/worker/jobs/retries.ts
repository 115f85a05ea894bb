import { createHash } from 'node:crypto';
import type { EffectType } from '../../core/step/effects.ts';
import { ModelError } from '../../core/step/model-port.ts';
import { GitHubError, RateLimitExceededError } from '../../core/step/ports.ts';
import { isOutage } from '../../lib/outage.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** When work that keeps failing is given up. An outage never ends it. */
type RetryLimits = {
  /** Errors of our own or of an unknown kind. */
  readonly internalErrors: number;
  /** Time since the request (ms) after which a refusal of GitHub or the model gives it up. */
  readonly refusedMs: number;
  /** Time since the request (ms) after which a wait that GitHub demands gives it up. */
  readonly waitMs: number;
};

/** About 20 minutes of internal errors: the cause might be an unknown outage of the database. */
const WORK: RetryLimits = { internalErrors: 12, refusedMs: 0, waitMs: Number.POSITIVE_INFINITY };

/** Suspended installations and blocked IP addresses are usually fixed in this time. */
const UNTIL_FIXED_MS = 3 * DAY_MS;

const OTHER_WORK: { readonly [Type in EffectType]?: RetryLimits } = {
  // An earlier attempt might have succeeded unseen; the first one is given up at its first refusal.
  commit: { ...WORK, internalErrors: Number.POSITIVE_INFINITY, refusedMs: UNTIL_FIXED_MS },
  // A conversation can stay locked forever.
  reply: { ...WORK, waitMs: 29 * DAY_MS },
};

/** A failed attempt of an effect; `internalErrors` without this failure. */
type FailedEffect = {
  readonly type: EffectType;
  readonly attempts: number;
  readonly internalErrors: number;
  readonly msSinceRequested: number;
};

/** Whether an effect is given up after this failure. */
export function isGivenUp({ type, attempts, internalErrors, msSinceRequested }: FailedEffect, error: unknown): boolean {
  const limits = OTHER_WORK[type] ?? WORK;
  if (isInternalError(error)) return internalErrors + 1 >= limits.internalErrors;
  if (isRateLimit(error)) return msSinceRequested >= limits.waitMs;
  return isPermanent(error) && (attempts === 1 || msSinceRequested >= limits.refusedMs);
}

/** Errors before a signal becomes a dead letter, so that it blocks nothing. */
export const SIGNAL_RETRIES = {
  /** Internal errors while it is decided. */
  deciding: 5,
  /** Internal errors while it is loaded or stored: an unknown error of the database might be an outage. */
  storing: 8,
  /** Attempts to read a state with an unknown schema, about 30 s: a newer process can take it over. [S84] */
  unknownSchema: 6,
  /** Age (ms) from which a refusal of GitHub is final. */
  refusedMs: UNTIL_FIXED_MS,
} as const;

const INITIAL_DELAY_MS = 1_000;

const MAX_DELAY_MS = 5 * MINUTE_MS;

/**
 * The time (ms) of the next attempt after `attempts` failures: as our own limits demand, else after exponential backoff
 * and no earlier than GitHub or the model demands. The backoff is at most 1 s longer than `waitedMs`, the age of the
 * request, so a renewed request starts with short delays again.
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
const PERMANENT_STATUSES = new Set([400, 403, 404, 410, 413, 422, 451]);

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

/** Whether GitHub or our own limits set the time of the next attempt. */
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
