import { describe, expect, it } from 'vitest';
import { type BenchmarkRow, formatTable, measureRows } from '../../../lab/bench/measure.ts';
import { ROWS, TOOL_CALL_ROWS } from '../../../lab/bench/rows.ts';
import { WORST_CASE_CALLS } from '../../../lab/bench/worst-case-calls.ts';
import { offloadInline } from '../../../src/worker/offload/offload.ts';

/** Gives these samples, one after the other; the first is thrown away. */
function row(name: string, unit: string, ...values: readonly number[]): BenchmarkRow {
  const rest = values.values();
  return { name, unit, sample: () => rest.next().value ?? Number.NaN };
}

describe('the benchmark', () => {
  it('takes the rows in turn and reports the median and the middle half, without the first round', async () => {
    const order: string[] = [];
    const noting = (from: BenchmarkRow): BenchmarkRow => ({
      ...from,
      sample: () => {
        order.push(from.name);
        return from.sample();
      },
    });
    const rows = [noting(row('a', 'ms', 99, 5, 1, 3, 2, 4)), noting(row('b', 'ms', 99, 10, 10, 10, 10, 1000))];
    expect(await measureRows(rows, 5)).toEqual([
      { name: 'a', unit: 'ms', median: 3, from: 2, to: 4 },
      { name: 'b', unit: 'ms', median: 10, from: 10, to: 10 },
    ]);
    expect(order).toEqual(Array.from({ length: 6 }, () => ['a', 'b']).flat());
  });

  it('compares what has the yardstick’s unit with it', async () => {
    const rows = [row('stick', '/s', 0, 200), row('half', '/s', 0, 100), row('time', 'ms', 0, 7)];
    const lines = formatTable(await measureRows(rows, 1));
    expect(lines.map((line) => line.split(/ {2,}/))).toEqual([
      ['row', 'median', 'middle half', 'of the yardstick'],
      ['stick', '200 /s', '200 to 200', '1 ×'],
      ['half', '100 /s', '100 to 100', '0.5 ×'],
      ['time', '7 ms', '7 to 7'],
    ]);
  });

  it('each of the calls whose longest is measured is answered (H6)', async () => {
    for (const [name, call] of WORST_CASE_CALLS) expect(await call(offloadInline), name).not.toBeUndefined();
  });

  it('every row measures something', async () => {
    const quick = ROWS.filter((one) => !TOOL_CALL_ROWS.includes(one));
    for (const { name, sample } of quick) expect(await sample(), name).toBeGreaterThan(0);
  }, 150_000);
});
