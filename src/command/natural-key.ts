import type { Intent, Place } from './intent.ts';

const PLACE_KEYS = {
  conversation: 'issue-comment',
  thread: 'review-comment',
  review: 'review',
} as const satisfies Record<Place['at'], string>;

/** One key for each thing that was said, whatever tells of it; null where only the delivery's id counts. */
export function naturalKey(intent: Intent): string | null {
  if (intent.kind !== 'said') return null;
  const { place } = intent;
  return `${PLACE_KEYS[place.at]}:${place.at === 'review' ? place.reviewId : place.commentId}`;
}
