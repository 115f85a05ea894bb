/** A rule that GitHub lists for a branch, as far as it can stand in the way of a commit. */
export type BranchRule = {
  /** GitHub's word for it. */
  readonly type: string;
  /** A push to a pull request onto this branch dismisses the approvals it has. */
  readonly dismissesReviews: boolean;
};

/** The rules of both branches, and how many approvals the pull request has: asked only where a push may dismiss them. */
export type Rules = {
  readonly head: readonly BranchRule[];
  readonly base: readonly BranchRule[];
  readonly approvals: number;
};

/** Rules that can refuse a commit of the App, whose commits are signed by GitHub and have one parent. */
const REFUSING = [
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
export type RefusingRule = (typeof REFUSING)[number];

/** What rules may prevent, as a run knows it from its start: GitHub lists them also for those who may bypass them. */
export type Obstacles = {
  readonly refusing: readonly RefusingRule[];
  /** Approvals of the pull request that a commit dismisses. */
  readonly dismissed: number;
};

export const NO_OBSTACLES: Obstacles = { refusing: [], dismissed: 0 };

export function obstaclesIn({ head, base, approvals }: Rules): Obstacles {
  const refusing = REFUSING.filter((type) => head.some((rule) => rule.type === type));
  return { refusing, dismissed: base.some((rule) => rule.dismissesReviews) ? approvals : 0 };
}
