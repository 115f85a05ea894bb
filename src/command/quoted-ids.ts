import { closesFence, type Fence, openFence } from './fence.ts';
import { readId } from './proposal-name.ts';

/**
 * The line by which our proposals name themselves, as it comes back in a quote: GitHub's *Quote reply* turns the page
 * into Markdown again, so the code spans' backticks stay; a hand-made quote of the rendered text lacks them.
 */
const ID_LINE =
  /^Change \d{1,3} of \d{1,3} · (`?)([a-z0-9]{4,6})\1 · digest (`?)[0-9a-f]{12}\3 · head (`?)[0-9a-f]{7}\4[ \t\\]*$/i;
const MARKS = /^ {0,3}(?:> ?)+/;

/** Ids of ours that stand in id lines of the quoted lines, lower case, each once, in order. Quoted code is not ours to trust: the model wrote it. */
export function quotedIds(quoted: readonly string[]): readonly string[] {
  const found = new Set<string>();
  let fence: Fence | null = null;
  for (const line of quoted) {
    const text = line.replace(MARKS, '');
    if (fence !== null) {
      if (closesFence(text, fence)) fence = null;
      continue;
    }
    fence = openFence(text);
    const id = readId(ID_LINE.exec(text)?.[2] ?? '');
    if (id !== null) found.add(id);
  }
  return [...found];
}
