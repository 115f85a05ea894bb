import { countEnds } from './feed-count.ts';
import { folded } from './folded.ts';
import { lettersOf } from './letters.ts';
import { bareLine, isTerminated, splitLines } from './lines.ts';
import { commonHead, commonTail } from './region.ts';

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

/** Finds it without a string for each line, and with stretches compared by the engine; `head` and `tail` have the replaced text's own endings. */
export function differenceBetween(replaced: string, replacement: string): Difference {
  const [old, fresh] = [folded(replaced), folded(replacement)];
  const head = commonHead(old.text, fresh.text);
  const tail = commonTail(old.text, fresh.text, head);
  const [start, end] = [old.unfold(head), old.unfold(old.text.length - tail)];
  return {
    head: replaced.slice(0, start),
    old: replaced.slice(start, end),
    fresh: replacement.slice(fresh.unfold(head), fresh.unfold(fresh.text.length - tail)),
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
