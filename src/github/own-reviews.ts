import type { PostedReview } from '../run/proposal.ts';
import { GitHubFault, type StandingReview } from '../worker/ports.ts';
import { type Connection, repositoryOf } from './connection.ts';
import { type ListedReview, listReviews } from './list-reviews.ts';
import { firstLine } from './posted-comment.ts';

const STANDINGS: ReadonlyMap<string, PostedReview['stands']> = new Map([
  ['CHANGES_REQUESTED', 'blocks'],
  ['DISMISSED', 'dismissed'],
]);

export function standingReview({
  id,
  state,
  html_url: url,
}: Pick<ListedReview, 'id' | 'state' | 'html_url'>): StandingReview {
  return { id: Number(id), url, stands: STANDINGS.get(state) ?? 'comments' };
}

/** Reviews of the App itself on this pull request, also one that was never submitted, which nobody else sees. */
export async function listOwnReviews(connection: Connection): Promise<readonly ListedReview[]> {
  const own = await connection.botId();
  return (await listReviews(connection)).filter(({ user }) => Number(user?.id) === own);
}

/** Reviews of the App itself whose body begins with this marker, oldest first. */
export async function findReviews(connection: Connection, marker: string): Promise<readonly StandingReview[]> {
  const reviews = await listOwnReviews(connection);
  return reviews.filter(({ body, state }) => state !== 'PENDING' && firstLine(body) === marker).map(standingReview);
}

/** Writes the text of a review of ours anew; its comments stay as they are. */
export async function updateReview({ ref, write }: Connection, reviewId: number, body: string): Promise<void> {
  const at = { ...repositoryOf(ref), pull_number: ref.number, review_id: reviewId };
  await write((client) =>
    client.request('PUT /repos/{owner}/{repo}/pulls/{pull_number}/reviews/{review_id}', { ...at, body }),
  );
}

/** Answers for which GitHub's state of the review is looked at: not allowed, or nothing there to dismiss. */
const REFUSALS: ReadonlySet<number | null> = new Set([403, 404, 422]);

/**
 * Takes the force from a review of ours; false where GitHub does not let us. What it says is not relied on: it has
 * refused what was dismissed already, and accepted what it then did not do.
 */
export async function dismissReview(connection: Connection, reviewId: number, message: string): Promise<boolean> {
  const { ref, read, write } = connection;
  const at = { ...repositoryOf(ref), pull_number: ref.number, review_id: reviewId };
  try {
    const { data } = await write((client) =>
      client.request('PUT /repos/{owner}/{repo}/pulls/{pull_number}/reviews/{review_id}/dismissals', {
        ...at,
        message,
      }),
    );
    if (data.state === 'DISMISSED') return true;
  } catch (error) {
    if (!(error instanceof GitHubFault) || error.retryAt !== null || !REFUSALS.has(error.status)) throw error;
  }
  const { data } = await read((client) =>
    client.request('GET /repos/{owner}/{repo}/pulls/{pull_number}/reviews/{review_id}', at),
  );
  return data.state !== 'CHANGES_REQUESTED';
}
