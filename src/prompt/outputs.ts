import type { Proposal } from '../run/proposal.ts';

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

/** S18: another change of the same response already touches this place. */
export function overlapsOutput(path: string, id: string): string {
  return `Not proposed: this change of ${path} touches the same place as change ${id} of the same response. Propose it again after that one is decided, or make both one change.`;
}

/** T17: the attempt failed for good. `error` is a phrase without a full stop at its end. */
export function failedOutput(error: string): string {
  return `Not applied: ${error}. Tool was not executed; the file is unchanged.`;
}

/** T19: more changes than people should have before them at once. */
export function tooManyOutput(most: number): string {
  return `Not proposed: at most ${most} changes can wait at once. Propose it again after these are decided.`;
}

/** Nobody decided, and nobody will. */
export const WITHDRAWN = 'Withdrawn: no decision was made.';

/** The run ended while the call waited. */
export const RUN_ENDED = 'Not executed: the run was ended by a person before a decision. The file is unchanged.';

/** A turn that promises work without calling a tool (S37). */
export const NO_CALLS = 'No change was proposed: a change is proposed only by calling edit_file or write_file.';

/** What `change/` knows of an applied change and the model is told. */
export type Applied = {
  /** Null for a whole file. */
  readonly replacementsMade: number | null;
  readonly linesChanged: number | null;
  /** One sentence for an edit: `Added 1 line at line 3.` */
  readonly summary: string;
};

/** T2: the change was applied exactly as it was proposed. */
export function appliedOutput(proposal: Proposal, applied: Applied, userNote: string | null): string {
  const { path, payload } = proposal.change;
  return JSON.stringify({
    path,
    ...(applied.replacementsMade === null ? {} : { replacements_made: applied.replacementsMade }),
    ...(applied.linesChanged === null ? {} : { lines_changed: applied.linesChanged }),
    message: appliedMessage(proposal, applied.summary),
    ...(userNote === null || userNote === '' ? {} : { user_note: userNote }),
    details: { diff: payload.unified_diff, userModified: false },
  });
}

function appliedMessage(proposal: Proposal, summary: string): string {
  const { path, payload } = proposal.change;
  switch (payload.type) {
    case 'edit':
      return `Successfully replaced text in ${path}. ${summary}`.trim();
    case 'write':
      return `Wrote ${payload.content_lines} lines to ${path}.`;
  }
}
