import { settleBatch, showing, withdraw } from './batch.ts';
import { type Draft, withAnswer, withEffects, withProposal } from './draft.ts';
import type { Proposal } from './proposal.ts';
import { named } from './spoken.ts';

/** How often one comment is put back. After that its proposal goes: people who fight over it do not decide on it. */
export const MOST_RESTORATIONS = 3;

/** What became of our comment: somebody wrote something else into it, or it is gone. */
export type Damage = 'changed' | 'gone';

/**
 * Makes an undecided proposal's comment show again what we wrote. One that is gone is posted again, and can be decided
 * only from then on: nobody knows what the words that still come were written below.
 */
export function restore(draft: Draft, proposal: Proposal, damage: Damage, now: string): Draft {
  const lost = damage === 'gone' ? { comment: null, placement: null, resolved: null } : {};
  const counted = { ...proposal, ...lost, restorations: proposal.restorations + 1 };
  const kept = withProposal(draft, counted);
  if (counted.restorations > MOST_RESTORATIONS) return giveUp(kept, counted, now);
  return damage === 'gone' ? postAgain(kept, counted, now) : showing(kept, counted);
}

function giveUp(draft: Draft, proposal: Proposal, now: string): Draft {
  const told = withAnswer(draft, { at: 'pull' }, { kind: 'not-restored', proposals: [named(proposal)] });
  return settleBatch(withdraw(told, proposal, 'its comment was changed or deleted again and again', now), now);
}

function postAgain(draft: Draft, { id, runId, turn }: Proposal, now: string): Draft {
  return settleBatch(withEffects(draft, { type: 'post-review', runId, turn, proposalIds: [id] }), now);
}

/** Whether the words may have been written below something else than what we wrote: GitHub's clock orders both. */
export function mayHaveShownElse({ restorations, shownSince }: Proposal, createdAt: string): boolean {
  if (restorations === 0) return false;
  return shownSince === null || Date.parse(shownSince) >= Date.parse(createdAt);
}
