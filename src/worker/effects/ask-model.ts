import { clearMore, countedUsage, planRequest } from '../../core/agent/clear-readings.ts';
import type { ModelResponse, TokenUsage } from '../../core/state/conversation.ts';
import { activeRun, type PullState } from '../../core/state/pull-state.ts';
import type { ModelDelay, Run } from '../../core/state/run.ts';
import type { ToolName } from '../../core/state/tools.ts';
import { ModelError, type ModelFailureKind } from '../../core/step/model-port.ts';
import { msSince } from '../../lib/delay.ts';
import { DONE, type EffectResult, type Job, loadJobPull, type RetryResult } from '../jobs/job.ts';
import { errorText, failureKind, isPermanent, nextRetryAt } from '../jobs/retries.ts';

/** Requests for one response. */
const MAX_MODEL_ATTEMPTS = 5;

/** Sends the transcript to the model. A permanent failure ends the run with a message. */
export async function askModel(job: Job<'ask-model'>): Promise<EffectResult> {
  const { context, effect, stopping } = job;
  const pull = await loadJobPull(job);
  const run = activeRun(pull);
  if (run === null || !isAwaited(pull, job)) return DONE;
  const transcript = await context.store.loadTranscript(effect.runId);
  const { model } = run.settings;
  const plan = planRequest(transcript, run.clearedBefore, await context.model.maxRequestTokens(stopping, model));
  if (plan.kind === 'clear') return readingsCleared(job, plan.clearedBefore, null);
  if (plan.kind === 'too-long') return modelFailed(job, 'too-long', plan.message);
  const abandoned = watchForEnd(job);
  try {
    const signal = AbortSignal.any([stopping, abandoned.signal]);
    const omitted = unavailableTools(run);
    const answered = await logged(context, context.model.ask(plan.messages, signal, run.id, model, omitted));
    const response = { ...answered, usage: countedUsage(answered, plan.estimatedTokens) };
    const { runId, turn } = effect;
    return { kind: 'done', signal: { type: 'model-responded', runId, turn, response } };
  } catch (error) {
    const cost = error instanceof ModelError ? error.usage : null;
    if (abandoned.signal.aborted && error instanceof ModelError) return abandonedOutcome(job, cost);
    const cleared = isOverflow(error) ? clearMore(transcript, run.clearedBefore, true) : null;
    if (cleared !== null) return readingsCleared(job, cleared, cost);
    return withAttemptOutcome(job, error, cost);
  } finally {
    abandoned.stop();
  }
}

/** The tools that have nothing to read: checks that GitHub does not show. */
export function unavailableTools(run: Pick<Run, 'branch'> | null): readonly ToolName[] {
  return run === null || run.branch.checks === null ? ['read_checks'] : [];
}

/** How often to look whether the answer is still wanted (ms). The run can have been stopped on another replica. */
export const END_CHECK_MS = 1_000;

/** Aborts once the run does not wait for this answer any more. A database that fails meanwhile ends no request. */
function watchForEnd(job: Job<'ask-model'>): { readonly signal: AbortSignal; readonly stop: () => void } {
  const controller = new AbortController();
  let isLooking = false;
  const look = async (): Promise<void> => {
    if (isLooking) return;
    isLooking = true;
    const pull = await loadJobPull(job).catch(() => null);
    isLooking = false;
    if (pull !== null && !isAwaited(pull, job)) controller.abort();
  };
  return { signal: controller.signal, stop: job.context.clock.every(END_CHECK_MS, () => void look()) };
}

function isAwaited(pull: PullState, { effect }: Job<'ask-model'>): boolean {
  const run = activeRun(pull);
  return run?.id === effect.runId && run.phase.kind === 'awaiting-model' && run.phase.turn === effect.turn;
}

/** Nobody waits for the answer, but what it cost counts. */
function abandonedOutcome(job: Job<'ask-model'>, cost: TokenUsage | null): EffectResult {
  const result = modelFailed(job, null, 'the run has ended');
  const isCounted = cost !== null && result.kind === 'done' && result.signal?.type === 'model-failed';
  return isCounted ? { ...result, signal: { ...result.signal, cost } } : DONE;
}

