import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { findSideQuestion } from '../../core/actions/side-questions.ts';
import { clearAfterOverflow, countedUsage, planRequest } from '../../core/agent/clear-readings.ts';
import { summarizePull } from '../../core/agent/context/pull-summary.ts';
import { buildInterimResults, checkTranscript, findDuplicateCallIds } from '../../core/agent/messages.ts';
import { TOO_MANY_CALLS_OUTPUT } from '../../core/agent/shared/tool-results.ts';
import {
  buildSideToolMessage,
  LAST_RESPONSE_MESSAGE,
  ONLY_READING_OUTPUT,
  openFromPull,
  openFromRun,
} from '../../core/agent/side-question-texts.ts';
import { boundResults } from '../../core/agent/tools/bound-results.ts';
import { finishedPart, isUnfinishedAnswer, joinAnswers, NUDGE_MESSAGE } from '../../core/agent/turn-texts.ts';
import { modelInForce } from '../../core/settings/models.ts';
import { parseSettings } from '../../core/settings/repo-settings.ts';
import type { ModelResponse, TokenUsage, ToolCall, TranscriptMessage } from '../../core/state/conversation.ts';
import { type ModelContext, NEW_MODEL_CONTEXT } from '../../core/state/model-context.ts';
import type { PullState } from '../../core/state/pull-state.ts';
import {
  SIDE_QUESTION_LIMITS,
  type SideQuestion,
  type SideQuestionCaveat,
  type SideQuestionOutcome,
} from '../../core/state/side-question.ts';
import { addTokens, NO_USAGE } from '../../core/state/spending.ts';
import {
  isReadingTool,
  MAX_CALLS_PER_RESPONSE,
  type ReadingToolName,
  readToolName,
  type ToolName,
  type ToolRequestOf,
} from '../../core/state/tools.ts';
import { ModelError } from '../../core/step/model-port.ts';
import { fetchPathRules } from '../jobs/gather-facts.ts';
import { DONE, type EffectResult, type Job, loadJobPull } from '../jobs/job.ts';
import { isOverflow, logged, resultOfModelError } from './ask-model.ts';
import { readTaskContext } from './read-context.ts';
import { READING_HANDLERS } from './tools/read-tools.ts';
import { parseAndRun } from './tools/run-tools.ts';
import {
  createWorkspace,
  type ToolCallContext,
  type ToolOutput,
  toolOutput,
  type Workspace,
} from './tools/workspace.ts';

/** Asks the model until it answers, with the tools that read. A crash asks again from the beginning. */
export async function answerSideQuestion(job: Job<'answer-side-question'>): Promise<EffectResult> {
  const { questionId } = job.effect;
  const pull = await loadJobPull(job);
  const question = findSideQuestion(pull, questionId);
  if (question === null) return DONE;
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
  readonly modelContext: ModelContext;
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
  // A transcript is sent back to its own model.
  const model = run === null || transcript.length === 0 ? settings.model : run.settings.model;
  const modelContext = run?.modelContext ?? NEW_MODEL_CONTEXT;
  if (transcript.length > 0) {
    const messages = [...transcript, ...buildInterimResults(transcript, run), openFromRun(question, earlier)];
    return { messages, model, modelContext };
  }
  const summary = summarizePull(await github.fetchPull());
  const rules = await fetchPathRules(context, github, pull);
  const { contextFiles } = settings;
  const read = await readTaskContext({ github, task: question, contextFiles, rules, runId: null, pull: summary, job });
  const messages = openFromPull({ question, ref, earlier, pull: summary, context: read });
  return { messages, model, modelContext };
}

/** Asks up to eight times: the last response can call nothing, so its text is the answer. */
async function converse(asking: Asking, opened: Conversation): Promise<SideQuestionOutcome> {
  let conversation = opened;
  let begun: string | null = null;
  let isNudged = false;
  for (let turn = 1; ; turn += 1) {
    const isLast = turn >= SIDE_QUESTION_LIMITS.responses;
    const { response, modelContext } = await request(asking, conversation, !isLast);
    const { content, toolCalls, finishReason } = response;
    if (findDuplicateCallIds(toolCalls).length > 0)
      return { kind: 'failed', message: 'It gave the same id to two of its calls.' };
    const cut = CUT_ANSWERS.get(finishReason) ?? null;
    const isUnfinished = cut === null && !isNudged && isUnfinishedAnswer(content);
    if (isLast || (toolCalls.length === 0 && !isUnfinished)) {
      const caveat = cut ?? (isLast ? 'responses-used-up' : null);
      return { kind: 'answered', content: joinAnswers(begun, content), caveat };
    }
    isNudged = toolCalls.length === 0;
    begun = isNudged ? finishedPart(content) : null;
    const answers = isNudged ? [NUDGE_MESSAGE] : await runCalls(asking, turn, toolCalls);
    const last = turn + 1 >= SIDE_QUESTION_LIMITS.responses ? [LAST_RESPONSE_MESSAGE] : [];
    const messages = [...conversation.messages, ...assistantMessages(response), ...answers, ...last];
    conversation = { ...conversation, messages, modelContext };
  }
}

