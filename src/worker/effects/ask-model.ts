import { checkTranscript } from '../../core/agent/messages.ts';
import type { ModelResponse } from '../../core/state/conversation.ts';
import { ModelError, type ModelFailureKind } from '../../core/state/ports.ts';
import { activeRun, type ModelDelay } from '../../core/state/run.ts';
import {
  DONE,
  type EffectResult,
  errorText,
  isPermanent,
  type Job,
  loadJobPull,
  nextRetryAt,
  type RetryResult,
} from '../jobs/job.ts';

/** Requests for one response. */
const MAX_MODEL_ATTEMPTS = 5;

/** Sends the transcript to the model. A permanent failure ends the run with a message. */
export async function askModel(job: Job<'ask-model'>): Promise<EffectResult> {
  const { context, effect, stopping } = job;
  const pull = await loadJobPull(job);
  const run = activeRun(pull);
  if (run === null || run.id !== effect.runId || run.phase.kind !== 'awaiting-model' || run.phase.turn !== effect.turn)
    return DONE;
  const messages = await context.store.loadTranscript(effect.runId);
  const problems = checkTranscript(messages);
  if (problems.length > 0) return modelFailed(job, null, `its transcript is broken (${problems.length} problems)`);
  try {
    const response = await logged(context, context.model.ask(messages, stopping, run.id));
    return { kind: 'done', signal: { type: 'model-responded', runId: effect.runId, turn: effect.turn, response } };
  } catch (error) {
    const result = resultOfModelError(job, error, ({ report, message }) =>
      modelFailed(job, report?.failure ?? null, message),
    );
    return result.kind === 'retry' ? withDelayNotice(job, result, error) : result;
  }
}

/** Shorter delays are not shown, because each notice costs an update of the run comment (ms). */
const MIN_SHOWN_DELAY_MS = 5_000;

/** Tells the run that the next try waits, so that people see why nothing happens. */
function withDelayNotice({ context, effect }: Job<'ask-model'>, result: RetryResult, error: unknown): RetryResult {
  if (result.retryAt - context.clock.now() < MIN_SHOWN_DELAY_MS) return result;
  const { runId, turn } = effect;
  const delay = { cause: delayCauseOf(error), until: new Date(result.retryAt).toISOString() };
  return { ...result, signal: { type: 'model-delayed', runId, turn, delay } };
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
  const msSinceBegin = (): number => Math.round(performance.now() - begunAt);
  try {
    const response = await request;
    log.debug({ outcome: 'done', ms: msSinceBegin(), ...response.usage }, 'model request');
    return response;
  } catch (error) {
    const outcome = error instanceof ModelError ? error.kind : 'failed';
    log.debug({ outcome, ms: msSinceBegin(), err: error }, 'model request');
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
  return { kind: 'retry', retryAt: nextRetryAt(job.context.clock.now(), job.attempts, error), error: errorText(error) };
}

function modelFailed({ effect }: Job<'ask-model'>, failure: ModelFailureKind | null, message: string): EffectResult {
  return { kind: 'done', signal: { type: 'model-failed', runId: effect.runId, turn: effect.turn, failure, message } };
}
