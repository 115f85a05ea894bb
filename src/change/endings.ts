import { countEnds } from './feed-count.ts';
import { isPair, LF, lettersOf } from './letters.ts';
import { bareLine, isTerminated, splitLines } from './lines.ts';

export type Ending = '\n' | '\r\n';

/** The ending that most lines of a text have; LF where there is none, or as many of each. */
export function dominantEnding(text: string): Ending {
  if (!text.includes('\r\n')) return '\n';
  const { feeds, pairs } = countEnds(lettersOf(text));
  return pairs > feeds - pairs ? '\r\n' : '\n';
}

/**
 * A replacement with the endings that its file expects: a line that equals a replaced one but for its ending
 * keeps that line's bytes, every other terminated line gets the file's dominant ending. Each replaced line stands for one new line:
 * for the one in its place where it can, else for one wherever it is. A further copy is a line that is added, and gets the
 * dominant ending: that of a line far away would be no better, and mixed files would become ever more mixed by their blank lines.
 */
export function keepEndings(replaced: string, replacement: string, dominant: Ending): string {
  return keepEndingsBetween(differenceBetween(replaced, replacement), dominant);
}

/** What remains of a text and its replacement without the lines that both begin and end with, endings not compared. */
export type Difference = { readonly head: string; readonly old: string; readonly fresh: string; readonly tail: string };

/** Finds it without a string for each line; `head` and `tail` have the replaced text's own endings. */
export function differenceBetween(replaced: string, replacement: string): Difference {
  const [start, freshStart] = commonHead(replaced, replacement);
  const [end, freshEnd] = commonTail(replaced, replacement, start, freshStart);
  return {
    head: replaced.slice(0, start),
    old: replaced.slice(start, end),
    fresh: replacement.slice(freshStart, freshEnd),
    tail: replaced.slice(end),
  };
}

/** The replacement as `keepEndings` gives it. */
export function keepEndingsBetween({ head, old: replaced, fresh: text, tail }: Difference, dominant: Ending): string {
  const old = splitLines(replaced).filter(isTerminated);
  const fresh = splitLines(text);
  const pairs = pairLines(old.map(bareLine), fresh.filter(isTerminated).map(bareLine));
  const kept = fresh.map((line, index) => {
    if (!isTerminated(line)) return line;
    return old[pairs[index] ?? UNPAIRED] ?? withEnding(line, dominant);
  });
  return head + kept.join('') + tail;
}

/** Offsets behind the terminated lines that both begin with. */
function commonHead(left: string, right: string): readonly [number, number] {
  let [at, other] = [0, 0];
  let behind: readonly [number, number] = [0, 0];
  while (at < left.length && other < right.length) {
    if (isPair(left, at)) at += 1;
    if (isPair(right, other)) other += 1;
    const unit = left.charCodeAt(at);
    if (unit !== right.charCodeAt(other)) break;
    at += 1;
    other += 1;
    if (unit === LF) behind = [at, other];
  }
  return behind;
}

/** Offsets of the lines that both end with, none before `start` and `freshStart`, where lines begin. */
function commonTail(left: string, right: string, start: number, freshStart: number): readonly [number, number] {
  let [at, other] = [left.length, right.length];
  let [begin, freshBegin] = [at, other];
  for (;;) {
    const unit = at === start ? LF : left.charCodeAt(at - 1);
    if (unit !== (other === freshStart ? LF : right.charCodeAt(other - 1))) break;
    if (unit === LF) {
      begin = at;
      freshBegin = other;
    }
    if (at === start || other === freshStart) break;
    at -= unit === LF && at - 1 > start && isPair(left, at - 2) ? 2 : 1;
    other -= unit === LF && other - 1 > freshStart && isPair(right, other - 2) ? 2 : 1;
  }
  return [begin, freshBegin];
}

const UNPAIRED = -1;

/** A line that ends in a CR of its own keeps its ending: with another one that CR would become part of it. */
function withEnding(line: string, ending: Ending): string {
  const bare = bareLine(line);
  return bare.endsWith('\r') ? line : bare + ending;
}

/** For each new line the old line that it stands for, no other one's: equal heads and tails first, then in order, then wherever it is. */
function pairLines(old: readonly string[], fresh: readonly string[]): number[] {
  const pairs = new Array<number>(fresh.length).fill(UNPAIRED);
  const limit = Math.min(old.length, fresh.length);
  let head = 0;
  while (head < limit && old[head] === fresh[head]) {
    pairs[head] = head;
    head += 1;
  }
  let tail = 0;
  while (tail < limit - head && old[old.length - 1 - tail] === fresh[fresh.length - 1 - tail]) {
    tail += 1;
    pairs[fresh.length - tail] = old.length - tail;
  }
  pairMiddle(old.slice(0, old.length - tail), fresh, pairs, head);
  return pairs;
}

function pairMiddle(old: readonly string[], fresh: readonly string[], pairs: number[], head: number): void {
  const places = placesByLine(old, head);
  let next = head;
  for (const [index, line] of fresh.entries()) {
    const candidates = pairs[index] === UNPAIRED ? places.get(line) : undefined;
    if (candidates === undefined) continue;
    while ((candidates.ahead.at(-1) ?? next) < next) candidates.behind.push(candidates.ahead.pop() ?? UNPAIRED);
    const ahead = candidates.ahead.pop();
    pairs[index] = ahead ?? candidates.behind[candidates.taken] ?? UNPAIRED;
    if (ahead === undefined) candidates.taken += 1;
    else next = ahead + 1;
  }
}

/** Where a line stands: further on, the last one first, and what was left behind on the way, of which the first so many are taken. */
type Places = { readonly ahead: number[]; readonly behind: number[]; taken: number };

function placesByLine(lines: readonly string[], from: number): Map<string, Places> {
  const places = new Map<string, Places>();
  for (let index = lines.length - 1; index >= from; index -= 1) {
    const line = lines[index] ?? '';
    const known = places.get(line);
    if (known === undefined) places.set(line, { ahead: [index], behind: [], taken: 0 });
    else known.ahead.push(index);
  }
  return places;
}
