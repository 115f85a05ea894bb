import { findQuotedIds } from './ids.ts';
import { type MarkedLine, markLines } from './markdown-lines.ts';

/** The parts of a comment. An e-mail reply ends where the header of the quoted message begins. */
export type CommentParts = {
  /** First line that is neither blank nor quoted as rendered, trimmed; null if it cannot hold a command. */
  readonly firstLine: string | null;
  /** A line in the form of a command that Markdown renders as part of the quote right above it. */
  readonly lazyContinuation: string | null;
  /** Text below the first line, with leading blank lines; empty if it is only a signature. */
  readonly textBelow: string;
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
  const end = findReplyHeader(lines);
  const ownLines = lines.slice(0, end);
  const hasCopy = hasProposalCopy(ownLines);
  const isFromAuthor = (from: number): boolean => !hasCopy && from < end;
  return {
    firstLine: toCommandLine(lines[firstIndex]),
    lazyContinuation: toCommandLine(lines.slice(0, firstIndex === -1 ? undefined : firstIndex).find(isLazyCommandLine)),
    textBelow: firstIndex === -1 ? '' : dropBareSignature(joinLines(ownLines.slice(firstIndex + 1)).trimEnd()),
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

/** The start of a signature: two dashes alone, or the line that a phone's mail program adds. */
const SIGNATURE_START =
  /^(?:-- ?$|[ \t*_]{0,8}(?:Sent from (?:my|Mail|Outlook|Yahoo)\b|Get \[?Outlook for\b|Von meinem .{1,40} gesendet\b))/i;

/** The text above an e-mail signature, trimmed. Only for classifying a text; the stored text keeps its signature. */
export function stripSignature(text: string): string {
  const lines = text.split('\n');
  const at = lines.findIndex((line) => SIGNATURE_START.test(line));
  return (at === -1 ? lines : lines.slice(0, at)).join('\n').trim();
}

/** A signature alone is no reason for a denial. */
function dropBareSignature(below: string): string {
  return stripSignature(below) === '' ? '' : below;
}

/** A cheap check before the others: every header starts like this. */
const HEADER_START = /^[ \t]{0,8}(?:--|\*{0,2}(?:From|Von):|(?:On|Am|Le|El|Il)\b)/i;

/** Index of the first line of an e-mail reply's header, or the number of lines if there is none. */
function findReplyHeader(lines: readonly MarkedLine[]): number {
  const at = lines.findIndex(
    (line, index) => line.mark === 'plain' && HEADER_START.test(line.text) && isHeaderStart(lines, index),
  );
  return at === -1 ? lines.length : at;
}

const MESSAGE_SEPARATOR = /^(?:-{2,} ?Original Message ?-{2,}|-{2,} ?Forwarded message ?-{2,})\s*$/i;

const FROM_FIELD = /^\*{0,2}(?:From|Von):\*{0,2}\s/i;

const FIELD_AFTER_FROM = /^\*{0,2}(?:Sent|Date|To|Gesendet|Datum|An):\*{0,2}\s/i;

function isHeaderStart(lines: readonly MarkedLine[], at: number): boolean {
  const text = headerText(lines[at]);
  if (MESSAGE_SEPARATOR.test(text)) return true;
  if (FROM_FIELD.test(text)) return [1, 2].some((step) => FIELD_AFTER_FROM.test(headerText(lines[at + step])));
  const attribution = ATTRIBUTION_LINES.find(({ start }) => start.test(text));
  return attribution !== undefined && isAttribution(lines, at, attribution.end);
}

/** The start and end of the line with which mail programs introduce the quoted message. */
const ATTRIBUTION_LINES: readonly { readonly start: RegExp; readonly end: RegExp }[] = [
  { start: /^On\b/i, end: /\bwrote:\s*$/i },
  { start: /^Am\b/i, end: /\bschrieb\b[^:]*:\s*$/i },
  { start: /^Le\b/i, end: /\ba écrit\s*:\s*$/i },
  { start: /^El\b/i, end: /\bescribió\s*:\s*$/i },
  { start: /^Il\b/i, end: /\bha scritto\s*:\s*$/i },
];

/** Mail programs wrap the attribution into at most this many lines. */
const MAX_ATTRIBUTION_LINES = 3;

const DATE_OR_ADDRESS = /\d{4}|\d:\d\d|@/;

/** A person can write such a line too, so it also needs a date, an address or a quote below it. */
function isAttribution(lines: readonly MarkedLine[], at: number, end: RegExp): boolean {
  const candidates = lines.slice(at, at + MAX_ATTRIBUTION_LINES);
  const lastIndex = candidates.findIndex((line) => line.mark !== 'plain' || end.test(line.text.slice(-200)));
  if (lastIndex === -1 || candidates[lastIndex]?.mark !== 'plain') return false;
  if (candidates.slice(0, lastIndex + 1).some((line) => DATE_OR_ADDRESS.test(headerText(line)))) return true;
  const next = lines.slice(at + lastIndex + 1, at + lastIndex + 4).find((line) => line.mark !== 'blank');
  return next === undefined || next.mark === 'quoted';
}

/** The start of a line without its indentation. Header lines are short, so the limit keeps the search linear. */
function headerText(line: MarkedLine | undefined): string {
  return line === undefined ? '' : line.text.trimStart().slice(0, 300);
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
