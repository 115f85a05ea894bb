import type { RepoLinks } from '../../lib/format.ts';
import { type Proposal, postedChange } from '../state/proposal.ts';
import type { PullState } from '../state/pull-state.ts';
import type { AgentQuestion } from '../state/question.ts';
import { renderProposal } from './proposal/proposal-comment.ts';
import { renderQuestion } from './question-comment.ts';
import { isChangeBlock, isIgnored, type QuotedLine, readQuotedLines } from './quoted-lines.ts';
import { runWarnings } from './run-warnings.ts';

/** The part of a proposal's comment in a quote: a piece from its title on, or all that shows the change. */
export type QuoteExtent = 'piece' | 'whole-change';

/** The state from which the comments of a proposal are written, besides the proposal. */
type QuoteContext = Pick<PullState, 'ref' | 'run' | 'proposals'>;

/**
 * The part of a comment of the proposal in quoted lines, from its title on, without a gap except for folded blocks. The
 * lines can be those of the present comment, or of the one while the change was pending. Null if they are no piece.
 */
export function quoteExtent(quoted: readonly string[], proposal: Proposal, pull: QuoteContext): QuoteExtent | null {
  const lines = readQuotedLines(quoted);
  const unfolded = lines.map((line) => ({ ...line, foldCount: 0 }));
  const extents = renderedComments(proposal, pull).map((comment) =>
    // A copy of the source closes each fold where the comment does.
    extentIn(comment, isCopyOf(quoted, comment.source) ? unfolded : lines),
  );
  return extents.includes('whole-change') ? 'whole-change' : (extents.find((one) => one !== null) ?? null);
}

/** Whether quoted lines are a piece of the question's comment, from its first line on, as it is or was while open. */
export function isQuoteOfQuestion(quoted: readonly string[], question: AgentQuestion, { run }: QuoteContext): boolean {
  if (run === null) return false;
  const lines = readQuotedLines(quoted);
  const shown = [question, { ...question, state: 'asked' } as const];
  return shown.some((one) => {
    const rows = commentRows(renderQuestion(one, run.task.by));
    return extentIn({ rows, source: [], isPart: false }, lines) !== null;
  });
}

/** Shorter pieces can stand in anybody's comment. */
const MIN_PIECE_CHARACTERS = 12;

/**
 * Whether quoted text is a piece from anywhere in the proposal's comment. It is enough for a hint, and for nothing
 * else.
 */
export function isInsideProposalComment(text: string, proposal: Proposal, pull: QuoteContext): boolean {
  return renderedComments(proposal, pull).some(({ rows }) => isInside(text, rows));
}

/** Whether quoted text is a piece from anywhere in the question's comment. */
export function isInsideQuestionComment(text: string, question: AgentQuestion, { run }: QuoteContext): boolean {
  return run !== null && isInside(text, commentRows(renderQuestion(question, run.task.by)));
}

function isInside(text: string, rows: readonly CommentRow[]): boolean {
  const lines = readQuotedLines(text.split('\n'));
  const piece = lines.map((line) => plainText(line.text)).join('');
  return (
    piece.length >= MIN_PIECE_CHARACTERS &&
    rows
      .map((row) => plainText(row.text))
      .join('')
      .includes(piece)
  );
}

/** A comment as rows and as Markdown. One of several numbered parts does not show the whole change. */
type Comment = {
  readonly rows: readonly CommentRow[];
  readonly source: readonly string[];
  readonly isPart: boolean;
};

/** One comment is asked about several times, and a long diff takes tens of milliseconds. */
const knownComments = new WeakMap<Proposal, { readonly pull: QuoteContext; readonly comments: readonly Comment[] }>();

function renderedComments(proposal: Proposal, pull: QuoteContext): readonly Comment[] {
  const known = knownComments.get(proposal);
  if (known !== undefined && isSameContext(known.pull, pull)) return known.comments;
  const { ref, run, proposals } = pull;
  const comments = renderComments(proposal, pull);
  knownComments.set(proposal, { pull: { ref, run, proposals }, comments });
  return comments;
}

