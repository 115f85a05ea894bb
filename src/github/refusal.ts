import { GitHubFault } from '../worker/ports.ts';
import { type Connection, repositoryOf } from './connection.ts';
import { RequestFault, ReviewRefused } from './faults.ts';
import { listOwnReviews } from './own-reviews.ts';

/**
 * Tells apart the three meanings of a 422 to a new review, comment of a file or reply: too fast, a pending review in
 * the way, and a refusal for good. Every other error is as it was.
 */
export async function refusalOf(connection: Connection, error: unknown): Promise<unknown> {
  if (!(error instanceof RequestFault) || error.status !== 422) return error;
  if (error.retryAt !== null) return new GitHubFault(error.message, 429, error.retryAt);
  if (!/pending review/i.test(error.words)) return new ReviewRefused(error.words);
  await deletePendingReviews(connection);
  return new GitHubFault(error.message, 409, connection.now());
}

/**
 * A review that was never submitted (visible to us alone) makes GitHub refuse every other of ours, and all that we
 * write in threads: one that a create which broke midway has left would keep us silent there for ever.
 */
async function deletePendingReviews(connection: Connection): Promise<void> {
  const { ref, write } = connection;
  const pending = (await listOwnReviews(connection)).filter(({ state }) => state === 'PENDING');
  for (const { id } of pending) {
    await write((client) =>
      client.request('DELETE /repos/{owner}/{repo}/pulls/{pull_number}/reviews/{review_id}', {
        ...repositoryOf(ref),
        pull_number: ref.number,
        review_id: Number(id),
      }),
    );
  }
}
