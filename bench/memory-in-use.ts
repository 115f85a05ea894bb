import { once } from 'node:events';
import { createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { isRecord, parseJson } from '../src/trust.ts';

/** A process that can be asked for its memory: with these variables it has to be started. */
export type Watched = { readonly environment: Readonly<Record<string, string>>; readonly inUse: () => Promise<number> };

const GARBAGE = 'HeapProfiler.collectGarbage';
const USAGE = '(({ heapUsed, external }) => heapUsed + external)(process.memoryUsage())';
/** What finalizers of a first collection let go goes with a second one. */
const COLLECTIONS = 2;

/**
 * Tells how many bytes a process of Node holds once its garbage is collected, asked through its inspector. What the system
 * counts as resident goes up and down by a hundred megabytes with the collector's moods.
 */
export async function watchMemory(): Promise<Watched> {
  const port = await freePort();
  return {
    environment: { NODE_OPTIONS: `--inspect=127.0.0.1:${port}` },
    inUse: () => bytesInUse(port),
  };
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  if (address === null || typeof address === 'string') throw new Error('There is no port.');
  return address.port;
}

async function bytesInUse(port: number): Promise<number> {
  const socket = new WebSocket(await addressOf(port));
  await once(socket, 'open');
  try {
    for (let times = 0; times < COLLECTIONS; times += 1) {
      await asked(socket, GARBAGE, {});
      await sleep(200);
    }
    const { result } = await asked(socket, 'Runtime.evaluate', { expression: USAGE });
    return isRecord(result) ? Number(result['value']) : Number.NaN;
  } finally {
    socket.close();
  }
}

async function addressOf(port: number): Promise<string> {
  const pages: unknown = await (await fetch(`http://127.0.0.1:${port}/json/list`)).json();
  const page: unknown = Array.isArray(pages) ? pages[0] : null;
  return isRecord(page) ? String(page['webSocketDebuggerUrl']) : '';
}

/** One question at a time. */
async function asked(socket: WebSocket, method: string, params: object): Promise<Readonly<Record<string, unknown>>> {
  socket.send(JSON.stringify({ id: 1, method, params }));
  for (;;) {
    const [event] = await once(socket, 'message');
    const message = event instanceof MessageEvent ? parseJson(String(event.data)) : null;
    if (isRecord(message) && message['id'] === 1) return isRecord(message['result']) ? message['result'] : {};
  }
}
