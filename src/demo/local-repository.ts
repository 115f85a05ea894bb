import { GitFailed, gitDirectory, gitText, runGit } from '../git/run-git.ts';
import { type FileMode, isFileMode } from '../simulator/git/file-mode.ts';

/** A file of a tree: a link's bytes are its target, a submodule's the id of its commit. */
export type SourceFile = { readonly mode: FileMode; readonly bytes: Uint8Array };
export type SourceFiles = ReadonlyMap<string, SourceFile>;

/** What becomes a pull request: two trees and a few words. */
export type PullSource = {
  readonly name: string;
  readonly title: string;
  /** What is shown of where it comes from. */
  readonly origin: string;
  readonly base: SourceFiles;
  readonly head: SourceFiles;
  /** Git's own id of the head's tree; null where it is not known or not all of it was read. */
  readonly headTree: string | null;
};

export type LocalReading =
  | { readonly kind: 'source'; readonly source: PullSource }
  /** A repository without two trees to compare. */
  | { readonly kind: 'no-history'; readonly why: string }
  /** No repository at all, or one that git does not read. */
  | { readonly kind: 'unreadable'; readonly why: string };

type Entry = { readonly path: string; readonly mode: FileMode; readonly sha: string; readonly bytes: number };

/** Everything is held in memory. */
const MOST_BYTES = 768_000_000;

/** Reads HEAD and what it is compared with from a local repository. Throws `GitMissing`; all else is a reading. */
export async function readLocal(path: string, base: string | null): Promise<LocalReading> {
  try {
    const gitDir = await gitDirectory(path);
    const top = await gitText(['-C', path, 'rev-parse', '--show-toplevel']).catch(() => gitDir);
    return await readHistory(`--git-dir=${gitDir}`, top, base);
  } catch (error) {
    if (error instanceof GitFailed) return { kind: 'unreadable', why: `${path}: ${error.message}` };
    throw error;
  }
}

async function readHistory(gitDir: string, top: string, wanted: string | null): Promise<LocalReading> {
  const head = await commitOf(gitDir, 'HEAD');
  if (head === null) return { kind: 'no-history', why: `${top} has no commit yet` };
  const base = await commitOf(gitDir, wanted ?? 'HEAD^1');
  if (base === null && wanted !== null) return { kind: 'unreadable', why: `${top} has no commit ${wanted}` };
  if (base === null) return { kind: 'no-history', why: `the last commit of ${top} has no parent here` };
  const fork = await gitText([gitDir, 'merge-base', base, head]).catch(() => base);
  const trees = await Promise.all([fork, head].map((commit) => gitText([gitDir, 'rev-parse', `${commit}^{tree}`])));
  const [baseTree = '', headTree = ''] = trees;
  if (baseTree === headTree)
    return { kind: 'no-history', why: `nothing differs between ${wanted ?? 'HEAD^1'} and HEAD` };
  return readTrees(gitDir, top, { fork, head, baseTree, headTree });
}

type Ends = { readonly fork: string; readonly head: string; readonly baseTree: string; readonly headTree: string };

async function readTrees(gitDir: string, top: string, ends: Ends): Promise<LocalReading> {
  const [base, head] = await Promise.all([listTree(gitDir, ends.baseTree), listTree(gitDir, ends.headTree)]);
  const entries = new Map([...base, ...head].map((entry) => [entry.sha, entry]));
  const size = [...entries.values()].reduce((sum, entry) => sum + entry.bytes, 0);
  if (size > MOST_BYTES)
    return {
      kind: 'unreadable',
      why: `${top} holds ${Math.round(size / 1e6)} MB, more than a demo can hold in memory`,
    };
  const wanted = [...entries.values()].filter(({ mode }) => mode !== '160000').map(({ sha }) => sha);
  const blobs = await readBlobs(gitDir, wanted);
  const title = await gitText([gitDir, 'log', '-1', '--format=%s', ends.head]);
  const complete = head.every(({ path }) => !path.includes('\u{FFFD}'));
  const source: PullSource = {
    name: nameOf(top),
    title: title === '' ? 'Untitled' : title,
    origin: `${top}, ${ends.fork.slice(0, 7)} to ${ends.head.slice(0, 7)}`,
    base: filesOf(base, blobs),
    head: filesOf(head, blobs),
    headTree: complete ? ends.headTree : null,
  };
  return { kind: 'source', source };
}

async function commitOf(gitDir: string, ref: string): Promise<string | null> {
  try {
    return await gitText([gitDir, 'rev-parse', '--verify', '--quiet', '--end-of-options', `${ref}^{commit}`]);
  } catch (error) {
    if (error instanceof GitFailed) return null;
    throw error;
  }
}

async function listTree(gitDir: string, tree: string): Promise<readonly Entry[]> {
  const listing = await runGit([gitDir, 'ls-tree', '-r', '-l', '-z', '--full-tree', tree]);
  return listing
    .toString('utf8')
    .split('\0')
    .flatMap((row) => entryOf(row));
}

function entryOf(row: string): readonly Entry[] {
  const [, mode = '', sha = '', size = '', path = ''] = /^(\d+) \w+ ([0-9a-f]+) +(\d+|-)\t([\s\S]*)$/.exec(row) ?? [];
  if (path === '') return [];
  // Old repositories hold modes that git reads as plain files.
  return [{ path, mode: isFileMode(mode) ? mode : '100644', sha, bytes: Number.parseInt(size, 10) || 0 }];
}

/** All blobs through one process: thousands of them take a second, not minutes. */
async function readBlobs(gitDir: string, shas: readonly string[]): Promise<ReadonlyMap<string, Uint8Array>> {
  const output = await runGit([gitDir, 'cat-file', '--batch'], shas.map((sha) => `${sha}\n`).join(''));
  const blobs = new Map<string, Uint8Array>();
  for (let offset = 0; offset < output.length; ) {
    const feed = output.indexOf(0x0a, offset);
    const [sha = '', kind = '', size = ''] = output.toString('latin1', offset, feed).split(' ');
    if (kind !== 'blob') throw new GitFailed(`object ${sha} is ${kind || 'not'} there: is this a partial clone?`);
    const end = feed + 1 + Number(size);
    blobs.set(sha, output.subarray(feed + 1, end));
    offset = end + 1;
  }
  return blobs;
}

function filesOf(entries: readonly Entry[], blobs: ReadonlyMap<string, Uint8Array>): SourceFiles {
  const files = new Map<string, SourceFile>();
  for (const { path, mode, sha } of entries) {
    const bytes = mode === '160000' ? new TextEncoder().encode(sha) : blobs.get(sha);
    if (bytes !== undefined) files.set(path, { mode, bytes });
  }
  return files;
}

/** A name that GitHub would take for a repository. */
function nameOf(top: string): string {
  const last =
    top
      .replace(/\/+(?:\.git\/*)?$/, '')
      .split('/')
      .at(-1) ?? '';
  const name = last.replace(/\.git$/, '').replaceAll(/[^A-Za-z0-9._-]+/g, '-');
  return /[A-Za-z0-9]/.test(name) ? name.slice(0, 100) : 'repository';
}
