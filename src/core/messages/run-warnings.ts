import { firstOf, formatList, pluralize } from '../../lib/format.ts';
import { canCommit, type HeadBranch } from '../state/head-branch.ts';
import type { CommentLocation } from '../state/intent.ts';
import type { Run } from '../state/run.ts';
import { DEFAULT_SETTINGS } from '../state/settings.ts';
import type { AskedLine, RunDetails } from './proposal/proposal-status.ts';
import { codeSpan, truncate } from './shared/markdown.ts';

/** The part of the run that each proposal's comment shows: warnings, whether the App can commit, and some settings. */
export function runWarnings(run: Run | null): RunDetails {
  if (run === null) return { warnings: [], writable: true, protectedPaths: DEFAULT_SETTINGS.protectedPaths };
  const { branch, settings, task } = run;
  const asked = askedLineOf(task.location);
  return {
    warnings: branchWarnings(branch),
    writable: canCommit(branch),
    protectedPaths: settings.protectedPaths,
    asked,
  };
}

function askedLineOf(location: CommentLocation): AskedLine | null {
  if (location.at !== 'thread' || location.side === 'LEFT' || location.line === null) return null;
  return { path: location.path, line: location.startLine ?? location.line };
}

/** The next step where the App cannot commit. */
const APPLY_BY_HAND_TEXT =
  'Press **Commit suggestion** where a change has that button, or apply the diff by hand and push it. Countersign recognizes the change on the branch.';

const MAX_REF_CHARACTERS = 300;

/** The run comment's notes about its branch: a fork, rules that might refuse or refused a commit, other pull requests. */
export function branchLines(branch: HeadBranch): readonly string[] {
  const ref = codeSpan(truncate(branch.ref, MAX_REF_CHARACTERS));
  if (branch.isFork)
    return [`The branch ${ref} is in a fork, and Countersign never writes to forks. ${APPLY_BY_HAND_TEXT}`];
  if (branch.refusesCommits)
    return [
      `The rules of ${ref} refused a commit, so Countersign only offers suggestions from now on. ${APPLY_BY_HAND_TEXT}`,
    ];
  const rules = formatList(branch.refusingRules.map(codeSpan));
  const mightRefuse = `The rules of ${ref} might refuse commits by Countersign: ${rules}. After a refusal, it only offers suggestions.`;
  return [...(rules === '' ? [] : [mightRefuse]), ...commitWarnings(branch)];
}

/** What a commit does beside its change, as plain text. */
function commitWarnings({ isDefault, dismissedApprovals, otherPulls }: HeadBranch): readonly string[] {
  const uses = otherPulls.length === 1 ? 'uses' : 'use';
  return [
    ...(isDefault ? ['What is approved here goes straight to the default branch of the repository.'] : []),
    ...(dismissedApprovals === 0
      ? []
      : [`A commit dismisses ${pluralize(dismissedApprovals, 'approval')} of this pull request.`]),
    ...(otherPulls.length === 0
      ? []
      : [`A commit also changes ${formatPullNumbers(otherPulls)}, which ${uses} the same branch.`]),
  ];
}

/** The warnings of each proposal's comment about the branch. */
function branchWarnings(branch: HeadBranch): readonly string[] {
  if (branch.isFork) return ['This branch is in a fork: /approve cannot write to it. Apply the change yourself.'];
  if (branch.refusesCommits)
    return ['The rules of this branch refuse commits by Countersign. Apply the change yourself.'];
  return commitWarnings(branch);
}

const MAX_PULLS_NAMED = 5;

function formatPullNumbers(pulls: readonly number[]): string {
  return formatList(firstOf(pulls, MAX_PULLS_NAMED, (number) => `#${number}`));
}
