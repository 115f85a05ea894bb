import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { isRecord } from '../../trust.ts';

/** A server on the loopback interface; `close` also ends connections that hang. */
export type Listening = { readonly url: string; readonly close: () => Promise<void> };

/** Serves `answer` on 127.0.0.1. Port 0 takes a free one. Rejects when the port is taken. */
export async function listen(
  answer: (request: IncomingMessage, response: ServerResponse) => void,
  port = 0,
): Promise<Listening> {
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

/** All bytes of a request's body. Rejects when the client goes away before the end. */
export async function readBody(request: IncomingMessage): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks);
}

/** Headers with lower-case names; a repeated header is joined by a comma. */
export function flatHeaders(request: IncomingMessage): Readonly<Record<string, string>> {
  const flat: Record<string, string> = {};
  for (const [name, value] of Object.entries(request.headers)) {
    if (value !== undefined) flat[name] = Array.isArray(value) ? value.join(', ') : value;
  }
  return flat;
}