/** Whether the endpoint found the request too long. */
export function isOverflow(error: unknown): boolean {
  return error instanceof ModelError && error.report?.failure === 'too-long';
}

/** `usage` is what the refusal cost, if there was one and the endpoint counted it. */
function readingsCleared(
  { effect: { runId, turn } }: Job<'ask-model'>,
  clearedBefore: number,
  usage: TokenUsage | null,
): EffectResult {
  return { kind: 'done', signal: { type: 'readings-cleared', runId, turn, clearedBefore, usage } };
}

/** The cost of a failed request is stored with the result of the attempt, so that it counts once. */
function withAttemptOutcome(job: Job<'ask-model'>, error: unknown, cost: TokenUsage | null): EffectResult {
  const result = resultOfModelError(job, error, ({ report, message }) =>
    modelFailed(job, report?.failure ?? null, message),
  );
  if (result.kind === 'retry') {
    const delay = shownDelay(job, result, error);
    const { runId, turn } = job.effect;
    if (cost === null && delay === null) return result;
    return { ...result, signal: { type: 'model-attempt-failed', runId, turn, cost, delay } };
  }
  const isFailure = cost !== null && result.signal?.type === 'model-failed';
  return isFailure ? { ...result, signal: { ...result.signal, cost } } : result;
}

/** Shorter delays are not shown, because each notice costs an update of the run comment (ms). */
const MIN_SHOWN_DELAY_MS = 5_000;

/** The delay before the next request, so that people see why nothing happens; null if it is short. */
function shownDelay({ context }: Job<'ask-model'>, { retryAt }: RetryResult, error: unknown): ModelDelay | null {
  if (retryAt - context.clock.now() < MIN_SHOWN_DELAY_MS) return null;
  return { cause: delayCauseOf(error), until: new Date(retryAt).toISOString() };
}

/** A slow endpoint is as good as unreachable for people. */
const DELAY_CAUSES: Readonly<Partial<Record<ModelFailureKind, ModelDelay['cause']>>> = {
  'rate-limit': 'rate-limit',
  unreachable: 'unreachable',
  stalled: 'unreachable',
  timeout: 'unreachable',
};

function delayCauseOf(error: unknown): ModelDelay['cause'] {
  const failure = error instanceof ModelError ? error.report?.failure : undefined;
  return failure === undefined ? 'failing' : (DELAY_CAUSES[failure] ?? 'failing');
}

/** Logs one line about a request to the model. */
export async function logged(
  { log }: Pick<Job['context'], 'log'>,
  request: Promise<ModelResponse>,
): Promise<ModelResponse> {
  const begunAt = performance.now();
  try {
    const response = await request;
    log.debug({ outcome: 'done', ms: msSince(begunAt), ...response.usage }, 'model request');
    return response;
  } catch (error) {
    const outcome = error instanceof ModelError ? error.kind : 'failed';
    log.debug({ outcome, ms: msSince(begunAt), err: error }, 'model request');
    throw error;
  }
}

/** Retries after a temporary error of the model; otherwise returns the result of `giveUp`. */
export function resultOfModelError(
  job: Pick<Job, 'context' | 'stopping' | 'attempts'>,
  error: unknown,
  giveUp: (error: ModelError) => EffectResult,
): EffectResult {
  if (!(error instanceof ModelError) || job.stopping.aborted) throw error;
  if (isPermanent(error) || job.attempts >= MAX_MODEL_ATTEMPTS) return giveUp(error);
  const retryAt = nextRetryAt(job.context.clock.now(), job.attempts, error);
  return { kind: 'retry', retryAt, error: errorText(error), failure: failureKind(error) };
}

function modelFailed({ effect }: Job<'ask-model'>, failure: ModelFailureKind | null, message: string): EffectResult {
  return { kind: 'done', signal: { type: 'model-failed', runId: effect.runId, turn: effect.turn, failure, message } };
}
