import { createHash } from 'node:crypto';
import type { FailureKind } from '../../adapters/store/store.ts';
import { DAY_MS } from '../../core/state/limits.ts';
import type { EffectType } from '../../core/step/effects.ts';
import { ModelError } from '../../core/step/model-port.ts';
import { GitHubError, means, RateLimitExceededError } from '../../core/step/ports.ts';
import { isOutage } from '../../lib/outage.ts';
import { type Job, msRefused, type RetryResult } from './job.ts';

const MINUTE_MS = 60_000;

/** When work that keeps failing is given up. An outage never ends it. */
type RetryLimits = {
  /** Errors of our own or of an unknown kind. */
  readonly internalErrors: number;
  /** Time since the request (ms) after which refusals of GitHub give it up, once they have lasted for a blink. */
  readonly refusedMs: number;
  /** The same for a thing that is gone. */
  readonly goneMs: number;
  /** Time since the request (ms) after which a wait that GitHub demands gives it up. */
  readonly waitMs: number;
};

/** GitHub can refuse everything for some minutes. */
const BLINK_MS = 10 * MINUTE_MS;

/** Suspended installations and blocked IP addresses are usually fixed in this time. */
const UNTIL_FIXED_MS = 3 * DAY_MS;

const NEVER = Number.POSITIVE_INFINITY;

/** About six minutes of internal errors: the cause might be an unknown outage of the database. */
const WORK: RetryLimits = { internalErrors: 12, refusedMs: BLINK_MS, goneMs: MINUTE_MS, waitMs: NEVER };

/** A page that shows an earlier state would ask for decisions that no longer count. */
const PAGE: RetryLimits = { ...WORK, internalErrors: NEVER, refusedMs: NEVER, goneMs: BLINK_MS };

const OTHER_WORK: { readonly [Type in EffectType]?: RetryLimits } = {
  // An attempt might have succeeded unseen.
  commit: { ...WORK, internalErrors: NEVER, refusedMs: UNTIL_FIXED_MS, goneMs: UNTIL_FIXED_MS },
  'update-proposal-comment': PAGE,
  'update-run-comment': PAGE,
  'update-question-comment': PAGE,
  // A conversation can stay locked forever.
  reply: { ...WORK, refusedMs: UNTIL_FIXED_MS, waitMs: 29 * DAY_MS },
};

/** For how long GitHub has refused a request (ms), and how old the request is. */
type RefusedRequest = { readonly msSinceRequested: number; readonly msRefused: number };

/** A failed attempt of an effect; `internalErrors` without this failure. */
type FailedEffect = RefusedRequest & { readonly type: EffectType; readonly internalErrors: number };

/** Whether a refusal is final after `limitMs`. The first one after an outage never is. */
export function isRefusedFor(limitMs: number, { msSinceRequested, msRefused }: RefusedRequest): boolean {
  return msSinceRequested >= limitMs && msRefused >= Math.min(limitMs, BLINK_MS);
}

/** Whether an effect is given up after this failure. */
export function isGivenUp(failed: FailedEffect, error: unknown): boolean {
  const limits = OTHER_WORK[failed.type] ?? WORK;
  if (isInternalError(error)) return failed.internalErrors + 1 >= limits.internalErrors;
  if (hasNamedTime(error)) return failed.msSinceRequested >= limits.waitMs;
  if (!isPermanent(error)) return false;
  if (error instanceof ModelError) return true;
  return isRefusedFor(means(error, 'gone') ? limits.goneMs : limits.refusedMs, failed);
}

/** Whether a write that GitHub refused is refused for good: one refusal can be a slip of one of its servers. */
export function isRefusedForGood(job: Pick<Job, 'context' | 'stored'>): boolean {
  return msRefused(job) >= MINUTE_MS;
}

/** Errors before a signal becomes a dead letter, so that it blocks nothing. */
export const SIGNAL_RETRIES = {
  /** Internal errors while it is decided. */
  deciding: 5,
  /** Internal errors while it is loaded or stored: an unknown error of the database might be an outage. */
  storing: 8,
  /** Attempts to read a state with an unknown schema, about 30 s: a newer process can take it over. [S84] */
  unknownSchema: 6,
  /** Age (ms) from which lasting refusals of GitHub are final. */
  refusedMs: UNTIL_FIXED_MS,
} as const;

const INITIAL_DELAY_MS = 1_000;

/** People wait for the end of an outage. A refusal is tried again ever more rarely. */
function maxDelayMs(error: unknown, waitedMs: number): number {
  return isPermanent(error) ? Math.min(Math.max(MINUTE_MS, Math.round(waitedMs / 10)), 5 * MINUTE_MS) : MINUTE_MS;
}

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
    maxDelayMs(error, waitedMs),
  );
  return Math.max(requestedAt ?? 0, now + delayMs);
}

/** Whether it is a refusal: GitHub or the model understood the request, and did nothing. */
export function isPermanent(error: unknown): boolean {
  if (error instanceof ModelError) return error.kind === 'permanent';
  return error instanceof GitHubError && error.meaning !== 'try-again';
}

/** Tries a refused write again. */
export function retryAfterRefusal(
  { context, attempts }: Pick<Job, 'context' | 'attempts'>,
  error: string,
): RetryResult {
  const retryAt = nextRetryAt(context.clock.now(), attempts, null);
  return { kind: 'retry', retryAt, error, failure: 'refusal' };
}

/** Whether the error comes from neither GitHub, the model nor a database outage. */
export function isInternalError(error: unknown): boolean {
  return !(error instanceof GitHubError || error instanceof ModelError || isOutage(error));
}

/** Why an attempt failed, for the store. */
export function failureKind(error: unknown): FailureKind {
  if (isInternalError(error)) return 'internal';
  return isPermanent(error) && !hasNamedTime(error) ? 'refusal' : 'other';
}

/** Whether GitHub or our own limits set the time of the next attempt. */
export function hasNamedTime(error: unknown): boolean {
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
