import { parentPort } from 'node:worker_threads';
import type { Sample } from './packs.ts';
import { trySample } from './try-ways.ts';

/** A thread of `lanes.ts`: each message is a sample, each answer its counts. */
parentPort?.on('message', async (sample: Sample) => {
  parentPort?.postMessage(await trySample(sample));
});
