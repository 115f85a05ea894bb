import process from 'node:process';
import { setTimeout as sleep } from 'node:timers/promises';
import { alignRows } from '../shared/table.ts';

/** One row of the benchmark. `sample` takes a single measurement, in `unit`. */
export type BenchmarkRow = {
  readonly name: string;
  readonly unit: string;
  readonly sample: () => number | Promise<number>;
};

/** A row's median. `from` and `to` bound the middle half of its samples, which shows how stable the median is. */
type RowResult = {
  readonly name: string;
  readonly unit: string;
  readonly median: number;
  readonly from: number;
  readonly to: number;
};

/** Samples all rows in turn, so that other load on the machine affects each row alike. Discards a first round. */
export async function measureRows(rows: readonly BenchmarkRow[], rounds: number): Promise<readonly RowResult[]> {
  for (const row of rows) await row.sample();
  const samples = rows.map((): number[] => []);
  for (let round = 0; round < rounds; round += 1) {
    for (const [index, row] of rows.entries()) samples[index]?.push(await row.sample());
  }
  return rows.map(({ name, unit }, index) => {
    const values = samples[index] ?? [];
    return { name, unit, median: quantile(values, 0.5), from: quantile(values, 0.25), to: quantile(values, 0.75) };
  });
}

/** The value below which `part` (0 to 1) of all values lie: 0.5 is the median, 1 the maximum. NaN without values. */
export function quantile(values: readonly number[], part: number): number {
  const sorted = values.toSorted((left, right) => left - right);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? Number.NaN;
}

/** The lines of a table. The first row is the yardstick of all rows with its unit. */
export function formatTable(results: readonly RowResult[]): readonly string[] {
  const [yardstick] = results;
  const cells = results.map(({ name, unit, median, from, to }) => [
    name,
    `${formatNumber(median)} ${unit}`,
    `${formatNumber(from)} to ${formatNumber(to)}`,
    yardstick?.unit === unit ? `${formatNumber(median / yardstick.median)} ×` : '',
  ]);
  return alignRows([['row', 'median', 'middle half', 'of the yardstick'], ...cells], 4);
}

function formatNumber(value: number): string {
  return value.toLocaleString('en', { maximumSignificantDigits: 3 });
}

/** CPU time of this thread since `start`, in ms. Other processes don't affect it. Some clocks have steps of 4 ms. */
function threadMsSince(start: ReturnType<typeof process.threadCpuUsage>): number {
  const { user, system } = process.threadCpuUsage(start);
  return (user + system) / 1000;
}

/** CPU time after which a rate is precise despite the steps of the clock. */
const MIN_SAMPLE_MS = 60;

/** Units of work per second of this thread's CPU time. `work` returns how many units one call does. */
export function measurePerSecond(work: () => number): number {
  let units = 0;
  let spentMs = 0;
  while (spentMs < MIN_SAMPLE_MS) {
    const start = process.threadCpuUsage();
    units += work();
    spentMs += threadMsSince(start);
  }
  return (units / spentMs) * 1000;
}

/** CPU time of one call, in ms of this thread. */
export function measureMs(work: () => unknown): number {
  return (
    1000 /
    measurePerSecond(() => {
      work();
      return 1;
    })
  );
}

/** Limits of a poll, in ms. */
type PollOptions = { readonly timeoutMs?: number; readonly intervalMs?: number };

/** For latencies of some tens of ms, which a longer interval would distort. */
export const FINE_POLL = { timeoutMs: 60_000, intervalMs: 2 } as const satisfies PollOptions;

/** Resolves once `isDone` returns true. Throws at the timeout. */
export async function pollUntil(
  isDone: () => boolean | Promise<boolean>,
  { timeoutMs = 120_000, intervalMs = 5 }: PollOptions = {},
): Promise<void> {
  const deadline = performance.now() + timeoutMs;
  while (!(await isDone())) {
    if (performance.now() > deadline) throw new Error(`The condition was not met within ${timeoutMs} ms.`);
    await sleep(intervalMs);
  }
}
