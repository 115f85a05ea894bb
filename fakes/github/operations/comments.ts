import { createIssueCommentEvent, describeBodyChange } from '../payloads/webhook-events.ts';
import type {
  FakeActor,
  FakeIssue,
  FakeIssueComment,
  FakeReaction,
  FakeRepository,
  GitHubState,
} from '../state/github-state.ts';
import { canPush, findConversation, locateIssueComment, locateReviewComment } from '../state/lookup.ts';
import { ADMIN_RIGHTS_ERROR, checkBody, LOCKED_ERROR, NOT_FOUND_ERROR, type Operation } from '../state/operation.ts';
import {
  allocateId,
  createNodeId,
  formatTimestamp,
  mapWithEntry,
  mapWithoutEntry,
  putPull,
  refuseWith,
  succeedWith,
  updateConversation,
  withAuditEntry,
} from '../state/update.ts';
import type { AddReactionInput, CommentTarget, CreateIssueCommentInput, EditCommentInput } from './inputs.ts';

export const createIssueComment: Operation<CreateIssueCommentInput, FakeIssueComment> = (github, input, now) => {
  const repository = github.repositories.get(input.repositoryId);
  const issue = repository === undefined ? undefined : findConversation(repository, input.number);
  if (repository === undefined || issue === undefined) return refuseWith(github, NOT_FOUND_ERROR);
  if (isLockedOut(repository, issue, input.actor)) return refuseWith(github, LOCKED_ERROR);
  const problem = checkBody('IssueComment', input.body);
  if (problem !== undefined) return refuseWith(github, problem);
  const [id, allocated] = allocateId(github);
  const comment: FakeIssueComment = {
    id,
    nodeId: createNodeId('IC', id),
    authorId: input.actor.accountId,
    viaAppId: input.actor.viaAppId,
    body: input.body,
    createdAt: formatTimestamp(now),
    updatedAt: formatTimestamp(now),
    reactions: [],
  };
  const fields = { comments: mapWithEntry(issue.comments, id, comment), updatedAt: formatTimestamp(now) };
  const updated = updateConversation(allocated, repository.id, issue.number, fields);
  const state = withAuditEntry(updated, 'comment-created', input.actor, now, {
    repositoryId: repository.id,
    number: issue.number,
    id,
  });
  const details = { repository, issue: { ...issue, ...fields }, comment };
  return succeedWith(state, comment, [createIssueCommentEvent(state, details, 'created', input.actor)]);
};

/** Edits a comment. Allowed for its author, for people with write access and for Apps. */
export const editIssueComment: Operation<EditCommentInput, FakeIssueComment> = (github, input, now) => {
  const located = locateIssueComment(github, input);
  if (located === undefined) return refuseWith(github, NOT_FOUND_ERROR);
  const { repository, issue, comment: before } = located;
  if (!canModerate(repository, input.actor, before.authorId)) return refuseWith(github, ADMIN_RIGHTS_ERROR);
  const problem = checkBody('IssueComment', input.body);
  if (problem !== undefined) return refuseWith(github, problem);
  const comment = { ...before, body: input.body, updatedAt: formatTimestamp(now) };
  const fields = { comments: mapWithEntry(issue.comments, comment.id, comment) };
  const details = { repositoryId: repository.id, number: issue.number, id: comment.id };
  const updated = updateConversation(github, repository.id, issue.number, fields);
  const state = withAuditEntry(updated, 'comment-edited', input.actor, now, details);
  const shown = { repository, issue: { ...issue, ...fields }, comment };
  return succeedWith(state, comment, [
    createIssueCommentEvent(state, shown, 'edited', input.actor, describeBodyChange(before.body)),
  ]);
};

/** Deletes a comment. Allowed for the same actors as an edit. */
export const deleteIssueComment: Operation<CommentTarget, null> = (github, input, now) => {
  const located = locateIssueComment(github, input);
  if (located === undefined) return refuseWith(github, NOT_FOUND_ERROR);
  const { repository, issue, comment } = located;
  if (!canModerate(repository, input.actor, comment.authorId)) return refuseWith(github, ADMIN_RIGHTS_ERROR);
  const fields = { comments: mapWithoutEntry(issue.comments, comment.id) };
  const details = { repositoryId: repository.id, number: issue.number, id: comment.id };
  const updated = updateConversation(github, repository.id, issue.number, fields);
  const state = withAuditEntry(updated, 'comment-deleted', input.actor, now, details);
  const shown = { repository, issue: { ...issue, ...fields }, comment };
  return succeedWith(state, null, [createIssueCommentEvent(state, shown, 'deleted', input.actor)]);
};

