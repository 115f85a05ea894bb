import type { Reply } from '../../lib/trust.ts';
import { hasCountedApproval, missingNow, recordApproval } from '../actions/approvals.ts';
import { endStep, type StepBuilder, startStep, withEffects, withReply } from '../actions/step-builder.ts';
import { cleanText } from '../agent/shared/clean-text.ts';
import {
  type CommandNamed,
  type CommandText,
  readGlob,
  readIds,
  readOneId,
  splitWords,
} from '../comments/command-line.ts';
import { isReading } from '../edits/change.ts';
import { approvalNotCounted, standingApprovalRefused } from '../messages/approval-replies.ts';
import { malformedCommand } from '../messages/replies.ts';
import type { ApprovalRules } from '../policy/may-approve.ts';
import type { AlwaysRequest, CommentIntent, Targets } from '../state/intent.ts';
import { isBeforeCommit, type Proposal } from '../state/proposal.ts';
import type { Facts, Need } from '../step/facts.ts';
import type { Step } from '../step/step.ts';
import { approveQuestion } from './answer.ts';
import { approvalNeeds, checkMayApprove, checkPagesIntact } from './shared/approval-checks.ts';
import {
  acknowledge,
  type CommandContext,
  type CommandDefinition,
  type CommentContext,
  createVote,
  endWithHint,
  type ResolvedTargets,
  refuseIfReadOnly,
  replyAlreadyDecided,
  withLeftoverReplies,
} from './shared/context.ts';
import { findDecidedQuestion, resolveDecisionTargets, resolveTargets } from './shared/targets.ts';
import { recordStandingApproval, requestStandingApproval } from './standing-approvals.ts';

export const approve = {
  name: 'approve',
  words: ['approve'],
  syntax: '/approve [<id>…|all|<glob>|always [<glob>]]',
  summary:
    'make the change, or those on the paths of a glob; in its thread the id may be left out, lines below are a note for the agent; with always also later changes by the same tool, of this path or of a glob',
  allowedTo: 'writer',
  decidesOn: { states: 'pending', includesUndos: true, onlySeen: true },
  read: readApproval,
  needs: {
    condition: 'it means pending changes',
    kinds: ['comment-hashes', 'settings', 'code-owners'],
    next: needsToApprove,
  },
  run: runApprove,
} as const satisfies CommandDefinition<'approve'>;

/** Only ids, one glob, or at most one id and `always` with a glob: nobody approves by a slip. */
function readApproval({ rest, note }: CommandText): CommandNamed<'approve'> | null {
  const words = splitWords(rest);
  const at = words.findIndex((word) => word.toLowerCase() === 'always');
  const [first = '', ...others] = words;
  const paths = others.length === 0 ? readGlob(first) : null;
  const targets = at === -1 ? (paths ?? readIds(words)) : readOneId(words.slice(0, at));
  if (targets === null) return null;
  if (at === -1) return { name: 'approve', targets, note: note.trim() };
  const [glob = null, ...more] = words.slice(at + 1);
  if (more.length > 0 || (glob !== null && !/[/.*]/.test(glob))) return null;
  return { name: 'approve', targets, note: note.trim(), always: { glob } };
}

/** The proposals that a comment approves: those of `/approve`, or all by a review where the repository allows that. */
export function approvedTargets(intent: CommentIntent, { settings }: Facts): Targets | null {
  const { parsed } = intent;
  if (parsed.kind === 'command') return parsed.command.name === 'approve' ? parsed.command.targets : null;
  const approvesAll = settings?.kind === 'settings' && settings.settings.reviewApproval === 'approve-all';
  return approvesAll && isApprovalWithoutCommand(intent) ? { by: 'all' } : null;
}

/** A review that was submitted with *Approve* and without a command. */
export function isApprovalWithoutCommand({ reviewState, parsed }: CommentIntent): boolean {
  return reviewState === 'approved' && parsed.kind === 'text' && !parsed.addressedToApp;
}

