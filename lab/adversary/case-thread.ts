import { parentPort } from 'node:worker_threads';
import { tryCase } from './totals.ts';

// Simulated faults are exceptions. Capturing their stacks would be slow, and only `--trace` shows them.
Error.stackTraceLimit = 0;

/** Answers each seed with the totals of its case. An exception ends the thread, and the main thread gets it as an error. */
parentPort?.on('message', async (seed: number) => {
  parentPort?.postMessage(await tryCase(seed));
});
