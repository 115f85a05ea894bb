import { type Proposal, postedChange } from '../state/proposal.ts';
import type { Run } from '../state/run.ts';
import { renderProposal } from './proposal-comment.ts';
import { runWarnings } from './run-warnings.ts';

/** Links have the same text in every repository; their addresses are not compared. */
const NO_LINKS = { repository: '' } as const;

/**
 * Whether quoted lines are a piece of one comment of the proposal, from its title on, without a gap except for folded
 * blocks. They can be those of the comment as it is now, or as it was while the change was pending.
 */
export function isQuoteOfProposal(quoted: readonly string[], proposal: Proposal, run: Run | null): boolean {
  const lines = quoted.filter((line) => !isIgnored(line));
  return commentsOf(proposal, run).some((rows) => isPieceOf(lines, rows));
}

type Comments = readonly (readonly CommentRow[])[];

/** One comment is asked about several times, and a long diff takes tens of milliseconds. */
const knownComments = new WeakMap<Proposal, { readonly run: Run | null; readonly comments: Comments }>();

function commentsOf(proposal: Proposal, run: Run | null): Comments {
  const known = knownComments.get(proposal);
  if (known !== undefined && known.run === run) return known.comments;
  const comments = renderComments(proposal, run).map(commentRows);
  knownComments.set(proposal, { run, comments });
  return comments;
}

/** All comments of the proposal, in Markdown. */
function renderComments(proposal: Proposal, run: Run | null): readonly string[] {
  const { placement } = proposal;
  if (placement === null) return [];
  const pending: Proposal = { ...proposal, state: 'proposed', change: postedChange(proposal) };
  const shown = proposal.state === 'proposed' ? [proposal] : [proposal, pending];
  return shown.flatMap((one) => {
    const view = { proposal: one, placement, links: NO_LINKS, replacedByUrl: null, ...runWarnings(run) };
    const { body, parts } = renderProposal(view);
    return [body, ...parts];
  });
}

/** A line of a comment. `fold` is the number of the folded block that it is in, or 0. */
type CommentRow = { readonly isCode: boolean; readonly text: string; readonly fold: number };

const OPENING_FENCE = /^(`{3,})[a-z]*$/;

/** The rows in order, without fences, blank lines and the tags of folded blocks. */
function commentRows(comment: string): readonly CommentRow[] {
  const rows: CommentRow[] = [];
  let fence: string | null = null;
  let fold = 0;
  let foldCount = 0;
  for (const line of comment.split('\n')) {
    if (line === fence) fence = null;
    else if (fence !== null) {
      if (!isIgnored(line)) rows.push({ isCode: true, text: line.trimEnd(), fold });
    } else if (OPENING_FENCE.test(line)) fence = OPENING_FENCE.exec(line)?.[1] ?? null;
    else if (line === '<details>') fold = foldCount += 1;
    else if (line === '</details>') fold = 0;
    else if (plainText(line) !== '') rows.push({ isCode: false, text: plainText(line), fold });
  }
  return rows;
}

/** A blank line, a fence or a tag: a quote can have others than the comment. */
function isIgnored(line: string): boolean {
  return /^[ \t>]*(?:(?:(?:`{3,}|~{3,})[a-z]*|<\/?details>)[ \t]*)?$/i.test(line);
}

/**
 * Prose without Markdown, spaces and addresses of links, because programs quote them in different ways. An image stays:
 * the App's comments have none.
 */
function plainText(line: string): string {
  return line
    .replace(/^[ \t>]+/, '')
    .replace(/(?<!!)\[([^[\]]*)\]\([^()\s]*\)/g, '$1')
    .replace(/<\/?(?:details|summary)>/g, '')
    .replace(/[\s*`\\]|\uFE0F/g, '');
}

/** How far the quote has been found: the next row, and the number of its characters that are quoted already. */
type Position = { readonly row: number; readonly offset: number };

/** Takes linear time: no row is compared after a later one was found. */
function isPieceOf(lines: readonly string[], rows: readonly CommentRow[]): boolean {
  // The first row is the marker, which is not rendered.
  const isMarkerQuoted = plainText(lines[0] ?? '') === rows[0]?.text;
  let position: Position | null = { row: isMarkerQuoted ? 0 : 1, offset: 0 };
  for (const line of lines) {
    position = nextPosition(rows, position, line);
    if (position === null) return false;
  }
  return true;
}

function nextPosition(rows: readonly CommentRow[], { row, offset }: Position, line: string): Position | null {
  const next = rows[row];
  if (next === undefined) return null;
  const found = next.isCode ? matchCode(next, row, line) : matchProse(rows, { row, offset }, plainText(line));
  if (found !== null || offset > 0 || next.fold === 0 || isInsideCode(rows, row)) return found;
  let afterFold = row;
  while (rows[afterFold]?.fold === next.fold) afterFold += 1;
  return nextPosition(rows, { row: afterFold, offset: 0 }, line);
}

/** Code that is quoted in part must be quoted to its end. */
function isInsideCode(rows: readonly CommentRow[], row: number): boolean {
  return rows[row]?.isCode === true && rows[row - 1]?.isCode === true;
}

function matchCode({ text }: CommentRow, row: number, line: string): Position | null {
  return text === line.trimEnd() ? { row: row + 1, offset: 0 } : null;
}

/** Mail programs wrap long lines, and a copy can join short ones. */
function matchProse(rows: readonly CommentRow[], { row, offset }: Position, words: string): Position | null {
  const next = rows[row];
  if (words === '') return { row, offset };
  if (next === undefined || next.isCode) return null;
  const rest = next.text.slice(offset);
  if (rest.length > words.length) return rest.startsWith(words) ? { row, offset: offset + words.length } : null;
  return words.startsWith(rest) ? matchProse(rows, { row: row + 1, offset: 0 }, words.slice(rest.length)) : null;
}
