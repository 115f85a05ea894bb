import { answeredOutput, unaskableOutput } from '../agent/question-texts.ts';
import { joinAnswers } from '../agent/turn-texts.ts';
import { createProposalId } from '../comments/ids.ts';
import { type AgentQuestion, type AnswerRecord, questionDigest } from '../state/question.ts';
import type { Run } from '../state/run.ts';
import type { CallResult } from '../step/signals.ts';
import { closeQuestion, openQuestions } from './close-question.ts';
import { endRun } from './end-run.ts';
import { recordFeedback, type StepBuilder, withPullState, withRun } from './step-builder.ts';
import { answerToolCall, setCallStatus } from './tool-batch.ts';

type QuestionResult = Extract<CallResult, { kind: 'question' | 'unaskable' }>;

/** Creates the questions of a response. They are asked one after the other once no change of it is open. */
export function createQuestions(builder: StepBuilder, results: readonly CallResult[]): StepBuilder {
  const asked = results.filter((result) => result.kind === 'question' || result.kind === 'unaskable');
  const isProposing = results.some(({ kind }) => kind === 'change');
  return asked.reduce((next, one) => createQuestion(next, one, isProposing), builder);
}

function createQuestion(builder: StepBuilder, result: QuestionResult, isProposing: boolean): StepBuilder {
  const { pull } = builder;
  const { run } = pull;
  if (run === null) return builder;
  const call = { turn: result.turn, callId: result.callId };
  const id = createProposalId(pull);
  const question = toQuestion(result, run, { id, isProposing });
  const added = withRun(withPullState(builder, { proposalCount: pull.proposalCount + 1 }), {
    questions: [...run.questions, question],
  });
  return result.kind === 'question'
    ? setCallStatus(added, call, { kind: 'asked', questionId: id })
    : answerToolCall(added, call, unaskableOutput(result.problem));
}

function toQuestion(
  result: QuestionResult,
  run: Run,
  { id, isProposing }: { readonly id: string; readonly isProposing: boolean },
): AgentQuestion {
  const { turn, callId, prompt } = result;
  const input = result.kind === 'question' ? result.input : ({ type: 'text' } as const);
  const isFirst = !run.questions.some(({ call }) => call.turn === turn);
  return {
    ...{ id, runId: run.id, call: { turn, callId }, input, prompt },
    precedingText: isFirst && !isProposing ? (run.batch?.assistantText ?? null) : null,
    digest: questionDigest(input, prompt),
    place: questionPlace(run),
    state: result.kind === 'question' ? 'asked' : 'failed',
    problem: result.kind === 'question' ? null : result.problem,
    isDue: false,
    ...{ comment: null, answer: null, note: null, by: null },
  };
}

function questionPlace({ task: { location } }: Run): AgentQuestion['place'] {
  return location.at === 'thread' ? { at: 'thread', rootId: location.rootId } : { at: 'conversation' };
}

/** Stores a person's answer, which is final. A rejection ends the run (S118). */
export function recordAnswer(
  builder: StepBuilder,
  question: AgentQuestion,
  record: AnswerRecord,
  now: string,
): StepBuilder {
  const { answer, note, by } = record;
  const recorded = { ...builder, answers: [...builder.answers, record] };
  if (answer.kind === 'reject') return rejectQuestion(recorded, question, record, now);
  const closed = closeQuestion(recorded, question, { state: 'answered', answer, note, by });
  return recordFeedback(answerToolCall(closed, question.call, answeredOutput(record)), now);
}

/** The model's text so far becomes its closing words. Its call is answered for questions of people (S111). */
function rejectQuestion(builder: StepBuilder, question: AgentQuestion, record: AnswerRecord, now: string): StepBuilder {
  const { answer, note, by } = record;
  const closed = closeQuestion(builder, question, { state: 'rejected', answer, note, by });
  const answered = answerToolCall(closed, question.call, answeredOutput(record));
  const { summary = null, batch = null } = answered.pull.run ?? {};
  const withSummary = withRun(answered, { summary: joinAnswers(summary, batch?.assistantText ?? null) });
  return endRun(withSummary, { reason: 'rejected', by, note: null }, now);
}

/** Lets all open questions expire: those that were not asked yet would only wait as long again. */
export function expireQuestions(builder: StepBuilder): StepBuilder {
  return openQuestions(builder).reduce(
    (next, one) =>
      setCallStatus(closeQuestion(next, one, { state: 'expired' }), one.call, { kind: 'expired', proposalId: null }),
    builder,
  );
}

/** Withdraws all open questions. `problem` tells people why, `output` the model. */
export function withdrawQuestions(builder: StepBuilder, problem: string, output: string): StepBuilder {
  return openQuestions(builder).reduce(
    (next, one) => answerToolCall(closeQuestion(next, one, { state: 'cancelled', problem }), one.call, output),
    builder,
  );
}
