import type { SaidIntent } from '../command/intent.ts';
import type { Facts } from './facts.ts';
import { approvedTargets, wordsOf } from './in-review.ts';
import { ownTextAim } from './own-text-aim.ts';
import { commentsOf, isRevocable, type PostedComment, type Proposal } from './proposal.ts';
import type { Damage } from './restore.ts';
import type { Pull } from './run.ts';
import { aim } from './targets.ts';

/** The comments of ours that an approval relies on: what they show is what is approved. */
export function commentsToApprove(proposals: readonly Proposal[]): readonly PostedComment[] {
  return proposals.filter(({ state }) => state === 'proposed').flatMap(commentsOf);
}

/** The open proposals that words would approve, as they are or with the person's own lines. */
export function proposalsToApprove(pull: Pull, intent: SaidIntent, facts: Facts): readonly Proposal[] {
  return reliedOn(pull, intent, facts).filter(isRevocable);
}

function reliedOn(pull: Pull, intent: SaidIntent, facts: Facts): readonly Proposal[] {
  const own = ownTextAim(pull, intent);
  if (own !== null) return [own.proposal];
  const targets = approvedTargets(intent, facts);
  const found = targets === null ? null : aim(pull, 'approve', targets, wordsOf(pull, intent, facts));
  return found?.kind === 'these' ? found.proposals : [];
}

/** Whether somebody has changed or deleted a comment that shows this open proposal; what was not looked at counts as changed. */
export function damageOf(proposal: Proposal, facts: Facts): Damage | null {
  if (proposal.state !== 'proposed') return null;
  const hashes = commentsOf(proposal).map(({ id, bodyHash }) => ({ now: facts.bodyHashes?.[id], bodyHash }));
  if (hashes.some(({ now }) => now === null)) return 'gone';
  return hashes.some(({ now, bodyHash }) => now !== bodyHash) ? 'changed' : null;
}
