import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Region } from '../../src/change/change.ts';
import { lineTable } from '../../src/change/line-table.ts';
import { splitLines } from '../../src/change/lines.ts';
import { locateRegion, sidesOf } from '../../src/change/locate.ts';

const line = fc.constantFrom('a\n', 'b\n', 'a\r\n', '\n');
const lines = (maxLength: number) => fc.array(line, { maxLength });

function regionOf(before: readonly string[], old: readonly string[], after: readonly string[]): Region {
  return { oldStart: 1, newStart: 1, before, old, new: [], after };
}

/** Where lines stand in a row, told without any table. */
function startsOf(whole: readonly string[], run: readonly string[]): readonly number[] {
  return [...whole.keys()].filter((index) => run.length > 0 && run.every((one, at) => one === whole[index + at]));
}

/** The one place between the lines right next to it, at that end of the file where nothing stood there; null for none, or more. */
function between(whole: readonly string[], { before, old, after }: Region): number | null {
  const [above, below] = [before.slice(-1), after.slice(0, 1)];
  const run = [...above, ...old, ...below];
  const places = startsOf(whole, run)
    .filter((index) => above.length > 0 || index === 0)
    .filter((index) => below.length > 0 || index + run.length === whole.length);
  return places.length === 1 ? (places[0] ?? 0) + above.length : null;
}

describe('a region found in a text that may have moved', () => {
  it('S94: stands at its own line, else in the one place with all that was shown, else between its neighbours', () => {
    const seen = { own: 0, shown: 0, between: 0, nowhere: 0 };
    const last = fc.constantFrom('', 'a', 'b');
    fc.assert(
      fc.property(
        lines(12),
        last,
        lines(2),
        lines(2),
        lines(2),
        fc.nat({ max: 6 }),
        (all, end, before, old, after, start) => {
          const text = all.join('') + end;
          const inText = splitLines(text);
          const region = { ...regionOf(before, old, after), oldStart: start + (old.length === 0 ? 0 : 1) };
          const whole = [...before, ...old, ...after];
          const own = start - before.length;
          const standsThere =
            whole.length === 0 ? own >= 0 && own <= inText.length : startsOf(inText, whole).includes(own);
          const shown = startsOf(inText, whole);
          const amid = whole.length === 0 ? null : between(inText, region);
          const place = shown.length === 1 ? (shown[0] ?? 0) + before.length : amid;
          if (standsThere) seen.own += 1;
          else if (shown.length === 1) seen.shown += 1;
          else seen[amid === null ? 'nowhere' : 'between'] += 1;
          expect(locateRegion(lineTable(text), sidesOf(region))).toBe(standsThere ? start : place);
        },
      ),
      { numRuns: 5000 },
    );
    expect(Math.min(...Object.values(seen))).toBeGreaterThan(20);
  });

  it('H6: no more places are looked up than tell that there are two', () => {
    const table = lineTable('a\r\n'.repeat(20_000));
    let looked = 0;
    const indexAt = (offset: number): number => {
      looked += 1;
      return table.indexAt(offset);
    };
    expect(locateRegion({ ...table, indexAt }, sidesOf(regionOf(['a\r\n'], ['a\r\n'], ['a\r\n'])))).toBeNull();
    expect(looked).toBeLessThan(5);
  });
});
