import { NOT_ONE_PLACE, type UserEditInput, userEditRange } from '../../edits/build/user-edit.ts';
import type { FileChange } from '../../edits/change.ts';
import type { Placement } from '../../edits/placement.ts';
import type { FileAtHead } from '../../state/head-changes.ts';
import type { CommentIntent } from '../../state/intent.ts';
import type { Proposal } from '../../state/proposal.ts';
import type { PullState } from '../../state/pull-state.ts';
import type { Facts } from '../../step/facts.ts';
import { findAnsweredProposal } from './targets.ts';

/** A reply whose one suggestion block is to replace the proposed lines. */
export type UserEditTarget = {
  readonly proposal: Proposal;
  readonly change: FileChange;
  readonly placement: Placement;
  readonly lines: readonly string[];
  /** The text beside the block. */
  readonly note: string;
};

/**
 * Finds the proposal whose lines a reply with a suggestion block replaces; null if there is none that it can replace.
 */
export function findUserEditTarget(pull: PullState, intent: CommentIntent): UserEditTarget | null {
  const { parsed, location } = intent;
  if (parsed.kind !== 'text' || location.at !== 'thread') return null;
  const { suggestion: lines } = parsed;
  const proposal = findAnsweredProposal(pull, intent);
  if (lines === null || lines === 'unclear' || proposal === null || !canTakeUserEdit(proposal)) return null;
  const { change, placement } = proposal;
  if (placement === null || change.op === 'set' || userEditRange(placement) === null) return null;
  return { proposal, change, placement, lines, note: parsed.text };
}

/** A person's text that is about to be committed can't be replaced by another person's, only denied. */
export function canTakeUserEdit({ origin, state, userEdit }: Proposal): boolean {
  return origin.kind === 'call' && (state === 'proposed' || (state === 'approved' && userEdit === null));
}

/** The input of a user edit, without the text of the file that the proposal was made for. */
type UserEditWithoutBase = Omit<UserEditInput, 'baseText'>;

export function userEditInput({ proposal, change, placement, lines }: UserEditTarget): UserEditWithoutBase {
  return { change, proposed: proposal.userEdit?.originalChange ?? change, placement, lines };
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
