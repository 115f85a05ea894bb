import { hash } from 'node:crypto';
import { once } from 'node:events';
import { chmodSync, rmSync } from 'node:fs';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import { join, resolve } from 'node:path';
import process from 'node:process';
import { text } from 'node:stream/consumers';
import { errorCodeOf } from '../../lib/outage.ts';
import { parseJson } from '../../lib/trust.ts';
import type { Logger } from '../telemetry/log.ts';

/** Answers a question by its name and its input as JSON; null for an unknown name. */
type AnswerQuestion = (name: string, input: unknown) => Promise<unknown> | null;

/** Paths of sockets are shorter than other paths on every system. */
const MAX_SOCKET_PATH_BYTES = 103;

/** A socket in the data directory. Windows has named pipes instead, which other users can only read from. */
function socketPath(dataDir: string): string {
  const directory = resolve(dataDir);
  return process.platform === 'win32'
    ? `\\\\.\\pipe\\countersign-${hash('sha256', directory.toLowerCase(), 'hex')}`
    : join(directory, 'countersign.sock');
}

/**
 * Opens the socket of a data directory, which this process has locked. Only the user of this process can connect. A
 * server without it still does all its work, so a failure is logged, and the result is null.
 */
export async function openOperatorSocket(
  dataDir: string,
  answer: AnswerQuestion,
  log: Logger,
): Promise<{ stop(): Promise<void> } | null> {
  const path = socketPath(dataDir);
  const server = createServer((incoming, response) => {
    respond(incoming, response, answer).catch((error: unknown) => {
      log.error({ err: error }, 'operator request failed');
      response.writeHead(500).end();
    });
  });
  try {
    if (Buffer.byteLength(path) > MAX_SOCKET_PATH_BYTES && process.platform !== 'win32')
      throw new Error(`DATA_DIR is too long for a socket in it: ${path}`);
    // A killed process leaves its socket behind.
    if (process.platform !== 'win32') rmSync(path, { force: true });
    server.listen(path);
    await once(server, 'listening');
    if (process.platform !== 'win32') chmodSync(path, 0o600);
  } catch (error) {
    server.close();
    log.warn({ err: error }, 'commands cannot ask this server');
    return null;
  }
  return {
    async stop() {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

async function respond(incoming: IncomingMessage, response: ServerResponse, answer: AnswerQuestion): Promise<void> {
  const result = answer((incoming.url ?? '').slice(1), parseJson(await text(incoming)));
  if (result === null) return void response.writeHead(404).end();
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(await result));
}

/** The answer of the server that has this data directory open, as JSON. */
type SocketAnswer = { readonly kind: 'answer'; readonly json: string } | { readonly kind: 'refused' };

/** Asks the server that has the data directory open. Null if no server listens there. */
export async function askOperatorSocket(dataDir: string, name: string, input: unknown): Promise<SocketAnswer | null> {
  const { promise, resolve: resolved, reject } = Promise.withResolvers<IncomingMessage>();
  request({ socketPath: socketPath(dataDir), path: `/${name}`, method: 'POST' }, resolved)
    .on('error', reject)
    .end(JSON.stringify(input));
  try {
    const response = await promise;
    const body = await text(response);
    return response.statusCode === 200 ? { kind: 'answer', json: body } : { kind: 'refused' };
  } catch (error) {
    if (error instanceof Error && NOBODY_LISTENS.has(errorCodeOf(error))) return null;
    throw error;
  }
}

const NOBODY_LISTENS: ReadonlySet<string> = new Set(['ENOENT', 'ECONNREFUSED', 'EINVAL', 'ENOTDIR']);
