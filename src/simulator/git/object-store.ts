import { Buffer } from 'node:buffer';
import { hash } from 'node:crypto';

/** A git object id: 40 lower-case hex digits. */
export type Sha = string;

export type ObjectType = 'blob' | 'tree' | 'commit';

export type GitObject = { readonly type: ObjectType; readonly bytes: Uint8Array };

/**
 * Content-addressed objects. Append-only, so every state of a world may share one: an
 * entry never changes its meaning.
 */
export type ObjectStore = { readonly objects: Map<Sha, GitObject> };

/** A store without objects. */
export function newObjectStore(): ObjectStore {
  return { objects: new Map() };
}

/** The id git gives to these bytes as an object of this type. */
export function objectId(type: ObjectType, bytes: Uint8Array): Sha {
  return hash('sha1', Buffer.concat([Buffer.from(`${type} ${bytes.byteLength}\0`), bytes]), 'hex');
}

/** Adds an object and returns its id; adding it again changes nothing. */
export function putObject(store: ObjectStore, type: ObjectType, bytes: Uint8Array): Sha {
  const sha = objectId(type, bytes);
  if (!store.objects.has(sha)) store.objects.set(sha, { type, bytes });
  return sha;
}

/** The bytes of an object of this type, or undefined when there is none with this id. */
export function readObject(store: ObjectStore, type: ObjectType, sha: Sha): Uint8Array | undefined {
  const object = store.objects.get(sha);
  return object?.type === type ? object.bytes : undefined;
}
