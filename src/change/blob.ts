import { Buffer } from 'node:buffer';
import { hash } from 'node:crypto';

/** The SHA-1 in hex under which git stores these bytes as a blob. */
export function blobSha(bytes: Uint8Array): string {
  return hash('sha1', Buffer.concat([Buffer.from(`blob ${bytes.length}\0`), bytes]), 'hex');
}
