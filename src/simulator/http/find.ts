import type { Account, Issue, PullRequest, Repository, World } from '../world/state.ts';
import type { IssueComment, Review, ReviewComment, Thread } from '../world/talk.ts';

/** An issue comment and what it hangs on. */
export type FoundComment = { readonly comment: IssueComment; readonly number: number; readonly onPull: boolean };
/** A review comment, its thread and its pull request. */
export type FoundReviewComment = { readonly comment: ReviewComment; readonly pull: PullRequest };

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

/** What stands under a number in the conversation API. */
export function findConversation(repository: Repository, number: number): Issue | PullRequest | undefined {
  return repository.pulls.get(number) ?? repository.issues.get(number);
}

/** An issue comment by id, wherever in the repository it is. */
export function findComment(repository: Repository, id: number): FoundComment | undefined {
  for (const [number, pull] of repository.pulls) {
    const comment = pull.comments.get(id);
    if (comment !== undefined) return { comment, number, onPull: true };
  }
  for (const [number, issue] of repository.issues) {
    const comment = issue.comments.get(id);
    if (comment !== undefined) return { comment, number, onPull: false };
  }
  return undefined;
}

/** A review comment by id, wherever in the repository it is. */
export function findReviewComment(repository: Repository, id: number): FoundReviewComment | undefined {
  for (const pull of repository.pulls.values()) {
    const comment = pull.reviewComments.get(id);
    if (comment !== undefined) return { comment, pull };
  }
  return undefined;
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

/** A thread by its node id, with its pull request. */
export function findThread(
  repository: Repository,
  nodeId: string,
): { readonly thread: Thread; readonly pull: PullRequest } | undefined {
  for (const pull of repository.pulls.values()) {
    for (const thread of pull.threads.values()) if (thread.nodeId === nodeId) return { thread, pull };
  }
  return undefined;
}
