import { type CodeUnits, collapseWhitespace, isCrLfAt, toCodeUnits, trimRange } from './characters.ts';
import { MAX_FILE_BYTES } from './limits.ts';
import { countLines, lineEnd } from './lines.ts';

/** Similar text in a file. The model is shown it, but it is never applied. `line` is 1-based. */
export type NearMatch = { readonly text: string; readonly line: number; readonly similarity: number };

const MIN_SIMILARITY = 0.6;

/** A less similar line does not count for a window. */
const MIN_LINE_SIMILARITY = MIN_SIMILARITY / 2;

const MAX_NEAR_MATCHES = 3;

/** Windows to compare in full; a few anchor lines choose them. */
const MAX_CANDIDATES = 24;

/** The longest lines of the needle to look for: a single one might occur everywhere. */
const MAX_ANCHOR_LINES = 4;

/** Characters to compare with anchor lines, where a file counts once for each of them. */
const MAX_COMPARED_CHARACTERS = 4_000_000;

/** No editable file has more. */
const MAX_SEARCHED_CHARACTERS = MAX_FILE_BYTES;

/** In an editable file with more lines, these have 20 characters each at most. */
const MAX_SEARCHED_LINES = 100_000;

/** Longer lines and windows are compared by their first characters only. */
const MAX_COMPARED_LENGTH = 2000;

/**
 * Up to three similar places without overlap, best first. Compares texts as they are and with white space collapsed.
 * Linear in the file except for a fixed number of windows; only the first lines of a very long file are searched.
 */
export function findNearMatches(text: string, needle: string): NearMatch[] {
  const [lines, needleLines] = [splitSearchedLines(text), splitSearchedLines(needle.slice(0, MAX_SEARCHED_CHARACTERS))];
  const windows = indexesOfGreatest(
    scoreWindows(lines, chooseAnchorLines(needleLines, anchorCountFor(lines))),
    MAX_CANDIDATES,
  );
  const score = createWindowScore(windowText(needleLines, 0, needleLines.count));
  const scored = windows
    .map((start) => toNearMatch(lines, start, needleLines.count, score))
    .filter(({ similarity }) => similarity >= MIN_SIMILARITY);
  scored.sort((left, right) => right.similarity - left.similarity || left.line - right.line);
  return withoutOverlaps(scored, needleLines.count).slice(0, MAX_NEAR_MATCHES);
}

/** The searched lines of a text: where each starts, and where it ends without its terminator. */
type SearchedLines = {
  readonly text: string;
  readonly codeUnits: CodeUnits;
  readonly count: number;
  readonly starts: Int32Array;
  readonly ends: Int32Array;
};

function splitSearchedLines(whole: string): SearchedLines {
  const maxCount = Math.min(MAX_SEARCHED_LINES, countLines(whole));
  const [starts, ends] = [new Int32Array(maxCount), new Int32Array(maxCount)];
  let [count, start] = [0, 0];
  while (count < maxCount && start < whole.length) {
    const end = lineEnd(whole, start);
    if (end > MAX_SEARCHED_CHARACTERS) break;
    starts[count] = start;
    ends[count] = endWithoutLineEnding(whole, end);
    count += 1;
    start = end;
  }
  const text = whole.slice(0, start);
  return { text, codeUnits: toCodeUnits(text), count, starts, ends };
}

function endWithoutLineEnding(text: string, end: number): number {
  if (!text.startsWith('\n', end - 1)) return end;
  return end > 1 && isCrLfAt(text, end - 2) ? end - 2 : end - 1;
}

/** A line of the needle, `index` lines below its first. `length` counts characters with white space collapsed. */
type AnchorLine = { readonly index: number; readonly length: number; readonly compare: CompareUnits };

/** At least two, given the size of an editable file. */
function anchorCountFor({ text }: SearchedLines): number {
  return Math.min(MAX_ANCHOR_LINES, Math.floor(MAX_COMPARED_CHARACTERS / Math.max(1, text.length)));
}

function chooseAnchorLines({ codeUnits, count, starts, ends }: SearchedLines, maxCount: number): readonly AnchorLine[] {
  const lengths = new Float64Array(count);
  for (let index = 0; index < count; index += 1) {
    const [start, end] = trimRange(codeUnits, starts[index] ?? 0, ends[index] ?? 0);
    lengths[index] = end - start;
  }
  const longest = indexesOfGreatest(lengths, maxCount);
  return (longest.length > 0 ? longest : [0]).map((index) => {
    const line = collapsedUnits(codeUnits, starts[index] ?? 0, ends[index] ?? 0);
    return { index, length: line.length, compare: createComparison(line) };
  });
}

/** The indexes of the greatest positive numbers, greatest first; of equal ones the first. */
function indexesOfGreatest(numbers: Float64Array, maxCount: number): number[] {
  const best: number[] = [];
  const numberAt = (place: number): number => numbers[best[place] ?? -1] ?? 0;
  for (const [index, number] of numbers.entries()) {
    if (number === 0 || (best.length === maxCount && number <= numberAt(maxCount - 1))) continue;
    let place = best.length;
    while (place > 0 && numberAt(place - 1) < number) place -= 1;
    best.splice(place, 0, index);
    if (best.length > maxCount) best.pop();
  }
  return best;
}

