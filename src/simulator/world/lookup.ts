import type { Role } from './access.ts';
import type { Account, Issue, PullRequest, Repository, World } from './state.ts';
import type { ReviewComment, Thread } from './talk.ts';

const READER: Role = { permission: 'read', roleName: 'read' };
const STRANGER: Role = { permission: 'none', roleName: 'none' };
const OWNER: Role = { permission: 'admin', roleName: 'admin' };

/** A pull request with its repository: the pair most questions are about. */
export type PullPlace = { readonly repository: Repository; readonly pull: PullRequest };

/** A pull request by number, or undefined. */
export function pullPlace(world: World, repositoryId: number, number: number): PullPlace | undefined {
  const repository = world.repositories.get(repositoryId);
  const pull = repository?.pulls.get(number);
  return repository === undefined || pull === undefined ? undefined : { repository, pull };
}

/** What stands under a number, be it an issue or a pull request. */
export function conversationOf(repository: Repository, number: number): Issue | undefined {
  return repository.pulls.get(number) ?? repository.issues.get(number);
}

/** Where in a repository an issue comment stands. */
export function conversationOfComment(repository: Repository, commentId: number): Issue | undefined {
  for (const pull of repository.pulls.values()) if (pull.comments.has(commentId)) return pull;
  for (const issue of repository.issues.values()) if (issue.comments.has(commentId)) return issue;
  return undefined;
}

/** Where in a repository a review comment stands. */
export function pullOfReviewComment(repository: Repository, commentId: number): PullRequest | undefined {
  for (const pull of repository.pulls.values()) if (pull.reviewComments.has(commentId)) return pull;
  return undefined;
}

/** A thread by its node id, anywhere. */
export function threadPlace(world: World, nodeId: string): (PullPlace & { readonly thread: Thread }) | undefined {
  for (const repository of world.repositories.values()) {
    for (const pull of repository.pulls.values()) {
      for (const thread of pull.threads.values()) if (thread.nodeId === nodeId) return { repository, pull, thread };
    }
  }
  return undefined;
}

/** The published comments of a thread, oldest first. */
export function commentsOfThread(pull: PullRequest, thread: Thread): readonly ReviewComment[] {
  return [...pull.reviewComments.values()].filter(
    (comment) => comment.threadId === thread.id && pull.reviews.get(comment.reviewId)?.state !== 'PENDING',
  );
}

/** What an account may do in a repository; the owner of the account is its admin. */
export function roleOf(repository: Repository, accountId: number): Role {
  if (repository.ownerId === accountId) return OWNER;
  return repository.collaborators.get(accountId) ?? (repository.private ? STRANGER : READER);
}

/** Whether an account may push to a repository. */
export function mayWrite(repository: Repository, accountId: number): boolean {
  const { permission } = roleOf(repository, accountId);
  return permission === 'admin' || permission === 'write';
}

/** Stands for accounts that were deleted, as GitHub's `ghost` does. */
export function accountOf(world: World, id: number | null): Account | undefined {
  return id === null ? undefined : world.accounts.get(id);
}

/** `owner/name`. */
export function fullName(world: World, repository: Repository): string {
  return `${accountOf(world, repository.ownerId)?.login ?? 'ghost'}/${repository.name}`;
}

/** The tip of a branch, or undefined when there is no such branch. */
export function tipOf(repository: Repository, branch: string): string | undefined {
  return repository.refs.get(`refs/heads/${branch}`);
}
