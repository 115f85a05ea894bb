import type { CheckHistory } from './checks.ts';

/** One rule that GitHub lists for a branch, reduced to the fields that can affect a commit. */
export type BranchRule = {
  /** GitHub's name of the rule type. */
  readonly type: string;
  /** A push to a pull request onto this branch dismisses its approvals. */
  readonly dismissesReviews: boolean;
};

/** The pull request's head branch as a run knows it. */
export type HeadBranch = BranchFacts & {
  readonly ref: string;
  /** The branch is in another repository, which the App never writes to. */
  readonly isFork: boolean;
  /** Absent in runs of an earlier version. */
  readonly isDefault?: boolean;
  /** A rule refused a commit of this run, so the App makes no further attempts. */
  readonly refusesCommits: boolean;
  /** Null where GitHub did not show the checks at the start of the run. */
  readonly checks: CheckHistory | null;
};

/** The effects that a commit might have, as read at the start of a run. */
export type BranchFacts = {
  /** GitHub's names of the rules that might refuse a commit. GitHub also lists rules that the App can bypass. */
  readonly refusingRules: readonly string[];
  /** Number of approvals of the pull request that a commit dismisses. */
  readonly dismissedApprovals: number;
  /** Numbers of the other open pull requests with this head branch. A commit changes them too. */
  readonly otherPulls: readonly number[];
};

export const NO_BRANCH_FACTS: BranchFacts = { refusingRules: [], dismissedApprovals: 0, otherPulls: [] };

/** Rule types that can refuse a commit of the App. Its commits are signed by GitHub and have one parent. */
const REFUSING_RULES = [
  'update',
  'pull_request',
  'required_status_checks',
  'required_deployments',
  'merge_queue',
  'commit_message_pattern',
  'commit_author_email_pattern',
  'committer_email_pattern',
  'file_path_restriction',
  'max_file_path_length',
  'file_extension_restriction',
  'max_file_size',
  'workflows',
  'code_scanning',
];

export function findRefusingRules(rules: readonly BranchRule[]): readonly string[] {
  return REFUSING_RULES.filter((type) => rules.some((rule) => rule.type === type));
}

/** Whether the App can commit to the branch. */
export function canCommit({ isFork, refusesCommits }: HeadBranch): boolean {
  return !isFork && !refusesCommits;
}