function collapsedUnits(codeUnits: CodeUnits, from: number, to: number): Uint16Array {
  const into = new Uint16Array(MAX_COMPARED_LENGTH);
  return into.subarray(0, collapseWhitespace(codeUnits, from, Math.min(to, from + MAX_COMPARED_LENGTH), into));
}

/** The evidence for a window at each line: its lines that resemble anchors, weighted by length. */
function scoreWindows({ codeUnits, count, starts, ends }: SearchedLines, anchors: readonly AnchorLine[]): Float64Array {
  const scores = new Float64Array(count);
  const shortest = Math.min(...anchors.map(({ length }) => length)) * (MIN_LINE_SIMILARITY / (2 - MIN_LINE_SIMILARITY));
  const line = new Uint16Array(MAX_COMPARED_LENGTH);
  for (let index = 0; index < count; index += 1) {
    const [start, end] = [starts[index] ?? 0, ends[index] ?? 0];
    if (end - start < shortest) continue;
    const length = collapseWhitespace(codeUnits, start, Math.min(end, start + MAX_COMPARED_LENGTH), line);
    for (const anchor of anchors) {
      if (length !== anchor.length && !canReachSimilarity(MIN_LINE_SIMILARITY, anchor.length, length)) continue;
      const similarity = anchor.compare(line, length);
      const window = Math.max(0, index - anchor.index);
      if (similarity >= MIN_LINE_SIMILARITY)
        scores[window] = (scores[window] ?? 0) + similarity * Math.max(1, anchor.length);
    }
  }
  return scores;
}

type WindowScore = (window: string) => number;

function createWindowScore(needle: string): WindowScore {
  const [exact, collapsed] = [createComparison(beginningUnits(needle)), createComparison(collapsedBeginning(needle))];
  return (window) => {
    const [plain, short] = [beginningUnits(window), collapsedBeginning(window)];
    return Math.max(exact(plain, plain.length), collapsed(short, short.length));
  };
}

function beginningUnits(text: string): CodeUnits {
  return toCodeUnits(text.slice(0, MAX_COMPARED_LENGTH));
}

function collapsedBeginning(text: string): CodeUnits {
  const codeUnits = beginningUnits(text);
  return collapsedUnits(codeUnits, 0, codeUnits.length);
}

function toNearMatch(lines: SearchedLines, start: number, lineCount: number, score: WindowScore): NearMatch {
  const text = windowText(lines, start, start + lineCount);
  return { text, line: start + 1, similarity: score(text) };
}

/** The lines of a window, as many as are compared. */
function windowText({ text, count, starts, ends }: SearchedLines, from: number, to: number): string {
  const lines: string[] = [];
  let codeUnits = 0;
  for (let index = from; index < Math.min(to, count) && codeUnits <= MAX_COMPARED_LENGTH; index += 1) {
    const line = text.slice(starts[index], ends[index]);
    codeUnits += line.length + 1;
    lines.push(line);
  }
  return lines.join('\n');
}

function withoutOverlaps(matches: readonly NearMatch[], lineCount: number): NearMatch[] {
  const best: NearMatch[] = [];
  for (const match of matches) {
    if (best.every(({ line }) => Math.abs(line - match.line) >= lineCount)) best.push(match);
  }
  return best;
}

/**
 * The similarity of the first `length` code units to fixed ones, from 0 to 1: the share of common pairs of neighboring
 * characters (Dice). The fixed pairs are counted once, so each comparison is linear.
 */
type CompareUnits = (others: CodeUnits, length: number) => number;

const BUCKET_COUNT = 4096;

export function createComparison(codeUnits: CodeUnits): CompareUnits {
  const pairs = new Int32Array(BUCKET_COUNT);
  for (let at = 0; at + 1 < codeUnits.length; at += 1) {
    const slot = bucketOf(codeUnits, at);
    pairs[slot] = (pairs[slot] ?? 0) + 1;
  }
  // The pairs that are still unmatched during a comparison.
  const remaining = pairs.slice();
  return (others, length) => {
    if (length === codeUnits.length && hasSameUnits(codeUnits, others)) return 1;
    if (codeUnits.length < 2 || length < 2) return 0;
    const shared = takeSharedPairs(others, length, remaining);
    for (let at = 0; at + 1 < length; at += 1) {
      const slot = bucketOf(others, at);
      remaining[slot] = pairs[slot] ?? 0;
    }
    return (2 * shared) / (codeUnits.length + length - 2);
  };
}

/** Whether texts of these lengths can be similar enough. */
function canReachSimilarity(threshold: number, left: number, right: number): boolean {
  return 2 * (Math.min(left, right) - 1) >= threshold * (left + right - 2);
}

function hasSameUnits(codeUnits: CodeUnits, others: CodeUnits): boolean {
  for (let at = 0; at < codeUnits.length; at += 1) if (codeUnits[at] !== others[at]) return false;
  return true;
}

function bucketOf(codeUnits: CodeUnits, at: number): number {
  return ((codeUnits[at] ?? 0) * 31 + (codeUnits[at + 1] ?? 0)) & (BUCKET_COUNT - 1);
}

/** Takes the pairs from the remaining ones and returns how many were there. */
function takeSharedPairs(codeUnits: CodeUnits, length: number, remaining: Int32Array): number {
  let taken = 0;
  for (let at = 0; at + 1 < length; at += 1) {
    const slot = bucketOf(codeUnits, at);
    const count = remaining[slot] ?? 0;
    if (count === 0) continue;
    remaining[slot] = count - 1;
    taken += 1;
  }
  return taken;
}
