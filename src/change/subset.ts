import { type LineTable, offsetAt, type Stretch, standsAt } from './line-table.ts';

/** One change that may or may not have been made: at this 0-based line of the base, so many lines became others. */
export type Step<Item> = {
  readonly item: Item;
  readonly index: number;
  readonly height: number;
  readonly fresh: Stretch;
};

/** How far base and head have been read alike, and which changes that took; null where several selections come here. */
type Walk<Item> = { readonly base: number; readonly head: number; readonly taken: readonly Item[] | null };

/** More ways than this to read a file are not followed: such a file proves nothing. */
const MOST_WALKS = 128;

/**
 * The changes that turn the base's lines into the head's and leave nothing over; null where there is no such
 * selection or more than one. Walks both once, with as many readings as repeated lines leave open.
 */
export function takenSteps<Item>(
  base: LineTable,
  head: LineTable,
  steps: readonly Step<Item>[],
): readonly Item[] | null {
  let walks: Walk<Item>[] = [{ base: 0, head: 0, taken: [] }];
  for (const step of [...steps].sort((left, right) => left.index - right.index)) {
    const reached = walks.flatMap((walk) => advance(walk, step.index, base, head));
    walks = merge(reached.flatMap((walk) => [walk, ...take(walk, step, head)]));
    if (walks.length > MOST_WALKS) return null;
  }
  const ended = merge(walks.flatMap((walk) => advance(walk, base.count, base, head)));
  return ended.find((walk) => walk.head === head.count)?.taken ?? null;
}

/** Reads on to a line of the base; the walk ends where the head differs. One that is beyond the line stays. */
function advance<Item>(walk: Walk<Item>, index: number, base: LineTable, head: LineTable): Walk<Item>[] {
  const gap = index - walk.base;
  if (gap <= 0) return [walk];
  if (walk.head + gap > head.count) return [];
  const ahead = head.text.slice(offsetAt(head, walk.head), offsetAt(head, walk.head + gap));
  if (ahead !== base.text.slice(offsetAt(base, walk.base), offsetAt(base, index))) return [];
  return [{ ...walk, base: index, head: walk.head + gap }];
}

function take<Item>(walk: Walk<Item>, step: Step<Item>, head: LineTable): Walk<Item>[] {
  if (walk.base > step.index || !standsAt(head, walk.head, step.fresh)) return [];
  return [
    {
      base: step.index + step.height,
      head: walk.head + step.fresh.lines,
      taken: walk.taken === null ? null : [...walk.taken, step.item],
    },
  ];
}

function merge<Item>(walks: readonly Walk<Item>[]): Walk<Item>[] {
  const merged = new Map<string, Walk<Item>>();
  for (const walk of walks) {
    const key = `${walk.base}:${walk.head}`;
    merged.set(key, merged.has(key) ? { ...walk, taken: null } : walk);
  }
  return [...merged.values()];
}
