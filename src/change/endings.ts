import { bareLine, isTerminated, splitLines } from './lines.ts';

export type Ending = '\n' | '\r\n';

/** The ending that most lines of a text have; LF where there is none, or as many of each. */
export function dominantEnding(text: string): Ending {
  if (!text.includes('\r\n')) return '\n';
  let pairs = 0;
  let feeds = 0;
  for (let feed = text.indexOf('\n'); feed !== -1; feed = text.indexOf('\n', feed + 1)) {
    if (text[feed - 1] === '\r') pairs += 1;
    else feeds += 1;
  }
  return pairs > feeds ? '\r\n' : '\n';
}

/**
 * A replacement with the endings that its file expects: a line that equals a replaced one but for its ending
 * keeps that line's bytes, every other terminated line gets the file's dominant ending.
 */
export function keepEndings(replaced: string, replacement: string, dominant: Ending): string {
  const old = splitLines(replaced).filter(isTerminated);
  const fresh = splitLines(replacement);
  const pairs = pairLines(old.map(bareLine), fresh.map(bareLine));
  return fresh
    .map((line, index) => {
      if (!isTerminated(line)) return line;
      return old[pairs[index] ?? UNPAIRED] ?? withEnding(line, dominant);
    })
    .join('');
}

const UNPAIRED = -1;

/** A line that ends in a CR of its own keeps its ending: with another one that CR would become part of it. */
function withEnding(line: string, ending: Ending): string {
  const bare = bareLine(line);
  return bare.endsWith('\r') ? line : bare + ending;
}

/** For each new line the old line that it stands for: equal heads and tails first, then in order, then wherever it is. */
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
  pairMiddle(old, fresh, pairs, head);
  return pairs;
}

function pairMiddle(old: readonly string[], fresh: readonly string[], pairs: number[], head: number): void {
  const places = placesByLine(old);
  let next = head;
  for (const [index, line] of fresh.entries()) {
    if (pairs[index] !== UNPAIRED) continue;
    const candidates = places.get(line);
    if (candidates === undefined) continue;
    while (candidates.next < candidates.indexes.length && (candidates.indexes[candidates.next] ?? 0) < next) {
      candidates.next += 1;
    }
    const ahead = candidates.indexes[candidates.next];
    pairs[index] = ahead ?? candidates.indexes[0] ?? UNPAIRED;
    if (ahead !== undefined) next = ahead + 1;
  }
}

type Places = { readonly indexes: number[]; next: number };

function placesByLine(lines: readonly string[]): Map<string, Places> {
  const places = new Map<string, Places>();
  for (const [index, line] of lines.entries()) {
    const known = places.get(line);
    if (known === undefined) places.set(line, { indexes: [index], next: 0 });
    else known.indexes.push(index);
  }
  return places;
}
