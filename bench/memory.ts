import { HOSTILE_CALLS } from './hostile-calls.ts';

/** Prints by how many times a file's bytes the memory grows by the first call, on a file of 2 MB; run it with --expose-gc. */
const [first] = HOSTILE_CALLS;
const used = (): number => {
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
};
first?.[1]();
globalThis.gc?.();
const before = used();
first?.[1]();
process.stdout.write(JSON.stringify({ times: (used() - before) / 1_990_000 }));
