import {
  blockFor,
  couldApprovalCount,
  currentApprovalRules,
  showCurrentNeeds,
  votingOwnerNeeds,
} from '../../actions/approvals.ts';
import { findCommentDamage, mightHaveShownOtherText, repairComment } from '../../actions/comment-repair.ts';
import { settingsNeeds } from '../../actions/fact-needs.ts';
import { endStep, type StepBuilder, startStep, withReply } from '../../actions/step-builder.ts';
import type { ApprovalRules } from '../../policy/approval-rules.ts';
import type { Proposal } from '../../state/proposal.ts';
import { isPending } from '../../state/proposal-lifecycle.ts';
import type { Need } from '../../step/facts.ts';
import type { ApprovalBlock } from '../../step/refusals.ts';
import type { Reply } from '../../step/replies.ts';
import { proposalLink } from '../../step/reply-links.ts';
import type { Step } from '../../step/step.ts';
import { type CommandContext, type CommentContext, endWithReply, replyPostedLater } from './context.ts';
import { isInPreviousThread } from './targets.ts';

/** The rules by which this person's approval of all the proposals counts, or the step that replies why it does not. */
type ApprovalCheck =
  | { readonly kind: 'allowed'; readonly rules: ApprovalRules }
  | { readonly kind: 'refused'; readonly step: Step };

/**
 * The facts that an approval of these open proposals needs: the settings and, if it could count, our comments. With
 * `all` also which of them are hidden.
 */
export function approvalNeeds(
  { pull, intent, facts }: CommentContext,
  proposals: readonly Proposal[],
  withHidden = false,
): readonly Need[] {
  if (proposals.length === 0) return [];
  const settings = settingsNeeds(facts);
  if (settings.length > 0) return settings;
  const owners = votingOwnerNeeds(intent.actor, proposals, facts);
  if (owners.length > 0) return owners;
  const pending = proposals.filter(isPending);
  if (pending.length === 0 || facts.commentHashes !== undefined) return [];
  if (!couldApprovalCount(facts, intent.actor, proposals, pull.run)) return [];
  return [{ kind: 'comment-hashes', proposals: pending, withHidden }];
}

/** If one approval does not count, none is recorded. */
export function checkMayApprove(context: CommandContext, open: readonly Proposal[]): ApprovalCheck {
  const current = currentApprovalRules(context.facts.settings, context.pull.run, context.facts.codeOwners);
  if (current.kind !== 'rules') return refuseApproval(context, current, open);
  const { rules } = current;
  const blocked = open.flatMap((proposal) => {
    const block = blockFor(context.person, context.permission, proposal, rules);
    return block === null ? [] : [{ proposal, block }];
  });
  const [first] = blocked;
  if (first === undefined) return { kind: 'allowed', rules };
  const proposals = blocked.map(({ proposal }) => proposal);
  // The rules can have changed since the comments were written, and the reply should not contradict them.
  const updated = showCurrentNeeds(startStep(context.pull), open.filter(isPending), rules);
  return refuseApproval(context, first.block, proposals, updated);
}

function refuseApproval(
  { pull, intent }: CommandContext,
  block: ApprovalBlock,
  proposals: readonly Proposal[],
  builder: StepBuilder = startStep(pull),
): ApprovalCheck {
  const reason = block.kind === 'settings-broken' ? 'settings-broken' : 'approval-not-counted';
  const reply = { kind: 'approval-not-counted', block, proposals: proposals.map(proposalLink) } as const;
  return { kind: 'refused', step: endStep(withReply(builder, intent.location, reply), reason) };
}

/**
 * The reply if a comment of ours does not show its proposal now, or did not when the approval was written; else null.
 */
export function checkCommentsIntact(context: CommandContext, open: readonly Proposal[]): Step | null {
  const tampered = open.filter((proposal) => findCommentDamage(proposal, context.facts) !== null);
  if (tampered.length > 0) return repairAndAskAgain(context, tampered, 'comment-tampered');
  const different = open.filter(({ id, state }) => state === 'proposed' && !context.facts.shownDigests?.[id]);
  if (different.length > 0) return repairAndAskAgain(context, different, 'comment-mismatch');
  const unseen = open.filter((proposal) => mightHaveShownOtherText(proposal, context.commentRef.createdAt));
  return unseen.length === 0 ? null : replyPostedLater(context, unseen);
}

/** The reply in a thread that no longer shows these proposals; else null. */
export function checkThreadCurrent(context: CommandContext, open: readonly Proposal[]): Step | null {
  const elsewhere = open.filter((proposal) => isInPreviousThread(proposal, context.intent.location));
  return elsewhere.length === 0
    ? null
    : endWithReply(context, askAgain('comment-tampered', elsewhere), 'comment-tampered');
}

/** Why an approval does not count: a comment is not as the App posted it, or it does not show the stored change. */
type PageProblem = 'comment-tampered' | 'comment-mismatch';

/** People may have read another text than ours: repairs the comments and asks to approve again. */
function repairAndAskAgain(context: CommandContext, damaged: readonly Proposal[], problem: PageProblem): Step {
  const { pull, facts, intent } = context;
  const repaired = damaged.reduce(
    (builder, one) => repairComment(builder, one, findCommentDamage(one, facts) ?? 'changed', facts.now),
    startStep(pull),
  );
  const ids = new Set(damaged.map(({ id }) => id));
  const pending = repaired.pull.proposals.filter((one) => ids.has(one.id) && one.state === 'proposed');
  if (pending.length === 0) return endStep(repaired, problem);
  return endStep(withReply(repaired, intent.location, askAgain(problem, pending)), problem);
}

function askAgain(kind: PageProblem, proposals: readonly Proposal[]): Reply {
  return { kind, proposals: proposals.map(proposalLink) };
}
