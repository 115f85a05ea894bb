import { readGitCommit } from '../git/objects.ts';
import type {
  CollaboratorRole,
  FakeAccount,
  FakeInstallation,
  FakeIssue,
  FakeIssueComment,
  FakePullRequest,
  FakeRepository,
  FakeReview,
  FakeReviewComment,
  FakeReviewThread,
  FakeRuleset,
  GitHubState,
} from './github-state.ts';

const READ_ROLE: CollaboratorRole = { permission: 'read', roleName: 'read' };

const NO_ROLE: CollaboratorRole = { permission: 'none', roleName: 'none' };

const OWNER_ROLE: CollaboratorRole = { permission: 'admin', roleName: 'admin' };

export type LocatedPull = { readonly repository: FakeRepository; readonly pull: FakePullRequest };

export function locatePull(github: GitHubState, repositoryId: number, number: number): LocatedPull | undefined {
  const repository = github.repositories.get(repositoryId);
  const pull = repository?.pulls.get(number);
  return repository === undefined || pull === undefined ? undefined : { repository, pull };
}

/** Finds the issue or pull request with this number. */
export function findConversation(repository: FakeRepository, number: number): FakeIssue | undefined {
  return repository.pulls.get(number) ?? repository.issues.get(number);
}

/** GitHub treats every pull request as an issue too. */
export function isPullRequest(issue: FakeIssue): issue is FakePullRequest {
  return 'head' in issue;
}

type CommentKey = { readonly repositoryId: number; readonly commentId: number };

export function findConversationOfComment(repository: FakeRepository, commentId: number): FakeIssue | undefined {
  for (const pull of repository.pulls.values()) if (pull.comments.has(commentId)) return pull;
  for (const issue of repository.issues.values()) if (issue.comments.has(commentId)) return issue;
  return undefined;
}

export function findPullOfReviewComment(repository: FakeRepository, commentId: number): FakePullRequest | undefined {
  for (const pull of repository.pulls.values()) if (pull.reviewComments.has(commentId)) return pull;
  return undefined;
}

type LocatedIssueComment = {
  readonly repository: FakeRepository;
  readonly issue: FakeIssue;
  readonly comment: FakeIssueComment;
};

export function locateIssueComment(
  github: GitHubState,
  { repositoryId, commentId }: CommentKey,
): LocatedIssueComment | undefined {
  const repository = github.repositories.get(repositoryId);
  const issue = repository === undefined ? undefined : findConversationOfComment(repository, commentId);
  const comment = issue?.comments.get(commentId);
  if (repository === undefined || issue === undefined || comment === undefined) return undefined;
  return { repository, issue, comment };
}

type LocatedReviewComment = LocatedPull & { readonly comment: FakeReviewComment };

export function locateReviewComment(
  github: GitHubState,
  { repositoryId, commentId }: CommentKey,
): LocatedReviewComment | undefined {
  const repository = github.repositories.get(repositoryId);
  const pull = repository === undefined ? undefined : findPullOfReviewComment(repository, commentId);
  const comment = pull?.reviewComments.get(commentId);
  if (repository === undefined || pull === undefined || comment === undefined) return undefined;
  return { repository, pull, comment };
}

export function locateThread(
  github: GitHubState,
  nodeId: string,
): (LocatedPull & { readonly thread: FakeReviewThread }) | undefined {
  for (const repository of github.repositories.values()) {
    for (const pull of repository.pulls.values()) {
      for (const thread of pull.threads.values()) if (thread.nodeId === nodeId) return { repository, pull, thread };
    }
  }
  return undefined;
}

/** Lists the published comments of a thread, oldest first. */
export function listThreadComments(pull: FakePullRequest, thread: FakeReviewThread): readonly FakeReviewComment[] {
  return [...pull.reviewComments.values()].filter(
    (comment) => comment.threadId === thread.id && pull.reviews.get(comment.reviewId)?.state !== 'PENDING',
  );
}

/** Returns the role of an account in a repository; the owner is an admin. */
export function collaboratorRoleOf(repository: FakeRepository, accountId: number): CollaboratorRole {
  if (repository.ownerId === accountId) return OWNER_ROLE;
  return repository.collaborators.get(accountId) ?? (repository.private ? NO_ROLE : READ_ROLE);
}

