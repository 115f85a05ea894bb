import { byteReader } from './byte-reader.ts';
import { startGit } from './run-git.ts';

/** A commit as the repository lists it. A shallow clone lists fewer parents than the commit has. */
export type ListedCommit = { readonly id: string; readonly parents: readonly string[] };

export type Listing = {
  readonly gitDir: string;
  /** As `git log` takes it: `main..HEAD`, or a name for it and everything before. */
  readonly range: string;
  /** Further arguments of `git rev-list`. */
  readonly options: readonly string[];
};

/** The commits of a range, in git's order, as git finds them. Throws as `runGit` does, for an unknown range too. */
export async function* listCommits({ gitDir, range, options }: Listing): AsyncGenerator<ListedCommit> {
  const git = startGit([`--git-dir=${gitDir}`, 'rev-list', '--parents', ...options, '--end-of-options', range, '--']);
  git.end();
  const reader = byteReader(git.output);
  try {
    for (let line = await reader.line(); line !== null; line = await reader.line()) {
      const [id = '', ...parents] = line.split(' ');
      yield { id, parents };
    }
    await git.ended;
  } finally {
    git.stop();
  }
}
