import { parentPort } from 'node:worker_threads';
import type { Sample } from './changes.ts';
import { trySample } from './try-change.ts';

/** A worker thread of `fidelity.ts`. It receives samples and responds with their totals. */
parentPort?.on('message', async (sample: Sample) => {
  parentPort?.postMessage(await trySample(sample));
});
