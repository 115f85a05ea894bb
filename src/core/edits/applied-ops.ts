import { isLineRunAt, type LineRun, type LineTable } from './text/line-table.ts';

/** A change that might have been applied: at this 0-based line of the base, `oldLineCount` lines became `newLines`. */
export type EditScriptOp<Item> = {
  readonly item: Item;
  readonly index: number;
  readonly oldLineCount: number;
  readonly newLines: LineRun;
};

/** How far base and head match, and which changes that took; null if several selections lead here. */
type Alignment<Item> = { readonly base: number; readonly head: number; readonly applied: readonly Item[] | null };

/** A file with more possible alignments proves nothing. */
const MAX_ALIGNMENTS = 128;

/**
 * The only selection of changes that turns the base into the head; null if there is none or more than one. Walks both
 * texts once, with as many alignments as repeated lines allow.
 */
export function findAppliedOps<Item>(
  base: LineTable,
  head: LineTable,
  ops: readonly EditScriptOp<Item>[],
): readonly Item[] | null {
  let alignments: Alignment<Item>[] = [{ base: 0, head: 0, applied: [] }];
  for (const op of [...ops].sort((left, right) => left.index - right.index)) {
    const advanced = alignments.flatMap((alignment) => advanceAlignment(alignment, op.index, base, head));
    alignments = mergeAlignments(advanced.flatMap((alignment) => [alignment, ...applyOp(alignment, op, head)]));
    if (alignments.length > MAX_ALIGNMENTS) return null;
  }
  const complete = mergeAlignments(
    alignments.flatMap((alignment) => advanceAlignment(alignment, base.lineCount, base, head)),
  );
  return complete.find((alignment) => alignment.head === head.lineCount)?.applied ?? null;
}

/** Matches lines up to `index` of the base. Returns none if the head differs. */
function advanceAlignment<Item>(
  alignment: Alignment<Item>,
  index: number,
  base: LineTable,
  head: LineTable,
): Alignment<Item>[] {
  const lineCount = index - alignment.base;
  if (lineCount <= 0) return [alignment];
  if (alignment.head + lineCount > head.lineCount) return [];
  const upcoming = head.text.slice(head.offsetAt(alignment.head), head.offsetAt(alignment.head + lineCount));
  if (upcoming !== base.text.slice(base.offsetAt(alignment.base), base.offsetAt(index))) return [];
  return [{ ...alignment, base: index, head: alignment.head + lineCount }];
}

function applyOp<Item>(alignment: Alignment<Item>, op: EditScriptOp<Item>, head: LineTable): Alignment<Item>[] {
  if (alignment.base > op.index || !isLineRunAt(head, alignment.head, op.newLines)) return [];
  return [
    {
      base: op.index + op.oldLineCount,
      head: alignment.head + op.newLines.lineCount,
      applied: alignment.applied === null ? null : [...alignment.applied, op.item],
    },
  ];
}

function mergeAlignments<Item>(alignments: readonly Alignment<Item>[]): Alignment<Item>[] {
  const merged = new Map<string, Alignment<Item>>();
  for (const alignment of alignments) {
    const key = `${alignment.base}:${alignment.head}`;
    merged.set(key, merged.has(key) ? { ...alignment, applied: null } : alignment);
  }
  return [...merged.values()];
}
