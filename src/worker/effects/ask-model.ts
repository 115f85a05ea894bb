import { buildQuestionTranscript, checkTranscript } from '../../core/agent/messages.ts';
import type { ModelResponse } from '../../core/state/conversation.ts';
import { ModelError } from '../../core/state/ports.ts';
import { activeRun } from '../../core/state/run.ts';
import type { QuestionResult } from '../../core/state/signals.ts';
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
  if (problems.length > 0) return modelFailed(job, `its transcript is broken (${problems.length} problems)`);
  try {
    const response = await logged(context, context.model.ask(messages, stopping));
    return { kind: 'done', signal: { type: 'model-responded', runId: effect.runId, turn: effect.turn, response } };
  } catch (error) {
    return resultOfModelError(job, error, (message) => modelFailed(job, message));
  }
}

/** Logs one line about a request to the model. */
async function logged({ log }: Pick<Job['context'], 'log'>, request: Promise<ModelResponse>): Promise<ModelResponse> {
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
function resultOfModelError(
  job: Pick<Job, 'context' | 'stopping' | 'attempts'>,
  error: unknown,
  giveUp: (message: string) => EffectResult,
): EffectResult {
  if (!(error instanceof ModelError) || job.stopping.aborted) throw error;
  if (isPermanent(error) || job.attempts >= MAX_MODEL_ATTEMPTS) return giveUp(error.message);
  return { kind: 'retry', retryAt: nextRetryAt(job.context.clock.now(), job.attempts, error), error: errorText(error) };
}

function modelFailed({ effect }: Job<'ask-model'>, message: string): EffectResult {
  return { kind: 'done', signal: { type: 'model-failed', runId: effect.runId, turn: effect.turn, message } };
}

/** Asks the model a person's question, with a copy of the run's transcript and without tools. */
export async function askQuestion(job: Job<'ask-question'>): Promise<EffectResult> {
  const { context, effect, stopping } = job;
  const { question } = effect;
  const pull = await loadJobPull(job);
  const run = pull.run?.id === question.runId ? pull.run : null;
  const messages = buildQuestionTranscript(await context.store.loadTranscript(question.runId), run, question);
  if (checkTranscript(messages).length > 0)
    return questionAnswered(job, { kind: 'failed', message: 'Its transcript is broken.' });
  try {
    const { content, usage } = await logged(context, context.model.askForText(messages, stopping));
    return questionAnswered(job, { kind: 'answered', content, usage });
  } catch (error) {
    return resultOfModelError(job, error, (message) => questionAnswered(job, { kind: 'failed', message }));
  }
}

function questionAnswered({ effect }: Job<'ask-question'>, result: QuestionResult): EffectResult {
  return { kind: 'done', signal: { type: 'question-answered', question: effect.question, result } };
}
