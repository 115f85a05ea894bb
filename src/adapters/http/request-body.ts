import type { IncomingMessage } from 'node:http';

/** GitHub sends payloads of up to 25 MB. */
export const MAX_REQUEST_BODY_BYTES = 25 * 1024 * 1024;

/** Memory that each request can use without a reservation. A typical delivery has 20 kB. */
const UNRESERVED_BODY_BYTES = 256 * 1024;

/** Whether the `content-length` exceeds the maximum. */
export function declaresTooLarge(request: IncomingMessage): boolean {
  return Number(request.headers['content-length'] ?? 0) > MAX_REQUEST_BODY_BYTES;
}

type RequestBody =
  | { readonly kind: 'bytes'; readonly bytes: Buffer }
  | { readonly kind: 'too-large' }
  /** Too many large bodies at once. */
  | { readonly kind: 'memory-exhausted' };

/**
 * Reads a body up to the maximum. Rejects if the sender disconnects. The rest of a larger body stays in the socket, so
 * that the response can be sent. An async iterator instead of listeners would make a delivery 5 % slower.
 */
export function readBody(request: IncomingMessage, memoryQuota: MemoryQuota): Promise<RequestBody> {
  const { promise, resolve, reject } = Promise.withResolvers<RequestBody>();
  const chunks: Buffer[] = [];
  let length = 0;
  let reserved = 0;
  const onData = (chunk: Buffer): void => {
    length += chunk.length;
    const needed = length <= UNRESERVED_BODY_BYTES ? 0 : chunk.length;
    const refused =
      length > MAX_REQUEST_BODY_BYTES ? 'too-large' : memoryQuota.reserve(needed) ? null : 'memory-exhausted';
    if (refused === null) {
      reserved += needed;
      chunks.push(chunk);
      return;
    }
    request.off('data', onData);
    request.pause();
    resolve({ kind: refused });
  };
  request.on('data', onData);
  request.once('end', () => resolve({ kind: 'bytes', bytes: Buffer.concat(chunks, length) }));
  request.once('error', reject);
  request.once('close', () => {
    if (!request.complete) reject(new Error('the sender disconnected'));
  });
  return promise.finally(() => memoryQuota.release(reserved));
}

/** Memory (bytes) that the large bodies of all requests share. It bounds the memory that unsigned requests can use. */
type MemoryQuota = { reserve(bytes: number): boolean; release(bytes: number): void };

export function createMemoryQuota(size: number): MemoryQuota {
  let free = size;
  return {
    reserve(bytes) {
      if (bytes > free) return false;
      free -= bytes;
      return true;
    },
    release(bytes) {
      free += bytes;
    },
  };
}
