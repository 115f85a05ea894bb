/** A block of raw HTML: what ends it (null: a blank line), and whether a reader of the page sees none of it. */
export type HtmlBlock = { readonly end: RegExp | null; readonly hidden: boolean };

type Kind = HtmlBlock & { readonly start: RegExp };

/**
 * How HTML blocks begin and end. The last row takes every tag at a line's start, a little more than is rendered as
 * a block: what is taken for HTML by mistake is no command and no suggestion, so nothing is decided by it.
 */
const KINDS: readonly Kind[] = [
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

const ANGLE = /^ {0,3}</;

/** The HTML block that a line opens, or null. */
export function openHtml(line: string): HtmlBlock | null {
  if (!ANGLE.test(line)) return null;
  return KINDS.find((kind) => kind.start.test(line)) ?? null;
}

/** Whether a line is the block's last; where a blank line ends it, that line itself is outside. */
export function closesHtml(line: string, block: HtmlBlock): boolean {
  return block.end?.test(line) ?? false;
}
