/** An open code fence. */
export type Fence = {
  readonly character: '`' | '~';
  readonly length: number;
  /** Spaces before the fence; each line of the code loses as many. */
  readonly indent: number;
  /** The info string, trimmed. */
  readonly info: string;
};

const OPENING_FENCE = /^( {0,3})(`{3,}|~{3,})(.*)$/s;

const CLOSING_FENCE = /^ {0,3}(`{3,}|~{3,})[ \t]*$/;

/** The fence that a line opens, or null. The line must be outside other code. */
export function parseOpeningFence(line: string): Fence | null {
  const match = OPENING_FENCE.exec(line);
  if (match === null) return null;
  const [, indent = '', markers = '', info = ''] = match;
  const character = markers.startsWith('~') ? '~' : '`';
  if (character === '`' && info.includes('`')) return null;
  return { character, length: markers.length, indent: indent.length, info: info.trim() };
}

/** Whether a line closes the fence. */
export function isClosingFence(line: string, fence: Fence): boolean {
  const markers = CLOSING_FENCE.exec(line)?.[1] ?? '';
  return markers.startsWith(fence.character) && markers.length >= fence.length;
}

/** A line of a fence's code as rendered: without the indentation of the fence. */
export function stripFenceIndent(line: string, fence: Fence): string {
  let end = 0;
  while (end < fence.indent && line[end] === ' ') end += 1;
  return line.slice(end);
}

/** An open HTML block. */
export type HtmlBlock = {
  /** Matches the last line of the block; null if a blank line ends it. */
  readonly end: RegExp | null;
  /** True for an HTML comment, which is not rendered. */
  readonly hidden: boolean;
};

/**
 * CommonMark's HTML blocks. The last rule takes every tag at the start of a line, which is more than CommonMark does:
 * HTML holds no command and no suggestion, so the mistake decides nothing.
 */
const HTML_BLOCK_RULES: readonly (HtmlBlock & { readonly start: RegExp })[] = [
  { start: /^ {0,3}<!--/, end: /-->/, hidden: true },
  {
    start: /^ {0,3}<(?:script|pre|style|textarea)(?:[\s>]|$)/i,
    end: /<\/(?:script|pre|style|textarea)>/i,
    hidden: false,
  },
  { start: /^ {0,3}<\?/, end: /\?>/, hidden: false },
  { start: /^ {0,3}<!\[CDATA\[/, end: /\]\]>/, hidden: false },
  { start: /^ {0,3}<![a-z]/i, end: />/, hidden: false },
  { start: /^ {0,3}<\/?[a-z][a-z0-9-]*(?:[\s/>]|$)/i, end: null, hidden: false },
];

const TAG_START = /^ {0,3}</;

/** The HTML block that a line opens, or null. */
export function parseHtmlBlockStart(line: string): HtmlBlock | null {
  if (!TAG_START.test(line)) return null;
  return HTML_BLOCK_RULES.find(({ start }) => start.test(line)) ?? null;
}

/** The parser's names of everything within a line. Without them it reads blocks only. */
export const INLINE_CONSTRUCTS: readonly string[] = [
  'attention',
  'autolink',
  'characterEscape',
  'characterReference',
  'codeText',
  'hardBreakEscape',
  'htmlText',
  'labelEnd',
  'labelStartImage',
  'labelStartLink',
];
