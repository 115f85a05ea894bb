import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { lineTable, stretchOf } from '../../src/change/line-table.ts';
import { splitLines } from '../../src/change/lines.ts';
import { type Step, takenSteps } from '../../src/change/subset.ts';

const lines = (most: number) => fc.array(fc.constantFrom('a\n', 'a\n', 'b\n'), { maxLength: most });

/** What becomes of a base's lines by some of the steps, the last one first. */
function made(base: readonly string[], steps: readonly Step<number>[]): string {
  const lines = [...base];
  for (const { index, height, fresh: put } of steps.toReversed()) lines.splice(index, height, ...splitLines(put.text));
  return lines.join('');
}

/** All selections of steps. */
function selections<Item>(items: readonly Item[]): (readonly Item[])[] {
  const all: (readonly Item[])[] = [[]];
  for (const item of items) all.push(...all.map((some) => [...some, item]));
  return all;
}

describe('takenSteps', () => {
  it('S50: finds the one selection of changes that makes the head, or none where there are several', () => {
    const found = { one: 0, none: 0 };
    const drawn = fc.array(fc.tuple(fc.nat({ max: 3 }), fc.nat({ max: 2 }), lines(2)), { maxLength: 4 });
    fc.assert(
      fc.property(lines(12), drawn, fc.nat({ max: 15 }), (base, places, chosen) => {
        let at = 0;
        const steps = places.flatMap(([gap, height, fresh], item) => {
          const index = at + gap;
          const old = base.slice(index, index + height);
          if (index > base.length || old.join('') === fresh.join('')) return [];
          at = index + height + 1;
          return [{ item, index, height: old.length, fresh: stretchOf(fresh) }];
        });
        const head = made(
          base,
          steps.filter((_, bit) => (chosen >> bit) & 1),
        );
        const [one, ...others] = selections(steps).filter((some) => made(base, some) === head);
        const expected = one === undefined || others.length > 0 ? null : one.map(({ item }) => item);
        found[expected === null ? 'none' : 'one'] += 1;
        expect(takenSteps(lineTable(base.join('')), lineTable(head), steps)).toEqual(expected);
      }),
      { numRuns: 2000 },
    );
    expect(Math.min(found.one, found.none)).toBeGreaterThan(10);
  });
});
