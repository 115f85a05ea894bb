import type { EffectRetry, StoredEffect } from '../adapters/store/store.ts';
import { NO_USAGE } from '../core/state/spending.ts';
import { UNREADABLE_CONTEXT } from '../core/state/task-context.ts';
import type { Effect, EffectType } from '../core/step/effects.ts';
import { GitHubError } from '../core/step/ports.ts';
import type { CallResult, Signal } from '../core/step/signals.ts';
import { msSince } from '../lib/delay.ts';
import { performEffect } from './effects/perform.ts';
import {
  type EffectResult,
  type Job,
  msRefused,
  msSinceRequested,
  type RetryResult,
  type WorkerContext,
} from './jobs/job.ts';
import { effectLog, logRetry } from './jobs/job-log.ts';
import { createErrorId, errorText, failureKind, isGivenUp, isInternalError, nextRetryAt } from './jobs/retries.ts';

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
  const guarded = withWriteGuard({ ...context, log }, isLeased);
  const result = await attemptEffect(
    { context: guarded, stored, effect, attempts, stopping, ...effectContext },
    begunAt,
  );
  log.debug({ attempts, outcome: result.kind, ms: msSince(begunAt) }, 'effect performed');
  const now = context.clock.now();
  recordAttempt(context, stored, result);
  if (result.kind === 'done') await context.store.finishEffect(stored, result.signal, now);
  else await context.store.postponeEffect(stored, toEffectRetry(result, now));
}

function recordAttempt({ recordMetric, clock }: WorkerContext, stored: StoredEffect, result: EffectResult): void {
  const isGivenUp = result.kind === 'done' && result.isGivenUp === true;
  recordMetric({ kind: 'effect', effect: stored.effect.type, outcome: isGivenUp ? 'given-up' : result.kind });
  const waited = isGivenUp ? null : waitedFor(stored, result);
  if (waited === null) return;
  const { until, since } = waited;
  recordMetric({ kind: 'wait', until, seconds: Math.max(0, clock.now() - Date.parse(since)) / 1_000 });
}

/** What people waited for that is done now, and since when; null if nothing is. */
function waitedFor({ effect, requestedAt }: StoredEffect, result: EffectResult) {
  if (result.kind !== 'done') return null;
  if (effect.type === 'react') return { until: 'reaction', since: effect.askedAt } as const;
  return result.signal?.type === 'committed' ? ({ until: 'commit', since: requestedAt } as const) : null;
}

/** Rejects writes to GitHub once the lease might expire during them. */
function withWriteGuard(context: WorkerContext, isLeased: () => boolean): WorkerContext {
  const { githubApp } = context;
  return { ...context, githubApp: { ...githubApp, forPull: (ref) => githubApp.forPull(ref, isLeased) } };
}

function toEffectRetry({ retryAt, error, failure, signal }: RetryResult, now: number): EffectRetry {
  return { now, notBefore: retryAt, error, failure, signal: signal ?? null };
}

async function attemptEffect(job: Job, begunAt: number): Promise<EffectResult> {
  try {
    return await performEffect(job);
  } catch (error) {
    return resultOfFailure(job, error, msSince(begunAt));
  }
}

function resultOfFailure(job: Job, error: unknown, ms: number): EffectResult {
  const { context, stored, attempts } = job;
  const now = context.clock.now();
  if (job.stopping.aborted) return { kind: 'retry', retryAt: now, error: 'the process stopped', failure: null };
  if (shouldAbandon(job, error)) {
    const errorId = isInternalError(error) ? createErrorId(stored.pullRequestKey, 'effect', stored.id) : null;
    const fields = { attempts, ms, ...(errorId === null ? {} : { errorId }), err: error };
    context.log.error(fields, 'effect abandoned');
    const signal = signalForAbandoned(stored.effect.type, { effect: stored.effect, errorId });
    return { kind: 'done', signal, isGivenUp: true };
  }
  const line = {
    log: context.log,
    level: 'warn',
    message: 'effect failed, will retry',
    about: stored.effect.type,
  } as const;
  logRetry(context, line, error, { attempts, ms });
  const failure = failureKind(error);
  return {
    kind: 'retry',
    retryAt: nextRetryAt(now, attempts, error, failure === 'refusal' ? msRefused(job) : msSinceRequested(job)),
    error: errorText(error),
    failure,
    ...delayNotice(job, error),
  };
}

