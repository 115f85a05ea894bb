import { findQuotedIds } from './ids.ts';
import { type MarkedLine, markLines } from './markdown-lines.ts';

/** The parts of a comment. Quoted lines at its end, with the line that introduces them, are not its author's. */
export type CommentParts = {
  /** First line that is neither blank nor quoted as rendered, trimmed; null if it cannot hold a command. */
  readonly firstLine: string | null;
  /** A line in the form of a command that Markdown renders as part of the quote right above it. */
  readonly lazyContinuation: string | null;
  /** Text below the first line, with leading blank lines. */
  readonly textBelow: string;
  /** The lines right below the first one, up to a blank or quoted line. */
  readonly linesBelow: string;
  /** Lines that begin with `>`, in order. */
  readonly quotedLines: readonly string[];
  /** The author's own text, trimmed: no quotes, suggestion blocks or HTML comments. */
  readonly text: string;
  /** Lines of each suggestion block by the author; none if the comment contains a copy of a proposal. */
  readonly suggestions: readonly (readonly string[])[];
  /**
   * True if one suggestion block is all that the body holds. Quotes, signatures and HTML comments are more than that.
   */
  readonly isSuggestionAlone: boolean;
  /** True if the author's suggestion block has no closing fence, or if it is uncertain which lines are a block. */
  readonly hasUnclosedSuggestion: boolean;
  /** True if the body is longer than the part that was read. */
  readonly isTruncated: boolean;
};

/** Splits any comment into its parts, in time linear in its length. */
export function splitComment(body: string): CommentParts {
  const { lines, suggestions, unclosedSuggestionAt, isAmbiguous, isTruncated } = markLines(body);
  const firstIndex = lines.findIndex(
    ({ mark }) => mark !== 'blank' && mark !== 'quoted' && mark !== 'lazy-continuation',
  );
  const end = findTrailingQuote(lines);
  const ownLines = lines.slice(0, end);
  const below = firstIndex === -1 ? [] : ownLines.slice(firstIndex + 1);
  const paragraphEnd = below.findIndex(({ mark }) => mark === 'blank' || mark === 'quoted');
  const hasCopy = hasProposalCopy(ownLines);
  const isFromAuthor = (from: number): boolean => !hasCopy && from < end;
  return {
    firstLine: toCommandLine(lines[firstIndex]),
    lazyContinuation: toCommandLine(lines.slice(0, firstIndex === -1 ? undefined : firstIndex).find(isLazyCommandLine)),
    textBelow: joinLines(below).trimEnd(),
    linesBelow: joinLines(below.slice(0, paragraphEnd === -1 ? undefined : paragraphEnd)).trimEnd(),
    quotedLines: lines.flatMap(({ text, mark }) => (mark === 'quoted' ? [text] : [])),
    text: joinLines(ownLines.filter(isOwnText)).trim(),
    suggestions: suggestions.filter(({ from }) => isFromAuthor(from)).map((block) => block.lines),
    isSuggestionAlone: suggestions.length === 1 && !isTruncated && lines.every(isBlankOrSuggestion),
    hasUnclosedSuggestion:
      (unclosedSuggestionAt !== null && isFromAuthor(unclosedSuggestionAt)) ||
      (!hasCopy && ownLines.some((line) => isPossibleSuggestion(line, isAmbiguous))),
    isTruncated,
  };
}

const SHALLOW_INDENT = /^ {0,3}(?=[^ \t])/;

function toCommandLine(line: MarkedLine | undefined): string | null {
  if (line === undefined || (line.mark !== 'plain' && line.mark !== 'lazy-continuation')) return null;
  return SHALLOW_INDENT.test(line.text) ? trimSpacesAndTabs(line.text) : null;
}

function isLazyCommandLine(line: MarkedLine): boolean {
  return line.mark === 'lazy-continuation' && /^ {0,3}[/@]/.test(line.text);
}

/** Some mail programs put our whole comment, with its suggestion block, unquoted below the reply. */
function hasProposalCopy(lines: readonly MarkedLine[]): boolean {
  return findQuotedIds(lines.flatMap(({ text, mark }) => (mark === 'plain' ? [text] : []))).length > 0;
}

const SUGGESTION_LOOKALIKE = /(?:`{3}|~{3})[ \t]*suggestion\b/i;

/** A line that GitHub might render as the start of a suggestion block, for example in a list or below a tag. */
function isPossibleSuggestion({ text, mark }: MarkedLine, isAmbiguous: boolean): boolean {
  const isUncertain = mark === 'plain' || mark === 'html' || (isAmbiguous && mark === 'code');
  return isUncertain && SUGGESTION_LOOKALIKE.test(text);
}

function isOwnText({ mark }: MarkedLine): boolean {
  return mark === 'plain' || mark === 'code' || mark === 'html' || mark === 'blank';
}

function isBlankOrSuggestion({ mark }: MarkedLine): boolean {
  return mark === 'blank' || mark === 'suggestion';
}

function joinLines(lines: readonly MarkedLine[]): string {
  return lines.map(({ text }) => text).join('\n');
}

/** Index of the quote at the end and of the line above it that ends with a colon; the number of lines without one. */
function findTrailingQuote(lines: readonly MarkedLine[]): number {
  const last = lines.findLastIndex(({ mark }) => mark !== 'blank');
  if (lines[last]?.mark !== 'quoted') return lines.length;
  const above = lines.findLastIndex(({ mark }, index) => index < last && mark !== 'quoted' && mark !== 'blank');
  return lines[above]?.text.trimEnd().endsWith(':') === true ? above : above + 1;
}

/**
 * Unicode characters that look like a space but are neither a space nor a tab, written as the inside of a character
 * class of a `u` expression.
 */
export const UNICODE_SPACES = '\\p{Z}\\u000B\\u000C\\u0085\\u115F\\u1160\\u2800\\u3164\\uFFA0';

/**
 * A line without spaces and tabs at its ends. `trim` would also remove invisible characters, so that a command with
 * one of them would count.
 */
export function trimSpacesAndTabs(line: string): string {
  let start = 0;
  let end = line.length;
  while (start < end && isSpaceOrTab(line[start])) start += 1;
  while (end > start && isSpaceOrTab(line[end - 1])) end -= 1;
  return line.slice(start, end);
}

function isSpaceOrTab(character: string | undefined): boolean {
  return character === ' ' || character === '\t';
}
