import type { CommentLocation } from '../../core/state/intent.ts';
import type { PostedComment } from '../../core/state/posted-comment.ts';
import type { GitHub } from '../../core/step/ports.ts';
import { hashBody, toPostedComment } from './posted-comment.ts';
import {
  type CommentAnchor,
  cacheKey,
  type PullConnection,
  pullParams,
  repositoryParams,
} from './requests/connection.ts';
import { classifyReviewError } from './reviews.ts';

/** Posts a comment in the conversation. */
export async function createComment({ ref, write }: PullConnection, body: string): Promise<PostedComment> {
  const { data } = await write((client) =>
    client.rest.issues.createComment({ ...repositoryParams(ref), issue_number: ref.number, body }),
  );
  return toPostedComment('issue-comment', data, body);
}

/** Posts a comment on a whole file. Throws a `ReviewRefusedError` if the diff does not contain the file. */
export async function createFileComment(
  connection: PullConnection,
  head: string,
  path: string,
  body: string,
): Promise<PostedComment> {
  const { ref, write, caches } = connection;
  try {
    const { data } = await write((client) =>
      client.rest.pulls.createReviewComment({
        ...pullParams(ref),
        commit_id: head,
        path,
        body,
        subject_type: 'file',
      }),
    );
    caches.anchors.set(cacheKey(ref, Number(data.id)), { path, commit: head });
    return toPostedComment('file-comment', data, body);
  } catch (error) {
    throw await classifyReviewError(connection, error);
  }
}

/**
 * Posts a reply in the thread whose first comment is `rootId`. Apps cannot use the endpoint for replies, and this
 * endpoint requires the path and commit of the thread.
 */
export async function createReply(connection: PullConnection, rootId: number, body: string): Promise<PostedComment> {
  const { ref, write } = connection;
  const { path, commit } = await fetchAnchor(connection, rootId);
  try {
    const { data } = await write((client) =>
      client.rest.pulls.createReviewComment({
        ...pullParams(ref),
        in_reply_to: rootId,
        commit_id: commit,
        path,
        body,
      }),
    );
    return toPostedComment('review-comment', data, body);
  } catch (error) {
    throw await classifyReviewError(connection, error);
  }
}

async function fetchAnchor({ ref, read, caches }: PullConnection, commentId: number): Promise<CommentAnchor> {
  const key = cacheKey(ref, commentId);
  const cached = caches.anchors.get(key);
  if (cached !== undefined) return cached;
  const { data } = await read((client) =>
    client.rest.pulls.getReviewComment({ ...repositoryParams(ref), comment_id: commentId }),
  );
  const anchor = { path: data.path, commit: data.commit_id };
  caches.anchors.set(key, anchor);
  return anchor;
}

/** Replaces the whole body. */
export async function updateComment(
  { ref, write }: PullConnection,
  comment: PostedComment,
  body: string,
): ReturnType<GitHub['updateComment']> {
  const params = { ...repositoryParams(ref), comment_id: comment.id, body };
  await write(async (client) =>
    comment.kind === 'issue-comment'
      ? client.rest.issues.updateComment(params)
      : client.rest.pulls.updateReviewComment(params),
  );
  return { bodyHash: hashBody(body) };
}

type ReactionContent = 'eyes' | '+1';

/** Adds a reaction to a comment or review. A repetition changes nothing. */
export async function react(
  connection: PullConnection,
  location: CommentLocation,
  content: ReactionContent,
): Promise<void> {
  if (location.at === 'review') return reactToReview(connection, location.reviewId, content);
  const params = { ...repositoryParams(connection.ref), comment_id: location.commentId, content };
  await connection.write((client) =>
    location.at === 'conversation'
      ? client.rest.reactions.createForIssueComment(params)
      : client.rest.reactions.createForPullRequestReviewComment(params),
  );
}

/** REST has no reactions to reviews. GraphQL has them under other names. */
const GRAPHQL_CONTENT = { eyes: 'EYES', '+1': 'THUMBS_UP' } as const satisfies Record<ReactionContent, string>;

const REACTION_MUTATION = `mutation react($subjectId: ID!, $content: ReactionContent!) {
  addReaction(input: { subjectId: $subjectId, content: $content }) { reaction { content } }
}`;

async function reactToReview(
  { ref, read, write }: PullConnection,
  reviewId: number,
  content: ReactionContent,
): Promise<void> {
  const { data } = await read((client) => client.rest.pulls.getReview({ ...pullParams(ref), review_id: reviewId }));
  await write((client) =>
    client.graphql(REACTION_MUTATION, { subjectId: data.node_id, content: GRAPHQL_CONTENT[content] }),
  );
}
