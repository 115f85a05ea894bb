import { endStep, noop, startStep, withReply } from '../actions/step-builder.ts';
import type { Facts } from '../state/facts.ts';
import type { CommentLocation, Intent } from '../state/intent.ts';
import { canApprove, canStillBeDenied, isApprovalVote, type Vote } from '../state/proposal.ts';
import { proposalOutcome } from '../state/replies.ts';
import type { PullState } from '../state/run.ts';
import type { Step } from '../state/step.ts';
import { isReadAsCommand } from './comment-relevance.ts';

/** A comment that is edited into a command has no effect. A person with write access gets one reply saying so. */
export function onCommentEdited(
  pull: PullState,
  { parsed, location }: Extract<Intent, { kind: 'edited' }>,
  facts: Facts,
): Step {
  if (!isReadAsCommand(pull, parsed) || !facts.ownerAllowed || !canApprove(facts.permission))
    return noop(pull, 'edited-into-command');
  const id = location.at === 'review' ? `review:${location.reviewId}` : `comment:${location.commentId}`;
  const replied = withReply(startStep(pull), location, { kind: 'edited-into-command' }, `edited:${id}`);
  return endStep(replied, 'edited-into-command');
}

/**
 * A decision stays in force after its comment is deleted, but an approval only once its commit has begun: until then the
 * check before the commit finds no comment, and says so.
 */
export function onCommentDeleted(pull: PullState, { location }: Extract<Intent, { kind: 'deleted' }>): Step {
  const isFromComment = ({ surface, commentId }: Vote): boolean =>
    surface === location.at && commentId === commentIdOf(location);
  const decided = pull.proposals.filter((proposal) =>
    proposal.votes.some((vote) => isFromComment(vote) && !(isApprovalVote(vote) && canStillBeDenied(proposal))),
  );
  if (decided.length === 0) return noop(pull, 'not-for-us');
  const reply = { kind: 'deleted-after-decision', proposals: decided.map(proposalOutcome) } as const;
  const once = `deleted:${location.at}:${commentIdOf(location)}`;
  return endStep(withReply(startStep(pull), location, reply, once), 'deleted-after-decision');
}

function commentIdOf(location: CommentLocation): number {
  return location.at === 'review' ? location.reviewId : location.commentId;
}