function needsToApprove(context: CommentContext): readonly Need[] {
  const { pull, intent, facts, commentRef } = context;
  const targets = approvedTargets(intent, facts);
  if (targets === null) return [];
  const resolution = resolveTargets(pull, approve.decidesOn, targets, commentRef);
  if (resolution.kind !== 'resolved') return [];
  return approvalNeeds(context, resolution.proposals.filter(isBeforeCommit));
}

/** Records a vote for each proposal, and queues one commit of all changes that now have enough approvals. */
function runApprove(context: CommandContext, { targets, note, always }: CommandNamed<'approve'>): Step {
  const question = findDecidedQuestion(context.pull, approve.decidesOn, targets, context.commentRef);
  if (question !== null && always === undefined) return approveQuestion(context, question, note);
  // In a thread a command is about its change.
  if (targets.by === 'paths' && context.intent.location.at === 'thread')
    return endWithHint(context, 'approve', malformedCommand(approve.syntax));
  const resolution = resolveDecisionTargets(context, approve, targets);
  if (!('open' in resolution)) return resolution;
  if (resolution.open.length === 0) return replyAlreadyDecided(context, resolution.alreadyDecided);
  const isReadingAlone = resolution.open.every(({ change }) => isReading(change));
  const refusal = isReadingAlone ? null : refuseIfReadOnly(context);
  if (refusal !== null) return refusal;
  const check = checkMayApprove(context, resolution.open);
  if (check.kind === 'refused') return check.step;
  return (
    checkPagesIntact(context, resolution.open) ??
    approveAll(context, resolution, { rules: check.rules, note: cleanText(note), always: always ?? null })
  );
}

/** How the proposals are approved; `always` is null for these alone. */
type Approving = { readonly rules: ApprovalRules; readonly note: string; readonly always: AlwaysRequest | null };

function approveAll(context: CommandContext, resolved: ResolvedTargets, { rules, note, always }: Approving): Step {
  const { open } = resolved;
  const { location, createdAt } = context.intent;
  const [only] = open;
  const granted = always === null || only === undefined ? null : requestStandingApproval(context, only, always);
  const voted = open.reduce((builder, one) => {
    const vote = createVote(context, one, 'approve', note);
    const given = granted === null || typeof granted === 'string' ? vote : { ...granted.vote, text: vote.text };
    return recordApproval(builder, one, given, rules, createdAt);
  }, startStep(context.pull));
  const ids = open.filter(({ state }) => state === 'proposed').map(({ id }) => id);
  const newlyApproved = voted.pull.proposals.filter((one) => ids.includes(one.id) && one.state === 'approved');
  const isRepeated = newlyApproved.length === 0 && open.every((one) => hasCountedApproval(context.person, one, rules));
  const reply = isRepeated ? missingApprovalsReply(voted, ids, rules) : null;
  const acknowledged = acknowledge(voted, context);
  const replied = reply === null ? acknowledged : withReply(acknowledged, location, reply);
  const standing =
    granted === null || only === undefined
      ? replied
      : typeof granted === 'string'
        ? withReply(replied, location, standingApprovalRefused(only.id, granted))
        : recordStandingApproval(replied, context, granted);
  const committing = queueCommit(standing, newlyApproved, context);
  const reason = newlyApproved.length > 0 || ids.length === 0 ? 'approved' : 'vote-counted';
  return endStep(withLeftoverReplies(committing, context, resolved), reason);
}

/** For a person whose approval counts already: how many more are missing. */
function missingApprovalsReply(builder: StepBuilder, ids: readonly string[], rules: ApprovalRules): Reply | null {
  const pending = builder.pull.proposals.filter((one) => ids.includes(one.id));
  const [first] = pending;
  if (first === undefined) return null;
  const block = missingNow(first, rules);
  return block === null ? null : approvalNotCounted(block, pending);
}

/** A reading that is approved waits for the same checks as a commit. */
export function queueCommit(
  builder: StepBuilder,
  proposals: readonly Proposal[],
  { intent: { location } }: CommandContext,
): StepBuilder {
  const [first] = proposals;
  if (first === undefined) return builder;
  const proposalIds = proposals.map((proposal) => proposal.id);
  return withEffects(builder, { type: 'commit', runId: first.runId, proposalIds, location });
}
