import type { PostedComment, PostedReview } from '../../core/state/posted-comment.ts';
import {
  type CreatedReview,
  GitHubError,
  type NewReview,
  type OwnReview,
  type ReviewCommentDraft,
} from '../../core/step/ports.ts';
import { firstLineOf, listCommentsOfReview, toPostedComment } from './comments.ts';
import { cacheKey, PAGES, type PullConnection, pullParams } from './requests/connection.ts';
import { hasRemedy } from './requests/errors.ts';

/**
 * Posts one review with all drafts, pinned to `head`. Returns its comments in the order of the drafts. Fails with
 * status 422, and posts nothing, if GitHub rejects a position or body.
 */
export async function createReview(
  connection: PullConnection,
  head: string,
  newReview: NewReview,
): Promise<CreatedReview> {
  const review = await submitReview(connection, head, newReview);
  const { comments: drafts } = newReview;
  const comments = drafts.length === 0 ? [] : await listCommentsOfReview(connection, review.id).catch(throwReadFailure);
  for (const { id, path } of comments) {
    connection.caches.anchors.set(cacheKey(connection.ref, id), { path, commit: head });
  }
  return { review, comments: matchToDrafts(drafts, comments) };
}

/** The review exists, so this failure has no status: a status would look like a refusal. */
function throwReadFailure(error: unknown): never {
  if (!(error instanceof GitHubError)) throw error;
  throw new GitHubError(
    `A review was posted, but its comments could not be read: ${error.message}`,
    null,
    error.retryAt,
  );
}

async function submitReview(
  connection: PullConnection,
  head: string,
  { body, event, comments }: NewReview,
): Promise<OwnReview> {
  const { ref, write } = connection;
  const params = { ...pullParams(ref), commit_id: head, event, body, comments: comments.map(toRestDraft) };
  const { data } = await withoutPendingReview(connection, write.rest.pulls.createReview(params));
  if (data.state === 'PENDING')
    throw new GitHubError('GitHub created a review without submitting it', null, connection.now());
  return toOwnReview(data);
}

/** GitHub requires `start_line` to be less than `line`, so a comment on one line has none. */
function toRestDraft({ path, startLine, line, body }: ReviewCommentDraft) {
  const start = startLine === null || startLine === line ? {} : { start_line: startLine, start_side: 'RIGHT' };
  return { path, body, line, side: 'RIGHT', ...start };
}

/** GitHub lists comments in any order. A draft is identified by its path and its marker. */
function matchToDrafts(
  drafts: readonly ReviewCommentDraft[],
  comments: Awaited<ReturnType<typeof listCommentsOfReview>>,
): readonly PostedComment[] {
  const remaining = [...comments];
  return drafts.map((draft) => {
    const position = remaining.findIndex(
      ({ path, body }) => path === draft.path && firstLineOf(body) === firstLineOf(draft.body),
    );
    const [comment] = position === -1 ? [] : remaining.splice(position, 1);
    if (comment === undefined) throw new GitHubError('A posted review lacks one of its comments', null, null);
    return toPostedComment('review-comment', comment, draft.body);
  });
}

/**
 * Sends a review or a comment in a thread. An interrupted request can leave a pending review, which only the App can
 * see. GitHub refuses the App's other reviews and thread comments until it is deleted.
 */
export async function withoutPendingReview<Result>(
  connection: PullConnection,
  request: Promise<Result>,
): Promise<Result> {
  try {
    return await request;
  } catch (error) {
    if (!hasRemedy(error, 'delete-pending-review')) throw error;
    const { ref, write } = connection;
    const pending = (await listOwnReviews(connection)).filter(({ state }) => state === 'PENDING');
    for (const { id } of pending) await write.rest.pulls.deletePendingReview({ ...pullParams(ref), review_id: id });
    throw new GitHubError(error.message, 409, connection.now());
  }
}

/** The App's own submitted reviews whose body begins with this marker, oldest first. */
export async function findReviews(connection: PullConnection, marker: string): Promise<readonly OwnReview[]> {
  const reviews = await listOwnReviews(connection);
  return reviews.filter(({ body, state }) => state !== 'PENDING' && firstLineOf(body) === marker).map(toOwnReview);
}

/**
 * Dismisses a review; false if GitHub refuses. The state of the review decides, because GitHub refuses a repeated
 * dismissal and sometimes accepts one without dismissing.
 */
export async function dismissReview(
  { ref, read, write }: PullConnection,
  reviewId: number,
  message: string,
): Promise<boolean> {
  const params = { ...pullParams(ref), review_id: reviewId };
  try {
    const { data } = await write.rest.pulls.dismissReview({ ...params, message });
    if (data.state === 'DISMISSED') return true;
  } catch (error) {
    if (!(error instanceof GitHubError) || error.meaning === 'try-again') throw error;
  }
  const { data } = await read.rest.pulls.getReview(params);
  return data.state !== 'CHANGES_REQUESTED';
}

/** All reviews of the pull request, oldest first. */
function listReviews({ ref, read }: PullConnection) {
  return read.paginate(read.rest.pulls.listReviews, { ...pullParams(ref), ...PAGES });
}

/** The App's own reviews, including a pending one, which only the App can see. */
async function listOwnReviews(connection: PullConnection) {
  const botId = await connection.botId();
  return (await listReviews(connection)).filter(({ user }) => user?.id === botId);
}

const REVIEW_STATUSES: ReadonlyMap<string, PostedReview['status']> = new Map([
  ['CHANGES_REQUESTED', 'changes-requested'],
  ['DISMISSED', 'dismissed'],
]);

type ListedReview = { readonly id: number; readonly state: string; readonly html_url: string };

function toOwnReview({ id, state, html_url: url }: ListedReview): OwnReview {
  return { id, url, status: REVIEW_STATUSES.get(state) ?? 'commented' };
}
