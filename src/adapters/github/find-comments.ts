import { commentKey, type PostedComment } from '../../core/state/posted-comment.ts';
import type { CommentText, FoundComment } from '../../core/step/ports.ts';
import {
  firstLineOf,
  listInConversation,
  listInThreads,
  normalizeBody,
  type RestComment,
  toCommentText,
  toPostedComment,
} from './comments.ts';
import { type PullConnection, repositoryParams } from './requests/connection.ts';
import { nullIfNotFound } from './requests/errors.ts';

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
