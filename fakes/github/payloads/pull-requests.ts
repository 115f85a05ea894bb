import type { JsonObject } from '../../lib/json.ts';
import { listPullCommits, listPullFileDiffs } from '../state/commits.ts';
import type {
  DiffAnchor,
  FakePullBranch,
  FakePullRequest,
  FakeRepository,
  FakeReview,
  FakeReviewComment,
  FakeReviewThread,
  GitHubState,
} from '../state/github-state.ts';
import { fullNameOf } from '../state/lookup.ts';
import { authorAssociationOf, simpleUserPayload } from './accounts.ts';
import { reactionRollupPayload } from './issues.ts';
import { labelsPayload } from './labels.ts';
import { repositoryApiUrl, repositoryPageUrl, repositoryPayload } from './repositories.ts';

/** A pull request in lists and review events, without the counts. */
export function simplePullRequestPayload(
  github: GitHubState,
  repository: FakeRepository,
  pull: FakePullRequest,
): JsonObject {
  return {
    ...urlFields(github, repository, pull),
    id: pull.id,
    node_id: pull.nodeId,
    number: pull.number,
    state: pull.state,
    locked: pull.locked,
    title: pull.title,
    user: simpleUserPayload(github, pull.authorId),
    body: pull.body,
    created_at: pull.createdAt,
    updated_at: pull.updatedAt,
    closed_at: pull.closedAt,
    merged_at: pull.merge?.mergedAt ?? null,
    merge_commit_sha: pull.merge?.sha ?? null,
    assignee: null,
    assignees: [],
    requested_reviewers: [],
    requested_teams: [],
    labels: labelsPayload(github, repository, pull),
    milestone: null,
    draft: pull.draft,
    head: branchPayload(github, pull.head),
    base: branchPayload(github, pull.base),
    author_association: authorAssociationOf(github, repository, pull.authorId),
    auto_merge: null,
    active_lock_reason: null,
  };
}

/** A pull request in its own endpoint and events, with counts of commits, files and lines. */
export function fullPullRequestPayload(
  github: GitHubState,
  repository: FakeRepository,
  pull: FakePullRequest,
): JsonObject {
  const files = listPullFileDiffs(github.store, pull);
  const merged = pull.merge !== null;
  return {
    ...simplePullRequestPayload(github, repository, pull),
    merged,
    mergeable: merged ? null : true,
    rebaseable: null,
    mergeable_state: merged ? 'unknown' : 'clean',
    merged_by: pull.merge === null ? null : simpleUserPayload(github, pull.merge.mergedById),
    comments: pull.comments.size,
    review_comments: pull.reviewComments.size,
    maintainer_can_modify: pull.maintainerCanModify,
    commits: listPullCommits(github.store, pull).length,
    additions: files.reduce((sum, { patch }) => sum + patch.additions, 0),
    deletions: files.reduce((sum, { patch }) => sum + patch.deletions, 0),
    changed_files: files.length,
  };
}

function pullRequestPageUrl(github: GitHubState, repository: FakeRepository, pull: FakePullRequest): string {
  return `${repositoryPageUrl(github, repository)}/pull/${pull.number}`;
}

function branchPayload(github: GitHubState, { repositoryId, branch, sha }: FakePullBranch): JsonObject {
  const repository = github.repositories.get(repositoryId);
  const owner = repository === undefined ? 'unknown' : (fullNameOf(github, repository).split('/')[0] ?? '');
  return {
    label: `${owner}:${branch}`,
    ref: branch,
    sha,
    user: simpleUserPayload(github, repository?.ownerId ?? null),
    repo: repository === undefined ? null : repositoryPayload(github, repository),
  };
}

function urlFields(github: GitHubState, repository: FakeRepository, pull: FakePullRequest): JsonObject {
  const page = pullRequestPageUrl(github, repository, pull);
  const api = repositoryApiUrl(github, repository);
  const url = `${api}/pulls/${pull.number}`;
  const issue = `${api}/issues/${pull.number}`;
  const [comments, reviewComments, commits] = [`${issue}/comments`, `${url}/comments`, `${url}/commits`];
  const reviewComment = `${api}/pulls/comments{/number}`;
  const statuses = `${api}/statuses/${pull.head.sha}`;
  return {
    url,
    html_url: page,
    diff_url: `${page}.diff`,
    patch_url: `${page}.patch`,
    issue_url: issue,
    comments_url: comments,
    review_comments_url: reviewComments,
    review_comment_url: reviewComment,
    commits_url: commits,
    statuses_url: statuses,
    _links: {
      self: { href: url },
      html: { href: page },
      issue: { href: issue },
      comments: { href: comments },
      review_comments: { href: reviewComments },
      review_comment: { href: reviewComment },
      commits: { href: commits },
      statuses: { href: statuses },
    },
  };
}

