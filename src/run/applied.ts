import { appliedOutput } from '../prompt/outputs.ts';
import type { Proposal } from './proposal.ts';

/** What the model hears of a change that was applied as proposed, with the notes of those who approved it. */
export function applied(proposal: Proposal): string {
  const notes = proposal.votes.flatMap((vote) => (vote.action === 'approve' && vote.text !== null ? [vote.text] : []));
  return appliedOutput(proposal.change, null, notes.length === 0 ? null : notes.join('\n\n'));
}
