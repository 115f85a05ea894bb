import type { CommentLocation } from '../../core/state/intent.ts';
import type { PostedComment } from '../../core/state/posted-comment.ts';
import type { GitHub } from '../../core/step/ports.ts';
import { hashBody, toPostedComment } from './comments.ts';
import { bornAt } from './requests/client.ts';
import { cached, cacheKey, type PullConnection, pullParams, repositoryParams } from './requests/connection.ts';
import { withoutPendingReview } from './reviews.ts';

/** Posts a comment in the conversation. */
export async function createComment({ ref, write }: PullConnection, body: string): Promise<PostedComment> {
  const { data } = await write.rest.issues.createComment({ ...repositoryParams(ref), issue_number: ref.number, body });
  return toPostedComment('issue-comment', data, body);
}

/** Posts a comment on a whole file. Fails with status 422 if the diff does not contain the file. */
export async function createFileComment(
  connection: PullConnection,
  head: string,
  path: string,
  body: string,
): Promise<PostedComment> {
  const { ref, write, caches } = connection;
  const params = { ...pullParams(ref), commit_id: head, path, body, subject_type: 'file' } as const;
  const { data } = await withoutPendingReview(connection, write.rest.pulls.createReviewComment(params));
  caches.anchors.set(cacheKey(ref, data.id), { path, commit: head });
  return toPostedComment('file-comment', data, body);
}

/**
 * Posts a reply in the thread whose first comment is `rootId`. Apps cannot use the endpoint for replies, and this
 * endpoint requires the path and commit of the thread.
 */
export async function createReply(connection: PullConnection, rootId: number, body: string): Promise<PostedComment> {
  const { ref, read, write, caches } = connection;
  const { path, commit } = await cached(caches.anchors, cacheKey(ref, rootId), async () => {
    const { data } = await read.rest.pulls.getReviewComment({ ...repositoryParams(ref), comment_id: rootId });
    return { path: data.path, commit: data.commit_id };
  });
  const params = { ...pullParams(ref), in_reply_to: rootId, commit_id: commit, path, body };
  const { data } = await withoutPendingReview(connection, write.rest.pulls.createReviewComment(params));
  return toPostedComment('review-comment', data, body);
}

/** Replaces the whole body. */
export async function updateComment(
  { ref, write }: PullConnection,
  comment: PostedComment,
  body: string,
): ReturnType<GitHub['updateComment']> {
  const params = { ...repositoryParams(ref), comment_id: comment.id, body, ...bornAt(comment.createdAt) };
  if (comment.kind === 'issue-comment') await write.rest.issues.updateComment(params);
  else await write.rest.pulls.updateReviewComment(params);
  return { bodyHash: hashBody(body) };
}

type ReactionContent = 'eyes' | '+1';

/** REST has no reactions to reviews. GraphQL has them under other names. */
const GRAPHQL_CONTENT = { eyes: 'EYES', '+1': 'THUMBS_UP' } as const satisfies Record<ReactionContent, string>;

const REACTION_MUTATION = `mutation react($subjectId: ID!, $content: ReactionContent!) {
  addReaction(input: { subjectId: $subjectId, content: $content }) { reaction { content } }
}`;

/** Adds a reaction to a comment or review. A repetition changes nothing. */
export async function react(
  { ref, read, write }: PullConnection,
  location: CommentLocation,
  content: ReactionContent,
): Promise<void> {
  if (location.at === 'review') {
    const { data } = await read.rest.pulls.getReview({ ...pullParams(ref), review_id: location.reviewId });
    await write.graphql(REACTION_MUTATION, { subjectId: data.node_id, content: GRAPHQL_CONTENT[content] });
    return;
  }
  const params = { ...repositoryParams(ref), comment_id: location.commentId, content };
  if (location.at === 'conversation') await write.rest.reactions.createForIssueComment(params);
  else await write.rest.reactions.createForPullRequestReviewComment(params);
}
