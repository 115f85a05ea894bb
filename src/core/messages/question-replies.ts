import type { Reply } from '../step/replies.ts';
import type { QuestionLink } from '../step/reply-links.ts';
import { escapeLogin, formatProposalId } from './proposal/proposal-status.ts';
import { questionStateText } from './question-comment.ts';
import { codeSpan } from './shared/markdown.ts';

type ReplyOf<Kind extends Reply['kind']> = Extract<Reply, { kind: Kind }>;

/** Says that a comment was not taken as an answer, and what to write. The question stays open. */
export function renderQuestionHint({ question }: ReplyOf<'question-hint'>): string {
  return `Your comment is no answer to the question ${formatProposalId(question)}, which still waits. In a new comment, write ${answerForm(question)}; ${codeSpan(`/reject ${question.id}`)} ends the run.`;
}

function answerForm({ id, type, choices }: QuestionLink): string {
  switch (type) {
    case 'approval':
      return codeSpan(`/approve ${id}`);
    case 'choice':
      return `${codeSpan(`/choose ${id} <number>`)} with a number from 1 to ${choices}, or the exact text of one choice`;
    case 'text':
      return codeSpan(`/answer ${id} <text>`);
  }
}

/** An answer is final. */
export function renderQuestionClosed({ question, by }: ReplyOf<'question-closed'>): string {
  const person = by === null ? '' : ` by ${escapeLogin(by)}`;
  return `The question ${formatProposalId(question)} is already ${questionStateText(question.state)}${person}, so your answer had no effect.`;
}

export function renderNoQuestion({ id }: ReplyOf<'no-question'>): string {
  const had = 'Your answer had no effect:';
  return id === null
    ? `${had} no question of the agent waits for an answer here. ${codeSpan('/status')} shows an open one.`
    : `${had} the last run has no question with the id ${codeSpan(id)}, and questions of earlier runs are closed. ${codeSpan('/status')} shows an open one.`;
}

/** The questions of a reminder, a line each. */
export function formatQuestionList(questions: readonly QuestionLink[]): string {
  return questions.map((question) => `- ${formatProposalId(question)} a question of the agent`).join('\n');
}

/** The open question of `/status`. */
export function openQuestionText(question: QuestionLink | null): string {
  return question === null ? '' : `The question ${formatProposalId(question)} waits for an answer.`;
}
