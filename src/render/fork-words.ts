import type { Run } from '../run/run.ts';
import { codeSpan } from './markdown.ts';

/** How a change gets onto a branch that we never write to. */
export const APPLY_BY_HAND =
  'Press **Commit suggestion** where there is that button, or apply the diff by hand: what lands on the branch is recognised.';

/** Said in the run comment of a pull request from a fork, before anybody tries to approve; empty on every other. */
export function forkLine({ fork, headRef }: Pick<Run, 'fork' | 'headRef'>): string {
  if (!fork) return '';
  return `The branch ${codeSpan(headRef.slice(0, 300))} lies in a fork, and Countersign never writes to forks. ${APPLY_BY_HAND}`;
}

/** The same for a proposal's comment, as plain sentences of warning. */
export function forkWarnings(run: Pick<Run, 'fork'> | null): readonly string[] {
  return run?.fork === true ? ['This branch lies in a fork: /approve cannot write to it, only people can.'] : [];
}
