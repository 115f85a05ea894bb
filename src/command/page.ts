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

/** A comment's lines, in order, without their terminators. */
export type Page = {
  readonly lines: readonly PageLine[];
  /** Content of each closed suggestion block. */
  readonly suggestions: readonly (readonly string[])[];
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

/**
 * Reads a comment line by line, in time linear in its length: blocks inside lists and quotes are not looked into,
 * because a command or a suggestion counts only at the top.
 */
export function readPage(body: string): Page {
  const cut = body.length > BODY_LIMIT;
  const texts = body.slice(0, BODY_LIMIT).split(/\r\n|\n|\r/);
  // Half a line could say what the whole one does not.
  if (cut) texts.pop();
  const { marks, suggestions } = markLines(texts);
  return { lines: texts.map((text, index) => ({ text, mark: marks[index] ?? 'plain' })), suggestions, cut };
}

function markLines(texts: readonly string[]): { marks: Mark[]; suggestions: (readonly string[])[] } {
  const marks: Mark[] = [];
  const suggestions: (readonly string[])[] = [];
  const isSwallowed = quoteEnd(texts);
  let open: Open = null;
  let quoteFrom = 0;
  for (const [index, text] of texts.entries()) {
    const before = marks[index - 1] ?? 'blank';
    if (before !== 'quoted' && before !== 'swallowed') quoteFrom = index;
    const opensHere: boolean = open === null || endsBefore(text, open);
    if (opensHere) open = opened(text, index);
    marks.push(markOf(text, open, before, () => isSwallowed(quoteFrom, index)));
    if (open === null || !endsWith(text, open, index)) continue;
    if (open.kind === 'fence' && open.fence.info.toLowerCase() === 'suggestion') {
      const { fence, from } = open;
      suggestions.push(texts.slice(from + 1, index).map((line) => contentLine(line, fence)));
      marks.fill('suggestion', from);
    }
    open = null;
  }
  return { marks, suggestions };
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

function markOf(text: string, open: Open, before: Mark, swallowed: () => boolean): Mark {
  if (open?.kind === 'fence') return 'code';
  if (open?.kind === 'html') return open.block.hidden ? 'hidden' : 'html';
  if (BLANK.test(text)) return 'blank';
  if (QUOTED.test(text)) return 'quoted';
  if (interruptsParagraph(text)) return 'plain';
  if (before === 'swallowed') return 'swallowed';
  return before === 'quoted' && swallowed() ? 'swallowed' : 'plain';
}
