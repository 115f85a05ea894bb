/** One rule that GitHub lists for a branch, reduced to the fields that can affect a commit. */
export type BranchRule = {
  /** GitHub's name of the rule type. */
  readonly type: string;
  /** A push to a pull request onto this branch dismisses its approvals. */
  readonly dismissesReviews: boolean;
};

/** Rules of the head and base branch. `approvalCount` is fetched only if a push can dismiss approvals, else 0. */
export type BranchRules = {
  readonly headRules: readonly BranchRule[];
  readonly baseRules: readonly BranchRule[];
  readonly approvalCount: number;
};

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
] as const;

export type RefusingRule = (typeof REFUSING_RULES)[number];

/** The effects that branch rules might have on a run. GitHub also lists rules that the App can bypass. */
export type BranchRestrictions = {
  readonly refusingRules: readonly RefusingRule[];
  /** Number of approvals of the pull request that a commit dismisses. */
  readonly dismissedApprovals: number;
};

export const NO_BRANCH_RESTRICTIONS: BranchRestrictions = { refusingRules: [], dismissedApprovals: 0 };

export function findBranchRestrictions({ headRules, baseRules, approvalCount }: BranchRules): BranchRestrictions {
  const refusingRules = REFUSING_RULES.filter((type) => headRules.some((rule) => rule.type === type));
  return { refusingRules, dismissedApprovals: baseRules.some((rule) => rule.dismissesReviews) ? approvalCount : 0 };
}
