import type { Intent } from '../command/intent.ts';
import { mayCommand, standingOf } from '../policy/roles.ts';
import { settleBatch } from './batch.ts';
import { type Draft, draftOf, finish, ignore, withEffects, withRun, withVote } from './draft.ts';
import type { Facts } from './facts.ts';
import { rejectBy } from './on-deny.ts';
import { isUnmade, type PostedReview, type Proposal, shownChange, turnOf, type Vote } from './proposal.ts';
import { activeRun, type Pull } from './run.ts';
import type { Signal } from './signal.ts';
import type { Step } from './step.ts';

type Dismissed = Extract<Intent, { kind: 'dismissed' }>;
type Kept = Extract<Signal, { type: 'review-kept' }>;

/** What is not made yet of the turn that a review of ours belongs to, wherever it stands on the page. */
export function waitingIn(pull: Pull, reviewId: number): readonly Proposal[] {
  const run = activeRun(pull);
  const turn = run?.reviews.find((review) => review.id === reviewId)?.turn ?? null;
  if (turn === null) return [];
  return pull.proposals.filter((one) => one.runId === run?.id && turnOf(one) === turn && isUnmade(one));
}

/** Somebody dismissed our review: what waits of its turn is denied. Why they did, GitHub does not tell. */
export function onDismissed(pull: Pull, intent: Dismissed, deliveryId: string, facts: Facts): Step {
  const waiting = waitingIn(pull, intent.reviewId);
  const known = withStanding(draftOf(pull), intent.reviewId, 'dismissed');
  if (waiting.length === 0) return finish(known, 'not-ours');
  const by = { id: intent.actor.id, login: intent.actor.login };
  const permission = facts.permission ?? 'none';
  if (!facts.served || !mayCommand(standingOf(permission, by, pull.run?.pullAuthor ?? null), 'deny'))
    return finish(known, 'not-allowed');
  const said = { by, permission, deliveryId, commentId: intent.reviewId, at: facts.now } as const;
  const denied = waiting.reduce((draft, one) => deny(draft, one, voteBy(one, said), facts.now), known);
  return finish(settleBatch(denied, facts.now), 'review-dismissed');
}

/** An attempt that has begun goes on, and none follows it. */
function deny(draft: Draft, proposal: Proposal, vote: Vote, now: string): Draft {
  return proposal.state === 'executing' ? withVote(draft, vote) : rejectBy(draft, proposal, vote, now);
}

type Saying = Pick<Vote, 'by' | 'permission' | 'deliveryId' | 'commentId' | 'at'>;

function voteBy(proposal: Proposal, said: Saying): Vote {
  const { id: proposalId, head } = proposal;
  return {
    ...said,
    proposalId,
    digest: shownChange(proposal).digest,
    action: 'deny',
    surface: 'review',
    bodyHash: null,
    head,
    text: null,
  };
}

/** Our own review asks for changes for as long as somebody else lets us. */
export function onReviewKept(pull: Pull, { runId, reviewId }: Kept): Step {
  if (pull.run?.id !== runId) return ignore(pull, 'outdated-outcome');
  const kept = withStanding(draftOf(pull), reviewId, 'kept');
  return finish(withEffects(kept, { type: 'show-run', runId }), 'review-kept');
}

function withStanding(draft: Draft, reviewId: number, stands: PostedReview['stands']): Draft {
  const reviews = draft.pull.run?.reviews ?? [];
  if (!reviews.some((review) => review.id === reviewId && review.stands !== stands)) return draft;
  return withRun(draft, { reviews: reviews.map((one) => (one.id === reviewId ? { ...one, stands } : one)) });
}
