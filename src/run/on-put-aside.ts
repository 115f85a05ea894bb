import { isApproval } from '../policy/approvals.ts';
import { tellWithdrawn, withDoubt, withoutApprovals } from './doubted.ts';
import { draftOf, finish } from './draft.ts';
import type { Facts } from './facts.ts';
import { isRevocable } from './proposal.ts';
import type { Pull } from './run.ts';
import type { Signal } from './signal.ts';
import type { Step } from './step.ts';

type PutAside = Extract<Signal, { type: 'put-aside' }>;

/**
 * What could not be understood may have been a no: approvals given before count no more, and nothing is committed by
 * them (V4). An attempt that has begun is left to its outcome, and no other follows it.
 */
export function onPutAside(pull: Pull, { fault }: PutAside, facts: Facts): Step {
  const approved = pull.proposals.filter((one) => isRevocable(one) && one.votes.some(isApproval));
  const doubted = withDoubt(draftOf(pull), fault);
  if (approved.length === 0) return finish(doubted, doubted.pull === pull ? 'outdated-outcome' : 'approvals-withdrawn');
  const waiting = approved.reduce((draft, one) => withoutApprovals(draft, one, facts.now), doubted);
  return finish(tellWithdrawn(waiting, fault, approved), 'approvals-withdrawn');
}
