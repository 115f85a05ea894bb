import type { Intent, Place } from '../command/intent.ts';
import { maySign } from '../policy/roles.ts';
import { showing } from './batch.ts';
import { draftOf, finish, ignore, withAnswer, withEffects, withProposal, withRun } from './draft.ts';
import type { Facts } from './facts.ts';
import { commentsOf, type PostedComment, type Proposal } from './proposal.ts';
import { MOST_RESTORATIONS, restore } from './restore.ts';
import type { Pull, Run } from './run.ts';
import type { Signal } from './signal.ts';
import { settled } from './spoken.ts';
import type { Step } from './step.ts';
import { damageOf } from './tampered.ts';

export type OwnComment = Extract<Intent, { kind: 'own-comment' }>;
type Deleted = Extract<Intent, { kind: 'deleted' }>;
type Gone = Extract<Signal, { type: 'comment-gone' }>;

/** The proposal that a comment of ours shows. Comments of a conversation and of reviews are numbered apart. */
export function shownAt(pull: Pull, place: Place): Proposal | null {
  return pull.proposals.find((one) => commentsOf(one).some((comment) => standsAt(comment, place))) ?? null;
}

function standsAt(comment: PostedComment, place: Place): boolean {
  if (place.at === 'review') return false;
  return comment.id === place.commentId && (comment.kind === 'issue-comment') === (place.at === 'conversation');
}

/** Somebody edited or deleted a comment of ours: it is put back from what is stored, and decides nothing meanwhile (S60). */
export function onOwnComment(pull: Pull, intent: OwnComment, facts: Facts): Step {
  const proposal = shownAt(pull, intent.place);
  if (proposal?.state === 'proposed') return onOpenProposal(pull, proposal, intent, facts);
  if (proposal !== null) return onDecidedProposal(pull, proposal, intent);
  if (intent.place.at === 'review') return onOwnReview(pull, intent.place.reviewId);
  return pull.run?.comment != null && standsAt(pull.run.comment, intent.place)
    ? onRunComment(pull, pull.run, intent)
    : ignore(pull, 'comment-not-kept');
}

/** What stands there now counts, not what the event tells: it may be late, and the comment restored already. */
function onOpenProposal(pull: Pull, proposal: Proposal, intent: OwnComment, facts: Facts): Step {
  const damage = damageOf(proposal, facts);
  if (damage === null) return ignore(pull, 'comment-stands');
  const restored = restore(draftOf(pull), proposal, damage, facts.now);
  const mayInstruct = intent.actor.type === 'User' && facts.served && maySign(facts.permission);
  if (damage === 'gone' || !mayInstruct) return finish(restored, 'comment-restored');
  const answer = { kind: 'restored', id: proposal.id } as const;
  return finish(withAnswer(restored, intent.place, answer, `restored:${intent.actor.id}`), 'comment-restored');
}

/** What is decided is told again where it still can be; nobody has to find it at its old place. */
function onDecidedProposal(pull: Pull, proposal: Proposal, intent: OwnComment): Step {
  if (intent.deed === 'deleted' || proposal.restorations >= MOST_RESTORATIONS) return ignore(pull, 'comment-not-kept');
  const counted = { ...proposal, restorations: proposal.restorations + 1 };
  return finish(showing(withProposal(draftOf(pull), counted), counted), 'comment-restored');
}

/** The run comment is made anew with the next change of the run, where it is gone. */
function onRunComment(pull: Pull, run: Run, { deed }: OwnComment): Step {
  if (deed === 'deleted') return finish(withRun(draftOf(pull), { comment: null }), 'comment-not-kept');
  if (run.restorations >= MOST_RESTORATIONS) return ignore(pull, 'comment-not-kept');
  const counted = withRun(draftOf(pull), { restorations: run.restorations + 1 });
  return finish(withEffects(counted, { type: 'show-run', runId: run.id }), 'comment-restored');
}

/** The text of a review decides nothing; nobody shall read there in our name what we did not say. */
function onOwnReview(pull: Pull, reviewId: number): Step {
  const { run } = pull;
  const ours = run?.reviews.some(({ id }) => id === reviewId) === true;
  if (run === null || !ours || run.restorations >= MOST_RESTORATIONS) return ignore(pull, 'comment-not-kept');
  const counted = withRun(draftOf(pull), { restorations: run.restorations + 1 });
  return finish(withEffects(counted, { type: 'show-review', runId: run.id, reviewId }), 'comment-restored');
}

/** A comment of ours was not there any more when it was to be written anew, or was never there. */
export function onCommentGone(pull: Pull, { proposalId, commentId }: Gone, facts: Facts): Step {
  const proposal = pull.proposals.find((one) => one.id === proposalId);
  const stood = proposal?.state === 'proposed' && commentsOf(proposal).some(({ id }) => id === commentId);
  if (!stood) return ignore(pull, 'outdated-outcome');
  return finish(restore(draftOf(pull), proposal, 'gone', facts.now), 'comment-restored');
}

/** Words that decided something are gone from the page, not from the record (S61). */
export function onDeleted(pull: Pull, { place }: Deleted): Step {
  const decided = pull.proposals.filter(({ votes }) =>
    votes.some(({ surface, commentId }) => surface === place.at && commentId === commentIdOf(place)),
  );
  if (decided.length === 0) return ignore(pull, 'not-ours');
  const answer = { kind: 'deleted-words', proposals: decided.map(settled) } as const;
  const told = withAnswer(draftOf(pull), place, answer, `deleted:${place.at}:${commentIdOf(place)}`);
  return finish(told, 'decision-stands');
}

function commentIdOf(place: Place): number {
  return place.at === 'review' ? place.reviewId : place.commentId;
}