/** Hides a comment in the conversation or in a thread. GitHub sends no webhook for it. */
export const minimizeComment: Operation<CommentTarget, null> = (github, input) => {
  const inConversation = locateIssueComment(github, input);
  const inThread = locateReviewComment(github, input);
  const located = inConversation ?? inThread;
  if (located === undefined) return refuseWith(github, NOT_FOUND_ERROR);
  if (!canModerate(located.repository, input.actor, located.comment.authorId))
    return refuseWith(github, ADMIN_RIGHTS_ERROR);
  if (inConversation !== undefined) {
    const { repository, issue, comment } = inConversation;
    const comments = mapWithEntry(issue.comments, comment.id, { ...comment, minimized: true });
    return succeedWith(updateConversation(github, repository.id, issue.number, { comments }), null);
  }
  if (inThread === undefined) return refuseWith(github, NOT_FOUND_ERROR);
  const { repository, pull, comment } = inThread;
  const reviewComments = mapWithEntry(pull.reviewComments, comment.id, { ...comment, minimized: true });
  return succeedWith(putPull(github, repository.id, { ...pull, reviewComments }), null);
};

/** Whether the actor can edit or delete a comment by `authorId`. */
export function canModerate(repository: FakeRepository, actor: FakeActor, authorId: number | null): boolean {
  return actor.viaAppId !== null || actor.accountId === authorId || canPush(repository, actor.accountId);
}

/**
 * Whether a lock prevents the actor from writing. Only people with write access can write in a locked conversation; no
 * App can (renovatebot/renovate#6215, open-telemetry/opentelemetry-dotnet#6554).
 */
export function isLockedOut(repository: FakeRepository, issue: FakeIssue, actor: FakeActor): boolean {
  return issue.locked && (actor.viaAppId !== null || !canPush(repository, actor.accountId));
}

/** Adds a reaction to a comment in the conversation. GitHub sends no webhook for reactions. */
export const reactToIssueComment: Operation<AddReactionInput, FakeReaction> = (github, input, now) => {
  const located = locateIssueComment(github, input);
  if (located === undefined) return refuseWith(github, NOT_FOUND_ERROR);
  const { repository, issue, comment } = located;
  const { state, reaction, reactions } = addReactionTo(github, comment.reactions, input, issue.number, now);
  const comments = mapWithEntry(issue.comments, comment.id, { ...comment, reactions });
  return succeedWith(updateConversation(state, repository.id, issue.number, { comments }), reaction);
};

export const reactToReviewComment: Operation<AddReactionInput, FakeReaction> = (github, input, now) => {
  const located = locateReviewComment(github, input);
  if (located === undefined) return refuseWith(github, NOT_FOUND_ERROR);
  const { repository, pull, comment } = located;
  const { state, reaction, reactions } = addReactionTo(github, comment.reactions, input, pull.number, now);
  const reviewComments = mapWithEntry(pull.reviewComments, comment.id, { ...comment, reactions });
  return succeedWith(putPull(state, repository.id, { ...pull, reviewComments }), reaction);
};

/** An account can add each reaction only once. */
function addReactionTo(
  github: GitHubState,
  before: readonly FakeReaction[],
  { actor, content, repositoryId }: AddReactionInput,
  number: number,
  now: number,
) {
  const known = before.find((one) => one.authorId === actor.accountId && one.content === content);
  if (known !== undefined) return { state: github, reaction: known, reactions: before };
  const [id, allocated] = allocateId(github);
  const reaction = { id, authorId: actor.accountId, content, createdAt: formatTimestamp(now) };
  const state = withAuditEntry(allocated, 'reaction-added', actor, now, { repositoryId, number, id });
  return { state, reaction, reactions: [...before, reaction] };
}
