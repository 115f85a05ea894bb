import { isApproval } from '../policy/approvals.ts';
import { showing } from './batch.ts';
import { type Draft, withAnswer, withProposal } from './draft.ts';
import { waitingAgain } from './expiry.ts';
import type { Proposal } from './proposal.ts';
import { named } from './spoken.ts';

/** What is under way with approvals that words which were put aside may have taken back: no other attempt follows by them. */
export function withDoubt(draft: Draft, fault: string): Draft {
  const begun = draft.pull.proposals.filter((one) => one.state === 'executing' && one.votes.some(isApproval));
  return begun.reduce((next, one) => withProposal(next, { ...one, doubted: one.doubted ?? fault }), draft);
}

/** It waits as if nobody had approved it. */
export function withoutApprovals(draft: Draft, proposal: Proposal, now: string): Draft {
  const signed = { ...proposal, votes: proposal.votes.filter((vote) => !isApproval(vote)), doubted: null };
  const waits = signed.state === 'proposed' ? withProposal(draft, signed) : waitingAgain(draft, signed, now);
  return showing(waits, proposal);
}

/** Tells once for each fault which of these, as they were before, wait again because of it. */
export function tellDoubted(draft: Draft, before: readonly Proposal[]): Draft {
  const open = new Set(draft.pull.proposals.filter(({ state }) => state === 'proposed').map(({ id }) => id));
  const doubts = before.flatMap((one) => (open.has(one.id) && one.doubted ? [{ one, fault: one.doubted }] : []));
  return [...Map.groupBy(doubts, ({ fault }) => fault)].reduce(
    (told, [fault, group]) =>
      tellWithdrawn(
        told,
        fault,
        group.map(({ one }) => one),
      ),
    draft,
  );
}

/** Says which approvals count no more, and the fault under which the log has why. */
export function tellWithdrawn(draft: Draft, fault: string, proposals: readonly Proposal[]): Draft {
  return withAnswer(draft, { at: 'pull' }, { kind: 'approvals-withdrawn', fault, proposals: proposals.map(named) });
}
