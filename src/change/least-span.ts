import { type LineTable, lineIndexAt } from './line-table.ts';
import { countFeeds } from './lines.ts';
import type { Match } from './match.ts';

/** Matches at either end of which it is looked at what becomes of them. */
const EDGE = 8;

/**
 * How many lines lie at least between the first and the last difference once all matches are replaced, before and after together;
 * 0 where that cannot be told from the first and the last of them. `fresh` gives what becomes of one: all matches, and all that
 * becomes of them, are the same but for their line ends.
 */
export function leastSpan(base: LineTable, matches: readonly Match[], fresh: (match: Match) => string): number {
  const [only] = matches;
  const [first, last] = [firstChanged(base, matches, fresh), lastChanged(base, matches, fresh)];
  if (only === undefined || first === null || last === null) return 0;
  const growth = countFeeds(fresh(only)) - countFeeds(base.text.slice(only.start, only.end));
  // The last line need not end, before or after.
  return 2 * (last - first) + 1 + matches.length * growth;
}

type Fresh = (match: Match) => string;

/** The 0-based line of the first letter that another one replaces; null where the first matches do not tell. */
function firstChanged(base: LineTable, matches: readonly Match[], fresh: Fresh): number | null {
  const edge = matches.slice(0, EDGE);
  const [before, after] = edgeTexts(base.text, edge, fresh);
  const most = Math.min(before.length, after.length);
  let same = 0;
  while (same < most && before.charCodeAt(same) === after.charCodeAt(same)) same += 1;
  return same === most ? null : lineIndexAt(base, (edge[0]?.start ?? 0) + same);
}

/** The same of the last one. */
function lastChanged(base: LineTable, matches: readonly Match[], fresh: Fresh): number | null {
  const edge = matches.slice(-EDGE);
  const [before, after] = edgeTexts(base.text, edge, fresh);
  const most = Math.min(before.length, after.length);
  let same = 0;
  while (same < most && before.at(-1 - same) === after.at(-1 - same)) same += 1;
  return same === most ? null : lineIndexAt(base, (edge.at(-1)?.end ?? 0) - 1 - same);
}

/** The text from the first of some matches to the last one, before and after. */
function edgeTexts(text: string, matches: readonly Match[], fresh: Fresh): readonly [before: string, after: string] {
  const [from, to] = [matches[0]?.start ?? 0, matches.at(-1)?.end ?? 0];
  let after = '';
  let at = from;
  for (const match of matches) {
    after += text.slice(at, match.start) + fresh(match);
    at = match.end;
  }
  return [text.slice(from, to), after];
}
