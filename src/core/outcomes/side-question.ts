import {
  appendSideMessages,
  currentSideQuestion,
  endSideQuestion,
  keepAnswer,
  requestSideAnswer,
  withSideQuestion,
} from '../actions/side-questions.ts';
import {
  addUsage,
  endStep,
  noop,
  type StepBuilder,
  startStep,
  withEffects,
  withPullState,
  withRun,
} from '../actions/step-builder.ts';
import { findDuplicateCallIds } from '../agent/messages.ts';
import { buildSideToolMessages, openSideTranscript } from '../agent/side-question-texts.ts';
import { finishedPart, isUnfinishedAnswer, joinAnswers, NUDGE_MESSAGE } from '../agent/turn-texts.ts';
import type { ModelResponse, TokenUsage, TranscriptMessage } from '../state/conversation.ts';
import type { PullState } from '../state/pull-state.ts';
import {
  addQuestionCost,
  questionsFreeAt,
  questionTerms,
  reachedDayLimit,
  reachedSideLimit,
  type SideQuestion,
} from '../state/side-question.ts';
import { addTokens, isReported, NO_USAGE, priceOf } from '../state/spending.ts';
import type { Facts } from '../step/facts.ts';
import type { SideQuestionCaveat } from '../step/replies.ts';
import type { Signal } from '../step/signals.ts';
import type { Step } from '../step/step.ts';

type SignalOf<Type extends Signal['type']> = Extract<Signal, { type: Type }>;

/** Begins the question's transcript and asks the model. */
export function onSideQuestionOpened(
  pull: PullState,
  signal: SignalOf<'side-question-opened'>,
  { now, modelPrices }: Facts,
): Step {
  const asked = currentSideQuestion(pull, signal.questionId);
  if (asked?.phase.kind !== 'opening') return noop(pull, 'outdated-result');
  const { opening, settings } = signal;
  const price = priceOf(modelPrices, settings.model);
  const terms = questionTerms(pull.questionSpending, { ...settings, price }, now);
  const question = { ...asked, terms };
  const limit = reachedDayLimit(terms, NO_USAGE);
  if (limit !== null) return refuseBeyondDay(pull, question, limit, now);
  const messages = openSideTranscript({ question, ref: pull.ref, earlier: pull.answeredQuestions, opening });
  const runMessageCount = opening.kind === 'run' ? opening.runMessageCount : 0;
  const opened = appendSideMessages(startStep(pull), { ...question, runMessageCount }, messages);
  return endStep(requestSideAnswer(opened, question.id, 1), 'side-question-opened');
}

function refuseBeyondDay(pull: PullState, question: SideQuestion, limit: 'tokens' | 'cost_usd', now: string): Step {
  const { by, text, terms } = question;
  const isUnpriced = limit === 'cost_usd' && terms?.price === null;
  const freeAt = questionsFreeAt(pull.questionSpending, now);
  const reply = { kind: 'side-question-limit', by, question: text, limit, isUnpriced, freeAt } as const;
  return endStep(endSideQuestion(startStep(pull), question, reply), 'side-question-limit');
}

/** Runs the calls of a response, asks once more for an answer that does not read like one, or ends with the answer. */
export function onSideQuestionResponded(
  pull: PullState,
  { questionId, turn, response, usage, modelContext }: SignalOf<'side-question-responded'>,
  facts: Facts,
): Step {
  const question = currentSideQuestion(pull, questionId);
  const counted = countUsage(startStep(pull), questionId, usage, facts);
  if (question?.phase.kind !== 'awaiting-model' || question.phase.turn !== turn)
    return endStep(counted, 'outdated-result');
  const limit = reachedSideLimit(question, turn);
  const answered = { ...question, usage: addTokens(question.usage, usage), modelContext };
  const { toolCalls, content, finishReason } = response;
  if (findDuplicateCallIds(toolCalls).length > 0)
    return fail(counted, question, 'It gave the same id to two of its calls.');
  if (toolCalls.length > 0 && limit === null) return requestTools(counted, answered, turn, response);
  const canRetry = limit === null && !CUT_ANSWERS.has(finishReason) && question.nudge === null;
  if (canRetry && isUnfinishedAnswer(content)) return nudge(counted, answered, turn, response);
  const caveat = CUT_ANSWERS.get(finishReason) ?? (limit === null ? null : LIMIT_CAVEATS[limit]);
  const whole = joinAnswers(question.nudge?.text ?? null, content);
  return answer(counted, question, { content: whole, caveat }, facts);
}

/** By finish reason. */
const CUT_ANSWERS: ReadonlyMap<string, SideQuestionCaveat> = new Map([
  ['length', 'cut-off'],
  ['content_filter', 'filtered'],
]);

const LIMIT_CAVEATS = { responses: 'responses-used-up', tokens: 'tokens-used-up', day: 'day-used-up' } as const;

/**
 * The run that was there when it was asked shows what a request for it cost; without that run, or after the question
 * was withdrawn, it counts on the pull request.
 */
