import { NOTHING_WAITS } from '../render/review.ts';
import { NONE_NAMED } from '../run/named-proposals.ts';
import { DONE, type Job, type Outcome } from './job.ts';

/** Dismisses a review of ours; where GitHub does not let us, people have to know. */
export async function releaseReview({ context, stored, effect }: Job<'dismiss-review'>): Promise<Outcome> {
  const { runId, reviewId } = effect;
  const pull = await context.store.load(stored.pullKey, NONE_NAMED);
  const dismissed = await context.githubs.for(pull.ref).dismissReview(reviewId, NOTHING_WAITS);
  return dismissed ? DONE : { kind: 'done', signal: { type: 'review-kept', runId, reviewId } };
}
