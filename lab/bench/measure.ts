import { setImmediate as turn } from 'node:timers/promises';
import type { Offload } from '../../src/worker/offload/offload.ts';
import { createOffloadThread } from '../../src/worker/offload/thread.ts';

/** One row of the benchmark. `sample` takes a single measurement, in `unit`. */
export type BenchmarkRow = {
  readonly name: string;
  readonly unit: string;
  readonly sample: () => number | Promise<number>;
};

/** What all samples of a row came to. */
type RowResult = {
  readonly name: string;
  readonly unit: string;
  readonly median: number;
  /** The middle half of the samples: how much to trust the median. */
  readonly from: number;
  readonly to: number;
};

/**
 * Takes the samples of all rows in turn, so that a busy moment of the machine falls on each of them alike and their
 * ratios hold though the numbers themselves differ between machines. A first round is thrown away.
 */
export async function measureRows(rows: readonly BenchmarkRow[], rounds: number): Promise<readonly RowResult[]> {
  for (const row of rows) await row.sample();
  const samples = rows.map((): number[] => []);
  for (let round = 0; round < rounds; round += 1) {
    for (const [index, row] of rows.entries()) samples[index]?.push(await row.sample());
  }
  return rows.map(({ name, unit }, index) => {
    const own = samples[index] ?? [];
    return { name, unit, median: quantile(own, 0.5), from: quantile(own, 0.25), to: quantile(own, 0.75) };
  });
}

/** The value below which `part` (0 to 1) of all lie: 0.5 is the median, 1 the greatest. NaN where there are none. */
export function quantile(values: readonly number[], part: number): number {
  const sorted = values.toSorted((one, other) => one - other);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? Number.NaN;
}

/** The rows as lines of a table; each is compared with the first, which is the yardstick. */
export function formatTable(measured: readonly RowResult[]): readonly string[] {
  const [yardstick] = measured;
  const cells = measured.map(({ name, unit, median, from, to }) => [
    name,
    `${formatNumber(median)} ${unit}`,
    `${formatNumber(from)} to ${formatNumber(to)}`,
    yardstick?.unit === unit ? `${formatNumber(median / yardstick.median)} ×` : '',
  ]);
  const all = [['row', 'median', 'middle half', 'of the yardstick'], ...cells];
  const widths = all.reduce(
    (widest, row) => row.map((cell, index) => Math.max(cell.length, widest[index] ?? 0)),
    [0, 0, 0, 0],
  );
  return all.map((row) =>
    row
      .map((cell, index) => cell.padEnd(widths[index] ?? 0))
      .join('  ')
      .trimEnd(),
  );
}

function formatNumber(value: number): string {
  return value.toLocaleString('en', { maximumSignificantDigits: 3 });
}

/** How often `work` is done in a second of this thread's own time; it is repeated until that can be told. */
export function measurePerSecond(work: () => number): number {
  const ENOUGH_MS = 60;
  let done = 0;
  let spent = 0;
  while (spent < ENOUGH_MS) {
    spent += threadMs(() => {
      done += work();
    });
  }
  return (done / spent) * 1000;
}

/** Milliseconds of this thread's own time that one run takes. */
export function measureMs(work: () => unknown): number {
  return (
    1000 /
    measurePerSecond(() => {
      work();
      return 1;
    })
  );
}

/**
 * The same of what is awaited, all of this thread's own work from the call to the answer: where another thread works it out,
 * what it takes to send and to receive. Never less than the longest time in one piece for which the event loop is kept.
 */
export async function measureOwnThreadMs(work: () => unknown): Promise<number> {
  const TIMES = 4;
  const before = process.threadCpuUsage();
  for (let time = 0; time < TIMES; time += 1) await work();
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1000 / TIMES;
}

/** The longest piece of such work, in this thread's own time: for so long the event loop does nothing else. */
async function measureLongestBlock(work: () => Promise<unknown>): Promise<number> {
  let longest = 0;
  let isDone = false;
  let before = process.threadCpuUsage();
  const done = work().finally(() => {
    isDone = true;
  });
  while (!isDone) {
    await turn();
    const { user, system } = process.threadCpuUsage(before);
    longest = Math.max(longest, (user + system) / 1000);
    before = process.threadCpuUsage();
  }
  await done;
  return longest;
}

/**
 * Time that this thread worked: other processes on the machine do not count. The clock's steps are 4 ms on some
 * machines.
 */
function threadMs(work: () => void): number {
  const before = process.threadCpuUsage();
  work();
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1000;
}

/** The same thread that the App has; it is started by the first row that needs it. */
const thread = createOffloadThread({ log: { warn: () => {} } });

/** For how long the call of these that keeps this process's own thread longest does so (ms): sending, receiving and what is small. */
export async function longestOwnThreadMs(calls: readonly ((workOut: Offload) => unknown)[]): Promise<number> {
  let longest = 0;
  for (const call of calls) longest = Math.max(longest, await measureOwnThreadMs(() => call(thread.offload)));
  return longest;
}

/** For how long it keeps the event loop at most in one piece (ms). */
export function longestBlockOf(call: (workOut: Offload) => Promise<unknown>): Promise<number> {
  return measureLongestBlock(() => call(thread.offload));
}
