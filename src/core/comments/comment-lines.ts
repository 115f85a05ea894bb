/** A line of a comment, without its terminator, and what GitHub renders it as. */
export type CommentLine = { readonly text: string; readonly kind: 'blank' | 'quoted' | 'code' | 'plain' };

/** An open code fence, such as three backticks. */
type Fence = { readonly character: string; readonly length: number };

/** The fence that a line opens, or null. The line must be outside other code. */
function parseOpeningFence(line: string): Fence | null {
  const markers = /^ {0,3}(`{3,}(?!.*`)|~{3,})/s.exec(line)?.[1];
  return markers === undefined ? null : { character: markers.charAt(0), length: markers.length };
}

function isClosingFence(line: string, fence: Fence): boolean {
  const markers = /^ {0,3}(`{3,}|~{3,})[ \t]*$/.exec(line)?.[1] ?? '';
  return markers.startsWith(fence.character) && markers.length >= fence.length;
}

/** More than GitHub's 65,536 characters can take in UTF-16. A longer body is not read. */
const MAX_BODY_LENGTH = 2 * 65_536;

const BLANK_LINE = /^[ \t]*$/;

const QUOTED_LINE = /^ {0,3}>/;

/** A quoted line that no line below it can continue: a blank one, a fence or a heading. */
const CLOSED_QUOTE = /^(?: {0,3}>)? ?(?:[ \t]*$| {0,3}(?:`{3}|~{3}|#{1,6}(?:[ \t]|$)))/;

/** A line that begins, or might begin, a block of its own right below a paragraph. */
const BLOCK_START =
  /^ {0,3}(?:<|#{1,6}(?:[ \t]|$)|[-*+](?:[ \t]|$)|\d{1,9}[.)](?:[ \t]|$)|([-*_])[ \t]*(?:\1[ \t]*){2,}$)/;

/**
 * Splits a comment into lines. A line right below a quote counts as quoted wherever Markdown might continue the quote
 * there: at worst, what stands in it decides nothing.
 */
export function markLines(body: string): readonly CommentLine[] {
  const lines: CommentLine[] = [];
  let fence: Fence | null = null;
  for (const text of body.length > MAX_BODY_LENGTH ? [] : body.split(/\r\n|\n|\r/)) {
    const opened: Fence | null = fence ?? parseOpeningFence(text);
    lines.push({ text, kind: opened === null ? kindOf(text, lines.at(-1)) : 'code' });
    fence = fence !== null && isClosingFence(text, fence) ? null : opened;
  }
  return lines;
}

function kindOf(text: string, above: CommentLine | undefined): CommentLine['kind'] {
  if (BLANK_LINE.test(text)) return 'blank';
  if (QUOTED_LINE.test(text)) return 'quoted';
  return above?.kind === 'quoted' && !CLOSED_QUOTE.test(above.text) && !BLOCK_START.test(text) ? 'quoted' : 'plain';
}

/** Index of the quote at the end and of the line above it that ends with a colon; the number of lines without one. */
export function findTrailingQuote(lines: readonly CommentLine[]): number {
  const last = lines.findLastIndex(({ kind }) => kind !== 'blank');
  if (lines[last]?.kind !== 'quoted') return lines.length;
  const above = lines.findLastIndex(({ kind }, index) => index < last && kind !== 'quoted' && kind !== 'blank');
  return lines[above]?.text.trimEnd().endsWith(':') === true ? above : above + 1;
}

type SplitLines = {
  /** The lines of the one suggestion block; `unclear` if there could be another one, or none. */
  readonly suggestion: readonly string[] | 'unclear' | null;
  /** The lines outside of the block. */
  readonly beside: readonly CommentLine[];
};

const POSSIBLE_SUGGESTION = /(?:`{3}|~{3})[ \t]*suggestion\b/i;

const SUGGESTION = /^(?:`{3,}|~{3,})[ \t]*suggestion[ \t]*$/i;

/** HTML or code above a fence can contain it. */
const POSSIBLE_CONTAINER = /^ {0,3}<|`{3}|~{3}/;

/**
 * Finds the suggestion block. It counts at the left margin, where nothing above can contain it, so that the lines are
 * those that GitHub shows.
 */
export function splitSuggestion(lines: readonly CommentLine[]): SplitLines {
  const from = lines.findIndex(({ text, kind }) => kind !== 'quoted' && POSSIBLE_SUGGESTION.test(text));
  const opening = lines[from]?.text ?? '';
  const fence = parseOpeningFence(opening);
  if (from === -1) return { suggestion: null, beside: lines };
  const to = fence === null ? -1 : lines.findIndex(({ text }, at) => at > from && isClosingFence(text, fence));
  const above = lines.slice(0, from).filter(({ kind }) => kind !== 'quoted');
  const beside = [...lines.slice(0, from), ...lines.slice(to + 1)];
  const isContained = above.some(({ text }) => POSSIBLE_CONTAINER.test(text));
  const isRepeated = beside.some(({ text, kind }) => kind !== 'quoted' && POSSIBLE_SUGGESTION.test(text));
  if (to === -1 || isContained || isRepeated || !SUGGESTION.test(opening))
    return { suggestion: 'unclear', beside: lines };
  return { suggestion: lines.slice(from + 1, to).map(({ text }) => text), beside };
}
