import type { ReviewComment } from '../run/facts.ts';
import type { PostedComment } from '../run/proposal.ts';
import {
  type CreatedReview,
  GitHubFault,
  type NewReview,
  type ReviewDraft,
  type StandingReview,
} from '../worker/ports.ts';
import { allPages, PAGE_SIZE } from './all-pages.ts';
import { type Connection, cacheKey, repositoryOf } from './connection.ts';
import { standingReview } from './own-reviews.ts';
import { firstLine, postedComment, type RestComment } from './posted-comment.ts';
import { refusalOf } from './refusal.ts';

type ListedComment = RestComment & {
  readonly path: string;
  readonly body: string;
  readonly commit_id: string;
  readonly updated_at: string;
  readonly in_reply_to_id?: number | bigint;
};

/**
 * One review with all drafts, pinned to `head`; its comments in the drafts' order.
 * Throws `ReviewRefused` where GitHub refuses an anchor or a body: nothing was posted then.
 */
export async function createReview(connection: Connection, head: string, wanted: NewReview): Promise<CreatedReview> {
  const review = await submit(connection, head, wanted);
  const { drafts } = wanted;
  const comments = drafts.length === 0 ? [] : await commentsOf(connection, review.id).catch(afterPosting);
  for (const { id, path } of comments) {
    connection.caches.anchors.set(cacheKey(connection.ref, Number(id)), { path, commit: head });
  }
  return { review, comments: inOrder(drafts, comments) };
}

/** The review stands: whatever fails now must not look like a refusal of it, which has a status. */
function afterPosting(error: unknown): never {
  if (!(error instanceof GitHubFault)) throw error;
  throw new GitHubFault(`A review was posted and could not be read: ${error.message}`, null, error.retryAt);
}

async function submit(
  connection: Connection,
  head: string,
  { body, event, drafts }: NewReview,
): Promise<StandingReview> {
  const { ref, write } = connection;
  try {
    const { data } = await write((client) =>
      client.request('POST /repos/{owner}/{repo}/pulls/{pull_number}/reviews', {
        ...repositoryOf(ref),
        pull_number: ref.number,
        commit_id: head,
        event,
        body,
        comments: drafts.map(toRest),
      }),
    );
    if (data.state === 'PENDING') throw new GitHubFault('GitHub left a review unsubmitted', null, connection.now());
    return standingReview(data);
  } catch (error) {
    throw await refusalOf(connection, error);
  }
}

/** `start_line` must stand strictly before `line`, so that one line has none. */
function toRest({ path, startLine, line, body }: ReviewDraft) {
  const start = startLine === null || startLine === line ? {} : { start_line: startLine, start_side: 'RIGHT' };
  return { path, body, line, side: 'RIGHT', ...start };
}

function commentsOf({ ref, read }: Connection, reviewId: number): Promise<readonly ListedComment[]> {
  return read((client) =>
    allPages<ListedComment>((page) =>
      client.request('GET /repos/{owner}/{repo}/pulls/{pull_number}/reviews/{review_id}/comments', {
        ...repositoryOf(ref),
        pull_number: ref.number,
        review_id: reviewId,
        per_page: PAGE_SIZE,
        page,
      }),
    ),
  );
}

/** The comments of anybody's review, as they stand now. */
export async function fetchReviewComments(connection: Connection, reviewId: number): Promise<readonly ReviewComment[]> {
  const comments = await commentsOf(connection, reviewId);
  return comments.map(({ id, in_reply_to_id: root, body, updated_at: updatedAt }) => ({
    rootId: Number(root ?? id),
    body,
    updatedAt,
  }));
}

/** GitHub lists a review's comments as it likes: each draft is known by its path and its marker. */
function inOrder(drafts: readonly ReviewDraft[], comments: readonly ListedComment[]): readonly PostedComment[] {
  const left = [...comments];
  return drafts.map((draft) => {
    const place = left.findIndex(({ path, body }) => path === draft.path && firstLine(body) === firstLine(draft.body));
    const [comment] = place === -1 ? [] : left.splice(place, 1);
    if (comment === undefined) throw new GitHubFault('A posted review misses one of its comments', null, null);
    return postedComment('review-comment', comment, draft.body);
  });
}
