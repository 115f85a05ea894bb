import { isReading } from '../../../src/core/edits/change.ts';
import { isSameCall } from '../../../src/core/state/conversation.ts';
import type { Proposal } from '../../../src/core/state/proposal.ts';
import type { CaseCheck } from './evidence.ts';

/** S149, S145: people decide on each call once, unless a push or an expiry made it necessary to ask again. */
export const callsAreProposedOnce: CaseCheck = ({ saved }) => {
  const problems = new Set<string>();
  for (const { saved: one } of saved) {
    const { run, proposals } = one.step.pull;
    const asked = proposals.filter((proposal) => proposal.runId === run?.id && !REPLACED.has(proposal.state));
    for (const [index, proposal] of asked.entries()) {
      const earlier = asked
        .slice(0, index)
        .find((other) => sharesOwnCall(other, proposal) && !readsOtherVersion(other, proposal));
      if (earlier !== undefined) problems.add(`S149: ${earlier.id} and ${proposal.id} are from one call`);
    }
  }
  return [...problems];
};

const REPLACED: ReadonlySet<Proposal['state']> = new Set<Proposal['state']>(['superseded', 'expired', 'cancelled']);

/** A file that changed after people allowed its reading is asked for again (S24). The digest of a reading has its blob. */
function readsOtherVersion({ change, state }: Proposal, later: Proposal): boolean {
  const areReadings = isReading(change) && isReading(later.change);
  return areReadings && state === 'completed' && change.digest !== later.change.digest;
}

function sharesOwnCall(left: Proposal, right: Proposal): boolean {
  if (left.origin.kind !== 'call' || right.origin.kind !== 'call') return false;
  const { calls } = right.origin;
  return left.origin.calls.some((call) => calls.some((other) => isSameCall(call, other)));
}
