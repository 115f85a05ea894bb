import { setImmediate as breath } from 'node:timers/promises';
import { offloadInline } from '../../src/worker/offload/offload.ts';
import { WORST_CASE_CALLS } from './worst-case-calls.ts';

/**
 * Prints by how many times a file's bytes the memory grows by the first call, on a file of 2 MB; run it with
 * --expose-gc.
 */
const TIMES = 6;

const [first] = WORST_CASE_CALLS;

const usedBytes = (): number => {
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
};

/** What one call adds; less where the engine happens to collect in the middle of it. */
async function measureGrowth(): Promise<number> {
  // Memory of buffers is given back a little after the collection that found them unused.
  globalThis.gc?.();
  await breath();
  globalThis.gc?.();
  const before = usedBytes();
  first?.[1](offloadInline);
  return usedBytes() - before;
}

const growths: number[] = [];

for (let time = 0; time < TIMES; time += 1) growths.push(await measureGrowth());

process.stdout.write(JSON.stringify({ times: Math.max(...growths) / 1_990_000 }));
