import { isApproval } from '../policy/approvals.ts';
import { showing } from './batch.ts';
import { type Draft, draftOf, finish, ignore, withAnswer, withProposal } from './draft.ts';
import { waitingAgain } from './expiry.ts';
import type { Facts } from './facts.ts';
import { isRevocable, type Proposal } from './proposal.ts';
import type { Pull } from './run.ts';
import type { Signal } from './signal.ts';
import { named } from './spoken.ts';
import type { Step } from './step.ts';

type PutAside = Extract<Signal, { type: 'put-aside' }>;

/**
 * What could not be understood may have been a no: approvals given before count no more, and nothing is committed by
 * them (V4). An attempt that has begun goes on, and is repeated where the branch had moved.
 */
export function onPutAside(pull: Pull, { fault }: PutAside, facts: Facts): Step {
  const approved = pull.proposals.filter((one) => isRevocable(one) && one.votes.some(isApproval));
  if (approved.length === 0) return ignore(pull, 'outdated-outcome');
  const waiting = approved.reduce((draft, one) => withoutApprovals(draft, one, facts.now), draftOf(pull));
  const proposals = approved.map(named);
  return finish(
    withAnswer(waiting, { at: 'pull' }, { kind: 'approvals-withdrawn', fault, proposals }),
    'approvals-withdrawn',
  );
}

function withoutApprovals(draft: Draft, proposal: Proposal, now: string): Draft {
  const signed = { ...proposal, votes: proposal.votes.filter((vote) => !isApproval(vote)) };
  const waits = signed.state === 'proposed' ? withProposal(draft, signed) : waitingAgain(draft, signed, now);
  return showing(waits, proposal);
}
