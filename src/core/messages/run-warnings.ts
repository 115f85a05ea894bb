import { formatList, pluralize } from '../../lib/format.ts';
import type { RefusingRule } from '../state/branch-rules.ts';
import { canCommit, type Run } from '../state/run.ts';
import { DEFAULT_SETTINGS } from '../state/settings.ts';
import type { ProposalView } from './proposal/proposal-status.ts';
import { codeSpan, truncate } from './shared/markdown.ts';

/** The part of the run that each proposal's comment shows: warnings, whether the App can commit, and some settings. */
export function runWarnings(run: Run | null): RunDetails {
  if (run === null) return { warnings: [], writable: true, protectedPaths: DEFAULT_SETTINGS.protectedPaths };
  const warnings = [...forkWarnings(run), ...ruleWarnings(run), ...sharedBranchWarnings(run)];
  return { warnings, writable: canCommit(run), protectedPaths: run.settings.protectedPaths };
}

export type RunDetails = Pick<ProposalView, 'warnings' | 'writable' | 'protectedPaths'>;

/** The next step where the App cannot commit. */
export const APPLY_BY_HAND_TEXT =
  'Press **Commit suggestion** where a change has that button, or apply the diff by hand and push it. Countersign recognizes the change on the branch.';

const MAX_REF_CHARACTERS = 300;

/** A branch name as inline code. */
export function branchSpan(ref: string): string {
  return codeSpan(truncate(ref, MAX_REF_CHARACTERS));
}

/** The run comment's note about a fork; empty for other branches. */
export function forkLine({ isFork, headRef }: Pick<Run, 'isFork' | 'headRef'>): string {
  return isFork
    ? `The branch ${branchSpan(headRef)} is in a fork, and Countersign never writes to forks. ${APPLY_BY_HAND_TEXT}`
    : '';
}

function forkWarnings({ isFork }: Pick<Run, 'isFork'>): readonly string[] {
  return isFork ? ['This branch is in a fork: /approve cannot write to it. Apply the change yourself.'] : [];
}

const RULE_TEXT: Readonly<Record<RefusingRule, string>> = {
  update: 'updates are restricted',
  pull_request: 'changes require a pull request',
  required_status_checks: 'checks must pass first',
  required_deployments: 'deployments must succeed first',
  merge_queue: 'it has a merge queue',
  commit_message_pattern: 'commit messages must match a pattern',
  commit_author_email_pattern: 'author addresses must match a pattern',
  committer_email_pattern: 'committer addresses must match a pattern',
  file_path_restriction: 'some paths are restricted',
  max_file_path_length: 'path lengths are limited',
  file_extension_restriction: 'some file types are restricted',
  max_file_size: 'file sizes are limited',
  workflows: 'workflows must pass first',
  code_scanning: 'code scanning must pass first',
};

type RuledRun = Pick<Run, 'headRef' | 'branchRestrictions' | 'commitsRefused'>;

/** The run comment's note about GitHub's rules that might refuse a commit or have refused one; empty without any. */
export function ruleLine({ headRef, branchRestrictions, commitsRefused }: RuledRun): string {
  const branch = branchSpan(headRef);
  if (commitsRefused)
    return `The rules of ${branch} refused a commit, so Countersign only offers suggestions from now on. ${APPLY_BY_HAND_TEXT}`;
  const { refusingRules, dismissedApprovals } = branchRestrictions;
  const rules = formatList(refusingRules.map((rule) => RULE_TEXT[rule]));
  const lines = [
    ...(refusingRules.length > 0
      ? [
          `The rules of ${branch} might refuse commits by Countersign: ${rules}. After a refusal, it only offers suggestions.`,
        ]
      : []),
    ...(dismissedApprovals > 0
      ? [`A commit dismisses the ${pluralize(dismissedApprovals, 'approval')} of this pull request.`]
      : []),
  ];
  return lines.join(' ');
}

function ruleWarnings({ commitsRefused, branchRestrictions: { dismissedApprovals } }: RuledRun): readonly string[] {
  if (commitsRefused) return ['The rules of this branch refuse commits by Countersign. Apply the change yourself.'];
  return dismissedApprovals === 0
    ? []
    : [`Applying this dismisses ${pluralize(dismissedApprovals, 'approval')} of this pull request.`];
}

type SharedBranchRun = Pick<Run, 'otherPullsOnBranch'>;

/** The run comment's note about other pull requests with the same head branch; empty without any. */
export function sharedBranchLine(run: SharedBranchRun): string {
  const count = run.otherPullsOnBranch.length;
  if (count === 0) return '';
  const [uses, them] = count === 1 ? ['uses', 'it'] : ['use', 'them'];
  return `${pluralize(count, 'other open pull request')} ${uses} the same branch: ${formatPullNumbers(run)}. A commit here changes ${them} too.`;
}

function sharedBranchWarnings(run: SharedBranchRun): readonly string[] {
  const count = run.otherPullsOnBranch.length;
  if (count === 0) return [];
  return [`Also changes ${formatPullNumbers(run)}, which ${count === 1 ? 'uses' : 'use'} the same branch.`];
}

const MAX_PULLS_NAMED = 5;

function formatPullNumbers({ otherPullsOnBranch }: SharedBranchRun): string {
  const shown = otherPullsOnBranch.slice(0, MAX_PULLS_NAMED).map((number) => `#${number}`);
  const remaining = otherPullsOnBranch.length - shown.length;
  return formatList(remaining === 0 ? shown : [...shown, `${remaining} more`]);
}
