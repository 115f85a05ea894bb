import { isPair, type Letters, lettersOf } from './letters.ts';
import { MOST_FILE_BYTES } from './limits.ts';
import { lineEnd } from './lines.ts';
import { mayReach, type Similarity, similarityTo } from './similarity.ts';
import { squeeze, trimmed } from './squeezed.ts';

/** Text of a file that resembles what was looked for; shown to the model, never applied. `line` is 1-based. */
export type NearMatch = { readonly text: string; readonly line: number; readonly similarity: number };

const ENOUGH = 0.6;
/** How alike a line must be to speak for a window. */
const LEAST = ENOUGH / 2;
const MOST = 3;
/** Windows that are compared in full; the rest is told apart by a few lines. */
const CANDIDATES = 24;
/** The longest lines of what was looked for: one alone may stand everywhere. */
const ANCHORS = 4;
/** Letters that are compared with such lines, those of a file counted for each: of large files fewer lines are looked for. */
const MOST_COMPARED = 4_000_000;
/** Letters beyond which nothing is suggested: no file that may be edited has more. */
const MOST_LETTERS = MOST_FILE_BYTES;
/** The same in lines; of this many, those of a file that may be edited have twenty letters each at most. */
const MOST_LINES = 100_000;
/** Letters beyond which a line or a window is compared by its beginning only. */
const LONGEST = 2000;

/**
 * Up to three places that resemble `sought`, best first, none overlapping another. Both are compared as they
 * are and with white space folded. Linear in
 * the file but for a fixed number of windows; of a file with very many lines only the first are looked at.
 */
export function nearMatches(text: string, sought: string): NearMatch[] {
  const [lines, wanted] = [linesIn(text), linesIn(sought.slice(0, MOST_LETTERS))];
  const windows = greatest(votesFor(lines, anchorsOf(wanted, anchorsFor(lines))), CANDIDATES);
  const score = windowScore(windowText(wanted, 0, wanted.count));
  const scored = windows
    .map((start) => nearMatch(lines, start, wanted.count, score))
    .filter(({ similarity }) => similarity >= ENOUGH);
  scored.sort((left, right) => right.similarity - left.similarity || left.line - right.line);
  return apart(scored, wanted.count).slice(0, MOST);
}

/** The whole lines of a text that are looked at: where each begins and where it ends, its terminator apart. */
type Lines = {
  readonly text: string;
  readonly letters: Letters;
  readonly count: number;
  readonly starts: Int32Array;
  readonly ends: Int32Array;
};

function linesIn(whole: string): Lines {
  const [starts, ends] = [new Int32Array(MOST_LINES), new Int32Array(MOST_LINES)];
  let [count, start] = [0, 0];
  while (count < MOST_LINES && start < whole.length) {
    const end = lineEnd(whole, start);
    if (end > MOST_LETTERS) break;
    starts[count] = start;
    ends[count] = bareEnd(whole, end);
    count += 1;
    start = end;
  }
  const text = whole.slice(0, start);
  return { text, letters: lettersOf(text), count, starts, ends };
}

function bareEnd(text: string, end: number): number {
  if (!text.startsWith('\n', end - 1)) return end;
  return end > 1 && isPair(text, end - 2) ? end - 2 : end - 1;
}

/** A line of what was looked for, `at` lines below its first; so many letters without the white space that is folded. */
type Anchor = { readonly at: number; readonly length: number; readonly score: Similarity };

/** Two at least: no file that may be edited has so many letters that there would be fewer. */
function anchorsFor({ text }: Lines): number {
  return Math.min(ANCHORS, Math.floor(MOST_COMPARED / Math.max(1, text.length)));
}

function anchorsOf({ letters, count, starts, ends }: Lines, most: number): readonly Anchor[] {
  const lengths = new Float64Array(count);
  for (let index = 0; index < count; index += 1) {
    const [start, end] = trimmed(letters, starts[index] ?? 0, ends[index] ?? 0);
    lengths[index] = end - start;
  }
  const longest = greatest(lengths, most);
  return (longest.length > 0 ? longest : [0]).map((at) => {
    const line = squeezed(letters, starts[at] ?? 0, ends[at] ?? 0);
    return { at, length: line.length, score: similarityTo(line) };
  });
}

/** The indexes of the greatest of some numbers, all above nothing, greatest first; of equal ones the first. */
function greatest(numbers: Float64Array, most: number): number[] {
  const kept: number[] = [];
  const numberAt = (place: number): number => numbers[kept[place] ?? -1] ?? 0;
  for (const [index, number] of numbers.entries()) {
    if (number === 0 || (kept.length === most && number <= numberAt(most - 1))) continue;
    let place = kept.length;
    while (place > 0 && numberAt(place - 1) < number) place -= 1;
    kept.splice(place, 0, index);
    if (kept.length > most) kept.pop();
  }
  return kept;
}

function squeezed(letters: Letters, from: number, to: number): Uint16Array {
  const into = new Uint16Array(LONGEST);
  return into.subarray(0, squeeze(letters, from, Math.min(to, from + LONGEST), into));
}

/** How much speaks for a window that begins at each line: its lines that resemble the anchors, by their length. */
function votesFor({ letters, count, starts, ends }: Lines, anchors: readonly Anchor[]): Float64Array {
  const votes = new Float64Array(count);
  const shortest = Math.min(...anchors.map(({ length }) => length)) * (LEAST / (2 - LEAST));
  const line = new Uint16Array(LONGEST);
  for (let index = 0; index < count; index += 1) {
    const [start, end] = [starts[index] ?? 0, ends[index] ?? 0];
    if (end - start < shortest) continue;
    const length = squeeze(letters, start, Math.min(end, start + LONGEST), line);
    for (const anchor of anchors) {
      if (length !== anchor.length && !mayReach(LEAST, anchor.length, length)) continue;
      const similarity = anchor.score(line, length);
      const window = Math.max(0, index - anchor.at);
      if (similarity >= LEAST) votes[window] = (votes[window] ?? 0) + similarity * Math.max(1, anchor.length);
    }
  }
  return votes;
}

type Score = (window: string) => number;

function windowScore(sought: string): Score {
  const [exact, folded] = [similarityTo(beginning(sought)), similarityTo(squeezedBeginning(sought))];
  return (window) => {
    const [plain, short] = [beginning(window), squeezedBeginning(window)];
    return Math.max(exact(plain, plain.length), folded(short, short.length));
  };
}

function beginning(text: string): Letters {
  return lettersOf(text.slice(0, LONGEST));
}

function squeezedBeginning(text: string): Letters {
  const letters = beginning(text);
  return squeezed(letters, 0, letters.length);
}

function nearMatch(lines: Lines, start: number, height: number, score: Score): NearMatch {
  const text = windowText(lines, start, start + height);
  return { text, line: start + 1, similarity: score(text) };
}

/** As many lines of the window as are compared. */
function windowText({ text, count, starts, ends }: Lines, from: number, to: number): string {
  const lines: string[] = [];
  let letters = 0;
  for (let index = from; index < Math.min(to, count) && letters <= LONGEST; index += 1) {
    const line = text.slice(starts[index], ends[index]);
    letters += line.length + 1;
    lines.push(line);
  }
  return lines.join('\n');
}

function apart(matches: readonly NearMatch[], height: number): NearMatch[] {
  const kept: NearMatch[] = [];
  for (const match of matches) {
    if (kept.every(({ line }) => Math.abs(line - match.line) >= height)) kept.push(match);
  }
  return kept;
}
