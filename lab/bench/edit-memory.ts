/**
 * Prints as JSON the memory growth of the first worst-case call on a file of 2 MB, as a multiple of the file's size.
 * Run it with `--expose-gc`.
 */
import process from 'node:process';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { offloadInline } from '../../src/worker/offload/offload.ts';
import { MAX_FILE_BYTES, WORST_CASE_CALLS } from './worst-case-calls.ts';

const SAMPLE_COUNT = 6;

const [firstCall] = WORST_CASE_CALLS;

const usedBytes = (): number => {
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
};

/** The growth of one call, in bytes. It is too low if the engine collects garbage during the call. */
async function measureGrowth(): Promise<number> {
  // Buffers are freed shortly after the collection that found them unused.
  globalThis.gc?.();
  await nextTurn();
  globalThis.gc?.();
  const before = usedBytes();
  firstCall?.[1](offloadInline);
  return usedBytes() - before;
}

const growths: number[] = [];

for (let sample = 0; sample < SAMPLE_COUNT; sample += 1) growths.push(await measureGrowth());

process.stdout.write(JSON.stringify({ times: Math.max(...growths) / MAX_FILE_BYTES }));
