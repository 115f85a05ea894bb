import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { isRecord } from '../../src/lib/trust.ts';

/** A server on 127.0.0.1. `close` also closes open connections. */
export type LocalHttpServer = { readonly url: string; readonly close: () => Promise<void> };

/** Starts a server on 127.0.0.1; port 0 selects a free port. Rejects if the port is in use. */
export async function startLocalServer(
  answer: (request: IncomingMessage, response: ServerResponse) => void,
  port = 0,
): Promise<LocalHttpServer> {
  const server = createServer(answer);
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', resolve);
  });
  const address = server.address();
  if (!isRecord(address)) throw new Error('The server has no port.');
  const close = (): Promise<void> =>
    new Promise((resolve, reject) => {
      server.close((error) => (error === undefined ? resolve() : reject(error)));
      server.closeAllConnections();
    });
  return { url: `http://127.0.0.1:${String(address['port'])}`, close };
}

/** Reads the whole body. Rejects if the client disconnects before its end. */
export async function readIncomingBody(request: IncomingMessage): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks);
}

/** Returns headers with lower-case names; repeated headers are joined by a comma. */
export function flattenHeaders(request: IncomingMessage): Readonly<Record<string, string>> {
  const flat: Record<string, string> = {};
  for (const [name, value] of Object.entries(request.headers)) {
    if (value !== undefined) flat[name] = Array.isArray(value) ? value.join(', ') : value;
  }
  return flat;
}
