import { approvalsOf } from '../policy/approvals.ts';
import { appliedOutput, modifiedOutput } from '../prompt/outputs.ts';
import type { Proposal } from './proposal.ts';

/** What the model hears of a change that was applied, as proposed or in a person's own words, with the notes of those who approved it. */
export function applied(proposal: Proposal): string {
  const { change, modified } = proposal;
  const notes = approvalsOf(proposal).flatMap(({ text }) => text ?? []);
  const note = notes.length === 0 ? null : notes.join('\n\n');
  return modified === null ? appliedOutput(change, null, note) : modifiedOutput(change, modified.userEdits, note);
}