function countUsage(builder: StepBuilder, questionId: string, usage: TokenUsage, { now }: Facts): StepBuilder {
  if (!isReported(usage)) return builder;
  const { run, questionUsage, questionSpending } = builder.pull;
  const question = currentSideQuestion(builder.pull, questionId);
  const spending = addQuestionCost(questionSpending, usage, question?.terms?.price ?? null, now);
  const spent = withPullState(builder, { questionSpending: spending });
  if (run !== null && run.id === question?.runId) return addUsage(spent, usage);
  return withPullState(spent, { questionUsage: addTokens(questionUsage, usage) });
}

/** Counts what a failed request cost, for the limit of its question too. */
export function onSideQuestionAttemptFailed(
  pull: PullState,
  { questionId, usage }: SignalOf<'side-question-attempt-failed'>,
  facts: Facts,
): Step {
  const counted = countUsage(startStep(pull), questionId, usage, facts);
  const question = currentSideQuestion(pull, questionId);
  if (question === null) return endStep(counted, 'outdated-result');
  const spent = { ...question, usage: addTokens(question.usage, usage) };
  return endStep(withSideQuestion(counted, spent), 'model-attempt-failed');
}

function requestTools(builder: StepBuilder, question: SideQuestion, turn: number, response: ModelResponse): Step {
  const { toolCalls: calls } = response;
  const phase = { kind: 'running-tools', turn, calls } as const;
  const running: SideQuestion = { ...question, nudge: null, phase };
  const appended = appendSideMessages(builder, running, [assistantMessage(response)]);
  return endStep(
    withEffects(appended, { type: 'run-side-question-tools', questionId: question.id, turn, calls }),
    'side-question-tools-requested',
  );
}

function assistantMessage({ content, toolCalls, opaque }: ModelResponse): TranscriptMessage {
  return { role: 'assistant', content, toolCalls, ...(opaque === undefined ? {} : { opaque }) };
}

/** Endpoints refuse a message of the model that has neither text nor calls. */
function nudge(builder: StepBuilder, question: SideQuestion, turn: number, response: ModelResponse): Step {
  const isBlank = (response.content ?? '').trim() === '';
  const messages = [...(isBlank ? [] : [assistantMessage(response)]), NUDGE_MESSAGE];
  const nudged = appendSideMessages(
    builder,
    { ...question, nudge: { text: finishedPart(response.content) } },
    messages,
  );
  return endStep(requestSideAnswer(nudged, question.id, turn + 1), 'side-question-nudged');
}

/** Gives the model the results of its calls. They are text and nothing else, so no change can come of them. */
export function onSideQuestionToolsFinished(
  pull: PullState,
  { questionId, turn, outputs }: SignalOf<'side-question-tools-finished'>,
): Step {
  const question = currentSideQuestion(pull, questionId);
  if (question?.phase.kind !== 'running-tools' || question.phase.turn !== turn) return noop(pull, 'outdated-result');
  const byCall = new Map(outputs.map(({ callId, output }) => [callId, output]));
  const isLastNext = reachedSideLimit(question, turn + 1) !== null;
  const messages = buildSideToolMessages(question.phase.calls, byCall, isLastNext);
  const answered = appendSideMessages(startStep(pull), question, messages);
  return endStep(requestSideAnswer(answered, questionId, turn + 1), 'side-question-tools-answered');
}

function answer(
  builder: StepBuilder,
  question: SideQuestion,
  answered: { readonly content: string | null; readonly caveat: SideQuestionCaveat | null },
  { now }: Facts,
): Step {
  const { by, text } = question;
  const kept = countAnswer(keepAnswer(builder, question, answered.content, now), question);
  const reply = { kind: 'side-question-answered', by, question: text, ...answered } as const;
  return endStep(endSideQuestion(kept, question, reply), 'side-question-answered');
}

function countAnswer(builder: StepBuilder, { runId }: SideQuestion): StepBuilder {
  const { run } = builder.pull;
  if (run === null || run.id !== runId) return builder;
  const counted = withRun(builder, { sideQuestionCount: run.sideQuestionCount + 1 });
  return withEffects(counted, { type: 'update-run-comment', runId: run.id });
}

/** Tells the person that there is no answer, and begins with the next question. */
export function onSideQuestionFailed(
  pull: PullState,
  { questionId, message, usage = NO_USAGE }: SignalOf<'side-question-failed'>,
  facts: Facts,
): Step {
  const question = currentSideQuestion(pull, questionId);
  const counted = countUsage(startStep(pull), questionId, usage, facts);
  return question === null ? endStep(counted, 'outdated-result') : fail(counted, question, message);
}

function fail(builder: StepBuilder, question: SideQuestion, message: string): Step {
  const { by, text } = question;
  const reply = { kind: 'side-question-failed', by, question: text, message } as const;
  return endStep(endSideQuestion(builder, question, reply), 'side-question-failed');
}
