import type { Change, Region } from '../change/change.ts';
import { type ChangeOutcome, outcomeOf } from '../change/outcome.ts';

/** T1: the person's instruction stands where the result would; the tool did not run. */
export function instructionOutput(instruction: string): string {
  return `[USER FEEDBACK - Tool was not executed]: ${instruction}`;
}

/** T4: a person decided against it, with the reason if one was given. */
export function deniedOutput(reason: string | null): string {
  const because = reason === null || reason === '' ? '' : `: ${reason}`;
  return `Edit rejected by user${because}. This is a decision, not a tool failure; the file is unchanged. Do not propose the same change again.`;
}

/** T7: the file is not what it was when the change was proposed. Both are SHAs, of blobs or of commits alike. */
export function staleOutput(path: string, base: string, now: string): string {
  return `Not applied: ${path} changed after this change was proposed (base ${base.slice(0, 7)}, now ${now.slice(0, 7)}). Tool was not executed. Read the file again before proposing.`;
}

/** T8: the same change was denied before. */
export function repeatOutput(login: string): string {
  return `This exact change was already rejected by ${login}. It was not shown again. Propose something different or stop.`;
}

/** T15: the text to be replaced exists only once another proposal is applied. */
export function dependsOutput(path: string, id: string): string {
  return `Not proposed: ${path} contains this text only after change ${id}, which is not decided yet. Propose it again after that.`;
}

/** S18: a change that waits already touches this place; one of another response, or an undo, cannot be made one with it. */
export function overlapsOutput(path: string, id: string, sameResponse: boolean): string {
  if (!sameResponse)
    return `Not proposed: this change of ${path} touches the same place as change ${id}, which people have not decided yet. Propose it again after that one is decided.`;
  return `Not proposed: this change of ${path} touches the same place as change ${id} of the same response. Propose it again after that one is decided, or make both one change.`;
}

/** A change that people could not be shown whole: its page would not hold it, or not say it exactly. */
export function unshownOutput(path: string): string {
  return `Not proposed: the change of ${path} is such that it cannot be shown to people whole and exactly. Split it into smaller changes.`;
}

/** T17: the attempt failed for good. `error` is a phrase without a full stop at its end. */
export function failedOutput(error: string): string {
  return `Not applied: ${error}. Tool was not executed; the file is unchanged.`;
}

/** T19: more changes than people should have before them at once. */
export function tooManyOutput(most: number): string {
  return `Not proposed: at most ${most} changes can wait at once. Propose it again after these are decided.`;
}

/** The pull request goes to another branch than when the change was proposed; nobody decided. */
export function retargetedOutput(from: string, to: string): string {
  return `Withdrawn: the pull request now targets ${to}, not ${from}; no decision was made. Tool was not executed. Read the files again before proposing.`;
}

/** T18: the person's own words are not to be undone without being asked. */
export const RESTORED =
  'A person changed this text from what you proposed. Restoring it was not shown. Propose something different or stop.';

/** Nobody decided, and nobody will. */
export const WITHDRAWN = 'Withdrawn: no decision was made.';

/** T9: what stands for an undecided call where the model is asked beside the run; never kept as the call's result. */
export function pendingOutput(id: string): string {
  return JSON.stringify({
    status: 'pending_approval',
    executionId: id,
    message: 'This action requires user approval. Please wait for confirmation.',
  });
}

/** Where the model is asked beside the run: a call that nobody has to decide is still being carried out. */
export const UNDER_WAY = 'This call is still being carried out.';

/**
 * T2: the change was applied exactly as it was proposed. `region` is where it was made, if the file had moved on;
 * `userNote` is what the person wrote below the approval.
 */
export function appliedOutput(change: Change, region: Region | null, userNote: string | null): string {
  const outcome = outcomeOf(change, region ?? change.region);
  const message = appliedMessage(change, outcome.summary);
  return JSON.stringify(appliedForm(change, { outcome, message, userNote, userModified: false }));
}

/** T3: a person put their own text in place of the proposed one; `userEdits` is the diff from this to theirs. */
export function modifiedOutput(change: Change, userEdits: string, userNote: string | null): string {
  const message = `Successfully applied user-modified edit to ${change.path}. Note: The user modified your suggested changes before accepting. Do not attempt to revert to your original suggestion.`;
  const form = appliedForm(change, { outcome: outcomeOf(change), message, userNote, userModified: true });
  return JSON.stringify({ ...form, user_edits: userEdits });
}

type Applied = {
  readonly outcome: ChangeOutcome;
  readonly message: string;
  readonly userNote: string | null;
  readonly userModified: boolean;
};

function appliedForm(change: Change, { outcome, message, userNote, userModified }: Applied): object {
  return {
    path: change.path,
    ...(outcome.replacements === null ? {} : { replacements_made: outcome.replacements }),
    ...(change.region === null ? {} : { lines_changed: outcome.linesChanged }),
    message,
    ...(userNote === null || userNote === '' ? {} : { user_note: userNote }),
    details: { diff: outcome.diff, userModified },
  };
}

function appliedMessage({ path, payload }: Change, summary: string): string {
  switch (payload.type) {
    case 'edit':
      return `Successfully replaced text in ${path}. ${summary}`.trim();
    case 'write':
      return payload.content_lines === null ? `Restored ${path}.` : `Wrote ${payload.content_lines} lines to ${path}.`;
    case 'delete':
      return `Deleted ${path}.`;
    case 'move':
      return `Moved ${payload.from} to ${path}.`;
    case 'read':
      return `${path} may be read.`;
  }
}
