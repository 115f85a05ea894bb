import type { JsonObject } from '../../lib/json.ts';
import { isAncestor, listCommitsBetween } from '../git/ancestry.ts';
import type { Sha } from '../git/objects.ts';
import { noreplyAddress } from '../state/commits.ts';
import type {
  FakeActor,
  FakeInstallation,
  FakeIssue,
  FakeIssueComment,
  FakeRepository,
  FakeReview,
  FakeReviewComment,
  FakeReviewThread,
  GitHubState,
} from '../state/github-state.ts';
import { isInstalledOn, type LocatedPull, listThreadComments } from '../state/lookup.ts';
import type { WebhookEvent } from '../state/operation.ts';
import { installationPayload, installedRepositoryPayload, organizationPayload, simpleUserPayload } from './accounts.ts';
import { pushedCommitPayload } from './commits.ts';
import { issueCommentPayload, issuePayload } from './issues.ts';
import {
  fullPullRequestPayload,
  reviewCommentPayload,
  simplePullRequestPayload,
  webhookReviewPayload,
} from './pull-requests.ts';
import { pushedRepositoryPayload, repositoryPageUrl, repositoryPayload } from './repositories.ts';

type CommentAction = 'created' | 'edited' | 'deleted';

/** The `changes` of an `edited` event. */
export function describeBodyChange(from: string): JsonObject {
  return { changes: { body: { from } } };
}

/** `pull_request`; `extra` holds `before` and `after` of `synchronize`, or `changes` of `edited`. */
export function createPullRequestEvent(
  github: GitHubState,
  located: LocatedPull,
  action: string,
  actor: FakeActor,
  extra: JsonObject = {},
): WebhookEvent {
  const { repository, pull } = located;
  const body = { number: pull.number, pull_request: fullPullRequestPayload(github, repository, pull), ...extra };
  return createRepositoryEvent(github, 'pull_request', action, repository, actor, body);
}

/** `issue_comment`; the sender can differ from the author of the comment. */
export function createIssueCommentEvent(
  github: GitHubState,
  subject: { readonly repository: FakeRepository; readonly issue: FakeIssue; readonly comment: FakeIssueComment },
  action: CommentAction,
  actor: FakeActor,
  extra: JsonObject = {},
): WebhookEvent {
  const { repository, issue, comment } = subject;
  const body = {
    issue: issuePayload(github, repository, issue),
    comment: issueCommentPayload(github, repository, issue, comment),
    ...extra,
  };
  return createRepositoryEvent(github, 'issue_comment', action, repository, actor, body);
}

export function createReviewEvent(
  github: GitHubState,
  subject: LocatedPull & { readonly review: FakeReview },
  action: 'submitted' | 'edited' | 'dismissed',
  actor: FakeActor,
  extra: JsonObject = {},
): WebhookEvent {
  const { repository, pull, review } = subject;
  const shown = {
    review: webhookReviewPayload(github, repository, pull, review),
    pull_request: simplePullRequestPayload(github, repository, pull),
  };
  return createRepositoryEvent(github, 'pull_request_review', action, repository, actor, { ...shown, ...extra });
}

export function createReviewCommentEvent(
  github: GitHubState,
  subject: LocatedPull & { readonly comment: FakeReviewComment },
  action: CommentAction,
  actor: FakeActor,
  extra: JsonObject = {},
): WebhookEvent {
  const { repository, pull, comment } = subject;
  const body = {
    comment: reviewCommentPayload(github, repository, pull, comment),
    pull_request: simplePullRequestPayload(github, repository, pull),
    ...extra,
  };
  return createRepositoryEvent(github, 'pull_request_review_comment', action, repository, actor, body);
}

export function createThreadEvent(
  github: GitHubState,
  subject: LocatedPull & { readonly thread: FakeReviewThread },
  action: 'resolved' | 'unresolved',
  actor: FakeActor,
  updatedAt: string,
): WebhookEvent {
  const { repository, pull, thread } = subject;
  const comments = listThreadComments(pull, thread).map((comment) =>
    reviewCommentPayload(github, repository, pull, comment),
  );
  const body = {
    thread: { node_id: thread.nodeId, comments },
    pull_request: simplePullRequestPayload(github, repository, pull),
    updated_at: updatedAt,
  };
  return createRepositoryEvent(github, 'pull_request_review_thread', action, repository, actor, body);
}

