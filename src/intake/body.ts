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

/** Reads a body up to the cap; what it took of the room it gives back at the end. Throws where the sender hangs up. */
export async function readBody(request: IncomingMessage, room: Room): Promise<Body> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  let taken = 0;
  try {
    // The stream must survive an early end: the answer has yet to be sent.
    for await (const chunk of request.iterator({ destroyOnReturn: false })) {
      if (!(chunk instanceof Uint8Array)) throw new TypeError('a body is made of bytes');
      length += chunk.length;
      if (length > LARGEST_BODY) return { kind: 'too-large' };
      const wanted = length <= FREE_BYTES ? 0 : chunk.length;
      if (!room.take(wanted)) return { kind: 'no-room' };
      taken += wanted;
      chunks.push(chunk);
    }
    return { kind: 'bytes', bytes: Buffer.concat(chunks, length) };
  } finally {
    room.give(taken);
  }
}
