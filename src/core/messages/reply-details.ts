import { nameHidden } from '../edits/misleading-text.ts';
import { MAX_DIFF_BYTES } from '../edits/text/limits.ts';
import { SIDE_QUESTION_LIMITS, type SideQuestionCaveat } from '../state/side-question.ts';
import type { UserEditProblem } from '../step/refusals.ts';
import type { Reply } from '../step/replies.ts';
import { createTextView, renderOpenDiff } from './proposal/diff-markdown.ts';
import { describeOutcome, escapeLogin, formatProposalId, formatProposalList } from './proposal/proposal-status.ts';
import {
  blockQuote,
  codeSpan,
  escapeText,
  joinBlocks,
  MAX_POSTED_BODY_BYTES,
  renderWithin,
  truncate,
} from './shared/markdown.ts';
import { quoteModelMarkdown } from './shared/model-markdown.ts';

/** T12: a change that is not in the state that a command needs. */
export const NOT_FOUND_TEXT = 'Execution not found or not in proposed state';

const MAX_MESSAGE_CHARACTERS = 1_000;

/** An untrusted message as text. */
export function escapeMessage(text: string): string {
  return escapeText(truncate(text, MAX_MESSAGE_CHARACTERS));
}

const MAX_QUESTION_CHARACTERS = 1_000;

/** The heading of an answer: the person and the question. */
export function renderSideQuestion({ by, question }: Pick<SideQuestionAnsweredReply, 'by' | 'question'>): string {
  return joinBlocks(`${escapeLogin(by)} asked:`, blockQuote(question, MAX_QUESTION_CHARACTERS));
}

type SideQuestionAnsweredReply = Extract<Reply, { kind: 'side-question-answered' }>;

const ANSWER_LENGTH_LIMITS: readonly number[] = [12_000, 6_000, 3_000, 500];

/** Free bytes for the marker of the reply. */
const RESERVED_MARKER_BYTES = 100;

const CAVEATS = {
  'responses-used-up': `The model used all ${SIDE_QUESTION_LIMITS.responses} responses that a question has, so the answer can be incomplete.`,
  'cut-off': 'The answer was cut off, because it reached the length limit of the model endpoint.',
  filtered: 'The answer was withheld by the content filter of the model endpoint.',
} as const satisfies Record<SideQuestionCaveat, string>;

/** The model's answer to a question, quoted as the model's. */
export function renderModelAnswer(reply: SideQuestionAnsweredReply): string {
  return renderWithin(
    ANSWER_LENGTH_LIMITS,
    (maxCharacters) =>
      joinBlocks(
        renderSideQuestion(reply),
        quoteModelMarkdown('Answer', reply.content ?? '', maxCharacters) || 'The model’s answer was empty.',
        reply.caveat === null ? '' : CAVEATS[reply.caveat],
        'Nothing was decided.',
      ),
    MAX_POSTED_BODY_BYTES - RESERVED_MARKER_BYTES,
  );
}

const INTERNAL_ERROR_TEXT = {
  comment:
    'Countersign failed to process that comment because of an internal error, so it had no effect. Everything else continues. Please post it again;',
  event: `Countersign failed to process an event of this pull request because of an internal error. If the run doesn’t continue, use ${codeSpan('/stop')} and start a new one;`,
} as const;

/** A comment or an event that failed after all retries. */
export function renderInternalError({ errorId, about }: Extract<Reply, { kind: 'internal-error' }>): string {
  const id = codeSpan(errorId);
  return about === 'stored-schema'
    ? `This pull request’s state was stored by another version of Countersign, so comments have no effect until that version runs again. Pending changes are kept. Tell the operator of this App the error id ${id}.`
    : `${INTERNAL_ERROR_TEXT[about]} if that fails too, tell the operator of this App the error id ${id}.`;
}

const MAX_RULE_CHARACTERS = 200;

const OR_COMMANDS_TEXT = `or use ${codeSpan('/approve')} or ${codeSpan('/deny [reason]')}`;

/** A suggestion block in a reply that was not applied. */
export function renderUserEditRefused({ id, problem }: Extract<Reply, { kind: 'user-edit-refused' }>): string {
  if (problem.reason === 'anchor-missing') return askAboutAnchor(id, problem);
  if (problem.reason === 'same-lines-beside-text') return askWhatIsMeant(id);
  if (problem.reason === 'refused')
    return `${codeSpan(id)} is still pending. ${escapeMessage(problem.output)} ${userEditAdvice(problem)}`;
  return `${codeSpan(id)} is still pending: your suggestion can’t replace it, because ${describeUserEditProblem(problem)}. ${userEditAdvice(problem)}`;
}

