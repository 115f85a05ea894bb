import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Region } from '../../src/change/change.ts';
import { lineTable } from '../../src/change/line-table.ts';
import { splitLines } from '../../src/change/lines.ts';
import { placeByNeighbours } from '../../src/change/locate.ts';

const line = fc.constantFrom('a\n', 'b\n', 'a\r\n', '\n');
const lines = (maxLength: number) => fc.array(line, { maxLength });

function regionOf(before: readonly string[], old: readonly string[], after: readonly string[]): Region {
  return { oldStart: 1, newStart: 1, before, old, new: [], after };
}

describe('a region found by the lines right next to it', () => {
  it('S94: stands in one place, at that end of the file where nothing stood next to it', () => {
    const seen = new Set<boolean>();
    fc.assert(
      fc.property(
        lines(9),
        lines(2),
        lines(2),
        lines(2),
        fc.constantFrom('', 'a', 'b'),
        (all, before, old, after, last) => {
          const text = all.join('') + last;
          const whole = splitLines(text);
          const [above, below] = [before.slice(-1), after.slice(0, 1)];
          const run = [...above, ...old, ...below];
          const starts = [...whole.keys()].filter(
            (index) => run.length > 0 && run.every((one, at) => one === whole[index + at]),
          );
          const places = starts
            .filter((index) => above.length > 0 || index === 0)
            .filter((index) => below.length > 0 || index + run.length === whole.length);
          const only = places.length === 1 ? (places[0] ?? 0) + above.length : null;
          seen.add(only === null);
          expect(placeByNeighbours(lineTable(text), regionOf(before, old, after))).toBe(only);
        },
      ),
      { numRuns: 3000 },
    );
    expect(seen.size).toBe(2);
  });

  it('H6: no more places are looked up than tell that there are two', () => {
    const table = lineTable('a\r\n'.repeat(20_000));
    let looked = 0;
    const indexAt = (offset: number): number => {
      looked += 1;
      return table.indexAt(offset);
    };
    expect(placeByNeighbours({ ...table, indexAt }, regionOf(['a\r\n'], ['a\r\n'], ['a\r\n']))).toBeNull();
    expect(looked).toBeLessThan(3);
  });
});
