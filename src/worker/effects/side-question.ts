import { currentSideQuestion } from '../../core/actions/side-questions.ts';
import { measureAnswer, planRequest, tooLongText } from '../../core/agent/clear-readings.ts';
import { summarizePull } from '../../core/agent/context/pull-summary.ts';
import { buildInterimResults, checkTranscript } from '../../core/agent/messages.ts';
import { modelInForce } from '../../core/settings/models.ts';
import { parseSettings } from '../../core/settings/repo-settings.ts';
import type { TokenUsage, TranscriptMessage } from '../../core/state/conversation.ts';
import { type ModelContext, NEW_MODEL_CONTEXT } from '../../core/state/model-context.ts';
import { activeRun, type PullState } from '../../core/state/pull-state.ts';
import type { Settings } from '../../core/state/settings.ts';
import { reachedSideLimit, type SideQuestion } from '../../core/state/side-question.ts';
import { addTokens, isReported, NO_USAGE } from '../../core/state/spending.ts';
import type { SideQuestionOpening } from '../../core/step/signals.ts';
import { fetchPathRules } from '../jobs/gather-facts.ts';
import { DONE, type EffectResult, type Job, loadJobPull } from '../jobs/job.ts';
import { nextRetryAt } from '../jobs/retries.ts';
import { clearAfterOverflow, costOfFailure, logged, resultOfModelError } from './ask-model.ts';
import { readTaskContext } from './read-context.ts';

/** Reads what a question begins with: the transcript of the run that was there, or else the pull request. */
export async function openSideQuestion(job: Job<'open-side-question'>): Promise<EffectResult> {
  const { questionId } = job.effect;
  const pull = await loadJobPull(job);
  const question = currentSideQuestion(pull, questionId);
  if (question?.phase.kind !== 'opening') return DONE;
  const run = activeRun(pull);
  if (run !== null && run.id === question.runId && run.phase.kind === 'reading-context') return retryAfterContext(job);
  const github = job.context.githubApp.forPull(pull.ref);
  const { settings: now } = parseSettings(await github.fetchSettingsFile(), job.context.operatorSettings());
  const ofRun = await openFromRun(job, pull, question);
  const opening = ofRun ?? (await openFromPull(job, pull, { task: question, contextFiles: now.contextFiles }));
  // A transcript is sent back to its own model.
  const model = ofRun !== null && pull.run?.id === question.runId ? pull.run.settings.model : now.model;
  const settings = { model, limits: now.limits };
  return { kind: 'done', signal: { type: 'side-question-opened', questionId, opening, settings } };
}

const MAX_CONTEXT_WAIT_MS = 30_000;

/**
 * A question needs the run's conversation, which begins once the context is read. That takes hours if GitHub is down.
 */
function retryAfterContext({ context, attempts }: Job<'open-side-question'>): EffectResult {
  const now = context.clock.now();
  const retryAt = Math.min(nextRetryAt(now, attempts, null), now + MAX_CONTEXT_WAIT_MS);
  return { kind: 'retry', retryAt, error: 'the run reads its context', retryCause: 'waiting' };
}

/** Null if no run was there, or if it has no transcript: it never began, or is deleted. */
async function openFromRun(
  { context }: Job<'open-side-question'>,
  pull: PullState,
  { runId }: SideQuestion,
): Promise<SideQuestionOpening | null> {
  const stored = runId === null ? [] : await context.store.loadTranscript(runId);
  const run = pull.run?.id === runId ? pull.run : null;
  // The transcript can be newer than the run.
  const transcript = run === null ? stored : stored.slice(0, run.messageCount);
  if (transcript.length === 0) return null;
  return { kind: 'run', runMessageCount: transcript.length, interim: buildInterimResults(transcript, run) };
}