function isSameContext(known: QuoteContext, pull: QuoteContext): boolean {
  return known.ref === pull.ref && known.run === pull.run && known.proposals === pull.proposals;
}

/** All comments of the proposal, with the links of each name that the repository can have on them. */
function renderComments(proposal: Proposal, pull: QuoteContext): readonly Comment[] {
  const { placement } = proposal;
  if (placement === null) return [];
  const pending: Proposal = { ...proposal, state: 'proposed', change: postedChange(proposal) };
  const shown = proposal.state === 'proposed' ? [proposal] : [proposal, pending];
  const replacedByUrl = pull.proposals.find(({ id }) => id === proposal.replacedBy)?.comment?.url ?? null;
  return possibleLinks(proposal, pull).flatMap((links) =>
    shown.flatMap((one) => {
      const { body } = renderProposal({
        proposal: one,
        placement,
        links,
        replacedByUrl,
        ...runWarnings(pull.run),
      });
      return [{ rows: commentRows(body), source: body.split('\n'), isPart: false }];
    }),
  );
}

/** Whether quoted lines are a comment's Markdown from its start or its title on, so that they are rendered as it is. */
function isCopyOf(quoted: readonly string[], source: readonly string[]): boolean {
  const lines = quoted.slice(0, 1 + quoted.findLastIndex((line) => line.trim() !== ''));
  // The marker and the blank line below it are not rendered.
  return [source, source.slice(2)].some((from) => lines.every((line, index) => isSameSource(line, from[index])));
}

/** *Quote reply* leaves out the language of a block. */
function isSameSource(line: string, source: string | undefined): boolean {
  const [left, right] = [withoutSpacesAtEnd(line), source === undefined ? null : withoutSpacesAtEnd(source)];
  return right !== null && (left === right || left === OPENING_FENCE.exec(right)?.groups?.['ticks']);
}

/** Other white space at the end of a line can make it another one: only spaces and tabs make a blank line. */
function withoutSpacesAtEnd(line: string): string {
  let end = line.length;
  while (end > 0 && ' \t'.includes(line.charAt(end - 1))) end -= 1;
  return line.slice(0, end);
}

/** The repository's address when the comment was posted and, if it was renamed since, its present one. */
function possibleLinks({ comment }: Proposal, { ref: { owner, repo } }: QuoteContext): readonly RepoLinks[] {
  const posted = comment?.url.replace(/\/pull\/\d+(?:#[^#]*)?$/, '') ?? '';
  const present = posted.replace(/[^/]+\/[^/]+$/, () => `${owner}/${repo}`);
  return [...new Set([posted, present])].map((repository) => ({ repository }));
}

/** A line of a comment. `fold` is the number of the folded block that it is in, or 0. */
type CommentRow = {
  readonly isCode: boolean;
  /** A line of the diff or of the suggestion block. */
  readonly isChange: boolean;
  readonly text: string;
  readonly fold: number;
};

const OPENING_FENCE = /^(?<ticks>`{3,})(?<info>[a-z]*)$/;

/** The rows in order, without fences (also of code that is quoted), blank lines and the tags of folded blocks. */
function commentRows(comment: string): readonly CommentRow[] {
  const rows: CommentRow[] = [];
  let fence: { readonly ticks: string; readonly isChange: boolean } | null = null;
  let fold = 0;
  let foldCount = 0;
  for (const line of comment.split('\n')) {
    if (line === fence?.ticks) fence = null;
    else if (fence !== null) {
      if (!isIgnored(line)) rows.push({ isCode: true, isChange: fence.isChange, text: line.trimEnd(), fold });
    } else if (OPENING_FENCE.test(line)) fence = readFence(line);
    else if (line === '<details>') fold = foldCount += 1;
    else if (line === '</details>') fold = 0;
    else if (!isIgnored(line) && plainText(line) !== '')
      rows.push({ isCode: false, isChange: false, text: plainText(line), fold });
  }
  return rows;
}

function readFence(line: string): { readonly ticks: string; readonly isChange: boolean } {
  const { ticks = '', info = '' } = OPENING_FENCE.exec(line)?.groups ?? {};
  return { ticks, isChange: isChangeBlock(info) };
}

/** Prose without Markdown and spaces, because programs quote them in different ways. Links keep their addresses. */
function plainText(line: string): string {
  return line
    .replace(/^[ \t>]+/, '')
    .replace(/<\/?(?:details|summary)>/g, '')
    .replace(/(\]\([^()\s]*\))|[\s*`\\]|\uFE0F/g, (_, address: string | undefined) => address ?? '');
}

