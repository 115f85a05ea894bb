import { parentPort } from 'node:worker_threads';
import { workedOut } from '../worker/work-out.ts';
import type { Answer, Asked } from './messages.ts';

/** The thread of `open-thread.ts`. */
parentPort?.on('message', ({ name, input }: Asked) => {
  try {
    answer({ kind: 'done', output: workedOut(name, input) });
  } catch (error) {
    answer({ kind: 'failed', error });
  }
});

function answer(answered: Answer): void {
  parentPort?.postMessage(answered);
}
