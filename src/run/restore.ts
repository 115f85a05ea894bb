import { settleBatch, showing, withdraw, withPosting } from './batch.ts';
import { type Draft, withAnswer, withProposal } from './draft.ts';
import { type Proposal, standsSince } from './proposal.ts';
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
  const lasting = damage === 'gone' ? taken(proposal) : proposal;
  const counted = { ...lasting, restorations: proposal.restorations + 1 };
  const kept = withProposal(draft, counted);
  if (counted.restorations > MOST_RESTORATIONS) return giveUp(kept, counted, now);
  return damage === 'gone' ? postAgain(kept, counted, now) : showing(kept, counted);
}

/** Off the page. What is still said in its thread is about it: a no there counts. */
function taken(proposal: Proposal): Proposal {
  const { comment, formerThreads } = proposal;
  const began = comment === null || comment.kind === 'issue-comment' ? [] : [comment.id];
  const unseen = { comment: null, parts: [], placement: null, resolved: null, shownSince: null };
  return { ...proposal, ...unseen, formerThreads: [...formerThreads, ...began] };
}

function giveUp(draft: Draft, proposal: Proposal, now: string): Draft {
  const told = withAnswer(draft, { at: 'pull' }, { kind: 'not-restored', proposals: [named(proposal)] });
  return settleBatch(withdraw(told, proposal, 'its comment was changed or deleted again and again', now), now);
}

function postAgain(draft: Draft, proposal: Proposal, now: string): Draft {
  return settleBatch(withPosting(draft, proposal), now);
}

/** Whether the words may have been written below something else, or less, than what we wrote: GitHub's clock orders both. */
export function mayHaveShownElse(proposal: Proposal, createdAt: string): boolean {
  const { restorations, shownSince, parts } = proposal;
  const whole = parts.length === 0 ? null : standsSince(proposal);
  const before = (since: string): boolean => Date.parse(since) < Date.parse(createdAt);
  if (whole !== null && !before(whole)) return true;
  return restorations > 0 && (shownSince === null || !before(shownSince));
}
