import { findSideQuestion } from '../../core/actions/side-questions.ts';
import { clearMore, countedUsage, planRequest } from '../../core/agent/clear-readings.ts';
import { summarizePull } from '../../core/agent/context/pull-summary.ts';
import { assistantMessages, buildInterimResults, toolMessage } from '../../core/agent/messages.ts';
import { LAST_RESPONSE_MESSAGE, openFromPull, openFromRun } from '../../core/agent/side-question-texts.ts';
import { isUnfinishedAnswer, joinAnswers, NUDGE_MESSAGE } from '../../core/agent/turn-texts.ts';
import { modelInForce } from '../../core/settings/operator-file.ts';
import { parseSettings } from '../../core/settings/repo-settings.ts';
import type { ModelResponse, TokenUsage, ToolCall, TranscriptMessage } from '../../core/state/conversation.ts';
import { activeRun, type PullState } from '../../core/state/pull-state.ts';
import {
  SIDE_QUESTION_LIMITS,
  type SideQuestion,
  type SideQuestionCaveat,
  type SideQuestionOutcome,
} from '../../core/state/question.ts';
import { addTokens, NO_USAGE } from '../../core/state/spending.ts';
import type { ToolName } from '../../core/state/tools.ts';
import type { PullFacts } from '../../core/step/facts.ts';
import { ModelError } from '../../core/step/model-port.ts';
import type { Signal } from '../../core/step/signals.ts';
import { fetchPathRules } from '../jobs/gather-facts.ts';
import { DONE, type EffectResult, type Job, loadJobPull, resultIfClosed } from '../jobs/job.ts';
import { isOverflow, logged, resultOfModelError, unavailableTools } from './ask-model.ts';
import { readTaskContext } from './read-context.ts';
import { runToolCalls } from './tools/run-tools.ts';
import { createWorkspace } from './tools/workspace.ts';

/** Asks the model until it answers, with the tools that read. A crash asks again from the beginning. */
export async function answerSideQuestion(job: Job<'answer-side-question'>): Promise<EffectResult> {
  const { questionId } = job.effect;
  const pull = await loadJobPull(job);
  const question = findSideQuestion(pull, questionId);
  if (question === null) return DONE;
  const closed = activeRun(pull) === null ? null : resultIfClosed(await fetchPull(job, pull));
  if (closed !== null) return askAfterTheEnd(job, closed.signal);
  const spent = { usage: NO_USAGE };
  const end = (outcome: SideQuestionOutcome): EffectResult => {
    return { kind: 'done', signal: { type: 'side-question-answered', questionId, outcome, usage: spent.usage } };
  };
  const asking: Asking = { job, pull, question, spent };
  const opened = await openConversation(asking);
  try {
    return end(await converse(asking, opened));
  } catch (error) {
    return resultOfModelError(job, error, ({ message }) => end({ kind: 'failed', message }));
  }
}

function fetchPull({ context }: Pick<Job, 'context'>, { ref }: PullState): Promise<PullFacts> {
  return context.githubApp.forPull(ref).fetchPull();
}

/** The end of the pull request ends the run, as wherever it is read, but no question. (P8) */
function askAfterTheEnd({ context }: Pick<Job, 'context'>, signal: Signal): EffectResult {
  const retryAt = context.clock.now() + 1_000;
  return { kind: 'retry', retryAt, error: 'the pull request is over', failure: null, signal };
}

type Asking = {
  readonly job: Job<'answer-side-question'>;
  readonly pull: PullState;
  readonly question: SideQuestion;
  /** Grows with each request. */
  readonly spent: { usage: TokenUsage };
};

type Conversation = {
  readonly messages: readonly TranscriptMessage[];
  readonly model: string | null;
  readonly clearedBefore: number;
  readonly omitted: readonly ToolName[];
};

/** The transcript of the run that was there, or else the pull request as for a task, and the question last. */
async function openConversation({ job, pull, question }: Asking): Promise<Conversation> {
  const { context } = job;
  const { ref, answeredQuestions: earlier } = pull;
  const github = context.githubApp.forPull(ref);
  const { settings } = parseSettings(await github.fetchSettingsFile(), context.operatorSettings());
  const run = pull.run?.id === question.runId ? pull.run : null;
  const stored = question.runId === null ? [] : await context.store.loadTranscript(question.runId);
  // The transcript can be newer than the run.
  const transcript = run === null ? stored : stored.slice(0, run.messageCount);
  if (transcript.length > 0) {
    const messages = [...transcript, ...buildInterimResults(transcript, run), openFromRun(question, earlier)];
    // A transcript is sent back to its own model.
    const { clearedBefore = 0 } = run ?? {};
    return { messages, model: (run ?? { settings }).settings.model, clearedBefore, omitted: unavailableTools(run) };
  }
  const summary = summarizePull(await fetchPull(job, pull));
  const rules = await fetchPathRules(context, github, pull);
  const { contextFiles, model } = settings;
  const reader = { github, task: question, contextFiles, rules, repo: ref.repo, pull: summary, job };
  const read = await readTaskContext({ ...reader, runId: null });
  const messages = openFromPull({ question, ref, earlier, pull: summary, context: read });
  return { messages, model, clearedBefore: 0, omitted: read.checks === null ? ['read_checks'] : [] };
}

