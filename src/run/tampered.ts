import type { SaidIntent } from '../command/intent.ts';
import type { Facts } from './facts.ts';
import type { PostedComment, Proposal } from './proposal.ts';
import type { Damage } from './restore.ts';
import type { Pull } from './run.ts';
import { aim } from './targets.ts';

/** The comments of ours that an approval relies on: what they show is what is approved. */
export function commentsToApprove(pull: Pull, intent: SaidIntent): readonly PostedComment[] {
  const { utterance } = intent;
  if (utterance.kind !== 'command' || utterance.command.name !== 'approve') return [];
  const found = aim(pull, utterance.command.targets, intent);
  if (found.kind !== 'these') return [];
  return found.proposals.flatMap((one) => (one.state === 'proposed' && one.comment !== null ? [one.comment] : []));
}

/** Whether somebody has changed or deleted the comment that shows this open proposal; what was not looked at counts as changed. */
export function damageOf(proposal: Proposal, facts: Facts): Damage | null {
  const { comment, state } = proposal;
  if (comment === null || state !== 'proposed') return null;
  const hash = facts.bodyHashes?.[comment.id];
  if (hash === comment.bodyHash) return null;
  return hash === null ? 'gone' : 'changed';
}
