import { pathsOf } from '../../../src/core/edits/change.ts';
import { createStandingVote } from '../../../src/core/policy/standing-approvals.ts';
import type { Proposal } from '../../../src/core/state/proposal.ts';
import type { StandingApproval } from '../../../src/core/state/vote.ts';
import type { Step } from '../../../src/core/step/step.ts';
import { GUARDED_PATH } from '../world/owner-actions.ts';
import { type Mutant, mutant, type Overrides, overridePulls, overrideSteps } from './mutant.ts';

type Reach = (approval: StandingApproval, proposal: Proposal) => boolean;

/** Votes by standing approvals on posted proposals that they reach by a wrong rule. */
function useBy(reach: Reach): Overrides {
  return overrideSteps((step) => {
    if (step.reason !== 'proposals-posted') return step;
    return step.pull.standingApprovals.reduce((next, approval) => voteFor(next, approval, reach), step);
  });
}

function voteFor(step: Step, approval: StandingApproval, reach: Reach): Step {
  const proposal = step.pull.proposals.find(
    (one) =>
      one.state === 'proposed' &&
      one.comment !== null &&
      one.origin.kind === 'call' &&
      one.origin.tool === approval.tool &&
      !one.votes.some(({ by }) => by.id === approval.vote.by.id) &&
      reach(approval, one),
  );
  if (proposal === undefined) return step;
  const vote = createStandingVote(approval, proposal, approval.vote.permission, approval.vote.at);
  const voted = { ...proposal, votes: [...proposal.votes, vote], state: 'approved' } as const;
  const proposals = step.pull.proposals.map((one) => (one === proposal ? voted : one));
  const commit = { type: 'commit', runId: proposal.runId, proposalIds: [proposal.id], location: null } as const;
  return {
    ...step,
    pull: { ...step.pull, proposals },
    votes: [...step.votes, vote],
    effects: [...step.effects, commit],
  };
}

function postedAt({ comment }: Proposal): number {
  return Date.parse(comment?.createdAt ?? '');
}

/** Standing approvals that were taken back come back with the next load. */
function forgetRevocations(): Overrides {
  const known = new Map<string, StandingApproval>();
  return overridePulls((pull) => {
    const key = (one: StandingApproval): string => `${pull.ref.installationId} ${pull.ref.number} ${one.number}`;
    for (const one of pull.standingApprovals) known.set(key(one), one);
    const all = Array.from({ length: pull.standingApprovalCount }, (_, index) => index + 1);
    const standingApprovals = all.flatMap(
      (number) => known.get(`${pull.ref.installationId} ${pull.ref.number} ${number}`) ?? [],
    );
    return { ...pull, standingApprovals };
  });
}

/** Mistakes in standing approvals. */
export const STANDING_MUTANTS: readonly Mutant[] = [
  mutant('standing-covers-protected', 'no standing approval covers a protected file', () =>
    useBy((_approval, { change }) => pathsOf(change).includes(GUARDED_PATH)),
  ),
  mutant('standing-covers-other-paths', 'a standing approval reaches only the paths that its comment says', () =>
    useBy(({ path }, { change }) => path !== null && !pathsOf(change).includes(path)),
  ),
  mutant('standing-covers-earlier', 'a standing approval covers only what is posted in a later second', () =>
    overrideSteps((step) => {
      const [approval] = step.pull.standingApprovals.slice(-1);
      if (approval === undefined || (step.reason !== 'approved' && step.reason !== 'vote-counted')) return step;
      return voteFor(step, approval, (one, proposal) => postedAt(proposal) <= Date.parse(one.grantedAt));
    }),
  ),
  mutant('revocation-forgotten', 'a standing approval that was taken back approves nothing more', forgetRevocations),
];
