import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Region } from '../../../../src/core/edits/change.ts';
import { createRegionPattern, locateRegion } from '../../../../src/core/edits/locate-region.ts';
import { createLineTable } from '../../../../src/core/edits/text/line-table.ts';
import { splitLines } from '../../../../src/core/edits/text/lines.ts';

const line = fc.constantFrom('a\n', 'b\n', 'a\r\n', '\n');

const lines = (maxLength: number) => fc.array(line, { maxLength });

function regionOf(before: readonly string[], old: readonly string[], after: readonly string[]): Region {
  return { oldStart: 1, newStart: 1, before, old, new: [], after };
}

/** The starts of a run of lines, found without a table. */
function startsOf(whole: readonly string[], run: readonly string[]): readonly number[] {
  return [...whole.keys()].filter((index) => run.length > 0 && run.every((one, at) => one === whole[index + at]));
}

/** The only place between its neighbors, or at that end of the file without one; null for none or several. */
function between(whole: readonly string[], { before, old, after }: Region): number | null {
  const [above, below] = [before.slice(-1), after.slice(0, 1)];
  const run = [...above, ...old, ...below];
  const places = startsOf(whole, run)
    .filter((index) => above.length > 0 || index === 0)
    .filter((index) => below.length > 0 || index + run.length === whole.length);
  return places.length === 1 ? (places[0] ?? 0) + above.length : null;
}

describe('a region in a text that might have moved it', () => {
  it('is at its own line, else at the only place with its full context, else between its neighbors (S94)', () => {
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
          const isAtOwnLine =
            whole.length === 0 ? own >= 0 && own <= inText.length : startsOf(inText, whole).includes(own);
          const shown = startsOf(inText, whole);
          const betweenNeighbors = whole.length === 0 ? null : between(inText, region);
          const place = shown.length === 1 ? (shown[0] ?? 0) + before.length : betweenNeighbors;
          if (isAtOwnLine) seen.own += 1;
          else if (shown.length === 1) seen.shown += 1;
          else seen[betweenNeighbors === null ? 'nowhere' : 'between'] += 1;
          expect(locateRegion(createLineTable(text), createRegionPattern(region))).toBe(isAtOwnLine ? start : place);
        },
      ),
      { numRuns: 1_500 },
    );
    expect(Math.min(...Object.values(seen))).toBeGreaterThan(20);
  });

  it('stops looking up places after two (H6)', () => {
    const table = createLineTable('a\r\n'.repeat(20_000));
    let lookups = 0;
    const indexAt = (offset: number): number => {
      lookups += 1;
      return table.indexAt(offset);
    };
    expect(
      locateRegion({ ...table, indexAt }, createRegionPattern(regionOf(['a\r\n'], ['a\r\n'], ['a\r\n']))),
    ).toBeNull();
    expect(lookups).toBeLessThan(5);
  });
});
