import { createHash } from 'node:crypto';
import { GitError, startGit } from './run-git.ts';

type GitObjectKind = 'commit' | 'tree' | 'blob' | 'tag';

type StoredGitObject =
  | { readonly kind: GitObjectKind; readonly bytes: Buffer }
  /** Its bytes were not kept. */
  | { readonly kind: 'too-large' };

/** Enough for the largest trees. A small repository can hold an object that unpacks to more than the memory. */
const MAX_OBJECT_BYTES = 100_000_000;

/** Reads the objects of a repository with one git process. */
export type GitObjectReader = {
  /** Null if the repository does not have the object. Throws like `runGit`, also for bytes that have another id. */
  readonly read: (id: string, maxBytes?: number) => Promise<StoredGitObject | null>;
  readonly close: () => Promise<void>;
};

/** Opens the objects of a repository. Calls of `read` can overlap; their results arrive in order. */
export function openGitObjects(gitDir: string): GitObjectReader {
  const git = startGit([`--git-dir=${gitDir}`, 'cat-file', '--batch']);
  const reader = createByteReader(git.output);
  let last: Promise<unknown> = Promise.resolve();
  const readNext = async (id: string, maxBytes: number): Promise<StoredGitObject | null> => {
    const header = await reader.readLine();
    if (header === null) {
      await git.exited;
      throw new GitError('git exited before it returned an object');
    }
    const [, kind = '', size = ''] = header.split(' ');
    if (!isGitObjectKind(kind)) return null;
    if (Number(size) > maxBytes) {
      await reader.skipBytes(Number(size) + 1);
      return { kind: 'too-large' };
    }
    const withNewline = await reader.readBytes(Number(size) + 1);
    if (withNewline === null) throw new GitError('git exited in the middle of an object');
    const bytes = withNewline.subarray(0, -1);
    if (objectId(kind, bytes, id.length) !== id) throw new GitError(`the bytes of ${kind} ${id} have another id`);
    return { kind, bytes };
  };
  return {
    read: (id, maxBytes = MAX_OBJECT_BYTES) => {
      git.write(`${id}\n`);
      const object = last.then(() => readNext(id, maxBytes));
      last = object.catch(() => {});
      return object;
    },
    close: async () => {
      git.endInput();
      await last;
      git.kill();
    },
  };
}

const SHA1_DIGITS = 40;

/** Git does not compare it itself when it reads an object. */
function objectId(kind: GitObjectKind, bytes: Buffer, digits: number): string {
  const hash = createHash(digits === SHA1_DIGITS ? 'sha1' : 'sha256');
  return hash.update(`${kind} ${bytes.length}\0`).update(bytes).digest('hex');
}

function isGitObjectKind(kind: string): kind is GitObjectKind {
  return kind === 'commit' || kind === 'tree' || kind === 'blob' || kind === 'tag';
}

/** Splits a stream of bytes into lines and blocks. */
type ByteReader = {
  /** The next line without its newline, as Latin-1; null at the end of the stream. */
  readonly readLine: () => Promise<string | null>;
  /** The next bytes; null if the stream ends before them. */
  readonly readBytes: (count: number) => Promise<Buffer | null>;
  /** Drops the next bytes, or what there is of them. */
  readonly skipBytes: (count: number) => Promise<void>;
};

const NEWLINE = 0x0a;

/** Buffers only the chunks that the current call needs. */
function createByteReader(chunks: AsyncIterable<Buffer>): ByteReader {
  const source = chunks[Symbol.asyncIterator]();
  let buffered: Buffer[] = [];
  let size = 0;
  const readMore = async (): Promise<boolean> => {
    const { value, done } = await source.next();
    if (done === true) return false;
    buffered.push(value);
    size += value.length;
    return true;
  };
  const concatenated = (): Buffer =>
    buffered.length === 1 && buffered[0] !== undefined ? buffered[0] : Buffer.concat(buffered);
  const takeBytes = (count: number): Buffer => {
    const all = concatenated();
    buffered = count === all.length ? [] : [all.subarray(count)];
    size -= count;
    return all.subarray(0, count);
  };
  const readBytes = async (count: number): Promise<Buffer | null> => {
    while (size < count) if (!(await readMore())) return null;
    return takeBytes(count);
  };
  const skipBytes = async (count: number): Promise<void> => {
    for (let left = count; left > 0; ) {
      if (size === 0 && !(await readMore())) return;
      left -= takeBytes(Math.min(left, size)).length;
    }
  };
  const readLine = async (): Promise<string | null> => {
    for (;;) {
      const end = concatenated().indexOf(NEWLINE);
      if (end !== -1) return takeBytes(end + 1).toString('latin1', 0, end);
      if (!(await readMore())) return null;
    }
  };
  return { readLine, readBytes, skipBytes };
}

/** The name and address in a commit. They are unverified: a committer can write any name. */
type GitIdentity = { readonly name: string; readonly email: string };

/** A parsed commit object. */
export type GitCommit = {
  readonly tree: string;
  readonly parents: readonly string[];
  readonly author: GitIdentity;
  readonly committer: GitIdentity;
  /** Whether the commit has a signature. The signature is not verified. */
  readonly isSigned: boolean;
  readonly message: string;
};

/** Parses a commit object. Missing fields are empty. */
export function parseCommit(bytes: Uint8Array): GitCommit {
  const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);
  const end = text.indexOf('\n\n');
  // Lines that begin with a space continue the previous header, such as a signature.
  const headers = (end === -1 ? text : text.slice(0, end)).split('\n').filter((line) => !line.startsWith(' '));
  const valuesOf = (name: string): readonly string[] =>
    headers.filter((line) => line.startsWith(`${name} `)).map((line) => line.slice(name.length + 1));
  return {
    tree: valuesOf('tree')[0] ?? '',
    parents: valuesOf('parent'),
    author: parseIdentity(valuesOf('author')[0]),
    committer: parseIdentity(valuesOf('committer')[0]),
    isSigned: valuesOf('gpgsig').length + valuesOf('gpgsig-sha256').length > 0,
    message: end === -1 ? '' : text.slice(end + 2),
  };
}

function parseIdentity(value: string = ''): GitIdentity {
  const [, name = '', email = ''] = /^([^<]*)<([^>]*)>/.exec(value) ?? [];
  return { name: name.replace(/ $/, ''), email };
}

/** A commit as the repository lists it. At the border of a shallow clone, the parents are missing. */
export type GitLogEntry = { readonly id: string; readonly parents: readonly string[] };

type CommitListing = {
  readonly gitDir: string;
  /** In the syntax of `git log`, such as `main..HEAD`. */
  readonly range: string;
  /** More arguments of `git rev-list`. */
  readonly options: readonly string[];
};

/**
 * Options search a commit as it is stored: converted from the encoding that it or the clone names, it could hide its
 * trailers.
 */
const AS_STORED = '--encoding=none';

/** Lists the commits of a range, in git's order. Throws like `runGit`, also for an unknown range. */
export async function* listGitCommits({ gitDir, range, options }: CommitListing): AsyncGenerator<GitLogEntry> {
  const listing = ['rev-list', '--parents', AS_STORED, ...options, '--end-of-options', range, '--'];
  const git = startGit([`--git-dir=${gitDir}`, ...listing]);
  git.endInput();
  const reader = createByteReader(git.output);
  try {
    for (let line = await reader.readLine(); line !== null; line = await reader.readLine()) {
      const [id = '', ...parents] = line.split(' ');
      yield { id, parents };
    }
    await git.exited;
  } finally {
    git.kill();
  }
}
