import { parentPort } from 'node:worker_threads';
import { mergeInputLists } from '../../lib/trust.ts';
import { runOffloaded } from './offload.ts';
import type { OffloadMessage, OffloadReply } from './thread.ts';

/** List entries of the next request, by the list's name. */
let pendingLists: Record<string, unknown[]> = {};

// The main module of the thread that `thread.ts` starts.
parentPort?.on('message', (message: OffloadMessage) => {
  if ('list' in message) {
    const entries = pendingLists[message.list] ?? [];
    entries.push(message.entry);
    pendingLists[message.list] = entries;
    return;
  }
  const input = mergeInputLists(message.input, pendingLists);
  pendingLists = {};
  try {
    postReply({ kind: 'done', output: runOffloaded(message.name, input) });
  } catch (error) {
    postReply({ kind: 'failed', error });
  }
});

function postReply(reply: OffloadReply): void {
  parentPort?.postMessage(reply);
}
