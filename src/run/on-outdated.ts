import { showing } from './batch.ts';
import { draftOf, finish, ignore, withProposal } from './draft.ts';
import { isPending } from './proposal.ts';
import type { Pull } from './run.ts';
import type { Signal } from './signal.ts';
import type { Step } from './step.ts';

type Outdated = Extract<Signal, { type: 'threads-outdated' }>;

/** Suggestion blocks that GitHub no longer takes become diffs; everything else about their proposals stays as it is (S50). */
export function onThreadsOutdated(pull: Pull, { proposalIds }: Outdated): Step {
  const blocks = pull.proposals.filter((one) => isPending(one) && one.placement?.kind === 'suggestion');
  const outdated = blocks.filter(({ id }) => proposalIds.includes(id));
  if (outdated.length === 0) return ignore(pull, 'outdated-outcome');
  const shown = outdated.reduce((draft, one) => {
    const placement = { kind: 'file', path: one.change.path, why: 'outdated' } as const;
    return showing(withProposal(draft, { ...one, placement }), one);
  }, draftOf(pull));
  return finish(shown, 'threads-outdated');
}