async function openFromPull(
  job: Job<'open-side-question'>,
  state: PullState,
  { task, contextFiles }: { readonly task: SideQuestion; readonly contextFiles: Settings['contextFiles'] },
): Promise<SideQuestionOpening> {
  const { ref } = state;
  const github = job.context.githubApp.forPull(ref);
  const pull = summarizePull(await github.fetchPull());
  const rules = await fetchPathRules(job.context, github, state);
  const context = await readTaskContext({ github, task, contextFiles, rules, runId: null, pull, job });
  return { kind: 'pull-request', pull, context };
}

/** Sends a question's transcript to the model. In its last response it can call nothing. */
export async function askSideQuestion(job: Job<'ask-side-question'>): Promise<EffectResult> {
  const { context, stopping } = job;
  const { questionId, turn } = job.effect;
  const pull = await loadJobPull(job);
  const question = currentSideQuestion(pull, questionId);
  if (question?.phase.kind !== 'awaiting-model' || question.phase.turn !== turn) return DONE;
  const messages = await loadMessages(job, question);
  if (checkTranscript(messages).length > 0) return questionFailed(questionId, 'Its transcript is broken.', NO_USAGE);
  const cacheKey = question.runId ?? questionId;
  const mayCall = reachedSideLimit(question, turn) === null;
  const model = modelInForce(context.operatorSettings(), question.terms?.model ?? null);
  const maxTokens = await context.model.maxRequestTokens(stopping, model);
  let modelContext = question.modelContext ?? contextOfRun(pull, question);
  let usage = NO_USAGE;
  // Each round but the last clears more readings, so it ends.
  for (;;) {
    const plan = planRequest(messages, modelContext, maxTokens);
    if (plan.kind === 'too-long') return questionFailed(questionId, tooLongText(plan), usage);
    if (plan.kind === 'clear') {
      modelContext = plan.modelContext;
      continue;
    }
    try {
      const response = await logged(
        context,
        context.model.answerQuestion(plan.messages, stopping, cacheKey, mayCall, model),
      );
      const { counted, context: measured } = measureAnswer(modelContext, plan, response);
      return {
        kind: 'done',
        signal: {
          type: 'side-question-responded',
          ...{ questionId, turn, response, usage: addTokens(usage, counted), modelContext: measured },
        },
      };
    } catch (error) {
      usage = addTokens(usage, costOfFailure(error, plan.estimatedTokens)?.usage ?? NO_USAGE);
      const cleared = clearAfterOverflow(messages, modelContext, error);
      if (cleared === null) return withAttemptUsage(job, error, usage);
      modelContext = cleared;
    }
  }
}

/** The worker can be stopped or the endpoint down for long, so what was spent is stored with each attempt. */
function withAttemptUsage(job: Job<'ask-side-question'>, error: unknown, usage: TokenUsage): EffectResult {
  const { questionId } = job.effect;
  const result = resultOfModelError(job, error, ({ message }) => questionFailed(questionId, message, usage));
  if (result.kind !== 'retry' || !isReported(usage)) return result;
  return { ...result, signal: { type: 'side-question-attempt-failed', questionId, usage } };
}

function contextOfRun({ run }: PullState, { runId }: SideQuestion): ModelContext {
  return run !== null && run.id === runId ? run.modelContext : NEW_MODEL_CONTEXT;
}

/** The run's transcript as it was when the question began, and the question's own behind it. */
async function loadMessages(
  { context: { store }, stored: { pullRequestKey } }: Job<'ask-side-question'>,
  { id, runId, runMessageCount }: SideQuestion,
): Promise<readonly TranscriptMessage[]> {
  const ofRun = runId === null || runMessageCount === 0 ? [] : await store.loadTranscript(runId);
  return [...ofRun.slice(0, runMessageCount), ...(await store.loadSideTranscript(pullRequestKey, id))];
}

function questionFailed(questionId: string, message: string, usage: TokenUsage): EffectResult {
  return { kind: 'done', signal: { type: 'side-question-failed', questionId, message, usage } };
}
