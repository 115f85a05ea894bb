import { fromMarkdown } from 'mdast-util-from-markdown';
import {
  type Fence,
  type HtmlBlock,
  INLINE_CONSTRUCTS,
  isClosingFence,
  parseHtmlBlockStart,
  parseOpeningFence,
  stripFenceIndent,
} from './markdown-blocks.ts';

/** GitHub's own limit for a comment, in UTF-16 code units. */
const MAX_COMMENT_CHARACTERS = 65_536;

/**
 * How a line is rendered. A `lazy-continuation` has no `>` but continues the quote above it; a `hidden` line is in an
 * HTML comment.
 */
type LineMark = 'blank' | 'quoted' | 'lazy-continuation' | 'code' | 'suggestion' | 'html' | 'hidden' | 'plain';

/** A line without its terminator. */
export type MarkedLine = { readonly text: string; readonly mark: LineMark };

type MarkedComment = {
  readonly lines: readonly MarkedLine[];
  /** Each closed suggestion block with the index of its first line; empty if `isAmbiguous`. */
  readonly suggestions: readonly { readonly from: number; readonly lines: readonly string[] }[];
  /** Index of the first line of a suggestion block without a closing fence. */
  readonly unclosedSuggestionAt: number | null;
  /** True if a line might be a fence or not, which makes every block below it uncertain. */
  readonly isAmbiguous: boolean;
  /** True if the comment is longer than the part that was read. */
  readonly isTruncated: boolean;
};

/**
 * Classifies each line of a comment, in time linear in its length. Commands and suggestions count only at the top
 * level, so blocks inside lists and quotes stay unparsed.
 */
export function markLines(body: string): MarkedComment {
  const isTruncated = body.length > MAX_COMMENT_CHARACTERS;
  const texts = body.slice(0, MAX_COMMENT_CHARACTERS).split(/\r\n|\n|\r/);
  // Half a line can mean something else than the whole line.
  if (isTruncated) texts.pop();
  const { marks, fences, unclosed, isAmbiguous } = scanLines(texts);
  const blocks = isAmbiguous ? [] : fences.filter(isSuggestionFence);
  for (const { from, to } of blocks) marks.fill('suggestion', from, to + 1);
  const unclosedSuggestionAt = !isAmbiguous && unclosed !== null && isSuggestionFence(unclosed) ? unclosed.from : null;
  if (unclosedSuggestionAt !== null) marks.fill('suggestion', unclosedSuggestionAt);
  return {
    lines: texts.map((text, index) => ({ text, mark: marks[index] ?? 'plain' })),
    suggestions: blocks.map(({ fence, from, to }) => ({
      from,
      lines: texts.slice(from + 1, to).map((line) => stripFenceIndent(line, fence)),
    })),
    unclosedSuggestionAt,
    isAmbiguous,
    isTruncated,
  };
}

function isSuggestionFence({ fence }: { readonly fence: Fence }): boolean {
  return fence.info.toLowerCase() === 'suggestion';
}

/** The block that contains the current line. */
type OpenBlock =
  | { readonly kind: 'fence'; readonly fence: Fence; readonly from: number }
  | { readonly kind: 'html'; readonly block: HtmlBlock };

type ScannedLines = {
  readonly marks: LineMark[];
  /** Each closed fence with the indexes of its first and last line. */
  readonly fences: readonly { readonly fence: Fence; readonly from: number; readonly to: number }[];
  /** The fence that is still open at the end. */
  readonly unclosed: { readonly fence: Fence; readonly from: number } | null;
  readonly isAmbiguous: boolean;
};

const BLANK_LINE = /^[ \t]*$/;

const LIST_MARKER = /^ {0,3}(?:[-*+]|\d{1,9}[.)])(?:[ \t]|$)/;

function scanLines(texts: readonly string[]): ScannedLines {
  const marks: LineMark[] = [];
  const fences: { fence: Fence; from: number; to: number }[] = [];
  const isLazyContinuation = createLazyContinuationCheck(texts);
  let isAmbiguous = false;
  let open: OpenBlock | null = null;
  let inList = false;
  let quoteFrom = 0;
  for (const [index, text] of texts.entries()) {
    const previousMark = marks[index - 1] ?? 'blank';
    if (!isInQuote(previousMark)) quoteFrom = index;
    const opensHere: boolean = open === null || endsBefore(text, open);
    if (opensHere) open = openBlockAt(text, index);
    inList ||= open === null && LIST_MARKER.test(text);
    isAmbiguous ||=
      isAmbiguousLine(text, open) || (opensHere ? inList && isIndentedFence(open) : hasTabInIndent(text, open));
    const mark = classifyLine(text, open, previousMark);
    marks.push(mark === 'below-quote' ? (isLazyContinuation(quoteFrom, index) ? 'lazy-continuation' : 'plain') : mark);
    if (open === null || !endsAt(text, open, index)) continue;
    if (open.kind === 'fence') fences.push({ fence: open.fence, from: open.from, to: index });
    open = null;
  }
  return { marks, fences, unclosed: open?.kind === 'fence' ? open : null, isAmbiguous };
}

