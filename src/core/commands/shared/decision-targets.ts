import { ambiguous, nothingPending, unknownIds } from '../../messages/replies.ts';
import type { Targets } from '../../state/intent.ts';
import { type Proposal, postedChange } from '../../state/proposal.ts';
import { isPending } from '../../state/proposal-lifecycle.ts';
import type { Step } from '../../step/step.ts';
import { type CommandContext, endWithReply, replyAlreadyDecided, replyPostedLater } from './context.ts';
import { resolveTargets, type TargetResolution, type TargetScope } from './targets.ts';

/** The proposals that a decision is about; `postedLater` were posted after the comment, and stay as they are. */
export type ResolvedTargets = {
  readonly open: readonly Proposal[];
  readonly alreadyDecided: readonly Proposal[];
  readonly postedLater: readonly Proposal[];
};

/** The proposals, or the step that replies why the decision is about none. */
type DecisionTargets =
  | ({ readonly kind: 'resolved' } & ResolvedTargets)
  | { readonly kind: 'replied'; readonly step: Step; readonly alreadyDecided: readonly Proposal[] };

type DecisionCommand = { readonly name: 'approve' | 'deny' | 'edit'; readonly decidesOn: TargetScope };

export function resolveDecisionTargets(
  context: CommandContext,
  command: DecisionCommand,
  targets: Targets,
): DecisionTargets {
  const resolution = resolveTargets(context.pull, command.decidesOn, targets, context.commentRef);
  if (resolution.kind === 'resolved') return splitByState(context, command, resolution);
  return { kind: 'replied', step: replyUnresolved(context, command, resolution), alreadyDecided: [] };
}

function splitByState(
  context: CommandContext,
  command: DecisionCommand,
  { proposals, postedLater }: Extract<TargetResolution, { kind: 'resolved' }>,
): DecisionTargets {
  const open = proposals.filter((proposal) => canDecide(command, proposal));
  const alreadyDecided = proposals.filter((proposal) => !open.includes(proposal));
  if (open.length > 0) return { kind: 'resolved', open, alreadyDecided, postedLater };
  return { kind: 'replied', step: replyAlreadyDecided(context, alreadyDecided), alreadyDecided };
}

/** A person's own text that is about to be committed can be denied, but not approved: nobody else has seen it. */
function canDecide(command: DecisionCommand, proposal: Proposal): boolean {
  if (proposal.state !== 'approved') return proposal.state === 'proposed';
  return command.name !== 'approve' || postedChange(proposal) === proposal.change;
}

function replyUnresolved(
  context: CommandContext,
  command: DecisionCommand,
  resolution: Exclude<TargetResolution, { kind: 'resolved' }>,
): Step {
  switch (resolution.kind) {
    case 'ambiguous':
      return replyAmbiguous(context, command.name, resolution.pending);
    case 'unknown-ids':
      return replyUnknownIds(context, resolution.ids);
    case 'decided-in-threads':
      return endWithReply(context, nothingPending(command.name), 'already-decided');
    case 'no-match':
      return resolution.postedLater.length > 0
        ? replyPostedLater(context, resolution.postedLater)
        : endWithReply(context, nothingPending(command.name), 'nothing-pending');
  }
}

export function replyAmbiguous(
  context: CommandContext,
  command: 'approve' | 'deny' | 'edit' | 'show',
  pending: readonly Proposal[],
): Step {
  const isBelowQuote = context.commentRef.quote !== null;
  return pending.length === 0
    ? endWithReply(context, nothingPending(command), 'nothing-pending')
    : endWithReply(context, ambiguous(command, pending, isBelowQuote), 'ambiguous');
}

export function replyUnknownIds(context: CommandContext, ids: readonly string[]): Step {
  const pending = context.pull.proposals.filter(isPending);
  return endWithReply(context, unknownIds(ids, pending), 'unknown-ids');
}
