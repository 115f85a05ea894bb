import { readCommit } from '../git/commit-object.ts';
import type { Sha } from '../git/object-store.ts';
import type { Repository } from '../world/state.ts';
import type { GitHubState } from './github-state.ts';

/**
 * The commit a client means by a branch name, a ref (`heads/x`, `refs/heads/x`, `HEAD`) or a full SHA;
 * undefined when there is none.
 */
export function commitAt(state: GitHubState, repository: Repository, reference: string): Sha | undefined {
  const branch = reference === 'HEAD' ? repository.defaultBranch : reference;
  const named = [branch, `refs/heads/${branch}`, `refs/${branch}`, `refs/tags/${branch}`];
  for (const name of named) {
    const sha = repository.refs.get(name);
    if (sha !== undefined) return sha;
  }
  return readCommit(state.world.store, reference) === undefined ? undefined : reference;
}
