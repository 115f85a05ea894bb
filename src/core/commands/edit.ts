import { couldApprovalCount } from '../actions/approvals.ts';
import { recordFeedback, startStep } from '../actions/step-builder.ts';
import { type CommandNamed, readTargetsAndText } from '../comments/command-line.ts';
import { NOT_ONE_PLACE, type UserEditInput, userEditRange } from '../edits/build/user-edit.ts';
import { onlyMember } from '../edits/change.ts';
import { undoNotEditable } from '../messages/replies.ts';
import type { FileAtHead } from '../state/head-changes.ts';
import type { CommentIntent, Targets } from '../state/intent.ts';
import type { Proposal } from '../state/proposal.ts';
import type { PullState } from '../state/pull-state.ts';
import type { Facts, Need } from '../step/facts.ts';
import type { Step } from '../step/step.ts';
import { rejectAll } from './deny.ts';
import { approvalNeeds } from './shared/approval-checks.ts';
import {
  type CommandContext,
  type CommandDefinition,
  type CommentContext,
  endWithReply,
  type ResolvedTargets,
} from './shared/context.ts';
import { findAnsweredProposal, meantTargets, resolveDecisionTargets } from './shared/targets.ts';

export const edit = {
  name: 'edit',
  words: ['edit'],
  syntax: '/edit [<id>…|all] <instruction>',
  summary: 'ask for changes; outside a thread and without an id it applies to all pending changes',
  allowedTo: 'writer',
  decidesOn: { states: 'uncommitted', includesUndos: false },
  read: ({ rest, below }) => {
    const { text, ...edited } = readTargetsAndText(rest, below);
    return text === '' ? null : { name: 'edit', ...edited, instruction: text };
  },
  needs: {
    condition: 'its suggestion block replaces a change',
    kinds: ['comment-hashes', 'settings', 'code-owners', 'user-edit'],
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
  const { location, quotedIds } = context.commentRef;
  const meant = meantTargets(context, targets, instruction, fullText);
  const isAboutAll = meant.targets.by === 'location' && location.at !== 'thread' && quotedIds.length === 0;
  return requestEdit(context, isAboutAll ? { by: 'all' } : meant.targets, meant.text);
}

/** Asks for changes to proposals: the one that a reply answers, those that are named, or all that are uncommitted. */
export function requestEdit(context: CommandContext, targets: Targets, instruction: string): Step {
  const resolved = resolveDecisionTargets(context, edit, targets);
  return 'open' in resolved ? recordEditRequest(context, resolved, instruction, targets) : resolved;
}

function recordEditRequest(
  context: CommandContext,
  resolved: ResolvedTargets,
  instruction: string,
  targets: Targets,
): Step {
  const { open } = resolved;
  const undos = open.filter(({ origin }) => origin.kind === 'undo');
  if (undos.length > 0) return endWithReply(context, undoNotEditable(undos), 'undo-refused');
  const pull = startStep(context.pull);
  const started = targets.by === 'all' && open.length > 0 ? recordFeedback(pull, context.facts.now) : pull;
  return rejectAll(context, started, resolved, { action: 'edit', text: instruction });
}

/** A reply whose one suggestion block is to replace the proposed lines; `note` is the text beside the block. */
export type UserEditTarget = NonNullable<ReturnType<typeof findUserEditTarget>>;

/**
 * Finds the proposal whose lines a reply with a suggestion block replaces; null if there is none that it can replace.
 */
export function findUserEditTarget(pull: PullState, intent: CommentIntent) {
  const { parsed, location } = intent;
  if (parsed.kind !== 'text' || location.at !== 'thread') return null;
  const { suggestion: lines } = parsed;
  const proposal = findAnsweredProposal(pull, intent);
  if (lines === null || lines === 'unclear' || proposal === null || !canTakeUserEdit(proposal)) return null;
  const { placement } = proposal;
  const change = onlyMember(proposal.change);
  if (placement === null || change === null || userEditRange(placement) === null) return null;
  return { proposal, change, placement, lines, note: parsed.text };
}

/** A person's text that is about to be committed can't be replaced by another person's, only denied. */
export function canTakeUserEdit({ origin, state, userEdit }: Proposal): boolean {
  return origin.kind === 'call' && (state === 'proposed' || (state === 'approved' && userEdit === null));
}

/** The input of a user edit, without the text of the file that the proposal was made for. */
type UserEditWithoutBase = Omit<UserEditInput, 'baseText'>;

function userEditInput({ proposal, change, placement, lines }: UserEditTarget): UserEditWithoutBase {
  return { change, proposed: proposal.userEdit?.originalChange.members[0] ?? change, placement, lines };
}

/** Adds the text of the file that the proposal was made for; null if `file` is another version, or not text. */
export function withBaseText(input: UserEditWithoutBase, file: FileAtHead | null): UserEditInput | null {
  const { base } = input.change;
  if (base === null || file?.blob !== base.blob || file.text === null) return null;
  return { ...input, baseText: file.text };
}

/** The result of a user edit whose file has changed since the proposal. */
export const USER_EDIT_FILE_CHANGED = {
  kind: 'refused',
  why: NOT_ONE_PLACE,
} as const satisfies Facts['userEdit'];
