import { parentPort } from 'node:worker_threads';
import { wholeInput } from '../trust.ts';
import { workedOut } from '../worker/work-out.ts';
import type { Answer, Sent } from './messages.ts';

/** Lists of the question that follows, as far as they have come. */
let lists: Record<string, unknown[]> = {};

/** The thread of `open-thread.ts`. */
parentPort?.on('message', (sent: Sent) => {
  if ('of' in sent) {
    lists[sent.of] = [...(lists[sent.of] ?? []), sent.entry];
    return;
  }
  const input = wholeInput(sent.input, lists);
  lists = {};
  try {
    answer({ kind: 'done', output: workedOut(sent.name, input) });
  } catch (error) {
    answer({ kind: 'failed', error });
  }
});

function answer(answered: Answer): void {
  parentPort?.postMessage(answered);
}