/** A commit that has been failing for this long (ms) is reported on the pull request. */
const DELAY_NOTICE_AFTER_MS = 30_000;

/** Reports a delayed commit once, so that people can see the reason for the delay. [S87] */
function delayNotice(job: Job, error: unknown): { readonly signal?: Signal } {
  const { effect } = job;
  // A notice could not be posted either.
  const isLimit = error instanceof GitHubError && error.isLimit;
  if (effect.type !== 'commit' || isLimit || msSinceRequested(job) < DELAY_NOTICE_AFTER_MS) return {};
  const { runId, proposalIds, location } = effect;
  return { signal: { type: 'commit-delayed', runId, proposalIds, location } };
}

function shouldAbandon(job: Job, error: unknown): boolean {
  const { effect, stored } = job;
  const failed = { type: effect.type, internalErrors: stored.internalErrors };
  return isGivenUp({ ...failed, msSinceRequested: msSinceRequested(job), msRefused: msRefused(job) }, error);
}

/** An effect that is not attempted again. `errorId` is set only if an internal error was the cause, else null. */
type Abandoned<Type extends EffectType> = {
  readonly effect: Extract<Effect, { type: Type }>;
  readonly errorId: string | null;
};

/**
 * The signal that replaces the result of an abandoned effect; null if nothing waits for its result. The type parameter
 * ties the replacement to its effect.
 */
function signalForAbandoned<Type extends EffectType>(type: Type, abandoned: Abandoned<Type>): Signal | null {
  return REPLACEMENTS[type](abandoned);
}

const nothingWaits = (): null => null;

const REPLACEMENTS: { readonly [Type in EffectType]: (abandoned: Abandoned<Type>) => Signal | null } = {
  'read-context': ({ effect: { runId, pull } }) => ({
    type: 'context-read',
    runId,
    pull,
    context: UNREADABLE_CONTEXT,
  }),
  'read-push': ({ effect: { runId, by, before, after } }) => ({
    type: 'push-read',
    runId,
    by,
    before,
    after,
    content: null,
  }),
  'read-checks': ({ effect: { runId, at } }) => ({ type: 'checks-read', runId, at, look: null, report: null }),
  'ask-model': ({ effect: { runId, turn }, errorId }) => ({
    type: 'model-failed',
    runId,
    turn,
    failure: null,
    message: failureText(errorId, 'it could not be asked'),
  }),
  'answer-side-question': ({ effect: { questionId }, errorId }) => ({
    type: 'side-question-answered',
    questionId,
    outcome: { kind: 'failed', message: failureText(errorId, 'The question could not be put to the model.') },
    usage: NO_USAGE,
  }),
  'run-tools': ({ effect: { runId, turn, calls } }) => ({
    type: 'tools-finished',
    runId,
    turn,
    headSha: null,
    results: calls.map(
      (call): CallResult => ({
        turn: call.turn,
        callId: call.toolCall.id,
        kind: 'output',
        output: 'The repository could not be read.',
      }),
    ),
  }),
  'post-proposals': ({ effect: { runId, turn, proposalIds }, errorId }) => ({
    type: 'posting-failed',
    runId,
    turn,
    proposalIds,
    message: failureText(errorId, 'GitHub did not accept them'),
  }),
  'post-question': ({ effect: { runId, turn }, errorId }) => ({
    type: 'posting-failed',
    runId,
    turn,
    proposalIds: [],
    message: failureText(errorId, 'GitHub did not accept a question of the agent'),
  }),
  // An attempt might have succeeded, and neither a look at the branch nor a comment is possible.
  commit: () => ({ type: 'access-lost', cause: 'unreachable' }),
  'dismiss-review': ({ effect: { runId, reviewId } }) => ({ type: 'review-dismiss-refused', runId, reviewId }),
  'update-question-comment': nothingWaits,
  'update-proposal-comment': nothingWaits,
  'update-run-comment': nothingWaits,
  react: nothingWaits,
  reply: nothingWaits,
  'publish-waiting': nothingWaits,
  'check-deadlines': nothingWaits,
  'start-next-task': nothingWaits,
};

/** With an error id, the text refers to the log. */
function failureText(errorId: string | null, otherwise: string): string {
  return errorId === null ? otherwise : `Countersign gave up because of an internal error (error id ${errorId})`;
}
