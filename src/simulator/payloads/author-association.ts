import type { PullRequest, Repository, World } from '../world/state.ts';

type Association = 'OWNER' | 'MEMBER' | 'COLLABORATOR' | 'CONTRIBUTOR' | 'NONE';

/**
 * What GitHub prints as `author_association`. Like GitHub's it says little about
 * rights: a reader who was invited is a COLLABORATOR too.
 */
export function authorAssociation(world: World, repository: Repository, accountId: number | null): Association {
  if (accountId === null || !world.accounts.has(accountId)) return 'NONE';
  if (repository.ownerId === accountId) return 'OWNER';
  if (repository.collaborators.has(accountId)) {
    return world.accounts.get(repository.ownerId)?.type === 'Organization' ? 'MEMBER' : 'COLLABORATOR';
  }
  return hasMerged(repository.pulls.values(), accountId) ? 'CONTRIBUTOR' : 'NONE';
}

function hasMerged(pulls: Iterable<PullRequest>, accountId: number): boolean {
  for (const pull of pulls) if (pull.merge !== null && pull.authorId === accountId) return true;
  return false;
}
