import { type Difference, differenceBetween, dominantEnding, keepEndings, keepEndingsBetween } from './endings.ts';
import { leastSpan } from './least-span.ts';
import { MOST_REGION_LINES } from './limits.ts';
import type { LineTable } from './line-table.ts';
import { countFeeds, withoutCarriageReturns } from './lines.ts';
import type { Match } from './match.ts';
import { BYTE_ORDER_MARK } from './text.ts';

/** A match, and what stands in its place afterwards. */
export type Replacement = Match & { readonly text: string };

/** All of them; or, before they are made, how many lines lie at least between the first and the last difference, on both sides. */
export type Replacements =
  | { readonly kind: 'replacements'; readonly replacements: readonly Replacement[] }
  | { readonly kind: 'too-far'; readonly lines: number };

/** A new text without the byte order mark that its file keeps in any case. */
export function replacementText(text: string, newString: string): string {
  return text.startsWith(BYTE_ORDER_MARK) && newString.startsWith(BYTE_ORDER_MARK) ? newString.slice(1) : newString;
}

/** How many letters the text has at least once all matches are replaced; endings that are kept can only add to it. */
export function leastLength(text: string, matches: readonly Match[], fresh: string): number {
  let letters = text.length + matches.length * withoutCarriageReturns(fresh).length;
  for (const { start, end } of matches) letters -= end - start;
  return letters;
}

/** What becomes of each match, with the endings that the file has: nothing is made where more than `most` lines would differ. */
export function replacementsFor(
  base: LineTable,
  matches: readonly Match[],
  fresh: string,
  most = MOST_REGION_LINES,
): Replacements {
  const { text } = base;
  const [first] = matches;
  if (first === undefined) return { kind: 'replacements', replacements: [] };
  if (!fresh.includes('\n') || !(text.includes('\r\n') || fresh.includes('\r\n'))) {
    return replacedBy(base, matches, most, () => fresh);
  }
  const replaced = text.slice(first.start, first.end);
  const difference = differenceBetween(replaced, fresh);
  const lines = matches.length * leastLines(difference);
  if (lines > most) return { kind: 'too-far', lines };
  const dominant = dominantEnding(text);
  // Matches differ in their endings alone, and most not even in those: what is made of one is kept for the others.
  const made = new Map([[replaced, keepEndingsBetween(difference, dominant)]]);
  return replacedBy(base, matches, most, ({ start, end }) => {
    const old = text.slice(start, end);
    const known = made.get(old);
    if (known !== undefined) return known;
    const kept = keepEndings(old, fresh, dominant);
    made.set(old, kept);
    return kept;
  });
}

function replacedBy(
  base: LineTable,
  matches: readonly Match[],
  most: number,
  fresh: (match: Match) => string,
): Replacements {
  const lines = matches.length === 1 ? 0 : leastSpan(base, matches, fresh);
  if (lines > most) return { kind: 'too-far', lines };
  return {
    kind: 'replacements',
    replacements: matches.map((match) => ({ start: match.start, end: match.end, text: fresh(match) })),
  };
}

/**
 * How many lines each replacement adds at least to what lies between the first and the last difference, before and after. It is
 * the same for all: matches differ in their endings alone. Where either side has not two lines of its own, the whole lines of
 * the file may be more alike than what is replaced in them, but not in their number.
 */
function leastLines({ old, fresh }: Difference): number {
  const [gone, come] = [countFeeds(old), countFeeds(fresh)];
  return Math.min(gone, come) > 1 ? gone + come : Math.abs(gone - come);
}
