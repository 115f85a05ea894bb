import { excerptOf } from '../agent/shared/clean-text.ts';
import type { TranscriptMessage } from '../state/conversation.ts';
import { type CommentLocation, locationId } from '../state/intent.ts';
import { activeRun, type PullState } from '../state/pull-state.ts';
import { isAnswering } from '../state/run.ts';
import { type AnsweredQuestion, SIDE_QUESTION_LIMITS, type SideQuestion } from '../state/side-question.ts';
import type { Reply } from '../step/replies.ts';
import { questionNote, withNote } from './agent-notes.ts';
import { type StepBuilder, withEffects, withPullState, withReply } from './step-builder.ts';

/** The question that the model works on, if it is this one; null if it is over. */
export function currentSideQuestion({ sideQuestions: [first] }: PullState, id: string): SideQuestion | null {
  return first?.id === id ? first : null;
}

/** The unanswered question of this comment; null if there is none. */
export function findSideQuestionAt({ sideQuestions }: PullState, location: CommentLocation): SideQuestion | null {
  return sideQuestions.find(({ id }) => id === locationId(location)) ?? null;
}

/** Puts a question behind the others, and begins with it if it is the first. */
export function addSideQuestion(builder: StepBuilder, question: SideQuestion): StepBuilder {
  return startFirst(withPullState(builder, { sideQuestions: [...builder.pull.sideQuestions, question] }));
}

function startFirst(builder: StepBuilder): StepBuilder {
  const [first] = builder.pull.sideQuestions;
  if (first?.phase.kind !== 'queued') return builder;
  const opening = withSideQuestion(builder, { ...first, phase: { kind: 'opening' } });
  return withEffects(opening, { type: 'open-side-question', questionId: first.id });
}

/** Replaces a question by its new state. */
export function withSideQuestion(builder: StepBuilder, question: SideQuestion): StepBuilder {
  const sideQuestions = builder.pull.sideQuestions.map((one) => (one.id === question.id ? question : one));
  return withPullState(builder, { sideQuestions });
}

/** Appends to the question's transcript, once in a step. */
export function appendSideMessages(
  builder: StepBuilder,
  question: SideQuestion,
  messages: readonly TranscriptMessage[],
): StepBuilder {
  const { id: questionId, messageCount: first } = question;
  const counted = withSideQuestion(builder, { ...question, messageCount: first + messages.length });
  return { ...counted, sideTranscript: { kind: 'append', questionId, first, messages } };
}

/** Sends the transcript of the current question to the model. */
export function requestSideAnswer(builder: StepBuilder, questionId: string, turn: number): StepBuilder {
  const question = currentSideQuestion(builder.pull, questionId);
  if (question === null) return builder;
  const asked = withSideQuestion(builder, { ...question, phase: { kind: 'awaiting-model', turn } });
  return withEffects(asked, { type: 'ask-side-question', questionId, turn });
}

/** Ends a question with a reply, or without one where its comment is gone, and begins with the next. */
export function endSideQuestion(
  builder: StepBuilder,
  { id, location }: SideQuestion,
  reply: Reply | null,
): StepBuilder {
  const sideQuestions = builder.pull.sideQuestions.filter((one) => one.id !== id);
  const removed: StepBuilder = {
    ...withPullState(builder, { sideQuestions }),
    sideTranscript: { kind: 'delete', questionId: id },
  };
  return startFirst(reply === null ? removed : withReply(removed, location, reply));
}

/** Keeps the answer for the next questions and runs. The run that is there hears one line of it. */
export function keepAnswer(
  builder: StepBuilder,
  question: SideQuestion,
  content: string | null,
  now: string,
): StepBuilder {
  const { kept, keptQuestionBytes, keptAnswerBytes } = SIDE_QUESTION_LIMITS;
  const answered: AnsweredQuestion = {
    by: question.by,
    question: excerptOf(question.text, keptQuestionBytes),
    answer: excerptOf(content ?? '', keptAnswerBytes),
    answeredAt: now,
  };
  const answeredQuestions = [...builder.pull.answeredQuestions, answered].slice(-kept);
  const stored = withPullState(builder, { answeredQuestions });
  return canHear(builder.pull) ? withNote(stored, questionNote(answered)) : stored;
}

/** Whether the last run goes on, or might go on with people's words. A later one hears of the kept answers. */
function canHear(pull: PullState): boolean {
  const { run } = pull;
  return activeRun(pull) !== null || (run?.phase.kind === 'ended' && isAnswering(run.phase.reason));
}
