import type { Intent } from '../command/intent.ts';
import { retargetedOutput } from '../prompt/outputs.ts';
import { answerProposal, settleBatch, showing } from './batch.ts';
import { type Draft, draftOf, finish, ignore, withAnswer, withProposal } from './draft.ts';
import type { Facts } from './facts.ts';
import { openProposals } from './judge-head.ts';
import type { Proposal, Retargeting } from './proposal.ts';
import { activeRun, type Pull } from './run.ts';
import { named } from './spoken.ts';
import type { Step } from './step.ts';
import { moved } from './transition.ts';

type Retargeted = Extract<Intent, { kind: 'retargeted' }>;

/**
 * It goes to another branch now: what was proposed for the one before is withdrawn, and the run goes on (B11). What an
 * attempt to commit has begun with is left to its outcome, but no further attempt follows.
 */
export function onRetargeted(pull: Pull, { from, to }: Retargeted, facts: Facts): Step {
  const open = openProposals(pull.proposals);
  const begun = pull.proposals.filter(({ state }) => state === 'executing');
  if (activeRun(pull) === null || open.length + begun.length === 0) return ignore(pull, 'retargeted');
  const marked = begun.reduce((draft, one) => withProposal(draft, { ...one, retargeted: { from, to } }), draftOf(pull));
  const withdrawn = open.reduce((draft, one) => withdrawFrom(draft, one, { from, to }, facts.now), marked);
  return finish(settleBatch(tellRetargeted(withdrawn, open, { from, to }), facts.now), 'retargeted');
}

/** Takes back what was proposed for another base: no denial, and the model hears why. */
export function withdrawFrom(draft: Draft, proposal: Proposal, { from, to }: Retargeting, now: string): Draft {
  const note = `the pull request now targets ${to}`;
  const gone = withProposal(draft, { ...moved(proposal, 'superseded', now), note });
  return showing(answerProposal(gone, proposal, retargetedOutput(from, to)), proposal);
}

/** Names in one answer what was withdrawn. */
export function tellRetargeted(draft: Draft, gone: readonly Proposal[], { from, to }: Retargeting): Draft {
  if (gone.length === 0) return draft;
  return withAnswer(draft, { at: 'pull' }, { kind: 'retargeted', from, to, proposals: gone.map(named) });
}
