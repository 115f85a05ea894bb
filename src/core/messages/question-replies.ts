import type { QuestionHint } from '../step/refusals.ts';
import type { Reply } from '../step/replies.ts';
import type { QuestionLink } from '../step/reply-links.ts';
import { escapeLogin, formatProposalId } from './proposal/proposal-status.ts';
import { questionStateText } from './question-comment.ts';
import { codeSpan } from './shared/markdown.ts';

type ReplyOf<Kind extends Reply['kind']> = Extract<Reply, { kind: Kind }>;

/** Says that a comment was not taken as an answer, and what to write. The question stays open. */
export function renderQuestionHint({ question, hint }: ReplyOf<'question-hint'>): string {
  return `${HINT_TEXT[hint](question)}${hint === 'taken-as-text' ? '' : ` The question ${formatProposalId(question)} still waits for an answer.`}`;
}

const HINT_TEXT: { readonly [Hint in QuestionHint]: (question: QuestionLink) => string } = {
  'posted-later': () =>
    'Your comment is no answer to the question, because it was written before the question was posted, or in the same second.',
  'needs-approval': ({ id }) =>
    `This question takes no other words: write ${codeSpan(`/approve ${id}`)}, or ${codeSpan(`/reject ${id}`)}, which ends the run.`,
  'needs-choice': ({ id }) =>
    `This question has choices: write ${codeSpan(`/choose ${id} <number>`)}. ${codeSpan(`/reject ${id}`)} ends the run.`,
  'needs-text': ({ id }) =>
    `This question needs words: write ${codeSpan(`/answer ${id} <text>`)}. ${codeSpan(`/reject ${id}`)} ends the run.`,
  'not-a-choice': ({ id, choices }) =>
    `That is none of the choices: write ${codeSpan(`/choose ${id} <number>`)} with a number from 1 to ${choices}, or the exact text of one choice.`,
  'ambiguous-choice': ({ id }) =>
    `That is the number of one choice and the text of another: write ${codeSpan(`/choose ${id} <number>`)}.`,
  'two-choices': ({ id }) =>
    `Two of the choices stand in your comment: write ${codeSpan(`/choose ${id} <number>`)} with one of them, and a note below it in other words.`,
  empty: () => 'Your comment has no text of its own.',
  'taken-as-text': () =>
    `This is taken as your answer. To end a run, write ${codeSpan('/reject')} next time, or ${codeSpan('/stop')} now.`,
};

/** An answer is final. */
export function renderQuestionClosed({ question, by }: ReplyOf<'question-closed'>): string {
  const person = by === null ? '' : ` by ${escapeLogin(by)}`;
  return `The question ${formatProposalId(question)} is already ${questionStateText(question.state)}${person}, so your answer had no effect.`;
}

export function renderNoQuestion({ command, id }: ReplyOf<'no-question'>): string {
  const had = `${codeSpan(`/${command}`)} had no effect:`;
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