export function canPush(repository: FakeRepository, accountId: number): boolean {
  const { permission } = collaboratorRoleOf(repository, accountId);
  return permission === 'admin' || permission === 'write';
}

/** Returns undefined for a deleted account, which GitHub shows as `ghost`. */
export function findAccountById(github: GitHubState, id: number | null): FakeAccount | undefined {
  return id === null ? undefined : github.accounts.get(id);
}

export function fullNameOf(github: GitHubState, repository: Pick<FakeRepository, 'ownerId' | 'name'>): string {
  return `${findAccountById(github, repository.ownerId)?.login ?? 'ghost'}/${repository.name}`;
}

export function findBranchHead(repository: FakeRepository, branch: string): string | undefined {
  return repository.refs.get(`refs/heads/${branch}`);
}

/** Resolves a branch name, a ref (`heads/x`, `refs/heads/x`, `HEAD`) or a full SHA. */
export function resolveCommit(github: GitHubState, repository: FakeRepository, reference: string): string | undefined {
  const branch = reference === 'HEAD' ? repository.defaultBranch : reference;
  for (const name of [branch, `refs/heads/${branch}`, `refs/${branch}`, `refs/tags/${branch}`]) {
    const sha = repository.refs.get(name);
    if (sha !== undefined) return sha;
  }
  return readGitCommit(github.store, reference) === undefined ? undefined : reference;
}

/** Ignores case, as GitHub does. */
export function findAccountByLogin(github: GitHubState, login: string): FakeAccount | undefined {
  const wanted = login.toLowerCase();
  for (const account of github.accounts.values()) if (account.login.toLowerCase() === wanted) return account;
  return undefined;
}

/** Ignores case, as GitHub does. */
export function findRepositoryByName(github: GitHubState, owner: string, name: string): FakeRepository | undefined {
  const account = findAccountByLogin(github, owner);
  const wanted = name.toLowerCase();
  for (const repository of github.repositories.values()) {
    if (repository.ownerId === account?.id && repository.name.toLowerCase() === wanted) return repository;
  }
  return undefined;
}

/** Finds a repository by a former name that no other repository uses now. */
export function findRepositoryByPreviousName(
  github: GitHubState,
  owner: string,
  name: string,
): FakeRepository | undefined {
  const account = findAccountByLogin(github, owner);
  const wanted = name.toLowerCase();
  const hadName = ({ previousNames }: FakeRepository): boolean =>
    previousNames.some((former) => former.ownerId === account?.id && former.name.toLowerCase() === wanted);
  return findRepositoryByName(github, owner, name) === undefined
    ? [...github.repositories.values()].find(hadName)
    : undefined;
}

/** Whether an installation includes a repository. */
export function isInstalledOn(
  { accountId, repositories }: Pick<FakeInstallation, 'accountId' | 'repositories'>,
  { id, ownerId }: FakeRepository,
): boolean {
  return accountId === ownerId && (repositories === 'all' || repositories.includes(id));
}

/** Lists the rulesets that apply to a branch. */
export function listRulesetsForBranch({ rulesets }: FakeRepository, branch: string): readonly FakeRuleset[] {
  return rulesets.filter(({ branches }) => branches.includes('*') || branches.includes(branch));
}

/** A pending review is visible only to its author. */
export function isReviewVisible(review: FakeReview | undefined, viewerId: number): boolean {
  return review !== undefined && (review.state !== 'PENDING' || review.authorId === viewerId);
}

export function listVisibleReviews(pull: FakePullRequest, viewerId: number): readonly FakeReview[] {
  return [...pull.reviews.values()].filter((review) => isReviewVisible(review, viewerId));
}

/** Lists the published review comments of a pull request, oldest first. */
export function listPublishedComments(pull: FakePullRequest): readonly FakeReviewComment[] {
  return [...pull.reviewComments.values()].filter(({ reviewId }) => pull.reviews.get(reviewId)?.state !== 'PENDING');
}

/** The newest review with a verdict of each person, also a dismissed one. */
export function listLatestVerdicts(pull: FakePullRequest): readonly FakeReview[] {
  const verdicts = [...pull.reviews.values()].filter(({ state }) => state !== 'PENDING' && state !== 'COMMENTED');
  return [...new Map(verdicts.map((review) => [review.authorId, review])).values()];
}
