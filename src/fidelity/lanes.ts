import { Worker } from 'node:worker_threads';
import type { Sample } from './packs.ts';
import type { Tally } from './tally.ts';
import { trySample } from './try-ways.ts';

/** Tries one sample after the other, beside other lanes. */
export type Lane = {
  readonly trySample: (sample: Sample) => Promise<Tally>;
  readonly close: () => Promise<unknown>;
};

/** As many lanes as `threads`, each in a thread of its own; a single one works in this thread. */
export function openLanes(threads: number): readonly Lane[] {
  if (threads === 1) return [{ trySample, close: async () => {} }];
  return Array.from({ length: threads }, openLane);
}

function openLane(): Lane {
  const worker = new Worker(new URL('lane-thread.ts', import.meta.url));
  return {
    trySample: (sample) =>
      new Promise((resolve, reject) => {
        worker.once('error', reject);
        worker.once('message', (tally: Tally) => {
          worker.off('error', reject);
          resolve(tally);
        });
        worker.postMessage(sample);
      }),
    close: () => worker.terminate(),
  };
}
