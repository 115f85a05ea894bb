/** Levels of an App permission. */
export type PermissionLevel = 'read' | 'write' | 'admin';

/** The four words of the collaborator-permission endpoint. */
export type Permission = 'admin' | 'write' | 'read' | 'none';

/** A person's role: `permission` decides, `roleName` is `maintain`, `triage` or a custom role's name. */
export type Role = { readonly permission: Permission; readonly roleName: string };

/**
 * A ruleset on branches: whoever is not in `bypassIds` (account ids) may not push to branches
 * that match `branches` (exact names, or `*` for all). `types` are what `GET rules/branches` lists.
 */
export type RulePolicy = {
  readonly rulesetId: number;
  readonly branches: readonly string[];
  readonly types: readonly RuleType[];
  readonly bypassIds: readonly number[];
  /** A push to a pull request onto the branch dismisses its approvals. */
  readonly dismissesStaleReviews?: boolean;
};

export type RuleType = 'pull_request' | 'update' | 'non_fast_forward' | 'deletion' | 'required_signatures';

/** Who writes: an account, and the App it writes through (its own for a bot, null for a person in the browser). */
export type Actor = { readonly accountId: number; readonly viaAppId: number | null };
