import { couldApprovalCount } from '../actions/approvals.ts';
import {
  currentProposal,
  endStep,
  queueCommentUpdate,
  recordFeedback,
  recordVote,
  type StepBuilder,
  startStep,
  withProposal,
  withReply,
} from '../actions/step-builder.ts';
import { advanceBatch, answerProposalCalls } from '../actions/tool-batch.ts';
import { instructedOutput } from '../agent/shared/speakers.ts';
import { type CommandNamed, readTargetsAndText } from '../comments/command-line.ts';
import { nothingPending, undoNotEditable } from '../messages/replies.ts';
import type { Targets } from '../state/intent.ts';
import type { Proposal } from '../state/proposal.ts';
import { canStillBeDenied, transition } from '../state/proposal-lifecycle.ts';
import type { Need } from '../step/facts.ts';
import type { Step } from '../step/step.ts';
import { recordLateDenial } from './deny.ts';
import { approvalNeeds } from './shared/approval-checks.ts';
import {
  acknowledge,
  type CommandContext,
  type CommentContext,
  createVote,
  endWithReply,
  replyAlreadyDecided,
  withLeftoverReplies,
} from './shared/context.ts';
import { type ResolvedTargets, resolveDecisionTargets } from './shared/decision-targets.ts';
import type { CommandDefinition } from './shared/definition.ts';
import { findAnsweredProposal } from './shared/targets.ts';
import { findUserEditTarget, userEditInput } from './shared/user-edit-target.ts';

export const edit = {
  name: 'edit',
  words: ['edit'],
  syntax: '/edit [<id>…|all] <instruction>',
  summary: 'ask for changes; outside a thread and without an id it applies to all pending changes',
  allowedTo: 'writer',
  decidesOn: { states: 'uncommitted', includesUndos: false, quotePoints: true, idsNameLaterPosts: false },
  read: ({ rest, below }) => {
    const { text, ...edited } = readTargetsAndText(rest, below);
    return text === '' ? null : { name: 'edit', ...edited, instruction: text };
  },
  needs: {
    condition: 'its suggestion block replaces a change',
    kinds: ['settings', 'code-owners', 'comment-hashes', 'user-edit'],
    next: userEditNeeds,
  },
  run: runEdit,
} as const satisfies CommandDefinition<'edit'>;

/** A reply with a suggestion block needs the facts of an approval, and the change to the file that the block makes. */
function userEditNeeds(context: CommentContext): readonly Need[] {
  const { pull, intent, facts } = context;
  const target = findUserEditTarget(pull, intent);
  if (target === null) return [];
  const approved = [target.proposal];
  const approval = approvalNeeds(context, approved);
  if (approval.length > 0) return approval;
  if (facts.userEdit !== undefined || !couldApprovalCount(facts, intent.actor, approved, pull.run)) return [];
  return [{ kind: 'user-edit', head: target.proposal.headSha, userEdit: userEditInput(target) }];
}

function runEdit(context: CommandContext, { targets, instruction, fullText }: CommandNamed<'edit'>): Step {
  const { pull, commentRef } = context;
  const answered = findAnsweredProposal(pull, commentRef);
  if (targets.by === 'location') {
    if (answered !== null) return requestEdit(context, answered, instruction);
    // In another thread, or below another quote, the instruction can't be about every proposal.
    const isAboutAll = commentRef.location.at !== 'thread' && commentRef.quotedIds.length === 0;
    return requestEditOf(context, isAboutAll ? { by: 'all' } : targets, instruction);
  }
  const isKnown = targets.by === 'all' || targets.ids.some((id) => pull.proposals.some((one) => one.id === id));
  // In a proposal's thread, a first word that only looks like an id is part of the instruction.
  if (!isKnown && answered !== null) return requestEdit(context, answered, fullText);
  return requestEditOf(context, targets, instruction);
}

/** Asks for changes to all uncommitted proposals of the run. */
export function requestEditOfAll(context: CommandContext, instruction: string): Step {
  return requestEditOf(context, { by: 'all' }, instruction);
}

function requestEditOf(context: CommandContext, targets: Targets, instruction: string): Step {
  const resolved = resolveDecisionTargets(context, edit, targets);
  const step = resolved.kind === 'replied' ? resolved.step : recordEditRequest(context, resolved, instruction, targets);
  return recordLateDenial(context, step, resolved.alreadyDecided, { action: 'edit', text: instruction });
}

/** Asks for changes to the one proposal that a reply answers. */
export function requestEdit(context: CommandContext, proposal: Proposal, instruction: string): Step {
  if (context.commentRef.decidedInThreads.includes(proposal.id))
    return endWithReply(context, nothingPending('edit'), 'already-decided');
  if (!canStillBeDenied(proposal)) {
    const replied = replyAlreadyDecided(context, [proposal]);
    return recordLateDenial(context, replied, [proposal], { action: 'edit', text: instruction });
  }
  const resolved = { open: [proposal], alreadyDecided: [], postedLater: [] };
  return recordEditRequest(context, resolved, instruction, { by: 'location' });
}

function recordEditRequest(
  context: CommandContext,
  { open, alreadyDecided, postedLater }: ResolvedTargets,
  instruction: string,
  targets: Targets,
): Step {
  const undos = open.filter(({ origin }) => origin.kind === 'undo');
  if (undos.length === open.length) return endWithReply(context, undoNotEditable(undos), 'undo-refused');
  const pull = startStep(context.pull);
  const started = targets.by === 'all' ? recordFeedback(pull, context.facts.now) : pull;
  const replied = undos.length === 0 ? started : withReply(started, context.intent.location, undoNotEditable(undos));
  const rejected = open
    .filter((one) => !undos.includes(one))
    .reduce((builder, one) => rejectWithInstruction(builder, one, context, instruction), replied);
  const advanced = advanceBatch(acknowledge(rejected, context), context.facts.now);
  return endStep(withLeftoverReplies(advanced, context, alreadyDecided, postedLater), 'edit-requested');
}

/** The instruction becomes the result of the proposal's call. */
function rejectWithInstruction(
  builder: StepBuilder,
  proposal: Proposal,
  context: CommandContext,
  instruction: string,
): StepBuilder {
  const vote = createVote(context, proposal, 'edit', instruction);
  const voted = recordVote(builder, vote);
  const current = currentProposal(voted, proposal);
  const rejected = withProposal(voted, transition(current, 'rejected', context.intent.createdAt));
  const output = instructedOutput(current, vote, builder.pull.run?.task.by ?? null);
  return queueCommentUpdate(answerProposalCalls(rejected, proposal, output), proposal);
}
