import type { Run } from '../run/run.ts';
import { count, listOf } from './words.ts';

type Shared = Pick<Run, 'sameBranch'>;

/** More of them are only counted. */
const MOST = 5;

function numbers({ sameBranch }: Shared): string {
  const shown = sameBranch.slice(0, MOST).map((number) => `#${number}`);
  const left = sameBranch.length - shown.length;
  return listOf(left === 0 ? shown : [...shown, `${left} more`]);
}

function have({ sameBranch }: Shared): string {
  return sameBranch.length === 1 ? 'has' : 'have';
}

/** Said in the run comment: a commit here is a push there. */
export function sameBranchLine(run: Shared): string {
  if (run.sameBranch.length === 0) return '';
  const others = count(run.sameBranch.length, 'other open pull request');
  return `${others} ${have(run)} the same branch: ${numbers(run)}. What is committed here changes ${run.sameBranch.length === 1 ? 'it' : 'them'} too.`;
}

/** The same for a proposal's comment, as plain sentences of warning. */
export function sameBranchWarnings(run: Shared | null): readonly string[] {
  if (run === null || run.sameBranch.length === 0) return [];
  return [`Also changes ${numbers(run)}, which ${have(run)} the same branch.`];
}
