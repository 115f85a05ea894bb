import { parentPort } from 'node:worker_threads';
import { mergeInputLists } from '../../lib/trust.ts';
import { runOffloaded } from './offload.ts';
import type { OffloadMessage, OffloadReply } from './thread.ts';

/** List entries of the next request, by the list's name. */
let pendingLists: Record<string, unknown[]> = {};

// The main module of the thread that `thread.ts` starts.
parentPort?.on('message', async (message: OffloadMessage) => {
  if ('list' in message) {
    const entries = pendingLists[message.list] ?? [];
    entries.push(message.entry);
    pendingLists[message.list] = entries;
    return;
  }
  const input = mergeInputLists(message.input, pendingLists);
  pendingLists = {};
  try {
    postReply({ kind: 'done', output: await runOffloaded(message.name, input) });
  } catch (error) {
    if (isBrokenWasm(error)) throw error;
    postReply({ kind: 'failed', error });
  }
});

/** After a trap the memory of WebAssembly is in disorder, so the thread ends and another one starts. */
function isBrokenWasm(error: unknown): boolean {
  return error instanceof Error && error.name === 'RuntimeError';
}

function postReply(reply: OffloadReply): void {
  parentPort?.postMessage(reply);
}
