import type { Account, PullRequest, Repository, World } from '../world/state.ts';
import type { Review, ReviewComment } from '../world/talk.ts';

/** An account by login; GitHub ignores case. */
export function findAccount(world: World, login: string): Account | undefined {
  const wanted = login.toLowerCase();
  for (const account of world.accounts.values()) if (account.login.toLowerCase() === wanted) return account;
  return undefined;
}

/** A repository by `owner` and `name`; GitHub ignores case. */
export function findRepository(world: World, owner: string, name: string): Repository | undefined {
  const account = findAccount(world, owner);
  const wanted = name.toLowerCase();
  for (const repository of world.repositories.values()) {
    if (repository.ownerId === account?.id && repository.name.toLowerCase() === wanted) return repository;
  }
  return undefined;
}

/** A repository by a name that it had once and that no other has now. */
export function findRenamed(world: World, owner: string, name: string): Repository | undefined {
  const account = findAccount(world, owner);
  const wanted = name.toLowerCase();
  const had = ({ ownerId, formerNames }: Repository): boolean =>
    ownerId === account?.id && formerNames.some((former) => former.toLowerCase() === wanted);
  return findRepository(world, owner, name) === undefined ? [...world.repositories.values()].find(had) : undefined;
}

/** Whether an account may see a review: a pending one is its author's alone. */
export function isVisible(review: Review | undefined, viewerId: number): boolean {
  return review !== undefined && (review.state !== 'PENDING' || review.authorId === viewerId);
}

/** A pull request's reviews that an account may see, oldest first. */
export function visibleReviews(pull: PullRequest, viewerId: number): readonly Review[] {
  return [...pull.reviews.values()].filter((review) => isVisible(review, viewerId));
}

/** A pull request's published review comments, oldest first. */
export function publishedComments(pull: PullRequest): readonly ReviewComment[] {
  return [...pull.reviewComments.values()].filter(({ reviewId }) => pull.reviews.get(reviewId)?.state !== 'PENDING');
}
