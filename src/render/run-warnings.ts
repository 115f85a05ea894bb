import { isWritable, type Run } from '../run/run.ts';
import { forkWarnings } from './fork-words.ts';
import type { ProposalView } from './proposal-view.ts';
import { ruleWarnings } from './rule-words.ts';
import { sameBranchWarnings } from './same-branch-words.ts';

/** What everybody who decides on a change of this run should know first, and whether it can be approved at all. */
export function aboutRun(run: Run | null): Pick<ProposalView, 'warnings' | 'writable'> {
  const warnings = [...forkWarnings(run), ...ruleWarnings(run), ...sameBranchWarnings(run)];
  return { warnings, writable: run === null || isWritable(run) };
}
