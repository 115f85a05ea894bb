import { closesFence, contentLine, type Fence, openFence } from './fence.ts';
import { closesHtml, type HtmlBlock, openHtml } from './html-block.ts';
import { interruptsParagraph, quoteEnd } from './quote-end.ts';

/** GitHub's own limit of a comment in characters; what stands beyond it is not read. */
export const BODY_LIMIT = 65_536;

/**
 * What a line of a comment is as rendered. `swallowed` has no `>` of its own but continues a quote;
 * `hidden` stands in an HTML comment.
 */
export type Mark = 'blank' | 'quoted' | 'swallowed' | 'code' | 'suggestion' | 'html' | 'hidden' | 'plain';

export type PageLine = { readonly text: string; readonly mark: Mark };

/** What a suggestion block holds, and the 0-based line of the comment at which it begins. */
export type SuggestionBlock = { readonly from: number; readonly lines: readonly string[] };

/** A comment's lines, in order, without their terminators. */
export type Page = {
  readonly lines: readonly PageLine[];
  /** Each closed suggestion block; none where it is not certain what is one. */
  readonly suggestions: readonly SuggestionBlock[];
  /** Where a suggestion block begins that is never closed, 0-based; null without one. */
  readonly unclosedFrom: number | null;
  /** True where a line may be a fence or not, so that no block is certain. */
  readonly doubtful: boolean;
  /** True where the comment goes on beyond what was read. */
  readonly cut: boolean;
};

/** What the line that is read next stands in. */
type Open =
  | { readonly kind: 'fence'; readonly fence: Fence; readonly from: number }
  | { readonly kind: 'html'; readonly block: HtmlBlock }
  | null;

const BLANK = /^[ \t]*$/;
const QUOTED = /^ {0,3}>/;
const LIST_MARK = /^ {0,3}(?:[-*+]|\d{1,9}[.)])(?:[ \t]|$)/;
const FENCE_IN_LIST = /^ {0,3}(?:[-*+]|\d{1,9}[.)])[ \t].*(?:```|~~~)/s;

/**
 * Reads a comment line by line, in time linear in its length: blocks inside lists and quotes are not looked into,
 * because a command or a suggestion counts only at the top.
 */
export function readPage(body: string): Page {
  const cut = body.length > BODY_LIMIT;
  const texts = body.slice(0, BODY_LIMIT).split(/\r\n|\n|\r/);
  // Half a line could say what the whole one does not.
  if (cut) texts.pop();
  const { marks, fences, unclosed, doubtful } = markLines(texts);
  const blocks = doubtful ? [] : fences.filter(isSuggestion);
  for (const { from, to } of blocks) marks.fill('suggestion', from, to + 1);
  const unclosedFrom = !doubtful && unclosed !== null && isSuggestion(unclosed) ? unclosed.from : null;
  if (unclosedFrom !== null) marks.fill('suggestion', unclosedFrom);
  return {
    lines: texts.map((text, index) => ({ text, mark: marks[index] ?? 'plain' })),
    suggestions: blocks.map(({ fence, from, to }) => ({
      from,
      lines: texts.slice(from + 1, to).map((line) => contentLine(line, fence)),
    })),
    unclosedFrom,
    doubtful,
    cut,
  };
}

function isSuggestion({ fence }: { readonly fence: Fence }): boolean {
  return fence.info.toLowerCase() === 'suggestion';
}

type MarkedLines = {
  readonly marks: Mark[];
  /** Every closed fence with its first and last line. */
  readonly fences: readonly { readonly fence: Fence; readonly from: number; readonly to: number }[];
  /** The fence that the comment's end closes. */
  readonly unclosed: { readonly fence: Fence; readonly from: number } | null;
  /** True where a line may be a fence or not, so that no fence below it is certain. */
  readonly doubtful: boolean;
};

function markLines(texts: readonly string[]): MarkedLines {
  const marks: Mark[] = [];
  const fences: { fence: Fence; from: number; to: number }[] = [];
  const isSwallowed = quoteEnd(texts);
  let doubtful = false;
  let open: Open = null;
  let listed = false;
  let quoteFrom = 0;
  for (const [index, text] of texts.entries()) {
    const before = marks[index - 1] ?? 'blank';
    if (before !== 'quoted' && before !== 'swallowed') quoteFrom = index;
    const opensHere: boolean = open === null || endsBefore(text, open);
    if (opensHere) open = opened(text, index);
    listed ||= open === null && LIST_MARK.test(text);
    doubtful ||= isDoubtful(text, open) || (opensHere ? listed && isIndented(open) : splitsTab(text, open));
    const mark = markOf(text, open, before);
    marks.push(mark === 'below-quote' ? (isSwallowed(quoteFrom, index) ? 'swallowed' : 'plain') : mark);
    if (open === null || !endsWith(text, open, index)) continue;
    if (open.kind === 'fence') fences.push({ fence: open.fence, from: open.from, to: index });
    open = null;
  }
  return { marks, fences, unclosed: open?.kind === 'fence' ? open : null, doubtful };
}

/** A fence or a comment below a tag may be part of it or not, and a fence behind a list's mark is over where its item is. */
function isDoubtful(text: string, open: Open): boolean {
  if (open === null) return FENCE_IN_LIST.test(text);
  if (open.kind !== 'html' || open.block.end !== null) return false;
  return openFence(text) !== null || (openHtml(text)?.end ?? null) !== null;
}

/** Below a list's mark such a fence may be part of the item, and is over where that is; at the left edge none is. */
function isIndented(open: Open): boolean {
  return open?.kind === 'fence' && open.fence.indent > 0;
}

/** An indented fence takes columns away from its lines: of a tab some would be left, as blanks. */
function splitsTab(text: string, open: Open): boolean {
  return open?.kind === 'fence' && text.slice(0, open.fence.indent).includes('\t');
}

/** Only a block that needs no end of its own is over before a line: at a blank one. */
function endsBefore(text: string, open: NonNullable<Open>): boolean {
  return open.kind === 'html' && open.block.end === null && BLANK.test(text);
}

function endsWith(text: string, open: NonNullable<Open>, index: number): boolean {
  if (open.kind === 'html') return closesHtml(text, open.block);
  return index > open.from && closesFence(text, open.fence);
}

function opened(text: string, index: number): Open {
  const fence = openFence(text);
  if (fence !== null) return { kind: 'fence', fence, from: index };
  const block = openHtml(text);
  return block === null ? null : { kind: 'html', block };
}

/** The mark that a line has by itself and the line before it; `below-quote` is for the quote to decide. */
function markOf(text: string, open: Open, before: Mark): Mark | 'below-quote' {
  if (open?.kind === 'fence') return 'code';
  if (open?.kind === 'html') return open.block.hidden ? 'hidden' : 'html';
  if (text === '' || BLANK.test(text)) return 'blank';
  if (QUOTED.test(text)) return 'quoted';
  if (before !== 'quoted' && before !== 'swallowed') return 'plain';
  if (interruptsParagraph(text)) return 'plain';
  return before === 'swallowed' ? 'swallowed' : 'below-quote';
}
