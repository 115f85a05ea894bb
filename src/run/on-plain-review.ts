import { ignore } from './draft.ts';
import { approvedTargets } from './in-review.ts';
import { onApprove } from './on-approve.ts';
import { instructAll } from './on-instruct.ts';
import type { Spoken } from './spoken.ts';
import type { Step } from './step.ts';
import { aimAtAll } from './targets.ts';

/** A review without a command: an approval of everything where that is wanted, or an instruction for what its comments left open. */
export function onPlainReview(spoken: Spoken, text: string): Step {
  const { pull, intent, facts, words } = spoken;
  if (aimAtAll(pull, intent.reviewState === 'changes_requested' ? 'edit' : 'approve', words).kind !== 'these')
    return ignore(pull, 'review-decides-nothing');
  if (intent.reviewState === 'changes_requested') return instructAll(spoken, text);
  const targets = approvedTargets(intent, facts);
  if (targets === null) return ignore(pull, 'review-decides-nothing');
  return onApprove(spoken, { name: 'approve', targets, note: '' });
}
