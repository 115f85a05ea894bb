import type { Sha } from '../git/objects.ts';
import { createThreadEvent } from '../payloads/webhook-events.ts';
import { findPullFileDiff } from '../state/commits.ts';
import type {
  FakeActor,
  FakePullRequest,
  FakeReviewComment,
  FakeReviewThread,
  GitHubState,
} from '../state/github-state.ts';
import { canPush, locateThread } from '../state/lookup.ts';
import { ADMIN_RIGHTS_ERROR, type Operation, type OperationResult, unresolvedNodeError } from '../state/operation.ts';
import {
  allocateId,
  createNodeId,
  formatTimestamp,
  mapWithEntry,
  putPull,
  refuseWith,
  succeedWith,
  withAuditEntry,
} from '../state/update.ts';
import type { CommentPositionInput, ThreadTarget } from './inputs.ts';
import { type AnchorProblem, type ResolvedAnchor, relocateThread, resolveAnchor } from './thread-anchors.ts';

/** Resolves a thread. Allowed for the author of the pull request, for people with write access and for Apps. */
export const resolveReviewThread: Operation<ThreadTarget, FakeReviewThread> = (github, input, now) =>
  setThreadResolved(github, input, 'resolved', input.actor.accountId, now);

/** Unresolves a thread. Allowed for the same actors. */
export const unresolveReviewThread: Operation<ThreadTarget, FakeReviewThread> = (github, input, now) =>
  setThreadResolved(github, input, 'unresolved', null, now);

function setThreadResolved(
  github: GitHubState,
  { actor, threadNodeId }: ThreadTarget,
  action: 'resolved' | 'unresolved',
  resolvedById: number | null,
  now: number,
): OperationResult<FakeReviewThread> {
  const found = locateThread(github, threadNodeId);
  if (found === undefined) return refuseWith(github, unresolvedNodeError(threadNodeId));
  const { repository, pull } = found;
  const isAuthor = pull.authorId === actor.accountId;
  if (actor.viaAppId === null && !isAuthor && !canPush(repository, actor.accountId))
    return refuseWith(github, ADMIN_RIGHTS_ERROR);
  const isUnchanged = (found.thread.resolvedById !== null) === (action === 'resolved');
  if (isUnchanged) return succeedWith(github, found.thread);
  const thread = { ...found.thread, resolvedById };
  const next = { ...pull, threads: mapWithEntry(pull.threads, thread.id, thread) };
  const details = { repositoryId: repository.id, number: pull.number, id: thread.id };
  const state = withAuditEntry(putPull(github, repository.id, next), `thread-${action}`, actor, now, details);
  const event = createThreadEvent(state, { repository, pull: next, thread }, action, actor, formatTimestamp(now));
  return succeedWith(state, thread, [event]);
}

/** A validated location for a comment: lines of the diff, or a whole file. */
export type ResolvedPlacement = {
  readonly path: string;
  readonly commitSha: Sha;
  readonly anchor: ResolvedAnchor | 'file';
};

/** Finds the location in the diff of the pull request at a commit. */
export function resolvePlacement(
  github: GitHubState,
  pull: FakePullRequest,
  commitSha: Sha,
  input: CommentPositionInput & { readonly subjectType?: 'line' | 'file' },
): ResolvedPlacement | AnchorProblem {
  const { path } = input;
  const file = findPullFileDiff(github.store, { base: pull.base, head: { ...pull.head, sha: commitSha } }, path);
  if (file === undefined) return 'path';
  if (input.subjectType === 'file') return { path, commitSha, anchor: 'file' };
  const anchor = resolveAnchor(github.store, file, input);
  return typeof anchor === 'string' ? anchor : { path, commitSha, anchor };
}

type NewReviewComment = { readonly actor: FakeActor; readonly reviewId: number; readonly body: string };

/** Adds a thread with its first comment. A new thread at an older commit can already be outdated. */
export function createThread(
  github: GitHubState,
  pull: FakePullRequest,
  placement: ResolvedPlacement,
  input: NewReviewComment,
  now: number,
) {
  const [id, allocated] = allocateId(github);
  const comment = createCommentRecord(input, { id, threadId: id, inReplyToId: null }, now);
  const { path, commitSha, anchor } = placement;
  const thread: FakeReviewThread = {
    id,
    nodeId: createNodeId('PRRT', id),
    path,
    location: anchor === 'file' ? { kind: 'file' } : { kind: 'lines', original: anchor.anchor, current: anchor.anchor },
    originalCommitSha: commitSha,
    commitSha,
    diffHunk: anchor === 'file' ? '' : anchor.diffHunk,
    resolvedById: null,
  };
  const placed = commitSha === pull.head.sha ? thread : relocateThread(github.store, pull, thread);
  const threads = mapWithEntry(pull.threads, id, placed);
  return { github: allocated, comment, pull: { ...putReviewComment(pull, comment), threads } };
}

export function addThreadReply(
  github: GitHubState,
  pull: FakePullRequest,
  threadId: number,
  input: NewReviewComment,
  now: number,
) {
  const [id, allocated] = allocateId(github);
  const comment = createCommentRecord(input, { id, threadId, inReplyToId: threadId }, now);
  return { github: allocated, comment, pull: putReviewComment(pull, comment) };
}

function putReviewComment(pull: FakePullRequest, comment: FakeReviewComment): FakePullRequest {
  return { ...pull, reviewComments: mapWithEntry(pull.reviewComments, comment.id, comment) };
}

type ReviewCommentIds = Pick<FakeReviewComment, 'id' | 'threadId' | 'inReplyToId'>;

function createCommentRecord(
  { actor, reviewId, body }: NewReviewComment,
  ids: ReviewCommentIds,
  now: number,
): FakeReviewComment {
  return {
    ...ids,
    nodeId: createNodeId('PRRC', ids.id),
    reviewId,
    authorId: actor.accountId,
    body,
    createdAt: formatTimestamp(now),
    updatedAt: formatTimestamp(now),
    reactions: [],
  };
}