/** By finish reason. */
const CUT_ANSWERS: ReadonlyMap<string, SideQuestionCaveat> = new Map([
  ['length', 'cut-off'],
  ['content_filter', 'filtered'],
]);

/** Endpoints refuse a message of the model that has neither text nor calls. */
function assistantMessages({ content, toolCalls, opaque }: ModelResponse): readonly TranscriptMessage[] {
  if (toolCalls.length === 0 && (content ?? '').trim() === '') return [];
  return [{ role: 'assistant', content, toolCalls, ...(opaque === undefined ? {} : { opaque }) }];
}

/** Sends the conversation, with fewer readings where they do not fit. Counts what the endpoint counted. */
async function request(
  { job, question, spent }: Asking,
  { messages, model: own, modelContext: before }: Conversation,
  mayCall: boolean,
): Promise<{ readonly response: ModelResponse; readonly modelContext: ModelContext }> {
  const { context, stopping } = job;
  const problems = checkTranscript(messages);
  if (problems.length > 0) throw new ModelError('permanent', 'Its transcript is broken.', null);
  const model = modelInForce(context.operatorSettings(), own);
  const maxTokens = await context.model.maxRequestTokens(stopping, model);
  let modelContext = before;
  // Each round but the last clears more readings, so it ends.
  for (;;) {
    const plan = planRequest(messages, modelContext, maxTokens);
    if (plan.kind === 'too-long') throw new ModelError('permanent', plan.message, null);
    if (plan.kind === 'clear') {
      modelContext = plan.modelContext;
      continue;
    }
    try {
      const cacheKey = question.runId ?? question.id;
      const asked = context.model.answerQuestion(plan.messages, stopping, cacheKey, mayCall, model);
      const response = await logged(context, asked);
      spent.usage = addTokens(spent.usage, countedUsage(response, plan.estimatedTokens));
      return { response, modelContext };
    } catch (error) {
      if (error instanceof ModelError) spent.usage = addTokens(spent.usage, error.usage ?? NO_USAGE);
      const cleared = isOverflow(error) ? clearAfterOverflow(messages, modelContext, error.contextTokens) : null;
      if (cleared === null) throw error;
      modelContext = cleared;
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
  const known = { readBlobs: {}, shownFiles: {}, syntaxRefusals: [] };
  const workspace = await createWorkspace(job, pull, { rules, gate, task: question, ...known });
  const results: (ToolOutput & { readonly turn: number })[] = [];
  for (const [index, toolCall] of calls.entries()) {
    // Each call can take milliseconds, so let other work run in between.
    await yieldToEventLoop();
    const isExtra = index >= MAX_CALLS_PER_RESPONSE;
    const place = { turn, toolCall, earlier: results };
    const output = isExtra ? toolOutput(toolCall, TOO_MANY_CALLS_OUTPUT) : await runReadingCall(workspace, place);
    results.push({ ...output, turn });
  }
  const bounded = boundResults(results, ({ callId }) =>
    readToolName(calls.find(({ id }) => id === callId)?.name ?? ''),
  );
  return bounded.flatMap((one) => (one.kind === 'output' ? [buildSideToolMessage(one.callId, one.output)] : []));
}

type ReadingCall = Pick<ToolCallContext, 'earlier'> & { readonly turn: number; readonly toolCall: ToolCall };

/** A call of another tool is refused before its arguments are read. */
async function runReadingCall(workspace: Workspace, { turn, toolCall, ...place }: ReadingCall): Promise<ToolOutput> {
  const name = readToolName(toolCall.name);
  if (name !== null && !isReadingTool(name)) return toolOutput(toolCall, ONLY_READING_OUTPUT);
  const call = { turn, toolCall, isCut: false };
  return parseAndRun(call, (request) =>
    isReadingRequest(request)
      ? handleReadingCall({ workspace, call, ...place }, request.tool, request)
      : toolOutput(toolCall, ONLY_READING_OUTPUT),
  );
}

function isReadingRequest(request: ToolRequestOf<ToolName>): request is ToolRequestOf<ReadingToolName> {
  return isReadingTool(request.tool);
}

function handleReadingCall<Name extends ReadingToolName>(
  context: ToolCallContext,
  name: Name,
  request: ToolRequestOf<Name>,
): Promise<ToolOutput> | ToolOutput {
  return READING_HANDLERS[name](context, request);
}
