import { checkTranscript } from '../../core/agent/messages.ts';
import type { ModelResponse } from '../../core/state/conversation.ts';
import { ModelError, type ModelFailureKind } from '../../core/state/ports.ts';
import { activeRun } from '../../core/state/run.ts';
import { DONE, type EffectResult, errorText, isPermanent, type Job, loadJobPull, nextRetryAt } from '../jobs/job.ts';

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
    return resultOfModelError(job, error, ({ report, message }) => modelFailed(job, report?.failure ?? null, message));
  }
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
