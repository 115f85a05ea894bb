import { planAfterOverflow, planRequest, tooLongText } from '../../core/agent/clear-readings.ts';
import { buildSideQuestionTranscript, checkTranscript } from '../../core/agent/messages.ts';
import type { ModelResponse, TranscriptMessage } from '../../core/state/conversation.ts';
import type { ModelContext } from '../../core/state/model-context.ts';
import { ModelError, type ModelFailureKind } from '../../core/state/ports.ts';
import { activeRun, type Run } from '../../core/state/run.ts';
import type { SideQuestionResult } from '../../core/state/signals.ts';
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
  const transcript = await context.store.loadTranscript(effect.runId);
  const problems = checkTranscript(transcript);
  if (problems.length > 0) return modelFailed(job, null, `its transcript is broken (${problems.length} problems)`);
  const plan = planRequest(transcript, run.modelContext, await context.model.maxRequestTokens(stopping));
  if (plan.kind === 'clear') return readingsCleared(job, plan.modelContext);
  if (plan.kind === 'too-long') return modelFailed(job, 'too-long', tooLongText(plan));
  try {
    const response = await logged(context, context.model.ask(plan.messages, stopping, run.id));
    const { runId, turn } = effect;
    const { estimatedTokens } = plan;
    return { kind: 'done', signal: { type: 'model-responded', runId, turn, response, estimatedTokens } };
  } catch (error) {
    const cleared = clearAfterOverflow(transcript, run, error);
    if (cleared !== null) return readingsCleared(job, cleared);
    return withUsage(
      job,
      error,
      resultOfModelError(job, error, ({ report, message }) => modelFailed(job, report?.failure ?? null, message)),
    );
  }
}

/** The context of a second request, after the endpoint found the first one too long; null after other errors. */
function clearAfterOverflow(messages: readonly TranscriptMessage[], run: Run, error: unknown): ModelContext | null {
  if (!(error instanceof ModelError) || error.report?.failure !== 'too-long') return null;
  const plan = planAfterOverflow(messages, run.modelContext, error.contextTokens);
  return plan.kind === 'clear' ? plan.modelContext : null;
}

function readingsCleared({ effect: { runId, turn } }: Job<'ask-model'>, modelContext: ModelContext): EffectResult {
  return { kind: 'done', signal: { type: 'readings-cleared', runId, turn, modelContext } };
}

/** What the failed answer cost is stored with the result of the attempt, so that it counts once. */
function withUsage({ effect: { runId } }: Job<'ask-model'>, error: unknown, result: EffectResult): EffectResult {
  const usage = error instanceof ModelError ? error.usage : null;
  if (usage === null) return result;
  if (result.kind === 'retry') return { ...result, signal: { type: 'answer-lost', runId, usage } };
  return result.signal?.type === 'model-failed' ? { ...result, signal: { ...result.signal, usage } } : result;
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
  giveUp: (error: ModelError) => EffectResult,
): EffectResult {
  if (!(error instanceof ModelError) || job.stopping.aborted) throw error;
  if (isPermanent(error) || job.attempts >= MAX_MODEL_ATTEMPTS) return giveUp(error);
  return { kind: 'retry', retryAt: nextRetryAt(job.context.clock.now(), job.attempts, error), error: errorText(error) };
}

function modelFailed({ effect }: Job<'ask-model'>, failure: ModelFailureKind | null, message: string): EffectResult {
  return { kind: 'done', signal: { type: 'model-failed', runId: effect.runId, turn: effect.turn, failure, message } };
}

/** Asks the model a person's question, with a copy of the run's transcript and without tools. */
export async function askSideQuestion(job: Job<'ask-side-question'>): Promise<EffectResult> {
  const { context, effect, stopping } = job;
  const { question } = effect;
  const pull = await loadJobPull(job);
  const run = pull.run?.id === question.runId ? pull.run : null;
  if (run?.phase.kind === 'reading-context') return retryAfterContext(context.clock.now());
  const transcript = await context.store.loadTranscript(question.runId);
  if (transcript.length === 0) return sideQuestionAnswered(job, { kind: 'failed', message: 'Its run never began.' });
  const messages = buildSideQuestionTranscript(transcript, run, question);
  if (checkTranscript(messages).length > 0)
    return sideQuestionAnswered(job, { kind: 'failed', message: 'Its transcript is broken.' });
  try {
    const { content, usage } = await logged(context, context.model.askForText(messages, stopping, question.runId));
    return sideQuestionAnswered(job, { kind: 'answered', content, usage });
  } catch (error) {
    return resultOfModelError(job, error, ({ message }) => sideQuestionAnswered(job, { kind: 'failed', message }));
  }
}

const CONTEXT_WAIT_MS = 1_000;

/** A question needs the conversation, which begins once the context is read. */
function retryAfterContext(now: number): EffectResult {
  return { kind: 'retry', retryAt: now + CONTEXT_WAIT_MS, error: 'the run reads its context', retryCause: 'waiting' };
}

function sideQuestionAnswered({ effect }: Job<'ask-side-question'>, result: SideQuestionResult): EffectResult {
  return { kind: 'done', signal: { type: 'side-question-answered', question: effect.question, result } };
}
