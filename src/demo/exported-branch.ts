import { gitText, runGit } from '../git/run-git.ts';

/** A side of a changed file; null where the file is not there. */
export type FileSide = { readonly mode: '100644' | '100755'; readonly sha: string; readonly text: string } | null;

export type ChangedFile = { readonly path: string; readonly before: FileSide; readonly after: FileSide };

/** A commit of the branch as git tells it. */
export type BranchCommit = {
  readonly sha: string;
  readonly parents: readonly string[];
  readonly author: string;
  readonly message: string;
  readonly files: readonly ChangedFile[];
};

/** The commits that a branch has and `since` has not, oldest first, read with git from the repository in `directory`. */
export async function readBranch(directory: string, branch: string, since: string): Promise<readonly BranchCommit[]> {
  const gitDir = `--git-dir=${directory}`;
  const listed = await gitText([gitDir, 'rev-list', '--reverse', `refs/heads/${branch}`, `^${since}`]);
  const commits: BranchCommit[] = [];
  for (const sha of listed.split('\n').filter((line) => line !== '')) commits.push(await readCommit(gitDir, sha));
  return commits;
}

async function readCommit(gitDir: string, sha: string): Promise<BranchCommit> {
  const shown = await gitText([gitDir, 'show', '-s', '--format=%P%x00%an%x00%B', sha]);
  const [parents = '', author = '', message = ''] = shown.split('\0');
  const differences = await gitText([gitDir, 'diff-tree', '-r', '-z', '--no-renames', '--raw', `${sha}^1`, sha]);
  const files: ChangedFile[] = [];
  const fields = differences.split('\0').filter((field) => field !== '');
  for (let index = 0; index < fields.length; index += 2) {
    const [oldMode = '', newMode = '', oldSha = '', newSha = ''] = (fields[index] ?? '').slice(1).split(' ');
    const before = await readSide(gitDir, oldMode, oldSha);
    const after = await readSide(gitDir, newMode, newSha);
    files.push({ path: fields[index + 1] ?? '', before, after });
  }
  return { sha, parents: parents.split(' '), author, message, files };
}

/** Throws for what nobody could have approved here: a link, a submodule, or bytes that are no text. */
async function readSide(gitDir: string, mode: string, sha: string): Promise<FileSide> {
  if (mode === '000000') return null;
  if (mode !== '100644' && mode !== '100755') throw new Error(`a file of mode ${mode} was changed`);
  return { mode, sha, text: decode(await runGit([gitDir, 'cat-file', 'blob', sha])) };
}

function decode(bytes: Uint8Array): string {
  return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
}

/** A file at a commit or branch; null where there is none. */
export async function fileAt(directory: string, revision: string, path: string): Promise<string | null> {
  return runGit([`--git-dir=${directory}`, 'cat-file', 'blob', `${revision}:${path}`]).then(decode, () => null);
}