/**
 * How far the quote has been found: the next row, the number of its characters that are quoted already, and whether all
 * lines of the change so far are quoted as such.
 */
type Position = { readonly row: number; readonly offset: number; readonly isChangeShown: boolean };

/** Takes linear time: no row is compared after a later one was found. */
function extentIn({ rows, isPart }: Comment, lines: readonly QuotedLine[]): QuoteExtent | null {
  // The first row is the marker, which is not rendered.
  const isMarkerQuoted = plainText(lines[0]?.text ?? '') === rows[0]?.text;
  let position: Position | null = { row: isMarkerQuoted ? 0 : 1, offset: 0, isChangeShown: true };
  for (const line of lines) {
    position = nextPosition(rows, position, line);
    if (position === null) return null;
  }
  return !isPart && holdsChange(rows, position) ? 'whole-change' : 'piece';
}

/** A change without lines, such as a move, is described by the whole comment. */
function holdsChange(rows: readonly CommentRow[], { row, isChangeShown }: Position): boolean {
  const lastOfChange = rows.findLastIndex(({ isChange }) => isChange);
  return isChangeShown && (lastOfChange === -1 ? row === rows.length : row > lastOfChange);
}

function nextPosition(rows: readonly CommentRow[], position: Position, line: QuotedLine): Position | null {
  const { row, offset } = position;
  const next = rows[row];
  if (next === undefined) return null;
  const found = next.isCode ? matchCode(next, position, line) : matchProse(rows, position, plainText(line.text));
  if (found !== null || offset > 0 || next.fold === 0 || isInsideCode(rows, row)) return found;
  return nextPosition(rows, skipFold(rows, position), line);
}

function skipFold(rows: readonly CommentRow[], { row, isChangeShown }: Position): Position {
  const fold = rows[row]?.fold;
  let afterFold = row;
  while (rows[afterFold]?.fold === fold) afterFold += 1;
  const skipsChange = rows.slice(row, afterFold).some(({ isChange }) => isChange);
  return { row: afterFold, offset: 0, isChangeShown: isChangeShown && !skipsChange };
}

/** Code that is quoted in part must be quoted to its end. */
function isInsideCode(rows: readonly CommentRow[], row: number): boolean {
  return rows[row]?.isCode === true && rows[row - 1]?.isCode === true;
}

function matchCode(next: CommentRow, position: Position, line: QuotedLine): Position | null {
  if (next.text !== line.text.trimEnd()) return null;
  const isShown = !next.isChange || (line.isShownAsCode && line.foldCount <= next.fold);
  return { row: position.row + 1, offset: 0, isChangeShown: position.isChangeShown && isShown };
}

/** Mail programs wrap long lines, and a copy can join short ones. */
function matchProse(rows: readonly CommentRow[], position: Position, words: string): Position | null {
  const { row, offset } = position;
  const next = rows[row];
  if (words === '') return position;
  if (next === undefined || next.isCode) return null;
  const rest = next.text.slice(offset);
  if (rest.length > words.length) return rest.startsWith(words) ? { ...position, offset: offset + words.length } : null;
  const after = { ...position, row: row + 1, offset: 0 };
  return words.startsWith(rest) ? matchProse(rows, after, words.slice(rest.length)) : null;
}
