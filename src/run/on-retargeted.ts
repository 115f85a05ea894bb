import type { Intent } from '../command/intent.ts';
import { retargetedOutput } from '../prompt/outputs.ts';
import { answerProposal, settleBatch, showing } from './batch.ts';
import { type Draft, draftOf, finish, ignore, withAnswer, withProposal, withRun } from './draft.ts';
import type { Facts } from './facts.ts';
import { openProposals } from './open-proposals.ts';
import type { Proposal, Retargeting } from './proposal.ts';
import type { Pull } from './run.ts';
import { named } from './spoken.ts';
import type { Step } from './step.ts';
import { moved } from './transition.ts';

type Retargeted = Extract<Intent, { kind: 'retargeted' }>;

/**
 * It goes to another branch now: what was proposed for the one before is withdrawn, and the run goes on (B11). What an
 * attempt to commit has begun with is left to its outcome, but no further attempt follows.
 */
export function onRetargeted(pull: Pull, { from, to }: Retargeted, facts: Facts): Step {
  const { run } = pull;
  if (run === null || run.baseRef === to) return ignore(pull, 'retargeted');
  return finish(settleBatch(withBase(draftOf(pull), { from, to }, facts.now), facts.now), 'retargeted');
}

/** Where it goes now, as the head's own reading tells: nobody may have told us. */
export function withBaseFound(draft: Draft, to: string, now: string): Draft {
  const from = draft.pull.run?.baseRef ?? to;
  return from === to ? draft : withBase(draft, { from, to }, now);
}

function withBase(draft: Draft, retargeting: Retargeting, now: string): Draft {
  const open = openProposals(draft.pull.proposals);
  const begun = draft.pull.proposals.filter(({ state }) => state === 'executing');
  const known = withRun(draft, { baseRef: retargeting.to });
  const marked = begun.reduce((next, one) => withProposal(next, { ...one, retargeted: retargeting }), known);
  const withdrawn = open.reduce((next, one) => withdrawFrom(next, one, retargeting, now), marked);
  return tellRetargeted(withdrawn, open, retargeting);
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