/** Asks up to eight times: the last response can call nothing, so its text is the answer. */
async function converse(asking: Asking, opened: Conversation): Promise<SideQuestionOutcome> {
  let conversation = opened;
  let nudged: string | null = null;
  for (let turn = 1; ; turn += 1) {
    const isLast = turn >= SIDE_QUESTION_LIMITS.responses;
    const { response, clearedBefore } = await request(asking, conversation, !isLast);
    const { content, toolCalls, finishReason } = response;
    const cut = CUT_ANSWERS.get(finishReason) ?? null;
    const isUnfinished = cut === null && nudged === null && isUnfinishedAnswer(content);
    if (isLast || (toolCalls.length === 0 && !isUnfinished)) {
      const caveat = cut ?? (isLast ? 'responses-used-up' : null);
      return { kind: 'answered', content: joinAnswers(nudged, content), caveat };
    }
    nudged = toolCalls.length === 0 ? (content ?? '') : null;
    const answers = nudged === null ? await runCalls(asking, turn, toolCalls) : [NUDGE_MESSAGE];
    const last = turn + 1 >= SIDE_QUESTION_LIMITS.responses ? [LAST_RESPONSE_MESSAGE] : [];
    const messages = [...conversation.messages, ...assistantMessages(response), ...answers, ...last];
    conversation = { ...conversation, messages, clearedBefore };
  }
}

/** By finish reason. */
const CUT_ANSWERS: ReadonlyMap<string, SideQuestionCaveat> = new Map([
  ['length', 'cut-off'],
  ['content_filter', 'filtered'],
]);

/** Sends the conversation, with fewer readings where they do not fit. Counts what the endpoint counted. */
async function request(
  { job, question, spent }: Asking,
  { messages, model: own, clearedBefore: before, omitted }: Conversation,
  mayCall: boolean,
): Promise<{ readonly response: ModelResponse; readonly clearedBefore: number }> {
  const { context, stopping } = job;
  const model = modelInForce(context.operatorSettings(), own);
  const maxTokens = await context.model.maxRequestTokens(stopping, model);
  let clearedBefore = before;
  // Each round but the last clears more readings, so it ends.
  for (;;) {
    const plan = planRequest(messages, clearedBefore, maxTokens);
    if (plan.kind === 'too-long') throw new ModelError('permanent', plan.message, null);
    if (plan.kind === 'clear') {
      clearedBefore = plan.clearedBefore;
      continue;
    }
    try {
      const cacheKey = question.runId ?? question.id;
      const asked = context.model.answerQuestion(plan.messages, stopping, cacheKey, mayCall, model, omitted);
      const response = await logged(context, asked);
      spent.usage = addTokens(spent.usage, countedUsage(response, plan.estimatedTokens));
      return { response, clearedBefore };
    } catch (error) {
      if (error instanceof ModelError) spent.usage = addTokens(spent.usage, error.usage ?? NO_USAGE);
      const more = isOverflow(error) ? clearMore(messages, clearedBefore, true) : null;
      if (more === null) throw error;
      clearedBefore = more;
    }
  }
}

/** Runs the calls of one response at the current head. Calls that do not read are refused. */
async function runCalls(
  { job, pull, question }: Asking,
  turn: number,
  calls: readonly ToolCall[],
): Promise<readonly TranscriptMessage[]> {
  const rules = await fetchPathRules(job.context, job.context.githubApp.forPull(pull.ref), pull);
  const gate = { isApproved: () => false, canAsk: false };
  const known = { readings: [], syntaxRefusals: [] };
  const workspace = await createWorkspace(job, pull, { rules, gate, task: question, ...known });
  const issued = calls.map((toolCall) => ({ turn, toolCall, isCut: false }));
  const results = await runToolCalls(workspace, issued);
  return results.flatMap((one) => ('output' in one ? [toolMessage({ id: one.callId }, one.output)] : []));
}
