import { BYTE_ORDER_MARK } from '../text/characters.ts';
import type { TextMatch } from '../text/find-text.ts';
import { MAX_REGION_LINES } from '../text/limits.ts';
import {
  diffIgnoringLineEndings,
  dominantLineEnding,
  keepDiffLineEndings,
  keepLineEndings,
  type LineEndingDiff,
} from '../text/line-endings.ts';
import { type LineTable, lineIndexAt } from '../text/line-table.ts';
import { countLineFeeds, crLfToLf } from '../text/lines.ts';

/** A match and its replacement. */
export type TextReplacement = TextMatch & { readonly text: string };

/** `lines` is a lower bound for the lines between the first and the last difference, old and new together. */
type ReplacementResult =
  | { readonly kind: 'replacements'; readonly replacements: readonly TextReplacement[] }
  | { readonly kind: 'span-too-long'; readonly lines: number };

/**
 * Replaces each match and keeps the line endings of the file. Builds nothing if more than `maxLines` lines would
 * differ.
 */
export function buildReplacements(
  base: LineTable,
  matches: readonly TextMatch[],
  replacement: string,
  maxLines = MAX_REGION_LINES,
): ReplacementResult {
  const { text } = base;
  const [first] = matches;
  if (first === undefined) return { kind: 'replacements', replacements: [] };
  if (!replacement.includes('\n') || !(text.includes('\r\n') || replacement.includes('\r\n'))) {
    return replaceMatches(base, matches, maxLines, () => replacement);
  }
  const replaced = text.slice(first.start, first.end);
  const difference = diffIgnoringLineEndings(replaced, replacement);
  const lines = matches.length * minChangedLines(difference);
  if (lines > maxLines) return { kind: 'span-too-long', lines };
  const dominant = dominantLineEnding(text);
  // Matches differ in their line endings at most, so few distinct replacements need to be computed.
  const replacementByOld = new Map([[replaced, keepDiffLineEndings(difference, dominant)]]);
  return replaceMatches(base, matches, maxLines, ({ start, end }) => {
    const old = text.slice(start, end);
    const cached = replacementByOld.get(old);
    if (cached !== undefined) return cached;
    const newText = keepLineEndings(old, replacement, dominant);
    replacementByOld.set(old, newText);
    return newText;
  });
}

function replaceMatches(
  base: LineTable,
  matches: readonly TextMatch[],
  maxLines: number,
  replace: ReplaceMatch,
): ReplacementResult {
  const lines = matches.length === 1 ? 0 : minSpanLines(base, matches, replace);
  if (lines > maxLines) return { kind: 'span-too-long', lines };
  return {
    kind: 'replacements',
    replacements: matches.map((match) => ({ start: match.start, end: match.end, text: replace(match) })),
  };
}

/**
 * A lower bound for the lines that each replacement adds to the span; the same for all, as matches differ in their
 * endings alone. With under two whole lines on a side, the surrounding lines can be equal again and only the growth
 * counts.
 */
function minChangedLines({ oldText, newText }: LineEndingDiff): number {
  const [oldLineFeeds, newLineFeeds] = [countLineFeeds(oldText), countLineFeeds(newText)];
  return Math.min(oldLineFeeds, newLineFeeds) > 1 ? oldLineFeeds + newLineFeeds : Math.abs(oldLineFeeds - newLineFeeds);
}

/** Drops a byte order mark from the new text if the file keeps its own. */
export function replacementText(text: string, newString: string): string {
  return text.startsWith(BYTE_ORDER_MARK) && newString.startsWith(BYTE_ORDER_MARK) ? newString.slice(1) : newString;
}

/** A lower bound for the characters of the result: kept line endings can only add to it. */
export function minResultLength(text: string, matches: readonly TextMatch[], replacement: string): number {
  let characters = text.length + matches.length * crLfToLf(replacement).length;
  for (const { start, end } of matches) characters -= end - start;
  return characters;
}

/** Matches at each end in which to look for the first and last difference. */
const MAX_EDGE_MATCHES = 8;

type ReplaceMatch = (match: TextMatch) => string;

/**
 * A lower bound for the lines between the first and the last difference, old and new together; 0 if the matches at the
 * edges do not tell.
 */
function minSpanLines(base: LineTable, matches: readonly TextMatch[], replace: ReplaceMatch): number {
  const [firstMatch] = matches;
  const [first, last] = [firstChangedLine(base, matches, replace), lastChangedLine(base, matches, replace)];
  if (firstMatch === undefined || first === null || last === null) return 0;
  const growth =
    countLineFeeds(replace(firstMatch)) - countLineFeeds(base.text.slice(firstMatch.start, firstMatch.end));
  // The last line can be unterminated on both sides.
  return 2 * (last - first) + 1 + matches.length * growth;
}

/** The 0-based line of the first difference; null if the first matches have none. */
function firstChangedLine(base: LineTable, matches: readonly TextMatch[], replace: ReplaceMatch): number | null {
  const edge = matches.slice(0, MAX_EDGE_MATCHES);
  const [before, after] = edgeTexts(base.text, edge, replace);
  const limit = Math.min(before.length, after.length);
  let same = 0;
  while (same < limit && before.charCodeAt(same) === after.charCodeAt(same)) same += 1;
  return same === limit ? null : lineIndexAt(base, (edge[0]?.start ?? 0) + same);
}

/** The 0-based line of the last difference; null if the last matches have none. */
function lastChangedLine(base: LineTable, matches: readonly TextMatch[], replace: ReplaceMatch): number | null {
  const edge = matches.slice(-MAX_EDGE_MATCHES);
  const [before, after] = edgeTexts(base.text, edge, replace);
  const limit = Math.min(before.length, after.length);
  let same = 0;
  while (same < limit && before.at(-1 - same) === after.at(-1 - same)) same += 1;
  return same === limit ? null : lineIndexAt(base, (edge.at(-1)?.end ?? 0) - 1 - same);
}

/** The text from the first to the last of some matches, before and after. */
function edgeTexts(
  text: string,
  matches: readonly TextMatch[],
  replace: ReplaceMatch,
): readonly [before: string, after: string] {
  const [from, to] = [matches[0]?.start ?? 0, matches.at(-1)?.end ?? 0];
  let after = '';
  let at = from;
  for (const match of matches) {
    after += text.slice(at, match.start) + replace(match);
    at = match.end;
  }
  return [text.slice(from, to), after];
}