/** `installation`; it has no repository, and its `installation` field is complete. */
export function createInstallationEvent(
  github: GitHubState,
  installation: FakeInstallation,
  action: 'created' | 'deleted' | 'suspend' | 'unsuspend' | 'new_permissions_accepted',
  actor: FakeActor,
): WebhookEvent {
  const installed = [...github.repositories.values()].filter((repository) => isInstalledOn(installation, repository));
  const payload = {
    action,
    installation: installationPayload(github, installation),
    repositories: installed.map((repository) => installedRepositoryPayload(github, repository)),
    ...(action === 'created' ? { requester: null } : {}),
    sender: simpleUserPayload(github, actor.accountId),
  };
  return { name: 'installation', action, repositoryId: null, payload };
}

export function createRepositoriesRemovedEvent(
  github: GitHubState,
  installation: FakeInstallation,
  repositoryIds: readonly number[],
  actor: FakeActor,
): WebhookEvent {
  const removed = repositoryIds.flatMap((id) => github.repositories.get(id) ?? []);
  const payload = {
    action: 'removed',
    installation: installationPayload(github, installation),
    repository_selection: installation.repositories === 'all' ? 'all' : 'selected',
    repositories_added: [],
    repositories_removed: removed.map((repository) => installedRepositoryPayload(github, repository)),
    requester: null,
    sender: simpleUserPayload(github, actor.accountId),
  };
  return { name: 'installation_repositories', action: 'removed', repositoryId: null, payload };
}

/** Creates an event with the fields that all events of a repository share. */
export function createRepositoryEvent(
  github: GitHubState,
  name: string,
  action: string | null,
  repository: FakeRepository,
  actor: FakeActor,
  body: JsonObject,
): WebhookEvent {
  const owner = github.accounts.get(repository.ownerId);
  const payload = {
    ...(action === null ? {} : { action }),
    repository: repositoryPayload(github, repository),
    ...(owner?.type === 'Organization' ? { organization: organizationPayload(github, owner) } : {}),
    sender: simpleUserPayload(github, actor.accountId),
    ...body,
  };
  return { name, action, repositoryId: repository.id, payload };
}

/** A change of a ref. `before` is null for a new ref, `after` for a deleted ref. */
export type RefUpdate = { readonly ref: string; readonly before: Sha | null; readonly after: Sha | null };

const ZERO_SHA = '0'.repeat(40);

const MAX_PUSH_EVENT_COMMITS = 2_048;

/** `push`; for a new branch it lists the commits that are not on the default branch. */
export function createPushEvent(
  github: GitHubState,
  repository: FakeRepository,
  actor: FakeActor,
  refUpdate: RefUpdate,
): WebhookEvent {
  const { ref, before, after } = refUpdate;
  const commits = listNewCommits(github, repository, refUpdate).map((sha) =>
    pushedCommitPayload(github, repository, sha),
  );
  const pusher = github.accounts.get(actor.accountId);
  const forced = before !== null && after !== null && !isAncestor(github.store, before, after);
  const body = {
    ref,
    before: before ?? ZERO_SHA,
    after: after ?? ZERO_SHA,
    created: before === null,
    deleted: after === null,
    forced,
    base_ref: null,
    compare: `${repositoryPageUrl(github, repository)}/compare/${(before ?? ZERO_SHA).slice(0, 12)}...${(after ?? ZERO_SHA).slice(0, 12)}`,
    commits: commits.slice(-MAX_PUSH_EVENT_COMMITS),
    head_commit: after === null ? null : pushedCommitPayload(github, repository, after),
    pusher: pusher === undefined ? { name: 'ghost' } : { name: pusher.login, email: noreplyAddress(github, pusher) },
    repository: pushedRepositoryPayload(github, repository),
  };
  return createRepositoryEvent(github, 'push', null, repository, actor, body);
}

function listNewCommits(github: GitHubState, repository: FakeRepository, { before, after }: RefUpdate): readonly Sha[] {
  if (after === null) return [];
  const known = before ?? repository.refs.get(`refs/heads/${repository.defaultBranch}`);
  return known === undefined ? [] : listCommitsBetween(github.store, known, after);
}
