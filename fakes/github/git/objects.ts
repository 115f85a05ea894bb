import { Buffer } from 'node:buffer';
import { hash } from 'node:crypto';

/** A git object id: 40 lower-case hex digits. */
export type Sha = string;

type GitObjectType = 'blob' | 'tree' | 'commit';

type FakeGitObject = { readonly type: GitObjectType; readonly bytes: Uint8Array };

/** Content-addressed and append-only, so all versions of the state can share one store. */
export type GitObjectStore = { readonly objects: Map<Sha, FakeGitObject> };

export function createObjectStore(): GitObjectStore {
  return { objects: new Map() };
}

/** Computes the object id as git does. */
export function computeObjectId(type: GitObjectType, bytes: Uint8Array): Sha {
  return hash('sha1', Buffer.concat([Buffer.from(`${type} ${bytes.byteLength}\0`), bytes]), 'hex');
}

/** Adds an object and returns its id. Adding it again has no effect. */
export function putObject(store: GitObjectStore, type: GitObjectType, bytes: Uint8Array): Sha {
  const sha = computeObjectId(type, bytes);
  if (!store.objects.has(sha)) store.objects.set(sha, { type, bytes });
  return sha;
}

/** Returns the bytes of an object; undefined if it is missing or has another type. */
export function readObject(store: GitObjectStore, type: GitObjectType, sha: Sha): Uint8Array | undefined {
  const object = store.objects.get(sha);
  return object?.type === type ? object.bytes : undefined;
}

/**
 * Caches a pure function of object ids. Objects never change, so a cached value stays valid. `undefined` is not cached,
 * because a missing object can be added later.
 */
export function memoizePerStore<Value>(
  compute: (store: GitObjectStore, ...ids: readonly string[]) => Value,
): (store: GitObjectStore, ...ids: readonly string[]) => Value {
  const cachesByStore = new WeakMap<GitObjectStore, Map<string, Value>>();
  return (store, ...ids) => {
    const cache = cachesByStore.get(store) ?? new Map<string, Value>();
    cachesByStore.set(store, cache);
    const key = ids.join(' ');
    const cached = cache.get(key);
    if (cached !== undefined) return cached;
    const value = compute(store, ...ids);
    if (value !== undefined) cache.set(key, value);
    return value;
  };
}

/** In this order: file, executable file, symbolic link, submodule, directory. */
export type GitFileMode = '100644' | '100755' | '120000' | '160000' | '040000';

const FILE_MODES: ReadonlySet<string> = new Set([
  '100644',
  '100755',
  '120000',
  '160000',
  '040000',
] satisfies GitFileMode[]);

/** Whether a text is a file mode in six digits, as in the REST API. */
export function isGitFileMode(text: string): text is GitFileMode {
  return FILE_MODES.has(text);
}

/** Stores a blob; text is stored as UTF-8. */
export function putBlob(store: GitObjectStore, content: Uint8Array | string): Sha {
  return putObject(store, 'blob', typeof content === 'string' ? Buffer.from(content) : content);
}

export function readBlob(store: GitObjectStore, sha: Sha): Uint8Array | undefined {
  return readObject(store, 'blob', sha);
}

/** Reads a blob as text. Invalid UTF-8 becomes replacement characters; a missing blob is empty. */
export function readBlobText(store: GitObjectStore, sha: Sha | undefined): string {
  return Buffer.from((sha === undefined ? undefined : readBlob(store, sha)) ?? []).toString('utf8');
}

/** Like in git, a file is binary if its first 8,000 bytes contain a zero byte. */
export function isBinary(bytes: Uint8Array): boolean {
  return bytes.subarray(0, 8000).includes(0);
}

/** The name and time of an author or committer; `seconds` since the epoch, in UTC. */
export type GitSignature = { readonly name: string; readonly email: string; readonly seconds: number };

/** A commit. `signature` is the armored text of GitHub’s signature, null when unsigned. */
export type CommitObject = {
  readonly tree: Sha;
  readonly parents: readonly Sha[];
  readonly author: GitSignature;
  readonly committer: GitSignature;
  readonly signature: string | null;
  readonly message: string;
};

export function putGitCommit(store: GitObjectStore, commit: CommitObject): Sha {
  return putObject(store, 'commit', Buffer.from(encodeCommit(commit)));
}

export const readGitCommit: (store: GitObjectStore, sha: Sha) => CommitObject | undefined = memoizePerStore(
  (store, sha = '') => {
    const bytes = readObject(store, 'commit', sha);
    return bytes === undefined ? undefined : decodeCommit(Buffer.from(bytes).toString('utf8'));
  },
);

/** Encodes a commit without its signature. The signature covers these bytes. */
export function encodeUnsignedCommit(commit: CommitObject): string {
  return encodeCommit({ ...commit, signature: null });
}

function encodeCommit(commit: CommitObject): string {
  const headers = [
    `tree ${commit.tree}`,
    ...commit.parents.map((parent) => `parent ${parent}`),
    `author ${encodeSignature(commit.author)}`,
    `committer ${encodeSignature(commit.committer)}`,
    ...(commit.signature === null ? [] : [`gpgsig ${commit.signature.replaceAll('\n', '\n ')}`]),
  ];
  return `${headers.join('\n')}\n\n${commit.message}`;
}

/** Git forbids angle brackets and line breaks in names and addresses. */
function encodeSignature({ name, email, seconds }: GitSignature): string {
  return `${name.replace(/[<>\n]/g, '')} <${email.replace(/[<>\n]/g, '')}> ${seconds} +0000`;
}

function decodeCommit(text: string): CommitObject {
  const end = text.indexOf('\n\n');
  const headers = text.slice(0, end).replaceAll('\n ', '\0').split('\n');
  const values = (key: string): readonly string[] =>
    headers
      .filter((line) => line.startsWith(`${key} `))
      .map((line) => line.slice(key.length + 1).replaceAll('\0', '\n'));
  return {
    tree: values('tree')[0] ?? '',
    parents: values('parent'),
    author: decodeSignature(values('author')[0] ?? ''),
    committer: decodeSignature(values('committer')[0] ?? ''),
    signature: values('gpgsig')[0] ?? null,
    message: text.slice(end + 2),
  };
}

function decodeSignature(text: string): GitSignature {
  const match = /^(.*) <(.*)> (\d+) [+-]\d{4}$/.exec(text);
  return { name: match?.[1] ?? '', email: match?.[2] ?? '', seconds: Number(match?.[3] ?? 0) };
}
