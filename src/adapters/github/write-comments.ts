import type { CommentLocation } from '../../core/state/intent.ts';
import { commentKey, type PostedComment } from '../../core/state/posted-comment.ts';
import type { CommentText, FoundComment, GitHub } from '../../core/step/ports.ts';
import {
  firstLineOf,
  hashBody,
  listInConversation,
  listInThreads,
  normalizeBody,
  type RestComment,
  toCommentText,
  toPostedComment,
} from './comments.ts';
import { cached, cacheKey, type PullConnection, pullParams, repositoryParams } from './requests/connection.ts';
import { nullIfNotFound } from './requests/errors.ts';
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
  const params = { ...repositoryParams(ref), comment_id: comment.id, body };
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

/** A pull request has comments in threads and in the conversation. */
const LISTS = [listInThreads, listInConversation];

/** GitHub's timestamps come from several machines. */
const MAX_SERVER_SKEW_MS = 60_000;

/**
 * The App's own comments by marker (first line); the oldest if there are several. A pull request can have hundreds of
 * comments of earlier runs, so comments without a change since `since` are not listed.
 */
export async function findCommentsByMarker(
  connection: PullConnection,
  markers: readonly string[],
  since: string | null,
): Promise<ReadonlyMap<string, FoundComment>> {
  const wanted = new Set(markers);
  const found = new Map<string, FoundComment>();
  const botId = await connection.botId();
  const from = since === null ? null : new Date(Date.parse(since) - MAX_SERVER_SKEW_MS).toISOString();
  const collect = (comments: readonly RestComment[]): boolean => {
    for (const comment of comments) {
      const { body = '' } = comment;
      const marker = firstLineOf(body);
      if (comment.user?.id !== botId || !wanted.has(marker) || found.has(marker)) continue;
      found.set(marker, { ...toPostedComment(kindOf(comment), comment, body), body });
    }
    return found.size === wanted.size;
  };
  for (const list of LISTS) if (!collect([])) await list(connection, { since: from, isEnough: collect });
  return found;
}

function kindOf({ path, subject_type: subject }: RestComment): PostedComment['kind'] {
  if (path === undefined) return 'issue-comment';
  return subject === 'file' ? 'file-comment' : 'review-comment';
}

/** Whether the App has posted this body on the pull request at or after `since` (ISO 8601). */
export async function hasPosted(connection: PullConnection, body: string, since: string): Promise<boolean> {
  const botId = await connection.botId();
  // GitHub's timestamps have whole seconds, so a fraction would exclude comments of the same second.
  const from = `${new Date(since).toISOString().slice(0, 19)}Z`;
  const isSame = (comment: RestComment): boolean =>
    comment.user?.id === botId &&
    comment.created_at >= from &&
    normalizeBody(comment.body ?? '') === normalizeBody(body);
  for (const list of LISTS) {
    const comments = await list(connection, { since: from, isEnough: (listed) => listed.some(isSame) });
    if (comments.some(isSame)) return true;
  }
  return false;
}

/** The current text by `commentKey`; null for a deleted comment. One comment is fetched, several are listed. */
export async function fetchCommentTexts(
  connection: PullConnection,
  comments: readonly PostedComment[],
): Promise<Readonly<Record<string, CommentText | null>>> {
  const [only, ...others] = comments;
  if (only !== undefined && others.length === 0) {
    const body = await nullIfNotFound(fetchBody(connection, only));
    return { [commentKey(only)]: body === null ? null : toCommentText(body) };
  }
  const texts: Record<string, CommentText | null> = Object.fromEntries(comments.map((one) => [commentKey(one), null]));
  for (const [index, list] of LISTS.entries()) {
    const wanted = comments.filter(({ kind }) => (kind === 'issue-comment') === (index === 1));
    const keys = new Map(wanted.map((one) => [one.id, commentKey(one)]));
    for (const { id, body = '' } of wanted.length === 0 ? [] : await list(connection, {})) {
      const key = keys.get(id);
      if (key !== undefined) texts[key] = toCommentText(body);
    }
  }
  return texts;
}

async function fetchBody({ ref, read }: PullConnection, { kind, id }: PostedComment): Promise<string> {
  const params = { ...repositoryParams(ref), comment_id: id };
  if (kind === 'issue-comment') return (await read.rest.issues.getComment(params)).data.body ?? '';
  return (await read.rest.pulls.getReviewComment(params)).data.body;
}
