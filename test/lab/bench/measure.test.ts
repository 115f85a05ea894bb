import { describe, expect, it } from 'vitest';
import { type BenchmarkRow, formatTable, measureRows } from '../../../lab/bench/measure.ts';
import { ROWS } from '../../../lab/bench/rows.ts';

/** A row with these samples. The benchmark discards the first one. */
function row(name: string, unit: string, ...values: readonly number[]): BenchmarkRow {
  const remaining = values.values();
  return { name, unit, sample: () => remaining.next().value ?? Number.NaN };
}

describe('the benchmark', () => {
  it('samples the rows in turn and reports the median and the middle half, without the first round', async () => {
    const order: string[] = [];
    const recorded = (original: BenchmarkRow): BenchmarkRow => ({
      ...original,
      sample: () => {
        order.push(original.name);
        return original.sample();
      },
    });
    const rows = [recorded(row('a', 'ms', 99, 5, 1, 3, 2, 4)), recorded(row('b', 'ms', 99, 10, 10, 10, 10, 1000))];
    expect(await measureRows(rows, 5)).toEqual([
      { name: 'a', unit: 'ms', median: 3, from: 2, to: 4 },
      { name: 'b', unit: 'ms', median: 10, from: 10, to: 10 },
    ]);
    expect(order).toEqual(Array.from({ length: 6 }, () => ['a', 'b']).flat());
  });

  it('compares rows of the same unit with the yardstick', async () => {
    const rows = [row('stick', '/s', 0, 200), row('half', '/s', 0, 100), row('time', 'ms', 0, 7)];
    const lines = formatTable(await measureRows(rows, 1));
    expect(lines.map((line) => line.split(/ {2,}/))).toEqual([
      ['row', 'median', 'middle half', 'of the yardstick'],
      ['stick', '200 /s', '200 to 200', '1 ×'],
      ['half', '100 /s', '100 to 100', '0.5 ×'],
      ['time', '7 ms', '7 to 7'],
    ]);
  });

  it('every row measures a number', async () => {
    for (const { name, sample } of ROWS) expect(await sample(), name).toSatisfy(Number.isFinite);
  }, 150_000);
});
