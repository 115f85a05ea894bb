import {
  createEventVote,
  endStep,
  noop,
  recordVote,
  type StepBuilder,
  startStep,
  withEffects,
  withRun,
} from '../actions/step-builder.ts';
import { advanceBatch } from '../actions/tool-batch.ts';
import { deny, rejectWithVote } from '../commands/deny.ts';
import { isAllowed, roleOf } from '../policy/may-approve.ts';
import type { IntentOf } from '../state/intent.ts';
import { type Proposal, postedChange, turnOf } from '../state/proposal.ts';
import { isOpen } from '../state/proposal-lifecycle.ts';
import type { PostedReview } from '../state/published.ts';
import { activeRun, type PullState } from '../state/pull-state.ts';
import type { Facts } from '../step/facts.ts';
import type { SignalOf } from '../step/signals.ts';
import type { Step } from '../step/step.ts';

/** Dismissing a review of the App denies the open proposals of its turn, without a reason: GitHub sends none. */
export function onReviewDismissed(
  pull: PullState,
  intent: IntentOf<'dismissed'>,
  facts: Facts,
  deliveryId: string,
): Step {
  const open = openProposalsOfReview(pull, intent.reviewId);
  const dismissed = setReviewStatus(startStep(pull), intent.reviewId, 'dismissed');
  if (open.length === 0) return endStep(dismissed, 'not-for-us');
  const { actor: by } = intent;
  const permission = facts.permission ?? 'none';
  if (!facts.ownerAllowed || !isAllowed(roleOf(permission, by, pull.run?.pullAuthor ?? null), deny.allowedTo))
    return endStep(dismissed, 'not-allowed');
  const event = { action: 'deny', surface: 'review', commentId: intent.reviewId, at: facts.now } as const;
  const denied = open.reduce((builder, one) => {
    const { digest } = postedChange(one);
    const vote = createEventVote(one, { ...event, digest, by, permission, deliveryId });
    // A commit attempt can't be stopped, but the vote prevents its retry.
    return one.state === 'executing' ? recordVote(builder, vote) : rejectWithVote(builder, one, vote, facts.now);
  }, dismissed);
  return endStep(advanceBatch(denied, facts.now), 'review-dismissed');
}

/** The open proposals of the turn that a review of the App belongs to, also those posted outside the review. */
export function openProposalsOfReview(pull: PullState, reviewId: number): readonly Proposal[] {
  const run = activeRun(pull);
  const turn = run?.reviews.find((review) => review.id === reviewId)?.turn ?? null;
  if (turn === null) return [];
  return pull.proposals.filter(
    (one) => one.runId === run?.id && turnOf(one) === turn && isOpen(one) && one.comment !== null,
  );
}

/** GitHub refused to dismiss the App's own review, so it still requests changes. */
export function onReviewDismissRefused(pull: PullState, { runId, reviewId }: SignalOf<'review-dismiss-refused'>): Step {
  if (pull.run?.id !== runId) return noop(pull, 'outdated-result');
  const updated = setReviewStatus(startStep(pull), reviewId, 'dismiss-refused');
  return endStep(withEffects(updated, { type: 'update-run-comment', runId }), 'review-dismiss-refused');
}

function setReviewStatus(builder: StepBuilder, reviewId: number, status: PostedReview['status']): StepBuilder {
  const reviews = builder.pull.run?.reviews ?? [];
  if (!reviews.some((review) => review.id === reviewId && review.status !== status)) return builder;
  return withRun(builder, { reviews: reviews.map((one) => (one.id === reviewId ? { ...one, status } : one)) });
}
