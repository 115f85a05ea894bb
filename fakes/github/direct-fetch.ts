import { setImmediate as nextTurn } from 'node:timers/promises';
import { createFetch } from './api-server.ts';
import type { FakeGitHub } from './fake-github.ts';

const overSockets = globalThis.fetch;

const answering = new Map<string, typeof fetch>();

const direct: typeof fetch = async (address, options) => {
  const answer = answering.get(address instanceof Request ? '' : new URL(address).origin) ?? overSockets;
  return answer(address, options);
};

/**
 * Answers requests to this fake without sockets, which cost more than all other parts of most stories. While faults are
 * armed, requests take the sockets. The returned function ends it.
 */
export function answerDirectly({ apiServer, faults, url }: FakeGitHub): () => void {
  const inProcess = createFetch(apiServer);
  const { origin } = new URL(url);
  globalThis.fetch = direct;
  answering.set(origin, async (address, options) => {
    if (address instanceof Request || faults.pending().length > 0) return overSockets(address, options);
    // A request arrives later than it is sent, as over a socket.
    await nextTurn();
    return inProcess(address, { ...options, headers: options?.headers, redirect: options?.redirect });
  });
  return () => {
    answering.delete(origin);
    if (answering.size === 0) globalThis.fetch = overSockets;
  };
}
