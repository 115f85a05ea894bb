import { currentSideQuestion } from '../../core/actions/side-questions.ts';
import { sentMessages } from '../../core/agent/clear-readings.ts';
import { summarizePull } from '../../core/agent/context/pull-summary.ts';
import { buildInterimResults, checkTranscript } from '../../core/agent/messages.ts';
import type { TranscriptMessage } from '../../core/state/conversation.ts';
import { activeRun, type PullState } from '../../core/state/run.ts';
import { DEFAULT_SETTINGS } from '../../core/state/settings.ts';
import { SIDE_QUESTION_LIMITS, type SideQuestion } from '../../core/state/side-question.ts';
import type { SideQuestionOpening } from '../../core/state/signals.ts';
import { fetchPathRules } from '../jobs/gather-facts.ts';
import { DONE, type EffectResult, type Job, loadJobPull } from '../jobs/job.ts';
import { logged, resultOfModelError } from './ask-model.ts';
import { readTaskContext } from './read-context.ts';

/** Reads what a question begins with: the transcript of the run that was there, or else the pull request. */
export async function openSideQuestion(job: Job<'open-side-question'>): Promise<EffectResult> {
  const { questionId } = job.effect;
  const pull = await loadJobPull(job);
  const question = currentSideQuestion(pull, questionId);
  if (question?.phase.kind !== 'opening') return DONE;
  const run = activeRun(pull);
  if (run !== null && run.id === question.runId && run.phase.kind === 'reading-context')
    return retryAfterContext(job.context.clock.now());
  const opening = (await openFromRun(job, pull, question)) ?? (await openFromPull(job, pull, question));
  return { kind: 'done', signal: { type: 'side-question-opened', questionId, opening } };
}

const CONTEXT_WAIT_MS = 1_000;

/** A question needs the run's conversation, which begins once the context is read. */
function retryAfterContext(now: number): EffectResult {
  return { kind: 'retry', retryAt: now + CONTEXT_WAIT_MS, error: 'the run reads its context', retryCause: 'waiting' };
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
  task: SideQuestion,
): Promise<SideQuestionOpening> {
  const { ref, run } = state;
  const github = job.context.githubApp.forPull(ref);
  const pull = summarizePull(await github.fetchPull());
  const { contextFiles } = run?.settings ?? DEFAULT_SETTINGS;
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
  const messages = await loadMessages(job, pull, question);
  if (checkTranscript(messages).length > 0) return questionFailed(questionId, 'Its transcript is broken.');
  const cacheKey = question.runId ?? questionId;
  const mayCall = turn < SIDE_QUESTION_LIMITS.responses;
  try {
    const response = await logged(context, context.model.answerQuestion(messages, stopping, cacheKey, mayCall));
    return { kind: 'done', signal: { type: 'side-question-responded', questionId, turn, response } };
  } catch (error) {
    return resultOfModelError(job, error, ({ message }) => questionFailed(questionId, message));
  }
}

/** The run's transcript as it was when the question began, without cleared readings, and the question's own behind it. */
async function loadMessages(
  { context: { store }, stored: { pullRequestKey } }: Job<'ask-side-question'>,
  { run }: PullState,
  { id, runId, runMessageCount }: SideQuestion,
): Promise<readonly TranscriptMessage[]> {
  const ofRun = runId === null || runMessageCount === 0 ? [] : await store.loadTranscript(runId);
  const clearedBefore = run?.id === runId ? run.modelContext.clearedBefore : 0;
  const sent = sentMessages(ofRun.slice(0, runMessageCount), clearedBefore);
  return [...sent, ...(await store.loadSideTranscript(pullRequestKey, id))];
}

function questionFailed(questionId: string, message: string): EffectResult {
  return { kind: 'done', signal: { type: 'side-question-failed', questionId, message } };
}