function openBlockAt(text: string, index: number): OpenBlock | null {
  const fence = parseOpeningFence(text);
  if (fence !== null) return { kind: 'fence', fence, from: index };
  const block = parseHtmlBlockStart(text);
  return block === null ? null : { kind: 'html', block };
}

/** Only a blank line ends a block without being part of it. */
function endsBefore(text: string, open: OpenBlock): boolean {
  return open.kind === 'html' && open.block.end === null && BLANK_LINE.test(text);
}

function endsAt(text: string, open: OpenBlock, index: number): boolean {
  if (open.kind === 'html') return open.block.end?.test(text) ?? false;
  return index > open.from && isClosingFence(text, open.fence);
}

const FENCE_IN_LIST_ITEM = /^ {0,3}(?:[-*+]|\d{1,9}[.)])[ \t].*(?:```|~~~)/s;

/**
 * A fence or an HTML comment below a tag might be part of the tag's block; a fence in a list item ends with the item.
 */
function isAmbiguousLine(text: string, open: OpenBlock | null): boolean {
  if (open === null) return FENCE_IN_LIST_ITEM.test(text);
  if (open.kind !== 'html' || open.block.end !== null) return false;
  return parseOpeningFence(text) !== null || (parseHtmlBlockStart(text)?.end ?? null) !== null;
}

/** Below a list marker, an indented fence might be part of the list item and end with it. */
function isIndentedFence(open: OpenBlock | null): boolean {
  return open?.kind === 'fence' && open.fence.indent > 0;
}

/** CommonMark removes a fence's indentation by columns, so a part of a tab would remain as spaces. */
function hasTabInIndent(text: string, open: OpenBlock | null): boolean {
  return open?.kind === 'fence' && text.slice(0, open.fence.indent).includes('\t');
}

const QUOTED_LINE = /^ {0,3}>/;

/** The mark of a line, from its open block and the line above. `below-quote` might be a lazy continuation. */
function classifyLine(text: string, open: OpenBlock | null, previousMark: LineMark): LineMark | 'below-quote' {
  if (open?.kind === 'fence') return 'code';
  if (open?.kind === 'html') return open.block.hidden ? 'hidden' : 'html';
  if (BLANK_LINE.test(text)) return 'blank';
  if (QUOTED_LINE.test(text)) return 'quoted';
  if (!isInQuote(previousMark) || PARAGRAPH_INTERRUPTION.test(text)) return 'plain';
  return previousMark === 'lazy-continuation' ? 'lazy-continuation' : 'below-quote';
}

function isInQuote(mark: LineMark): boolean {
  return mark === 'quoted' || mark === 'lazy-continuation';
}

/** A line that starts a block even right below a paragraph. Fences and HTML blocks are recognized before. */
const PARAGRAPH_INTERRUPTION =
  /^ {0,3}(?:#{1,6}(?:[ \t]|$)|[-*+](?:[ \t]|$)|\d{1,9}[.)](?:[ \t]|$)|([-*_])[ \t]*(?:\1[ \t]*){2,}$)/;

/**
 * The most that the Markdown parser gets of one comment. It is exact but quadratic: 65,536 characters can take a
 * minute.
 */
const PARSER_BUDGET = { characters: 1000, calls: 8, lines: 40 } as const;

const EMPTY_QUOTE = /^[ \t>]*$/;

/**
 * Creates a check for one comment, with one parser budget: whether line `at` continues the quote that starts at line
 * `from` and ends right above. Beyond the budget every line below quoted text does, so that quoted text never counts.
 */
function createLazyContinuationCheck(lines: readonly string[]): (from: number, at: number) => boolean {
  let characters: number = PARSER_BUDGET.characters;
  let calls: number = PARSER_BUDGET.calls;
  return (from, at) => {
    const isTooLong = at - from > PARSER_BUDGET.lines;
    const cost = isTooLong ? Number.POSITIVE_INFINITY : countCharacters(lines.slice(from, at + 1));
    if (calls === 0 || cost > characters) return !EMPTY_QUOTE.test(lines[at - 1] ?? '');
    calls -= 1;
    characters -= cost;
    return endsInQuote(lines.slice(from, at + 1));
  };
}

function countCharacters(lines: readonly string[]): number {
  return lines.reduce((sum, line) => sum + line.length + 1, 0);
}

function endsInQuote(lines: readonly string[]): boolean {
  const last = fromMarkdown(lines.join('\n'), { extensions: [BLOCKS_ONLY] }).children.at(-1);
  return last?.type === 'blockquote' && last.position?.end.line === lines.length;
}

/** Inline constructs cost the most and do not affect which lines are quoted. */
const BLOCKS_ONLY = { disable: { null: [...INLINE_CONSTRUCTS] } };
