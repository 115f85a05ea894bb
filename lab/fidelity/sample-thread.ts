import { parentPort } from 'node:worker_threads';
import type { Sample } from './samples.ts';
import { trySample } from './try-sample.ts';

/** A thread of `fidelity.ts`: each message is a sample, each answer its counts. */
parentPort?.on('message', async (sample: Sample) => {
  parentPort?.postMessage(await trySample(sample));
});
