import { Buffer } from 'node:buffer';
import { type ObjectStore, putObject, readObject, type Sha } from './object-store.ts';

/** Stores a file's bytes; text is stored as UTF-8. */
export function putBlob(store: ObjectStore, content: Uint8Array | string): Sha {
  return putObject(store, 'blob', typeof content === 'string' ? Buffer.from(content) : content);
}

/** A file's bytes, or undefined when there is no such blob. */
export function readBlob(store: ObjectStore, sha: Sha): Uint8Array | undefined {
  return readObject(store, 'blob', sha);
}

/** A file as text; bytes that are no UTF-8 become replacement characters. A missing blob is empty. */
export function blobText(store: ObjectStore, sha: Sha | undefined): string {
  return Buffer.from((sha === undefined ? undefined : readBlob(store, sha)) ?? []).toString('utf8');
}

/** Git's rule: a file is binary when its first 8,000 bytes hold a zero. */
export function isBinary(bytes: Uint8Array): boolean {
  return bytes.subarray(0, 8000).includes(0);
}
