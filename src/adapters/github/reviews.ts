import type { PostedComment, PostedReview } from '../../core/state/posted-comment.ts';
import type { SubmittedReviewComment } from '../../core/step/facts.ts';
import {
  type CreatedReview,
  GitHubError,
  type NewReview,
  type OwnReview,
  type ReviewCommentDraft,
} from '../../core/step/ports.ts';
import { firstLineOf, type RestComment, toPostedComment } from './posted-comment.ts';
import { allItems, cacheKey, PAGES, type PullConnection, pullParams } from './requests/connection.ts';
import { GitHubRequestError, isNotFound, ReviewRefusedError } from './requests/errors.ts';

/**
 * Posts one review with all drafts, pinned to `head`. Returns its comments in the order of the drafts. Throws a
 * `ReviewRefusedError`, and posts nothing, if GitHub rejects a position or body.
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
    connection.caches.anchors.set(cacheKey(connection.ref, Number(id)), { path, commit: head });
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
  try {
    const { data } = await write((client) =>
      client.rest.pulls.createReview({
        ...pullParams(ref),
        commit_id: head,
        event,
        body,
        comments: comments.map(toRestComment),
      }),
    );
    if (data.state === 'PENDING')
      throw new GitHubError('GitHub created a review without submitting it', null, connection.now());
    return toOwnReview(data);
  } catch (error) {
    throw await classifyReviewError(connection, error);
  }
}

/** GitHub requires `start_line` to be less than `line`, so a comment on one line has none. */
function toRestComment({ path, startLine, line, body }: ReviewCommentDraft) {
  const start = startLine === null || startLine === line ? {} : { start_line: startLine, start_side: 'RIGHT' };
  return { path, body, line, side: 'RIGHT', ...start };
}

/** GitHub lists comments in any order. A draft is identified by its path and its marker. */
function matchToDrafts(
  drafts: readonly ReviewCommentDraft[],
  comments: readonly ListedReviewComment[],
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
 * Distinguishes three meanings of status 422 for a new review, file comment or reply: rate limit, conflict with a
 * pending review, and permanent refusal. Returns other errors unchanged.
 */
export async function classifyReviewError(connection: PullConnection, error: unknown): Promise<unknown> {
  if (!(error instanceof GitHubRequestError) || error.status !== 422) return error;
  if (error.retryAt !== null) return new GitHubError(error.message, 429, error.retryAt);
  if (!/pending review/i.test(error.detail)) return new ReviewRefusedError(error.detail);
  await deletePendingReviews(connection);
  return new GitHubError(error.message, 409, connection.now());
}

/**
 * An interrupted request can leave a pending review, which only the App can see. GitHub refuses the App's other reviews
 * and thread comments until it is deleted.
 */
async function deletePendingReviews(connection: PullConnection): Promise<void> {
  const { ref, write } = connection;
  const pending = (await listOwnReviews(connection)).filter(({ state }) => state === 'PENDING');
  for (const { id } of pending) {
    await write((client) => client.rest.pulls.deletePendingReview({ ...pullParams(ref), review_id: Number(id) }));
  }
}

/** The current comments of a review of any account; null if the pull request has no such review. */
export async function listReviewComments(
  connection: PullConnection,
  reviewId: number,
): Promise<readonly SubmittedReviewComment[] | null> {
  const comments = await listCommentsOfReview(connection, reviewId).catch(async (error: unknown) => {
    if (!isNotFound(error)) throw error;
    await requirePull(connection);
    return null;
  });
  if (comments === null) return null;
  return comments.map(({ id, in_reply_to_id: root, body, updated_at: updatedAt }) => ({
    rootId: Number(root ?? id),
    body,
    updatedAt,
  }));
}

/** Fails if GitHub does not show the pull request: a 404 then means that the App has no access. */
async function requirePull({ ref, read }: PullConnection): Promise<void> {
  await read((client) => client.rest.pulls.get(pullParams(ref)));
}

type ListedReviewComment = RestComment & {
  readonly path: string;
  readonly body: string;
  readonly commit_id: string;
  readonly updated_at: string;
  readonly in_reply_to_id?: number | bigint;
};

function listCommentsOfReview(
  { ref, read }: PullConnection,
  reviewId: number,
): Promise<readonly ListedReviewComment[]> {
  return read((client) =>
    client.paginate(
      client.rest.pulls.listCommentsForReview,
      { ...pullParams(ref), review_id: reviewId, ...PAGES },
      allItems<ListedReviewComment>(),
    ),
  );
}

/** The App's own submitted reviews whose body begins with this marker, oldest first. */
export async function findReviews(connection: PullConnection, marker: string): Promise<readonly OwnReview[]> {
  const reviews = await listOwnReviews(connection);
  return reviews.filter(({ body, state }) => state !== 'PENDING' && firstLineOf(body) === marker).map(toOwnReview);
}

/** The App is not allowed to dismiss the review, or it is already dismissed. */
const REFUSED_STATUSES: ReadonlySet<number | null> = new Set([403, 404, 422]);

/**
 * Dismisses a review; false if GitHub refuses. The state of the review decides, because GitHub refuses a repeated
 * dismissal and sometimes accepts one without dismissing.
 */
export async function dismissReview(connection: PullConnection, reviewId: number, message: string): Promise<boolean> {
  const { ref, read, write } = connection;
  const params = { ...pullParams(ref), review_id: reviewId };
  try {
    const { data } = await write((client) => client.rest.pulls.dismissReview({ ...params, message }));
    if (data.state === 'DISMISSED') return true;
  } catch (error) {
    if (!(error instanceof GitHubError) || error.retryAt !== null || !REFUSED_STATUSES.has(error.status)) throw error;
  }
  const { data } = await read((client) => client.rest.pulls.getReview(params));
  return data.state !== 'CHANGES_REQUESTED';
}

/** The fields of a listed review of any account that the App uses. */
type ListedReview = {
  readonly id: number | bigint;
  readonly state: string;
  readonly html_url: string;
  readonly body: string;
  readonly user: { readonly id: number | bigint } | null;
};

/** All reviews of the pull request, oldest first. */
export function listReviews({ ref, read }: PullConnection): Promise<readonly ListedReview[]> {
  return read((client) =>
    client.paginate(client.rest.pulls.listReviews, { ...pullParams(ref), ...PAGES }, allItems<ListedReview>()),
  );
}

/** The App's own reviews, including a pending one, which only the App can see. */
async function listOwnReviews(connection: PullConnection): Promise<readonly ListedReview[]> {
  const botId = await connection.botId();
  return (await listReviews(connection)).filter(({ user }) => Number(user?.id) === botId);
}

const REVIEW_STATUSES: ReadonlyMap<string, PostedReview['status']> = new Map([
  ['CHANGES_REQUESTED', 'changes-requested'],
  ['DISMISSED', 'dismissed'],
]);

function toOwnReview({ id, state, html_url: url }: Pick<ListedReview, 'id' | 'state' | 'html_url'>): OwnReview {
  return { id: Number(id), url, status: REVIEW_STATUSES.get(state) ?? 'commented' };
}
