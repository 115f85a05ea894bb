import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Region } from '../../src/change/change.ts';
import { lineTable } from '../../src/change/line-table.ts';
import { splitLines } from '../../src/change/lines.ts';
import { locateRegion, placeByNeighbours, sidesOf } from '../../src/change/locate.ts';

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
          expect(placeByNeighbours(lineTable(text), sidesOf(regionOf(before, old, after)))).toBe(only);
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
    expect(placeByNeighbours({ ...table, indexAt }, sidesOf(regionOf(['a\r\n'], ['a\r\n'], ['a\r\n'])))).toBeNull();
    expect(looked).toBeLessThan(3);
  });
});

describe('a region found in a text that may have moved', () => {
  it('S94: stands at its own line, else in the one place with all that was shown, else between its neighbours', () => {
    const seen = { own: 0, shown: 0, between: 0, nowhere: 0 };
    fc.assert(
      fc.property(lines(12), lines(2), lines(2), lines(2), fc.nat({ max: 6 }), (all, before, old, after, start) => {
        const text = all.join('');
        const table = lineTable(text);
        const sides = sidesOf({ ...regionOf(before, old, after), oldStart: start + (old.length === 0 ? 0 : 1) });
        const whole = [...before, ...old, ...after];
        const stands = (index: number) =>
          index >= 0 && index + whole.length <= all.length && whole.every((one, at) => one === all[index + at]);
        const shown = [...all.keys()].filter((index) => whole.length > 0 && stands(index));
        const between = whole.length === 0 ? null : placeByNeighbours(table, sides);
        const place = shown.length === 1 ? (shown[0] ?? 0) + before.length : between;
        const expected = stands(start - before.length) ? start : place;
        if (stands(start - before.length)) seen.own += 1;
        else if (shown.length === 1) seen.shown += 1;
        else seen[between === null ? 'nowhere' : 'between'] += 1;
        expect(locateRegion(table, sides)).toBe(expected);
      }),
      { numRuns: 3000 },
    );
    expect(Math.min(...Object.values(seen))).toBeGreaterThan(20);
  });
});
