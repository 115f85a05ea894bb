import type { Proposal } from './proposal.ts';
import type { Run } from './run.ts';

/** What the store keeps of an earlier run. */
export type FinishedRun = {
  readonly run: Pick<Run, 'task' | 'phase'>;
  readonly proposals: readonly DecidedProposal[];
};

/** The fields of a decided proposal that an earlier run shows. */
export type DecidedProposal = Pick<Proposal, 'state' | 'votes'> & {
  readonly change: Pick<Proposal['change'], 'op' | 'path' | 'from' | 'digest'>;
};
