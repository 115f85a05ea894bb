import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type EditScriptOp, findAppliedOps } from '../../../../src/core/edits/applied-ops.ts';
import { createLineRun, createLineTable } from '../../../../src/core/edits/text/line-table.ts';
import { splitLines } from '../../../../src/core/edits/text/lines.ts';

const lines = (maxLength: number) => fc.array(fc.constantFrom('a\n', 'a\n', 'b\n'), { maxLength });

/** Applies ops to the lines of a base, the last one first. */
function applyOps(base: readonly string[], ops: readonly EditScriptOp<number>[]): string {
  const lines = [...base];
  for (const { index, oldLineCount, newLines } of ops.toReversed())
    lines.splice(index, oldLineCount, ...splitLines(newLines.text));
  return lines.join('');
}

/** All subsets. */
function selections<Item>(items: readonly Item[]): (readonly Item[])[] {
  const all: (readonly Item[])[] = [[]];
  for (const item of items) all.push(...all.map((some) => [...some, item]));
  return all;
}

describe('findAppliedOps', () => {
  it('finds the only selection of changes that gives the head, or none if there are several (S50)', () => {
    const found = { one: 0, none: 0 };
    const drawn = fc.array(fc.tuple(fc.nat({ max: 3 }), fc.nat({ max: 2 }), lines(2)), { maxLength: 4 });
    fc.assert(
      fc.property(lines(12), drawn, fc.nat({ max: 15 }), (base, places, chosen) => {
        let at = 0;
        const ops = places.flatMap(([gap, lineCount, newLines], item) => {
          const index = at + gap;
          const old = base.slice(index, index + lineCount);
          if (index > base.length || old.join('') === newLines.join('')) return [];
          at = index + lineCount + 1;
          return [{ item, index, oldLineCount: old.length, newLines: createLineRun(newLines) }];
        });
        const head = applyOps(
          base,
          ops.filter((_, bit) => (chosen >> bit) & 1),
        );
        const [one, ...others] = selections(ops).filter((some) => applyOps(base, some) === head);
        const expected = one === undefined || others.length > 0 ? null : one.map(({ item }) => item);
        found[expected === null ? 'none' : 'one'] += 1;
        expect(findAppliedOps(createLineTable(base.join('')), createLineTable(head), ops)).toEqual(expected);
      }),
      { numRuns: 700 },
    );
    expect(Math.min(found.one, found.none)).toBeGreaterThan(10);
  });
});
