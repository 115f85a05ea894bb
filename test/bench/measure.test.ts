import { describe, expect, it } from 'vitest';
import { BOUND_ROWS } from '../../bench/bound-rows.ts';
import { HOSTILE_CALLS } from '../../bench/hostile-calls.ts';
import { measure, type Row, table } from '../../bench/measure.ts';
import { ROWS } from '../../bench/rows.ts';
import { workOutHere } from '../../src/worker/work-out.ts';

/** Gives these samples, one after the other; the first is thrown away. */
function row(name: string, unit: string, ...values: readonly number[]): Row {
  const rest = values.values();
  return { name, unit, sample: () => rest.next().value ?? Number.NaN };
}

describe('the benchmark', () => {
  it('takes the rows in turn and tells the median and the middle half, without the first round', async () => {
    const order: string[] = [];
    const noting = (from: Row): Row => ({
      ...from,
      sample: () => {
        order.push(from.name);
        return from.sample();
      },
    });
    const rows = [noting(row('a', 'ms', 99, 5, 1, 3, 2, 4)), noting(row('b', 'ms', 99, 10, 10, 10, 10, 1000))];
    expect(await measure(rows, 5)).toEqual([
      { name: 'a', unit: 'ms', median: 3, from: 2, to: 4 },
      { name: 'b', unit: 'ms', median: 10, from: 10, to: 10 },
    ]);
    expect(order).toEqual(Array.from({ length: 6 }, () => ['a', 'b']).flat());
  });

  it('compares what has the yardstick’s unit with it', async () => {
    const rows = [row('stick', '/s', 0, 200), row('half', '/s', 0, 100), row('time', 'ms', 0, 7)];
    const lines = table(await measure(rows, 1));
    expect(lines.map((line) => line.split(/ {2,}/))).toEqual([
      ['row', 'median', 'middle half', 'of the yardstick'],
      ['stick', '200 /s', '200 to 200', '1 ×'],
      ['half', '100 /s', '100 to 100', '0.5 ×'],
      ['time', '7 ms', '7 to 7'],
    ]);
  });

  it('H6: each of the calls whose longest is measured is answered', async () => {
    for (const [name, call] of HOSTILE_CALLS) expect(await call(workOutHere), name).not.toBeUndefined();
  });

  it('every row measures something', async () => {
    const quick = ROWS.filter((one) => !BOUND_ROWS.includes(one));
    for (const { name, sample } of quick) expect(await sample(), name).toBeGreaterThan(0);
  }, 150_000);
});
