import { type GitFileMode, isGitFileMode } from '../fakes/github/git/objects.ts';
import { GitError, gitDirectory, gitText, runGit } from '../src/cli/git/run-git.ts';

/** A file of a tree. `bytes` are the target of a symbolic link, or the commit id of a submodule. */
type SourceFile = { readonly mode: GitFileMode; readonly bytes: Uint8Array };

export type SourceFiles = ReadonlyMap<string, SourceFile>;

/** The content of a pull request: its title and two trees. */
export type PullSource = {
  readonly name: string;
  readonly title: string;
  /** The origin of the trees, as printed for the user. */
  readonly description: string;
  readonly base: SourceFiles;
  readonly head: SourceFiles;
  /** The git id of the head's tree; null for the built-in example or if a path is not UTF-8. */
  readonly headTree: string | null;
};

type LocalRepositoryResult =
  | { readonly kind: 'source'; readonly source: PullSource }
  /** The repository has no two trees to compare. */
  | { readonly kind: 'no-history'; readonly reason: string }
  /** There is no repository, or git cannot read it. */
  | { readonly kind: 'unreadable'; readonly reason: string };

type TreeListing = { readonly path: string; readonly mode: GitFileMode; readonly sha: string; readonly bytes: number };

/** A limit, because the demo loads both trees into memory. */
const MAX_REPOSITORY_BYTES = 768_000_000;

/** Reads HEAD and the commit to compare it with. Throws `GitNotInstalledError`. */
export async function readLocalRepository(path: string, base: string | null): Promise<LocalRepositoryResult> {
  try {
    const gitDir = await gitDirectory(path);
    const top = await gitText(['-C', path, 'rev-parse', '--show-toplevel']).catch(() => gitDir);
    return await readHistory(`--git-dir=${gitDir}`, top, base);
  } catch (error) {
    if (error instanceof GitError) return { kind: 'unreadable', reason: `${path}: ${error.message}` };
    throw error;
  }
}

async function readHistory(gitDir: string, top: string, wanted: string | null): Promise<LocalRepositoryResult> {
  const head = await resolveCommitSha(gitDir, 'HEAD');
  if (head === null) return { kind: 'no-history', reason: `${top} has no commit yet` };
  const base = await resolveCommitSha(gitDir, wanted ?? 'HEAD^1');
  if (base === null && wanted !== null) return { kind: 'unreadable', reason: `${top} has no commit ${wanted}` };
  if (base === null) return { kind: 'no-history', reason: `the last commit of ${top} has no parent here` };
  const mergeBase = await gitText([gitDir, 'merge-base', base, head]).catch(() => base);
  const trees = await Promise.all(
    [mergeBase, head].map((commit) => gitText([gitDir, 'rev-parse', `${commit}^{tree}`])),
  );
  const [baseTree = '', headTree = ''] = trees;
  if (baseTree === headTree)
    return { kind: 'no-history', reason: `${wanted ?? 'HEAD^1'} and HEAD have the same files` };
  return readTrees(gitDir, top, { mergeBase, head, baseTree, headTree });
}

function toMegabytes(bytes: number): string {
  return `${Math.round(bytes / 1e6)} MB`;
}

type CommitRange = {
  readonly mergeBase: string;
  readonly head: string;
  readonly baseTree: string;
  readonly headTree: string;
};

async function readTrees(gitDir: string, top: string, range: CommitRange): Promise<LocalRepositoryResult> {
  const [base, head] = await Promise.all([listGitTree(gitDir, range.baseTree), listGitTree(gitDir, range.headTree)]);
  const entries = new Map([...base, ...head].map((entry) => [entry.sha, entry]));
  const size = [...entries.values()].reduce((sum, entry) => sum + entry.bytes, 0);
  if (size > MAX_REPOSITORY_BYTES)
    return {
      kind: 'unreadable',
      reason: `${top} has ${toMegabytes(size)}; the demo loads at most ${toMegabytes(MAX_REPOSITORY_BYTES)}`,
    };
  const blobShas = [...entries.values()].filter(({ mode }) => mode !== '160000').map(({ sha }) => sha);
  const blobs = await readBlobs(gitDir, blobShas);
  const title = await gitText([gitDir, 'log', '-1', '--format=%s', range.head]);
  const isComplete = head.every(({ path }) => !path.includes('\u{FFFD}'));
  const source: PullSource = {
    name: repositoryNameOf(top),
    title: title === '' ? 'Untitled' : title,
    description: `${top}, ${range.mergeBase.slice(0, 7)} to ${range.head.slice(0, 7)}`,
    base: collectFiles(base, blobs),
    head: collectFiles(head, blobs),
    headTree: isComplete ? range.headTree : null,
  };
  return { kind: 'source', source };
}

async function resolveCommitSha(gitDir: string, ref: string): Promise<string | null> {
  try {
    return await gitText([gitDir, 'rev-parse', '--verify', '--quiet', '--end-of-options', `${ref}^{commit}`]);
  } catch (error) {
    if (error instanceof GitError) return null;
    throw error;
  }
}

async function listGitTree(gitDir: string, tree: string): Promise<readonly TreeListing[]> {
  const listing = await runGit([gitDir, 'ls-tree', '-r', '-l', '-z', '--full-tree', tree]);
  return listing
    .toString('utf8')
    .split('\0')
    .flatMap((row) => parseTreeEntry(row));
}

function parseTreeEntry(row: string): readonly TreeListing[] {
  const [, mode = '', sha = '', size = '', path = ''] = /^(\d+) \w+ ([0-9a-f]+) +(\d+|-)\t([\s\S]*)$/.exec(row) ?? [];
  if (path === '') return [];
  // Old repositories contain other modes, which git treats as plain files.
  return [{ path, mode: isGitFileMode(mode) ? mode : '100644', sha, bytes: Number.parseInt(size, 10) || 0 }];
}

/** Reads all blobs with one git process, because one process for each blob takes minutes. */
async function readBlobs(gitDir: string, shas: readonly string[]): Promise<ReadonlyMap<string, Uint8Array>> {
  const output = await runGit([gitDir, 'cat-file', '--batch'], shas.map((sha) => `${sha}\n`).join(''));
  const blobs = new Map<string, Uint8Array>();
  for (let offset = 0; offset < output.length; ) {
    const headerEnd = output.indexOf(0x0a, offset);
    const [sha = '', type = '', size = ''] = output.toString('latin1', offset, headerEnd).split(' ');
    if (type !== 'blob')
      throw new GitError(`object ${sha} is ${type || 'missing'}, expected a blob: is this a partial clone?`);
    const end = headerEnd + 1 + Number(size);
    blobs.set(sha, output.subarray(headerEnd + 1, end));
    offset = end + 1;
  }
  return blobs;
}

function collectFiles(entries: readonly TreeListing[], blobs: ReadonlyMap<string, Uint8Array>): SourceFiles {
  const files = new Map<string, SourceFile>();
  for (const { path, mode, sha } of entries) {
    const bytes = mode === '160000' ? new TextEncoder().encode(sha) : blobs.get(sha);
    if (bytes !== undefined) files.set(path, { mode, bytes });
  }
  return files;
}

/** Derives a repository name that GitHub accepts. */
function repositoryNameOf(top: string): string {
  const last =
    top
      .replace(/\/+(?:\.git\/*)?$/, '')
      .split('/')
      .at(-1) ?? '';
  const name = last.replace(/\.git$/, '').replaceAll(/[^A-Za-z0-9._-]+/g, '-');
  return /[A-Za-z0-9]/.test(name) ? name.slice(0, 100) : 'repository';
}
