import { z } from 'zod';
import type { PostedComment, PostedReview } from '../../core/state/posted-comment.ts';
import {
  type CreatedReview,
  GitHubError,
  type NewReview,
  type OwnReview,
  type ReviewCommentDraft,
} from '../../core/step/ports.ts';
import { firstLineOf, hashBody } from './comments.ts';
import { keepPull, PULL, PullRepository, pullVariables } from './pull-request.ts';
import {
  askGraphql,
  cacheKey,
  PAGES,
  type PullConnection,
  pullParams,
  SMALL_PAGE_SIZES,
  visibleNodes,
  withOlderIds,
  withSmallerPages,
} from './requests/connection.ts';
import { hasRemedy } from './requests/errors.ts';
import { keepThreads, THREAD, Thread } from './threads.ts';

/**
 * Posts one review with all drafts, pinned to `head`. Returns its comments in the order of the drafts. Fails with
 * status 422, and posts nothing, if GitHub rejects a position or body.
 */
export async function createReview(
  connection: PullConnection,
  head: string,
  newReview: NewReview,
): Promise<CreatedReview> {
  const { nodeId, ...review } = await submitReview(connection, head, newReview);
  const { comments: drafts } = newReview;
  if (drafts.length === 0) return { review, comments: [], pull: null };
  const { comments, pull } = await readReview(connection, nodeId).catch(throwReadFailure);
  for (const { fullDatabaseId, path } of comments)
    connection.caches.anchors.set(cacheKey(connection.ref, fullDatabaseId), { path, commit: head });
  return { review, comments: matchToDrafts(drafts, comments), pull };
}

/** The comments of a new review, and the pull request behind it, whose newest threads are those of the comments. */
async function readReview(connection: PullConnection, review: string) {
  const readAt = connection.now();
  const ask = (query: string) =>
    withSmallerPages(SMALL_PAGE_SIZES, (size) =>
      askGraphql(connection.read, query, { ...pullVariables(connection, size), review }, ReviewPage),
    );
  const { repository, node } = await withOlderIds(REVIEW_QUERY, ask);
  keepThreads(connection, repository.pullRequest.reviewThreads.nodes);
  return { comments: node.comments.nodes, pull: keepPull(connection, repository, readAt) };
}

/** A turn has at most 30 proposals, and so a review at most 30 comments. */
const REVIEW_QUERY = `query review($owner: String!, $repo: String!, $number: Int!, $size: Int!, $review: ID!) {
  repository(owner: $owner, name: $repo) {
    ...pull
    pullRequest(number: $number) { reviewThreads(last: $size) { nodes { ...thread } } }
  }
  node(id: $review) {
    ... on PullRequestReview { comments(first: 30) { nodes { id fullDatabaseId path body createdAt url } } }
  }
}
${PULL}
${THREAD}`;

const ReviewComment = z.object({
  id: z.string(),
  fullDatabaseId: z.union([z.string(), z.number()]).transform(Number),
  path: z.string(),
  body: z.string(),
  createdAt: z.string(),
  url: z.string(),
});

const NewThreads = z.object({ pullRequest: z.object({ reviewThreads: z.object({ nodes: visibleNodes(Thread) }) }) });

const ReviewPage = z.object({
  repository: PullRepository.and(NewThreads),
  node: z.object({ comments: z.object({ nodes: visibleNodes(ReviewComment) }) }),
});

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
): Promise<OwnReview & { readonly nodeId: string }> {
  const { ref, write } = connection;
  const params = { ...pullParams(ref), commit_id: head, event, body, comments: comments.map(toRestDraft) };
  const { data } = await withoutPendingReview(connection, write.rest.pulls.createReview(params));
  if (data.state === 'PENDING')
    throw new GitHubError('GitHub created a review without submitting it', null, connection.now());
  return { ...toOwnReview(data), nodeId: data.node_id };
}

/** GitHub requires `start_line` to be less than `line`, so a comment on one line has none. */
function toRestDraft({ path, startLine, line, body }: ReviewCommentDraft) {
  const start = startLine === null || startLine === line ? {} : { start_line: startLine, start_side: 'RIGHT' };
  return { path, body, line, side: 'RIGHT', ...start };
}

/** GitHub lists comments in any order. A draft is identified by its path and its marker. */
function matchToDrafts(
  drafts: readonly ReviewCommentDraft[],
  comments: readonly z.infer<typeof ReviewComment>[],
): readonly PostedComment[] {
  const remaining = [...comments];
  return drafts.map((draft) => {
    const position = remaining.findIndex(
      ({ path, body }) => path === draft.path && firstLineOf(body) === firstLineOf(draft.body),
    );
    const [comment] = position === -1 ? [] : remaining.splice(position, 1);
    if (comment === undefined) throw new GitHubError('A posted review lacks one of its comments', null, null);
    const { id: nodeId, fullDatabaseId: id, createdAt, url } = comment;
    return { kind: 'review-comment', id, nodeId, createdAt, bodyHash: hashBody(draft.body), url };
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
