import {
  type Fence,
  type HtmlBlock,
  isClosingFence,
  parseHtmlBlockStart,
  parseOpeningFence,
} from '../comments/markdown-blocks.ts';

/** A quoted line of text, and how Markdown renders it there. */
export type QuotedLine = {
  readonly text: string;
  /** In a code block that shows its lines as they are. */
  readonly isShownAsCode: boolean;
  /** Opening tags of folded blocks above it. A closing tag does not count, because it can be escaped. */
  readonly foldCount: number;
};

/** Info strings of the blocks that show a change. Other code repeats parts of it. */
const CHANGE_BLOCKS: ReadonlySet<string> = new Set(['diff', 'suggestion']);

/** Whether a code block with this info string shows a change in the App's comment. */
export function isChangeBlock(info: string): boolean {
  return CHANGE_BLOCKS.has(info);
}

/** *Quote reply* leaves out the info string. */
const INFO_OF_QUOTE_REPLY = '';

/** Whether a code block with this info string shows its lines as they are: `mermaid` and `math` draw something else. */
function showsLines({ info, indent }: Fence): boolean {
  // An indented fence can be part of a list item, and end with it.
  return indent === 0 && (info === INFO_OF_QUOTE_REPLY || isChangeBlock(info));
}

/**
 * The quoted lines without blank lines, fences and tags. A stranger's comment can have others than the App's, so that
 * its lines are rendered as something else.
 */
export function readQuotedLines(quoted: readonly string[]): readonly QuotedLine[] {
  const lines: QuotedLine[] = [];
  let fence: Fence | null = null;
  let html: HtmlBlock | null = null;
  let foldCount = 0;
  for (const text of quoted) {
    const isShownAsCode = fence !== null && showsLines(fence);
    if (fence !== null) {
      if (isClosingFence(text, fence)) fence = null;
    } else {
      if (html?.end === null && text.trim() === '') html = null;
      html ??= parseHtmlBlockStart(text);
      if (html === null) fence = parseOpeningFence(text);
      if (html?.end?.test(text) === true) html = null;
      foldCount += text.match(/<details/gi)?.length ?? 0;
    }
    if (!isIgnored(text)) lines.push({ text, isShownAsCode, foldCount });
  }
  return lines;
}

/** A blank line, a fence or a tag: a quote can have others than the comment. */
export function isIgnored(line: string): boolean {
  return /^[ \t>]*(?:(?:(?:`{3,}|~{3,})[a-z]*|<\/?details>)[ \t]*)?$/i.test(line);
}
