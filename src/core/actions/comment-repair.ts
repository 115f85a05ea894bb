import { withdrawnOutput } from '../agent/shared/tool-results.ts';
import { commentKey } from '../state/posted-comment.ts';
import type { Proposal } from '../state/proposal.ts';
import type { Facts } from '../step/facts.ts';
import { proposalLink } from '../step/reply-links.ts';
import { queueCommentUpdate, type StepBuilder, withProposal, withReply } from './step-builder.ts';
import { advanceBatch, queuePosting, withdrawProposal } from './tool-batch.ts';

/** Repairs of one comment. After that its proposal is withdrawn: a text that keeps changing cannot be decided on. */
export const MAX_COMMENT_REPAIRS = 3;

/** The damage that another account did to a comment of the App. */
type CommentDamage = 'changed' | 'deleted';

/** The damage to the comments of an undecided proposal, or null. A comment that was not fetched counts as changed. */
export function findCommentDamage(proposal: Proposal, { commentHashes }: Facts): CommentDamage | null {
  if (proposal.state !== 'proposed') return null;
  const { comment } = proposal;
  if (comment === null) return null;
  const current = commentHashes?.[commentKey(comment)];
  if (current === null) return 'deleted';
  return current === comment.bodyHash ? null : 'changed';
}

/**
 * Makes the comment of an undecided proposal show our text again. A deleted comment is posted again, and the proposal
 * can be decided only by comments written after that.
 */
export function repairComment(
  builder: StepBuilder,
  proposal: Proposal,
  damage: CommentDamage,
  now: string,
): StepBuilder {
  const damaged = damage === 'deleted' ? withoutPosting(proposal) : proposal;
  const counted = { ...damaged, repairCount: proposal.repairCount + 1 };
  const stored = withProposal(builder, counted);
  if (counted.repairCount > MAX_COMMENT_REPAIRS) return giveUpRepair(stored, counted, now);
  return damage === 'deleted' ? advanceBatch(queuePosting(stored, counted), now) : queueCommentUpdate(stored, counted);
}

/** The thread of a deleted comment stays, and a denial in it still counts. */
function withoutPosting(proposal: Proposal): Proposal {
  const { comment } = proposal;
  const threadIds = comment === null || comment.kind === 'issue-comment' ? [] : [comment.id];
  return {
    ...proposal,
    comment: null,
    previousCommentIds: [...proposal.previousCommentIds, ...threadIds],
    placement: null,
    repairedAt: null,
  };
}

function giveUpRepair(builder: StepBuilder, proposal: Proposal, now: string): StepBuilder {
  const reply = { kind: 'comment-repair-limit', proposals: [proposalLink(proposal)] } as const;
  const replied = withReply(builder, { at: 'pull-request' }, reply);
  const note = 'its comment was edited or deleted repeatedly';
  const output = withdrawnOutput('Its comment on the page was edited or deleted repeatedly.');
  return advanceBatch(withdrawProposal(replied, proposal, { note, output }, now), now);
}

/** Whether the person could have seen another text than ours when they wrote at `createdAt`. Both times are GitHub's. */
export function mightHaveShownOtherText(proposal: Proposal, createdAt: string): boolean {
  const { repairCount, repairedAt } = proposal;
  const isBefore = (time: string): boolean => Date.parse(time) < Date.parse(createdAt);
  return repairCount > 0 && (repairedAt === null || !isBefore(repairedAt));
}
