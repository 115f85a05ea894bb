import type { CommentLocation } from '../../core/state/intent.ts';
import {
  type CommentAddress,
  commentAddressOf,
  commentKey,
  type PostedComment,
} from '../../core/state/posted-comment.ts';
import type { CommentText, FoundComment } from '../../core/step/ports.ts';
import { firstLineOf, normalizeBody, type RestComment, toCommentText, toPostedComment } from './posted-comment.ts';
import { allItems, PAGES, type PullConnection, pullParams, repositoryParams } from './requests/connection.ts';
import { isNotFound } from './requests/errors.ts';

type ListedRestComment = RestComment & {
  readonly body?: string;
  readonly updated_at: string;
  readonly user: { readonly id: number | bigint } | null;
  readonly subject_type?: 'line' | 'file';
};

/** Lists comments that changed at or after `since` (ISO 8601, GitHub's clock), or until there are enough. */
type ListComments = (
  connection: PullConnection,
  since: string | null,
  isEnough?: (comments: readonly ListedRestComment[]) => boolean,
) => Promise<readonly ListedRestComment[]>;

type CommentSource = {
  readonly list: ListComments;
  readonly kindOf: (comment: ListedRestComment) => PostedComment['kind'];
  readonly kinds: readonly PostedComment['kind'][];
};

/** A pull request has comments in threads and in the conversation. */
const COMMENT_SOURCES: readonly CommentSource[] = [
  {
    list: listCommentsInThreads,
    kindOf: ({ subject_type }) => (subject_type === 'file' ? 'file-comment' : 'review-comment'),
    kinds: ['review-comment', 'file-comment'],
  },
  { list: listCommentsInConversation, kindOf: () => 'issue-comment', kinds: ['issue-comment'] },
];

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
  for (const { list, kindOf } of COMMENT_SOURCES) {
    const isMarked = ({ user, body = '' }: ListedRestComment): boolean =>
      Number(user?.id) === botId && wanted.has(firstLineOf(body));
    const hasFoundAll = (comments: readonly ListedRestComment[]): boolean =>
      found.size + new Set(comments.filter(isMarked).map(({ body = '' }) => firstLineOf(body))).size >= wanted.size;
    if (found.size === wanted.size) return found;
    for (const comment of (await list(connection, from, hasFoundAll)).filter(isMarked)) {
      const { body = '' } = comment;
      const marker = firstLineOf(body);
      if (!found.has(marker)) found.set(marker, { ...toPostedComment(kindOf(comment), comment, body), body });
    }
  }
  return found;
}

/** Whether the App has posted this body on the pull request at or after `since` (ISO 8601). */
export async function hasPosted(connection: PullConnection, body: string, since: string): Promise<boolean> {
  const botId = await connection.botId();
  const from = toSeconds(Date.parse(since));
  const isSameComment = (comment: ListedRestComment): boolean =>
    Number(comment.user?.id) === botId &&
    comment.created_at >= from &&
    normalizeBody(comment.body ?? '') === normalizeBody(body);
  for (const { list } of COMMENT_SOURCES) {
    const comments = await list(connection, from, (listed) => listed.some(isSameComment));
    if (comments.some(isSameComment)) return true;
  }
  return false;
}

/** The current text by `commentKey`; null for a deleted comment. One comment is fetched, several are listed. */
export async function fetchCommentTexts(
  connection: PullConnection,
  comments: readonly PostedComment[],
): Promise<Readonly<Record<string, CommentText | null>>> {
  const [only, ...others] = comments;
  if (only !== undefined && others.length === 0)
    return { [commentKey(only)]: await fetchCommentText(connection, only) };
  const texts: Record<string, CommentText | null> = Object.fromEntries(comments.map((one) => [commentKey(one), null]));
  for (const { list, kinds } of COMMENT_SOURCES) {
    const keys = new Map(comments.filter(({ kind }) => kinds.includes(kind)).map((one) => [one.id, commentKey(one)]));
    if (keys.size === 0) continue;
    for (const { id, body = '' } of await list(connection, null)) {
      const key = keys.get(Number(id));
      if (key !== undefined) texts[key] = toCommentText(body);
    }
  }
  return texts;
}

async function fetchCommentText(connection: PullConnection, comment: PostedComment): Promise<CommentText | null> {
  const body = await fetchCommentBody(connection, commentAddressOf(comment));
  return body === null ? null : toCommentText(body);
}

/** The part of a `CommentLocation` that identifies the text. */
type BodyAddress = CommentAddress | Pick<Extract<CommentLocation, { at: 'review' }>, 'at' | 'reviewId'>;

/** The current body, in one request; null if the comment is deleted. */
async function fetchCommentBody(
  { ref, read }: Pick<PullConnection, 'ref' | 'read'>,
  location: BodyAddress,
): Promise<string | null> {
  const repository = repositoryParams(ref);
  try {
    return await read(async ({ rest }) => {
      switch (location.at) {
        case 'conversation':
          return (await rest.issues.getComment({ ...repository, comment_id: location.commentId })).data.body ?? '';
        case 'thread':
          return (await rest.pulls.getReviewComment({ ...repository, comment_id: location.commentId })).data.body;
        case 'review':
          return (await rest.pulls.getReview({ ...pullParams(ref), review_id: location.reviewId })).data.body;
      }
    });
  } catch (error) {
    if (isNotFound(error)) return null;
    throw error;
  }
}

function listCommentsInThreads(
  ...[{ ref, read }, since, isEnough]: Parameters<ListComments>
): ReturnType<ListComments> {
  return read((client) =>
    client.paginate(
      client.rest.pulls.listReviewComments,
      { ...pullParams(ref), ...PAGES, ...(since === null ? {} : { since }) },
      allItems<ListedRestComment>(isEnough),
    ),
  );
}

function listCommentsInConversation(
  ...[{ ref, read }, since, isEnough]: Parameters<ListComments>
): ReturnType<ListComments> {
  return read((client) =>
    client.paginate(
      client.rest.issues.listComments,
      { ...repositoryParams(ref), issue_number: ref.number, ...PAGES, ...(since === null ? {} : { since }) },
      allItems<ListedRestComment>(isEnough),
    ),
  );
}

/** GitHub's timestamps have whole seconds, so a fraction would exclude comments of the same second. */
function toSeconds(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 19)}Z`;
}
