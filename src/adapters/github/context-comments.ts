import { CONTEXT_LIMITS, type CommentedLines } from '../../core/state/task-context.ts';
import type { PullComment } from '../../core/step/ports.ts';
import {
  allItems,
  PAGE_SIZE,
  PAGES,
  type PullConnection,
  pullParams,
  repositoryParams,
} from './requests/connection.ts';
import { isNotFound } from './requests/errors.ts';

/** A comment of any account as REST returns it. Only those in threads have lines. */
type RestPullComment = {
  readonly id: number | bigint;
  readonly user: { readonly id: number | bigint; readonly login: string; readonly type: string } | null;
  readonly body?: string;
  readonly created_at: string;
  readonly updated_at: string;
  readonly author_association: string;
  readonly performed_via_github_app?: unknown;
  readonly in_reply_to_id?: number | bigint;
  readonly path?: string;
  readonly line?: number | null;
  readonly start_line?: number | null;
  readonly side?: string;
  readonly subject_type?: string;
  readonly diff_hunk?: string;
};

/** Pages of 100 comments that are searched for a thread, newest first. */
const MAX_THREAD_PAGES = 10;

/** Comments of a thread that are read besides its first one: some of them are not shown. */
const MAX_THREAD_COMMENTS = 5 * CONTEXT_LIMITS.commentCount;

/**
 * The newest comments of a thread, oldest first, and always its first one unless it was deleted. GitHub lists the
 * comments of all threads, so the newest pages are read until the thread is complete or there are enough.
 */
export async function listThreadComments(connection: PullConnection, rootId: number): Promise<readonly PullComment[]> {
  const { ref, read } = connection;
  const isOfThread = ({ id, in_reply_to_id: root }: RestPullComment): boolean => Number(root ?? id) === rootId;
  const isEnough = (comments: readonly RestPullComment[]): boolean => {
    const found = comments.filter(isOfThread);
    const isComplete = found.some(({ id }) => Number(id) === rootId);
    return isComplete || found.length >= MAX_THREAD_COMMENTS || comments.length >= MAX_THREAD_PAGES * PAGE_SIZE;
  };
  const listed = await read((client) =>
    client.paginate(
      client.rest.pulls.listReviewComments,
      { ...pullParams(ref), sort: 'created', direction: 'desc', ...PAGES },
      allItems<RestPullComment>(isEnough),
    ),
  );
  const newest = listed.filter(isOfThread).toReversed();
  if (newest.some(({ id }) => Number(id) === rootId)) return newest.map(toPullComment);
  const root = await fetchReviewComment(connection, rootId);
  return [...(root === null ? [] : [root]), ...newest].map(toPullComment);
}

async function fetchReviewComment({ ref, read }: PullConnection, id: number): Promise<RestPullComment | null> {
  try {
    const { data } = await read((client) =>
      client.rest.pulls.getReviewComment({ ...repositoryParams(ref), comment_id: id }),
    );
    return data;
  } catch (error) {
    if (isNotFound(error)) return null;
    throw error;
  }
}

/** A count that is too high would otherwise cost a request for each page that does not exist. */
const MAX_NEWEST_PAGES = 5;

/**
 * The newest 100 comments of the conversation, or more, oldest first. GitHub lists these first, so `count` finds the
 * end.
 */
export async function listNewestComments(
  { ref, read }: PullConnection,
  count: number,
): Promise<readonly PullComment[]> {
  const newest: RestPullComment[] = [];
  const last = Math.max(1, Math.ceil(count / PAGE_SIZE));
  const first = Math.max(1, last - MAX_NEWEST_PAGES + 1);
  for (let page = last; page >= first && newest.length < PAGE_SIZE; page -= 1) {
    const { data } = await read((client) =>
      client.rest.issues.listComments({
        ...repositoryParams(ref),
        issue_number: ref.number,
        per_page: PAGE_SIZE,
        page,
      }),
    );
    newest.unshift(...data);
  }
  return newest.map(toPullComment);
}

/** The comments of a review with their lines; none if the pull request has no such review. */
export async function listInlineComments(
  { ref, read }: PullConnection,
  reviewId: number,
): Promise<readonly PullComment[]> {
  try {
    const listed = await read((client) =>
      client.paginate(
        client.rest.pulls.listCommentsForReview,
        { ...pullParams(ref), review_id: reviewId, ...PAGES },
        allItems<RestPullComment>(),
      ),
    );
    return listed.map(toPullComment);
  } catch (error) {
    if (isNotFound(error)) return [];
    throw error;
  }
}

function toPullComment(comment: RestPullComment): PullComment {
  const { id, user, body, created_at: createdAt, updated_at: updatedAt } = comment;
  return {
    id: Number(id),
    author: user === null ? null : { id: Number(user.id), login: user.login },
    isAutomated: user?.type !== 'User' || (comment.performed_via_github_app ?? null) !== null,
    association: comment.author_association,
    body: body ?? '',
    createdAt,
    updatedAt,
    lines: linesOf(comment),
  };
}

/** On a comment about the whole file GitHub's numbers are meaningless. */
function linesOf(comment: RestPullComment): CommentedLines | null {
  const { path, side, subject_type: subject } = comment;
  if (path === undefined) return null;
  return {
    path,
    line: subject === 'file' ? null : (comment.line ?? null),
    startLine: subject === 'file' ? null : (comment.start_line ?? null),
    side: side === 'LEFT' || side === 'RIGHT' ? side : null,
    hunk: comment.diff_hunk ?? null,
  };
}
