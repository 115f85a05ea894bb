import { closesFence, type Fence, openFence } from './fence.ts';
import { readId } from './proposal-name.ts';

/** A proposal as an id line of ours names it: its id in lower case, and the first 12 hex digits of its change's digest. */
export type QuotedId = { readonly id: string; readonly digest: string };

/**
 * The line by which our proposals name themselves, as it comes back in a quote: GitHub's *Quote reply* turns the page
 * into Markdown again, so the code spans' backticks stay; a hand-made quote of the rendered text lacks them.
 */
const ID_LINE =
  /^Change \d{1,3} of \d{1,3} · (`?)([a-z0-9]{4,6})\1 · digest (`?)([0-9a-f]{12})\3 · head (`?)[0-9a-f]{7}\5[ \t\\]*$/i;
const MARK = /^ {0,3}> ?/;
const NESTED = /^ {0,3}>/;
const BLANK = /^[ \t]*$/;

/**
 * What stands in id lines of the quoted lines, each once, in order. Quoted code is not ours to trust, the model wrote
 * it; nor is a quote within the quote, with the lines right below that Markdown takes for its own: whoever is quoted
 * may have forged it.
 */
export function quotedIds(quoted: readonly string[]): readonly QuotedId[] {
  const found = new Map<string, QuotedId>();
  let fence: Fence | null = null;
  let nested = false;
  for (const line of quoted) {
    const text = line.replace(MARK, '');
    if (fence !== null) {
      if (closesFence(text, fence)) fence = null;
      continue;
    }
    nested = NESTED.test(text) || (nested && !BLANK.test(text));
    if (nested) continue;
    fence = openFence(text);
    const one = readIdLine(text);
    if (one !== null) found.set(`${one.id} ${one.digest}`, one);
  }
  return [...found.values()];
}

function readIdLine(text: string): QuotedId | null {
  const [, , word = '', , digest = ''] = ID_LINE.exec(text) ?? [];
  const id = readId(word);
  return id === null ? null : { id, digest: digest.toLowerCase() };
}
