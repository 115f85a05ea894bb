import { currentApprovalRules, votingOwnerNeeds } from '../../actions/approvals.ts';
import { settingsNeeds } from '../../actions/fact-needs.ts';
import {
  endStep,
  queueCommentUpdate,
  type StepBuilder,
  startStep,
  withProposal,
  withReply,
} from '../../actions/step-builder.ts';
import { queuePosting } from '../../actions/tool-batch.ts';
import { approvalNotCounted } from '../../messages/approval-replies.ts';
import { pageChanged } from '../../messages/change-replies.ts';
import { type ApprovalRules, mayApprove } from '../../policy/may-approve.ts';
import { commentKey } from '../../state/posted-comment.ts';
import { isPending, type Proposal } from '../../state/proposal.ts';
import type { Facts, Need } from '../../step/facts.ts';
import type { ApprovalBlock } from '../../step/reasons.ts';
import type { Step } from '../../step/step.ts';
import { type CommandContext, type CommentContext, endWithReply } from './context.ts';

/** The rules by which this person's approval of all the proposals counts, or the step that replies why it does not. */
type ApprovalCheck =
  | { readonly kind: 'allowed'; readonly rules: ApprovalRules }
  | { readonly kind: 'refused'; readonly step: Step };

/** The facts that an approval of these open proposals needs. The request for our comments also finds the settings. */
export function approvalNeeds({ intent, facts }: CommentContext, proposals: readonly Proposal[]): readonly Need[] {
  if (proposals.length === 0) return [];
  const pending = proposals.filter(isPending);
  if (pending.length > 0 && facts.commentHashes === undefined) return [{ kind: 'comment-hashes', proposals: pending }];
  const settings = settingsNeeds(facts);
  return settings.length > 0 ? settings : votingOwnerNeeds(intent.actor, proposals, facts);
}

/** If one approval does not count, none is recorded. */
export function checkMayApprove(context: CommandContext, open: readonly Proposal[]): ApprovalCheck {
  const current = currentApprovalRules(context.facts.settings, context.pull.run, context.facts.codeOwners);
  if (current.kind !== 'rules') return refuseApproval(context, current, open);
  const { rules } = current;
  const blocked = open.flatMap((proposal) => {
    const verdict = mayApprove(proposal, context, rules);
    return verdict === 'yes' ? [] : [{ proposal, block: verdict }];
  });
  const [first] = blocked;
  if (first === undefined) return { kind: 'allowed', rules };
  const proposals = blocked.map(({ proposal }) => proposal);
  return refuseApproval(context, first.block, proposals);
}

function refuseApproval(context: CommandContext, block: ApprovalBlock, proposals: readonly Proposal[]): ApprovalCheck {
  const step = endWithReply(context, approvalNotCounted(block, proposals), 'approval-not-counted');
  return { kind: 'refused', step };
}

/**
 * The reply where a page is not on GitHub as the App posted it, so that people may have read another text; else null.
 * Each such page is written again, and decided only by approvals written after that.
 */
export function checkPagesIntact({ pull, facts, intent }: CommandContext, open: readonly Proposal[]): Step | null {
  const damaged = open.filter(({ state, comment }) => {
    return state === 'proposed' && comment !== null && facts.commentHashes?.[commentKey(comment)] !== comment.bodyHash;
  });
  if (damaged.length === 0) return null;
  const written = damaged.reduce((builder, one) => writePageAgain(builder, one, facts), startStep(pull));
  return endStep(withReply(written, intent.location, pageChanged(damaged)), 'page-changed');
}

function writePageAgain(builder: StepBuilder, proposal: Proposal, { commentHashes }: Facts): StepBuilder {
  const { comment } = proposal;
  if (comment === null || commentHashes?.[commentKey(comment)] !== null) return queueCommentUpdate(builder, proposal);
  const unposted = { ...proposal, comment: null, placement: null };
  return queuePosting(withProposal(builder, unposted), unposted);
}
