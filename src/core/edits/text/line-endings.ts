import { normalizeLineEndings } from './characters.ts';
import {
  commonEndLength,
  commonStartLength,
  countCommonLines,
  countLineFeeds,
  isTerminated,
  splitLines,
  withoutLineEnding,
} from './lines.ts';

type LineEnding = '\n' | '\r\n';

/** The line ending of most lines; LF for a tie or a text without line endings. */
export function dominantLineEnding(text: string): LineEnding {
  if (!text.includes('\r\n')) return '\n';
  const pairs = text.split('\r\n').length - 1;
  return pairs > countLineFeeds(text) - pairs ? '\r\n' : '\n';
}

/**
 * Gives a replacement the endings of the file: a line that equals a replaced one keeps its bytes, at most one for each
 * old line; preferably in order. Other lines get the dominant ending, so that mixed files do not become more mixed.
 */
export function keepLineEndings(replaced: string, replacement: string, dominant: LineEnding): string {
  return keepDiffLineEndings(diffIgnoringLineEndings(replaced, replacement), dominant);
}

/** A text and its replacement without the lines that both start and end with, ignoring their endings. */
export type LineEndingDiff = {
  readonly commonStart: string;
  readonly oldText: string;
  readonly newText: string;
  readonly commonEnd: string;
};

/** Compares without a string for each line. `commonStart` and `commonEnd` keep the endings of the replaced text. */
export function diffIgnoringLineEndings(replaced: string, replacement: string): LineEndingDiff {
  const [before, after] = [normalizeLineEndings(replaced), normalizeLineEndings(replacement)];
  const head = commonStartLength(before.text, after.text);
  const tail = commonEndLength(before.text, after.text, head);
  const [start, end] = [before.originalOffset(head), before.originalOffset(before.text.length - tail)];
  return {
    commonStart: replaced.slice(0, start),
    oldText: replaced.slice(start, end),
    newText: replacement.slice(after.originalOffset(head), after.originalOffset(after.text.length - tail)),
    commonEnd: replaced.slice(end),
  };
}

/** The replacement that `keepLineEndings` returns. */
export function keepDiffLineEndings(
  { commonStart, oldText, newText, commonEnd }: LineEndingDiff,
  dominant: LineEnding,
): string {
  const old = splitLines(oldText).filter(isTerminated);
  const newLines = splitLines(newText);
  const pairs = pairEqualLines(old.map(withoutLineEnding), newLines.filter(isTerminated).map(withoutLineEnding));
  const lines = newLines.map((line, index) => {
    if (!isTerminated(line)) return line;
    return old[pairs[index] ?? NO_PAIR] ?? withLineEnding(line, dominant);
  });
  return commonStart + lines.join('') + commonEnd;
}

/**
 * A line with another ending. A line that ends in CR CRLF stays: the first CR would otherwise become part of the
 * ending.
 */
function withLineEnding(line: string, ending: LineEnding): string {
  const bare = withoutLineEnding(line);
  return bare.endsWith('\r') ? line : bare + ending;
}

const NO_PAIR = -1;

/** For each new line the equal old line, each used once: first common starts and ends, then in order, then any. */
function pairEqualLines(old: readonly string[], newLines: readonly string[]): number[] {
  const pairs = new Array<number>(newLines.length).fill(NO_PAIR);
  const { head, tail } = countCommonLines(old, newLines);
  for (let index = 0; index < head; index += 1) pairs[index] = index;
  for (let back = 1; back <= tail; back += 1) pairs[newLines.length - back] = old.length - back;
  pairMiddleLines(old.slice(0, old.length - tail), newLines, pairs, head);
  return pairs;
}

function pairMiddleLines(old: readonly string[], newLines: readonly string[], pairs: number[], head: number): void {
  const positions = groupPositionsByLine(old, head);
  let next = head;
  for (const [index, line] of newLines.entries()) {
    const candidates = pairs[index] === NO_PAIR ? positions.get(line) : undefined;
    if (candidates === undefined) continue;
    while ((candidates.ahead.at(-1) ?? next) < next) candidates.behind.push(candidates.ahead.pop() ?? NO_PAIR);
    const ahead = candidates.ahead.pop();
    pairs[index] = ahead ?? candidates.behind[candidates.usedBehind] ?? NO_PAIR;
    if (ahead === undefined) candidates.usedBehind += 1;
    else next = ahead + 1;
  }
}

/**
 * Where a line occurs: further on, in reverse order, and the skipped ones, of which the first `usedBehind` are used.
 */
type LinePositions = { readonly ahead: number[]; readonly behind: number[]; usedBehind: number };

function groupPositionsByLine(lines: readonly string[], from: number): Map<string, LinePositions> {
  const positions = new Map<string, LinePositions>();
  for (let index = lines.length - 1; index >= from; index -= 1) {
    const line = lines[index] ?? '';
    const existing = positions.get(line);
    if (existing === undefined) positions.set(line, { ahead: [index], behind: [], usedBehind: 0 });
    else existing.ahead.push(index);
  }
  return positions;
}
