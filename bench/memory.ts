import { setImmediate as breath } from 'node:timers/promises';
import { workOutHere } from '../src/worker/work-out.ts';
import { HOSTILE_CALLS } from './hostile-calls.ts';

/**
 * Prints by how many times a file's bytes the memory grows by the first call, on a file of 2 MB; run it with
 * --expose-gc.
 */
const TIMES = 6;
const [first] = HOSTILE_CALLS;
const used = (): number => {
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
};

/** What one call adds; less where the engine happens to collect in the middle of it. */
async function growth(): Promise<number> {
  // Memory of buffers is given back a little after the collection that found them unused.
  globalThis.gc?.();
  await breath();
  globalThis.gc?.();
  const before = used();
  first?.[1](workOutHere);
  return used() - before;
}

const grown: number[] = [];
for (let time = 0; time < TIMES; time += 1) grown.push(await growth());
process.stdout.write(JSON.stringify({ times: Math.max(...grown) / 1_990_000 }));
