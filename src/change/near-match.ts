import { bareLine, lineStart, offsetOfLine, splitLines } from './lines.ts';
import { mayReach, similarityTo } from './similarity.ts';

/** Text of a file that resembles what was looked for; shown to the model, never applied. `line` is 1-based. */
export type NearMatch = { readonly text: string; readonly line: number; readonly similarity: number };

const ENOUGH = 0.6;
const MOST = 3;
/** Windows that are compared in full; the rest is told apart by one line alone. */
const CANDIDATES = 24;
/** Letters of a file beyond which nothing is suggested. */
const MOST_LETTERS = 500_000;
/** The same in lines. */
const MOST_LINES = 30_000;
/** Letters beyond which a line or a window is compared by its beginning only. */
const LONGEST = 2000;

/**
 * Up to three places that resemble `sought`, best first, none overlapping another. Both are compared as they
 * are and with white space folded. Linear in
 * the file but for a fixed number of windows; of a very long file only the beginning is looked at.
 */
export function nearMatches(text: string, sought: string): NearMatch[] {
  const wanted = splitLines(firstLines(sought).slice(0, MOST_LETTERS)).map(bareLine);
  const lines = splitLines(beginning(text)).map(bareLine);
  const anchor = longestLine(wanted);
  const windows = candidateStarts(lines, wanted[anchor] ?? '')
    .map((index) => Math.max(0, index - anchor))
    .filter((start, position, all) => all.indexOf(start) === position);
  const score = windowScore(wanted.join('\n'));
  const scored = windows
    .map((start) => nearMatch(lines, start, wanted.length, score))
    .filter(({ similarity }) => similarity >= ENOUGH);
  scored.sort((left, right) => right.similarity - left.similarity || left.line - right.line);
  return apart(scored, wanted.length).slice(0, MOST);
}

/** The whole lines of the text that are looked at. */
function beginning(text: string): string {
  const first = firstLines(text);
  return first.length <= MOST_LETTERS ? first : first.slice(0, lineStart(first, MOST_LETTERS));
}

function firstLines(text: string): string {
  return text.slice(0, offsetOfLine(text, MOST_LINES) ?? text.length);
}

function longestLine(lines: readonly string[]): number {
  let [best, longest] = [0, 0];
  for (const [index, line] of lines.entries()) {
    const { length } = line.trim();
    if (length > longest) [best, longest] = [index, length];
  }
  return best;
}

function candidateStarts(lines: readonly string[], anchor: string): number[] {
  const folded = fold(anchor);
  const score = similarityTo(folded);
  const scored: { index: number; similarity: number }[] = [];
  const shortest = folded.length * (ENOUGH / 2 / (2 - ENOUGH / 2));
  for (const [index, line] of lines.entries()) {
    if (line.length < shortest) continue;
    const other = fold(line);
    if (other !== folded && !mayReach(ENOUGH / 2, folded.length, other.length)) continue;
    const similarity = score(other);
    if (similarity >= ENOUGH / 2) scored.push({ index, similarity });
  }
  scored.sort((left, right) => right.similarity - left.similarity || left.index - right.index);
  return scored.slice(0, CANDIDATES).map(({ index }) => index);
}

function windowScore(sought: string): (window: string) => number {
  const exact = similarityTo(sought.slice(0, LONGEST));
  const folded = similarityTo(fold(sought));
  return (window) => Math.max(exact(window.slice(0, LONGEST)), folded(fold(window)));
}

function nearMatch(
  lines: readonly string[],
  start: number,
  height: number,
  score: (window: string) => number,
): NearMatch {
  const text = windowText(lines, start, start + height);
  return { text, line: start + 1, similarity: score(text) };
}

/** As many lines of the window as are compared. */
function windowText(lines: readonly string[], from: number, to: number): string {
  let letters = 0;
  let end = from;
  for (; end < Math.min(to, lines.length) && letters <= LONGEST; end += 1) letters += (lines[end] ?? '').length + 1;
  return lines.slice(from, end).join('\n');
}

function apart(matches: readonly NearMatch[], height: number): NearMatch[] {
  const kept: NearMatch[] = [];
  for (const match of matches) {
    if (kept.every(({ line }) => Math.abs(line - match.line) >= height)) kept.push(match);
  }
  return kept;
}

function fold(text: string): string {
  const inner = text.slice(0, LONGEST).trim();
  // Few lines have more than single blanks behind their indentation, and to replace is much slower than to look.
  return /\s\s|[^\S ]/.test(inner) ? inner.replace(/\s+/g, ' ') : inner;
}
