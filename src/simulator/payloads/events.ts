import type { Actor } from '../world/access.ts';
import { commentsOfThread, type PullPlace } from '../world/lookup.ts';
import type { WebhookEvent } from '../world/outcome.ts';
import type { Installation, Issue, Repository, World } from '../world/state.ts';
import type { IssueComment, Review, ReviewComment, Thread } from '../world/talk.ts';
import { organizationPayload, simpleUser } from './account-payload.ts';
import { installationPayload, installedRepository } from './app-payload.ts';
import { issueCommentPayload, issuePayload } from './issue-payload.ts';
import type { Json } from './json.ts';
import { fullPull, smallPull } from './pull-payload.ts';
import { repositoryPayload } from './repository-payload.ts';
import { reviewCommentPayload, reviewInEvent } from './review-payload.ts';

type CommentAction = 'created' | 'edited' | 'deleted';

/** `changes` of an `edited` event; absent for other actions. */
export function bodyChange(from: string): Json {
  return { changes: { body: { from } } };
}

/** `pull_request`: `extra` holds `before` and `after` of `synchronize`, `changes` of `edited`. */
export function pullEvent(
  world: World,
  place: PullPlace,
  action: string,
  actor: Actor,
  extra: Json = {},
): WebhookEvent {
  const { repository, pull } = place;
  const body = { number: pull.number, pull_request: fullPull(world, repository, pull), ...extra };
  return repositoryEvent(world, 'pull_request', action, repository, actor, body);
}

/** `issue_comment`; the sender may be another than the comment's author. */
export function issueCommentEvent(
  world: World,
  about: { readonly repository: Repository; readonly issue: Issue; readonly comment: IssueComment },
  action: CommentAction,
  actor: Actor,
  extra: Json = {},
): WebhookEvent {
  const { repository, issue, comment } = about;
  const body = {
    issue: issuePayload(world, repository, issue),
    comment: issueCommentPayload(world, repository, issue, comment),
    ...extra,
  };
  return repositoryEvent(world, 'issue_comment', action, repository, actor, body);
}

/** `pull_request_review`. */
export function reviewEvent(
  world: World,
  about: PullPlace & { readonly review: Review },
  action: 'submitted' | 'edited' | 'dismissed',
  actor: Actor,
  extra: Json = {},
): WebhookEvent {
  const { repository, pull, review } = about;
  const shown = {
    review: reviewInEvent(world, repository, pull, review),
    pull_request: smallPull(world, repository, pull),
  };
  return repositoryEvent(world, 'pull_request_review', action, repository, actor, { ...shown, ...extra });
}

/** `pull_request_review_comment`. */
export function reviewCommentEvent(
  world: World,
  about: PullPlace & { readonly comment: ReviewComment },
  action: CommentAction,
  actor: Actor,
  extra: Json = {},
): WebhookEvent {
  const { repository, pull, comment } = about;
  const body = {
    comment: reviewCommentPayload(world, repository, pull, comment),
    pull_request: smallPull(world, repository, pull),
    ...extra,
  };
  return repositoryEvent(world, 'pull_request_review_comment', action, repository, actor, body);
}

/** `pull_request_review_thread`. */
export function threadEvent(
  world: World,
  about: PullPlace & { readonly thread: Thread },
  action: 'resolved' | 'unresolved',
  actor: Actor,
  updatedAt: string,
): WebhookEvent {
  const { repository, pull, thread } = about;
  const comments = commentsOfThread(pull, thread).map((comment) =>
    reviewCommentPayload(world, repository, pull, comment),
  );
  const body = {
    thread: { node_id: thread.nodeId, comments },
    pull_request: smallPull(world, repository, pull),
    updated_at: updatedAt,
  };
  return repositoryEvent(world, 'pull_request_review_thread', action, repository, actor, body);
}

/** `installation`; it belongs to no repository and carries its own `installation`. */
export function installationEvent(
  world: World,
  installation: Installation,
  action: 'created' | 'deleted' | 'suspend' | 'unsuspend' | 'new_permissions_accepted',
  actor: Actor,
): WebhookEvent {
  const { accountId, repositories } = installation;
  const reached = [...world.repositories.values()].filter(
    ({ id, ownerId }) => ownerId === accountId && (repositories === 'all' || repositories.includes(id)),
  );
  const payload = {
    action,
    installation: installationPayload(world, installation),
    repositories: reached.map((repository) => installedRepository(world, repository)),
    ...(action === 'created' ? { requester: null } : {}),
    sender: simpleUser(world, actor.accountId),
  };
  return { name: 'installation', action, repositoryId: null, payload };
}

/** `installation_repositories.removed`. */
export function repositoriesRemovedEvent(
  world: World,
  installation: Installation,
  repositoryIds: readonly number[],
  actor: Actor,
): WebhookEvent {
  const removed = repositoryIds.flatMap((id) => world.repositories.get(id) ?? []);
  const payload = {
    action: 'removed',
    installation: installationPayload(world, installation),
    repository_selection: installation.repositories === 'all' ? 'all' : 'selected',
    repositories_added: [],
    repositories_removed: removed.map((repository) => installedRepository(world, repository)),
    requester: null,
    sender: simpleUser(world, actor.accountId),
  };
  return { name: 'installation_repositories', action: 'removed', repositoryId: null, payload };
}

/** Any event of a repository: `body` with the fields that all of them share. */
export function repositoryEvent(
  world: World,
  name: string,
  action: string | null,
  repository: Repository,
  actor: Actor,
  body: Json,
): WebhookEvent {
  const owner = world.accounts.get(repository.ownerId);
  const payload = {
    ...(action === null ? {} : { action }),
    repository: repositoryPayload(world, repository),
    ...(owner?.type === 'Organization' ? { organization: organizationPayload(world, owner) } : {}),
    sender: simpleUser(world, actor.accountId),
    ...body,
  };
  return { name, action, repositoryId: repository.id, payload };
}
