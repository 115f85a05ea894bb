import { NONE_NAMED } from '../run/named-proposals.ts';
import { DONE, type Job, type Outcome } from './job.ts';

/** Puts back the text of a review of ours. One of a run that is replaced is left as it is. */
export async function showReview({ context, stored, effect }: Job<'show-review'>): Promise<Outcome> {
  const { run, ref } = await context.store.load(stored.pullKey, NONE_NAMED);
  const review = run?.id === effect.runId ? run.reviews.find(({ id }) => id === effect.reviewId) : undefined;
  if (review !== undefined) await context.githubs.for(ref).updateReview(review.id, review.body);
  return DONE;
}
