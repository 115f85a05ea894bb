import { GitError, gitText, runGit } from './run-git.ts';

/** The name and address in a commit. They are unverified: a committer can write any name. */
type GitIdentity = { readonly name: string; readonly email: string };

/** A commit as the repository lists it. At the border of a shallow clone, the parents are missing. */
export type GitCommit = {
  readonly id: string;
  readonly parents: readonly string[];
  readonly author: GitIdentity;
  readonly committer: GitIdentity;
  readonly message: string;
};

/** One side of a changed path: git's mode, such as `100644`, and the object's id. */
export type GitTreeEntry = { readonly mode: string; readonly id: string };

/** A path with different content in two commits. A side without the path is null. */
export type PathChange = {
  readonly path: string;
  readonly before: GitTreeEntry | null;
  readonly after: GitTreeEntry | null;
};

/** The content of a repository. Calls throw like `runGit`. */
export type GitReader = {
  /** All paths in which a commit differs from its parent. */
  readonly listChanges: (parent: string, commit: string) => Promise<readonly PathChange[]>;
  /** The bytes of blobs by id; null for one that is longer than `maxBytes`. */
  readonly readBlobs: (ids: readonly string[], maxBytes: number) => Promise<ReadonlyMap<string, Buffer | null>>;
};

/** Opens the repository with this git directory. */
export function openRepository(gitDir: string): GitReader {
  return {
    listChanges: (parent, commit) => listChanges(gitDir, parent, commit),
    readBlobs: (ids, maxBytes) => readBlobs(gitDir, ids, maxBytes),
  };
}

const FIELDS = ['%H', '%P', '%an', '%ae', '%cn', '%ce', '%B'];

/** Lists the commits of a range in the syntax of `git log`, oldest first. Throws like `runGit`. */
export async function listCommitRange(gitDir: string, range: string): Promise<readonly GitCommit[]> {
  const plain = ['-s', '--no-show-signature', '--no-color', '--encoding=UTF-8', '--topo-order', '--reverse'];
  const format = `--format=${FIELDS.map((field) => `${field}%x00`).join('')}`;
  const fields = (
    await gitText([`--git-dir=${gitDir}`, 'log', ...plain, format, '--end-of-options', range, '--'])
  ).split('\0');
  return Array.from({ length: Math.floor(fields.length / FIELDS.length) }, (_, index) => {
    const [id, parents, name, email, committer, address, message] = fields.slice(index * FIELDS.length);
    return {
      id: id?.trim() ?? '',
      parents: parents?.split(' ').filter((parent) => parent !== '') ?? [],
      author: { name: name ?? '', email: email ?? '' },
      committer: { name: committer ?? '', email: address ?? '' },
      message: message ?? '',
    };
  });
}

/** Whether the repository lacks the parents of some commits. */
export async function isShallow(gitDir: string): Promise<boolean> {
  return (await gitText([`--git-dir=${gitDir}`, 'rev-parse', '--is-shallow-repository'])) === 'true';
}

const NO_FILE = '000000';

async function listChanges(gitDir: string, parent: string, commit: string): Promise<readonly PathChange[]> {
  const options = ['-r', '-z', '--raw', '--no-renames', '--no-abbrev', '--ignore-submodules=none'];
  // Each change is two fields: `:100644 100644 id id M`, and its path.
  const fields = (await gitText([`--git-dir=${gitDir}`, 'diff-tree', ...options, parent, commit, '--'])).split('\0');
  return Array.from({ length: Math.floor(fields.length / 2) }, (_, index) => {
    const [oldMode = '', newMode = '', oldId = '', newId = ''] = fields[index * 2]?.slice(1).split(' ') ?? [];
    return {
      path: fields[index * 2 + 1] ?? '',
      before: oldMode === NO_FILE ? null : { mode: oldMode, id: oldId },
      after: newMode === NO_FILE ? null : { mode: newMode, id: newId },
    };
  });
}

const NEWLINE = 0x0a;

async function readBlobs(
  gitDir: string,
  ids: readonly string[],
  maxBytes: number,
): Promise<ReadonlyMap<string, Buffer | null>> {
  const catFile = (option: string, wanted: readonly string[]) =>
    runGit([`--git-dir=${gitDir}`, 'cat-file', option], wanted.map((id) => `${id}\n`).join(''));
  const blobs = new Map<string, Buffer | null>();
  const small: string[] = [];
  for (const line of (await catFile('--batch-check', [...new Set(ids)])).toString().split('\n').slice(0, -1)) {
    const [id = '', type, size] = line.split(' ');
    if (type !== 'blob') throw new GitError(`blob ${id} is missing`);
    if (Number(size) > maxBytes) blobs.set(id, null);
    else small.push(id);
  }
  const output = await catFile('--batch', small);
  for (let offset = 0; offset < output.length; ) {
    const start = output.indexOf(NEWLINE, offset) + 1;
    const [id = '', , size] = output.toString('latin1', offset, start - 1).split(' ');
    blobs.set(id, output.subarray(start, start + Number(size)));
    offset = start + Number(size) + 1;
  }
  return blobs;
}
