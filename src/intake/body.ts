import type { IncomingMessage } from 'node:http';

/** GitHub sends no payload above 25 MB; one byte more than 25 MiB is refused. */
export const LARGEST_BODY = 25 * 1024 * 1024;

/** What each request may hold without asking: a delivery is usually some 20 kB. */
const FREE_BYTES = 256 * 1024;

/** Memory that the large bodies of all requests share, in bytes. Strangers can fill it, but no more than it. */
export type Room = { take(bytes: number): boolean; give(bytes: number): void };

export function openRoom(size: number): Room {
  let free = size;
  return {
    take(bytes) {
      if (bytes > free) return false;
      free -= bytes;
      return true;
    },
    give(bytes) {
      free += bytes;
    },
  };
}

export type Body =
  | { readonly kind: 'bytes'; readonly bytes: Buffer }
  | { readonly kind: 'too-large' }
  /** Too many large bodies at the same time. */
  | { readonly kind: 'no-room' };

/** Whether the request announces a body that is too large, so that not a byte of it need be read. */
export function announcesTooMuch(request: IncomingMessage): boolean {
  return Number(request.headers['content-length'] ?? 0) > LARGEST_BODY;
}

/**
 * Reads a body up to the cap; what it took of the room it gives back at the end. Rejects where the sender hangs up. What
 * is not read stays in the socket, so that the answer can be sent. By listeners: an iterator costs a twentieth of a delivery.
 */
export function readBody(request: IncomingMessage, room: Room): Promise<Body> {
  const { promise, resolve, reject } = Promise.withResolvers<Body>();
  const chunks: Buffer[] = [];
  let length = 0;
  let taken = 0;
  const take = (chunk: Buffer): void => {
    length += chunk.length;
    const wanted = length <= FREE_BYTES ? 0 : chunk.length;
    const refused = length > LARGEST_BODY ? 'too-large' : room.take(wanted) ? null : 'no-room';
    if (refused === null) {
      taken += wanted;
      chunks.push(chunk);
      return;
    }
    request.off('data', take);
    request.pause();
    resolve({ kind: refused });
  };
  request.on('data', take);
  request.once('end', () => resolve({ kind: 'bytes', bytes: Buffer.concat(chunks, length) }));
  request.once('error', reject);
  request.once('close', () => {
    if (!request.complete) reject(new Error('the sender hung up'));
  });
  return promise.finally(() => room.give(taken));
}
