import { createHash } from 'node:crypto';

/** The SHA-1 in hex under which git stores these bytes as a blob. */
export function blobSha(bytes: Uint8Array): string {
  return createHash('sha1').update(`blob ${bytes.length}\0`).update(bytes).digest('hex');
}
