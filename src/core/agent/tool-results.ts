import { REDACTED } from '../../lib/credentials.ts';
import { shortSha } from '../../lib/format.ts';
import { redactDiff } from '../../lib/redaction.ts';
import type { FileChange, Region } from '../edits/change.ts';
import { type ChangeSummary, summarizeChange } from '../edits/describe-change.ts';
import { MAX_CALLS_PER_RESPONSE } from '../state/tools.ts';

/** T1: a person's instruction in place of a result. The tool did not run. */
export function instructionOutput(instruction: string): string {
  return `[USER FEEDBACK - Tool was not executed]: ${instruction}`;
}

/** T4: a person denied the change, with an optional reason. */
export function deniedOutput(reason: string | null): string {
  const reasonClause = reason === null || reason === '' ? '' : `: ${reason}`;
  return `Edit rejected by user${reasonClause}. This is a decision, not a tool failure; the file is unchanged. Do not propose the same change again.`;
}

/** T7: the file changed since the proposal. Both values are SHAs of blobs, or both of commits. */
export function staleOutput(path: string, base: string, current: string): string {
  return `Not applied: ${path} changed after this change was proposed (base ${shortSha(base)}, now ${shortSha(current)}). Tool was not executed. Read the file again before proposing.`;
}

/** T8: the same change was denied before. */
export function alreadyRejectedOutput(login: string): string {
  return `This exact change was already rejected by ${login}. It was not shown again. Propose something different or stop.`;
}

/** T15: the text to replace exists only after another proposal. */
export function dependsOnPendingOutput(path: string, id: string): string {
  return `Not proposed: ${path} contains this text only after change ${id}, which is not decided yet. Propose it again after that.`;
}

/** S18: a pending change touches the same place. The model can merge it only with a change of the same response. */
export function overlapsPendingOutput(path: string, id: string, sameResponse: boolean): string {
  if (!sameResponse)
    return `Not proposed: this change of ${path} touches the same place as change ${id}, which people have not decided yet. Propose it again after that one is decided.`;
  return `Not proposed: this change of ${path} touches the same place as change ${id} of the same response. Propose it again after that one is decided, or make both one change.`;
}

/** The comments cannot show the change completely and exactly. */
export function notShowableOutput(path: string): string {
  return `Not proposed: the change of ${path} is such that it cannot be shown to people whole and exactly. Split it into smaller changes.`;
}

/** A call beyond the limit of one response. */
export const TOO_MANY_CALLS_OUTPUT = `Not executed: only the first ${MAX_CALLS_PER_RESPONSE} calls of a response are served. Call it again in a later response.`;

/** A change beyond the size limit of one response. */
export const CHANGES_TOO_LARGE_OUTPUT =
  'Not proposed: the changes of this response are too large together. Call it again in a later response.';

/** T17: the attempt failed for good. `error` is a phrase without a period. */
export function failedOutput(error: string): string {
  return `Not applied: ${error}. Tool was not executed; the file is unchanged.`;
}

/** T19: too many pending changes for one review. */
export function tooManyPendingOutput(max: number): string {
  return `Not proposed: at most ${max} changes can wait at once. Propose it again after these are decided.`;
}

/** The pull request was retargeted before a decision. */
export function retargetedOutput(from: string, to: string): string {
  return `Withdrawn: the pull request now targets ${to}, not ${from}; no decision was made. Tool was not executed. Read the files again before proposing.`;
}

/** T18: the change would silently revert a person's own text. */
export const REVERTS_USER_EDIT_OUTPUT =
  'A person changed this text from what you proposed. Restoring it was not shown. Propose something different or stop.';

/** The proposal ended without a decision. */
export const WITHDRAWN_OUTPUT = 'Withdrawn: no decision was made.';

/** T9: a temporary result of an undecided call, while the model answers a question. */
export function pendingOutput(id: string): string {
  return JSON.stringify({
    status: 'pending_approval',
    executionId: id,
    message: 'This action requires user approval. Please wait for confirmation.',
  });
}

/** A temporary result of an immediate call, while the model answers a question. */
export const STILL_RUNNING_OUTPUT = 'This call is still running.';

/**
 * T2: the change was applied as proposed. `region` is its place if the file had moved on; `userNote` is the text below
 * the approval.
 */
export function appliedOutput(change: FileChange, region: Region | null, userNote: string | null): string {
  const outcome = summarizeChange(change, region ?? change.region);
  const message = appliedMessage(change, outcome.summary);
  return JSON.stringify(buildAppliedResult(change, { outcome, message, userNote, userModified: false }));
}

/** T3: a person's own text was applied instead. `userEdits` is the diff from the proposed text to it. */
export function userModifiedOutput(change: FileChange, userEdits: string, userNote: string | null): string {
  const message = `Successfully applied user-modified edit to ${change.path}. Note: The user modified your suggested changes before accepting. Do not attempt to revert to your original suggestion.`;
  const result = buildAppliedResult(change, {
    outcome: summarizeChange(change),
    message,
    userNote,
    userModified: true,
  });
  return JSON.stringify({ ...result, user_edits: redactDiff(userEdits) });
}

type AppliedDetails = {
  readonly outcome: ChangeSummary;
  readonly message: string;
  readonly userNote: string | null;
  readonly userModified: boolean;
};

function buildAppliedResult(change: FileChange, { outcome, message, userNote, userModified }: AppliedDetails): object {
  const diff = redactDiff(outcome.diff);
  return {
    path: change.path,
    ...(outcome.replacements === null ? {} : { replacements_made: outcome.replacements }),
    ...(change.region === null ? {} : { lines_changed: outcome.linesChanged }),
    message,
    ...(userNote === null || userNote === '' ? {} : { user_note: userNote }),
    details: { diff, userModified, ...(diff === outcome.diff ? {} : { note: REDACTED_NOTE }) },
  };
}

/** Tells the model what the placeholder in an output means. */
export const REDACTED_NOTE = `${REDACTED} stands for a secret, which is not shown and cannot be edited`;

function appliedMessage({ path, payload }: FileChange, summary: string): string {
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

const MAX_QUOTED_CHARACTERS = 60;

/** The model's text as a JSON string, shortened so that an error never quotes much. */
export function quoteTruncated(text: string): string {
  return JSON.stringify(text.length > MAX_QUOTED_CHARACTERS ? `${text.slice(0, MAX_QUOTED_CHARACTERS)}…` : text);
}

/** A path as one line: git allows line breaks in names. */
export function formatPath(path: string): string {
  return /\p{Cc}/u.test(path) ? JSON.stringify(path) : path;
}