type AnchorProblem = Extract<UserEditProblem, { reason: 'anchor-missing' }>;

type WrongBlockProblem = Exclude<UserEditProblem, AnchorProblem | { reason: 'same-lines-beside-text' }>;

type NamedProblem = Exclude<WrongBlockProblem, { reason: 'refused' }>;

const MAX_ANCHOR_CHARACTERS = 200;

function askAboutAnchor(id: string, { line, text }: AnchorProblem): string {
  return `${codeSpan(id)} is still pending: did you mean to delete line ${line}, ${codeSpan(truncate(text, MAX_ANCHOR_CHARACTERS))}? The change keeps it, and your suggestion leaves it out. Reply with a block that has this line too, or say in words that it should go, ${OR_COMMANDS_TEXT}.`;
}

/** The words can agree with the lines or object to them. */
function askWhatIsMeant(id: string): string {
  return `Nothing was approved: your block has exactly the proposed lines, but it does not stand alone. To approve them, use ${codeSpan(`/approve ${id}`)}, with a note for the agent below it if you like. For other lines, reply with these in a block, or say what to change in words without a block.`;
}

function userEditAdvice({ reason }: WrongBlockProblem): string {
  if (reason === 'not-one-place' || reason === 'several-changes' || reason === 'denied-path')
    return `Reply with what to change, ${OR_COMMANDS_TEXT}.`;
  return `Reply with one ${codeSpan('suggestion')} block at the left margin or with what to change, ${OR_COMMANDS_TEXT}.`;
}

function describeUserEditProblem(problem: NamedProblem): string {
  switch (problem.reason) {
    case 'not-in-thread':
      return 'your own lines count only in the change’s own thread, not below a quote of it';
    case 'unclear-block':
      return 'your reply has several blocks, or one that is not closed, indented, or below other code or a tag';
    case 'several-changes':
      return 'these changes are decided as one, and a block can replace only one place';
    case 'not-one-place':
      return 'its page has no suggestion block that it could replace';
    case 'unchanged':
      return 'the file already has these lines';
    case 'hidden-character':
      return `it adds a character that nobody sees, ${codeSpan(nameHidden(problem))}; write it as an escape of the language`;
    case 'limit-exceeded':
      return 'the resulting change is too large to compute';
    case 'denied-path':
      return `Countersign may not write this file (${ruleSpan(problem.rule)})`;
    case 'overlaps':
      return `it touches the lines of ${formatProposalId(problem.other)}, which must be decided first`;
  }
}

const INSTEAD_TEXT = `Nothing was proposed. Use ${codeSpan('/countersign <task>')} to say what to do instead.`;

/** An `/undo` without a proposal. */
export function renderUndoRefused({ proposalId, refusal }: Extract<Reply, { kind: 'undo-refused' }>): string {
  const id = codeSpan(proposalId);
  switch (refusal.kind) {
    case 'pending':
      return joinBlocks(
        `The reverse of ${id} touches the lines or paths of a pending change. Decide on that one first, then use ${codeSpan(`/undo ${proposalId}`)} again:`,
        formatProposalList([refusal.other]),
      );
    case 'already-undone':
      return `There is nothing to undo: ${pathSpan(refusal.path)} is already as it was before ${id}.`;
    case 'changed-since':
      return `${pathSpan(refusal.path)} has changed since: the lines of ${id} are gone or occur more than once, or another file is in the way. ${INSTEAD_TEXT}`;
    case 'refused':
      return `${escapeMessage(refusal.message)} ${INSTEAD_TEXT}`;
  }
}

const MAX_PATH_CHARACTERS = 300;

function pathSpan(path: string): string {
  return codeSpan(truncate(path, MAX_PATH_CHARACTERS));
}

function ruleSpan(rule: string): string {
  return codeSpan(truncate(rule, MAX_RULE_CHARACTERS));
}

type DetailsReply = Extract<Reply, { kind: 'proposal-details' }>;

/** A change as it was proposed, and its outcome. */
export function renderDetails({ proposal, outcome, digest, diff }: DetailsReply): string {
  const view = diff === null ? null : createTextView(diff);
  return joinBlocks(
    formatProposalList([proposal]),
    `${describeOutcome(outcome)}. Digest ${codeSpan(digest.slice(0, 12))}.`,
    ...(view?.warnings ?? []).map((text) => `⚠️ ${escapeText(text)}`),
    view === null ? 'It has no diff.' : renderOpenDiff(view, MAX_DIFF_BYTES),
  );
}