/** A review in the REST API, with its state in upper case. A pending review has no `submitted_at`. */
export function reviewPayload(
  github: GitHubState,
  repository: FakeRepository,
  pull: FakePullRequest,
  review: FakeReview,
): JsonObject {
  const page = `${pullRequestPageUrl(github, repository, pull)}#pullrequestreview-${review.id}`;
  const url = `${repositoryApiUrl(github, repository)}/pulls/${pull.number}`;
  return {
    id: review.id,
    node_id: review.nodeId,
    user: simpleUserPayload(github, review.authorId),
    body: review.body,
    state: review.state,
    html_url: page,
    pull_request_url: url,
    author_association: authorAssociationOf(github, repository, review.authorId),
    _links: { html: { href: page }, pull_request: { href: url } },
    ...(review.submittedAt === null ? {} : { submitted_at: review.submittedAt }),
    commit_id: review.commitSha,
  };
}

/** A review in webhooks, with its state in lower case and null for an empty body. */
export function webhookReviewPayload(
  github: GitHubState,
  repository: FakeRepository,
  pull: FakePullRequest,
  review: FakeReview,
): JsonObject {
  return {
    ...reviewPayload(github, repository, pull, review),
    state: review.state.toLowerCase(),
    body: review.body === '' ? null : review.body,
    submitted_at: review.submittedAt,
    updated_at: review.updatedAt,
  };
}

/** The address of a review comment's page. */
export function reviewCommentPageUrl(github: GitHubState, pull: FakePullRequest, { id }: FakeReviewComment): string {
  const repository = github.repositories.get(pull.base.repositoryId);
  return repository === undefined ? '' : `${pullRequestPageUrl(github, repository, pull)}#discussion_r${id}`;
}

/** A review comment in the REST API and in webhooks. */
export function reviewCommentPayload(
  github: GitHubState,
  repository: FakeRepository,
  pull: FakePullRequest,
  comment: FakeReviewComment,
): JsonObject {
  const url = `${repositoryApiUrl(github, repository)}/pulls/comments/${comment.id}`;
  const page = reviewCommentPageUrl(github, pull, comment);
  const pullUrl = `${repositoryApiUrl(github, repository)}/pulls/${pull.number}`;
  return {
    url,
    pull_request_review_id: comment.reviewId,
    id: comment.id,
    node_id: comment.nodeId,
    user: simpleUserPayload(github, comment.authorId),
    body: comment.body,
    created_at: comment.createdAt,
    updated_at: comment.updatedAt,
    html_url: page,
    pull_request_url: pullUrl,
    author_association: authorAssociationOf(github, repository, comment.authorId),
    _links: { self: { href: url }, html: { href: page }, pull_request: { href: pullUrl } },
    ...locationFields(pull.threads.get(comment.threadId)),
    reactions: reactionRollupPayload(`${url}/reactions`, comment.reactions),
    ...(comment.inReplyToId === null ? {} : { in_reply_to_id: comment.inReplyToId }),
  };
}

function locationFields(thread: FakeReviewThread | undefined): JsonObject {
  if (thread === undefined) return {};
  const common = {
    path: thread.path,
    commit_id: thread.commitSha,
    original_commit_id: thread.originalCommitSha,
    diff_hunk: thread.diffHunk,
  };
  return thread.location.kind === 'file'
    ? { ...common, ...FILE_LINE_FIELDS, subject_type: 'file' }
    : { ...common, ...lineFields(thread.location.original, thread.location.current), subject_type: 'line' };
}

function lineFields(original: DiffAnchor, current: DiffAnchor | null): JsonObject {
  return {
    side: original.side,
    start_side: original.startSide,
    line: current?.line ?? null,
    start_line: current?.startLine ?? null,
    position: current?.position ?? null,
    original_line: original.line,
    original_start_line: original.startLine,
    original_position: original.position,
  };
}

/** GitHub reports a comment on a whole file with line 1. */
const FILE_LINE_FIELDS = {
  side: 'RIGHT',
  start_side: null,
  line: 1,
  start_line: null,
  position: 1,
  original_line: 1,
  original_start_line: null,
  original_position: 1,
} as const;
