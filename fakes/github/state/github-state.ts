import type { GitObjectStore, Sha } from '../git/objects.ts';
import type { AuditLog } from './audit-log.ts';

/** An Enterprise Server. Only later versions have the missing routes and fields (`IssueComment.fullDatabaseId`). */
export type EnterpriseServer = {
  readonly version: string;
  readonly missingRoutes: readonly string[];
  readonly missingFields?: readonly string[];
};

/**
 * The addresses of the fake GitHub, without trailing slash: `apiUrl` for REST, `webUrl` for pages. Without
 * `enterpriseServer` it behaves like github.com.
 */
export type GitHubHost = {
  readonly apiUrl: string;
  readonly webUrl: string;
  readonly enterpriseServer?: EnterpriseServer;
};

/** The whole state of the fake GitHub. Immutable except `store`, which is append-only. */
export type GitHubState = {
  readonly host: GitHubHost;
  readonly store: GitObjectStore;
  readonly nextId: number;
  readonly accounts: ReadonlyMap<number, FakeAccount>;
  readonly apps: ReadonlyMap<number, FakeApp>;
  readonly installations: ReadonlyMap<number, FakeInstallation>;
  readonly repositories: ReadonlyMap<number, FakeRepository>;
  /** Ids of the members of each team, by `org/slug` in lower case. */
  readonly teams: ReadonlyMap<string, readonly number[]>;
  readonly auditLog: AuditLog;
};

export type FakeAccountType = 'User' | 'Bot' | 'Organization' | 'Mannequin';

export type FakeAccount = {
  readonly id: number;
  readonly nodeId: string;
  readonly login: string;
  readonly type: FakeAccountType;
  readonly createdAt: string;
};

/** `botId` is the account `<slug>[bot]`; `ownerId` is the account that registered the App. */
export type FakeApp = {
  readonly id: number;
  readonly nodeId: string;
  readonly slug: string;
  readonly name: string;
  readonly ownerId: number;
  readonly botId: number;
  readonly clientId: string;
  readonly permissions: AppPermissions;
  readonly events: readonly string[];
  readonly createdAt: string;
};

/** Maps a permission name (`contents`, `pull_requests`, …) to its level. */
export type AppPermissions = Readonly<Record<string, AppPermissionLevel>>;

export type FakeInstallation = {
  readonly id: number;
  readonly appId: number;
  readonly accountId: number;
  readonly repositories: 'all' | readonly number[];
  readonly permissions: AppPermissions;
  readonly events: readonly string[];
  readonly createdAt: string;
  /** Null while the installation is active. */
  readonly suspendedAt: string | null;
};

export type FakeRepository = {
  readonly id: number;
  readonly nodeId: string;
  readonly ownerId: number;
  readonly name: string;
  /** Requests for a former name are redirected while no other repository uses it. */
  readonly previousNames: readonly { readonly ownerId: number; readonly name: string }[];
  readonly private: boolean;
  readonly defaultBranch: string;
  readonly forkOf: number | null;
  readonly createdAt: string;
  readonly pushedAt: string;
  /** Roles by account id. Other accounts can only read, and only if the repository is public. */
  readonly collaborators: ReadonlyMap<number, CollaboratorRole>;
  /** Object ids by full ref name (`refs/heads/main`). */
  readonly refs: ReadonlyMap<string, Sha>;
  readonly rulesets: readonly FakeRuleset[];
  /** Issues and pull requests share one sequence of numbers. */
  readonly nextNumber: number;
  readonly issues: ReadonlyMap<number, FakeIssue>;
  readonly pulls: ReadonlyMap<number, FakePullRequest>;
  readonly checkSuites: ReadonlyMap<number, FakeCheckSuite>;
  readonly checkRuns: ReadonlyMap<number, FakeCheckRun>;
  /** Oldest first; the last one of a commit and context counts. */
  readonly statuses: readonly FakeCommitStatus[];
  /** By name. */
  readonly labels: ReadonlyMap<string, FakeLabel>;
};

/** A label of a repository; `color` is hexadecimal. */
export type FakeLabel = { readonly id: number; readonly nodeId: string; readonly name: string; readonly color: string };

/** The checks of one App for one commit; of GitHub Actions, one workflow run. Its status derives from its check runs. */
export type FakeCheckSuite = {
  readonly id: number;
  readonly nodeId: string;
  readonly appId: number;
  readonly headSha: Sha;
  readonly createdAt: string;
  /** A workflow that has jobs left which GitHub has not created yet. */
  readonly expectsMore: boolean;
};

export type FakeCheckStatus = 'queued' | 'in_progress' | 'completed';

export type FakeCheckConclusion =
  | 'success'
  | 'failure'
  | 'neutral'
  | 'cancelled'
  | 'skipped'
  | 'timed_out'
  | 'action_required'
  | 'stale'
  | 'startup_failure';

export type FakeAnnotation = {
  readonly path: string;
  readonly startLine: number;
  readonly endLine: number;
  readonly level: 'notice' | 'warning' | 'failure';
  readonly message: string;
  readonly title: string | null;
};

/** A button of a completed check run. */
export type FakeCheckAction = { readonly label: string; readonly description: string; readonly identifier: string };

export type FakeCheckRun = {
  readonly id: number;
  readonly nodeId: string;
  readonly suiteId: number;
  readonly appId: number;
  readonly name: string;
  readonly headSha: Sha;
  readonly externalId: string;
  readonly detailsUrl: string | null;
  readonly status: FakeCheckStatus;
  /** Null until it is completed. */
  readonly conclusion: FakeCheckConclusion | null;
  readonly startedAt: string;
  readonly completedAt: string | null;
  readonly output: { readonly title: string | null; readonly summary: string | null; readonly text: string | null };
  readonly annotations: readonly FakeAnnotation[];
  readonly actions: readonly FakeCheckAction[];
  /** The log of a job of GitHub Actions; null without one. */
  readonly log: Uint8Array | null;
};

export type FakeStatusState = 'error' | 'failure' | 'pending' | 'success';

export type FakeCommitStatus = {
  readonly id: number;
  readonly nodeId: string;
  readonly sha: Sha;
  readonly context: string;
  readonly state: FakeStatusState;
  readonly description: string | null;
  readonly targetUrl: string | null;
  readonly creatorId: number;
  readonly createdAt: string;
};

/** The common fields of issues and pull requests. */
export type FakeIssue = {
  readonly id: number;
  readonly nodeId: string;
  readonly number: number;
  readonly title: string;
  readonly body: string | null;
  readonly authorId: number;
  readonly state: 'open' | 'closed';
  readonly locked: boolean;
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly closedAt: string | null;
  readonly comments: ReadonlyMap<number, FakeIssueComment>;
};

/** The base or head of a pull request. `sha` follows the branch while the pull request is open. */
export type FakePullBranch = { readonly repositoryId: number; readonly branch: string; readonly sha: Sha };

type FakePullMerge = { readonly sha: Sha; readonly mergedAt: string; readonly mergedById: number };

/** `id` and `nodeId` identify the pull request; `issueId` identifies it as an issue. */
export type FakePullRequest = FakeIssue & {
  readonly issueId: number;
  readonly draft: boolean;
  readonly base: FakePullBranch;
  readonly head: FakePullBranch;
  readonly merge: FakePullMerge | null;
  readonly maintainerCanModify: boolean;
  /** Names of labels. */
  readonly labels: readonly string[];
  readonly reviews: ReadonlyMap<number, FakeReview>;
  readonly reviewComments: ReadonlyMap<number, FakeReviewComment>;
  /** Review threads by the id of their first comment. */
  readonly threads: ReadonlyMap<number, FakeReviewThread>;
};

export type FakeReactionContent = '+1' | '-1' | 'laugh' | 'confused' | 'heart' | 'hooray' | 'rocket' | 'eyes';

export type FakeReaction = {
  readonly id: number;
  readonly authorId: number;
  readonly content: FakeReactionContent;
  readonly createdAt: string;
};

/** `authorId` is null for a deleted account. */
type FakeCommentFields = {
  readonly id: number;
  readonly nodeId: string;
  readonly authorId: number | null;
  readonly body: string;
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly reactions: readonly FakeReaction[];
  /** Somebody has hidden it. */
  readonly minimized?: true;
};

/** A comment in the conversation; `viaAppId` becomes `performed_via_github_app`. */
export type FakeIssueComment = FakeCommentFields & { readonly viaAppId: number | null };

export type FakeReviewState = 'PENDING' | 'COMMENTED' | 'APPROVED' | 'CHANGES_REQUESTED' | 'DISMISSED';

/** `submittedAt` is null for a pending review, which only its author can see. */
export type FakeReview = {
  readonly id: number;
  readonly nodeId: string;
  readonly authorId: number | null;
  readonly body: string;
  readonly state: FakeReviewState;
  readonly commitSha: Sha;
  readonly submittedAt: string | null;
  readonly updatedAt: string;
};

/** A comment in a review thread. The thread has the location and the commit. */
export type FakeReviewComment = FakeCommentFields & {
  readonly reviewId: number;
  /** Id of the first comment in the thread; equals `id` for the first comment. */
  readonly threadId: number;
  readonly inReplyToId: number | null;
};

export type DiffSide = 'LEFT' | 'RIGHT';

/** The lines of a thread, 1-based; `startLine` is null for a single line. */
export type DiffAnchor = {
  readonly side: DiffSide;
  readonly line: number;
  readonly startSide: DiffSide | null;
  readonly startLine: number | null;
  /** Lines below the first `@@` of the patch, as in GitHub’s deprecated `position`. */
  readonly position: number;
};

/** `current` is null for an outdated thread. Only a thread on lines can become outdated. */
type ThreadLocation =
  | { readonly kind: 'file' }
  | { readonly kind: 'lines'; readonly original: DiffAnchor; readonly current: DiffAnchor | null };

/** `commitSha` follows the head until the thread is outdated; `originalCommitSha` never changes. */
export type FakeReviewThread = {
  readonly id: number;
  readonly nodeId: string;
  readonly path: string;
  readonly location: ThreadLocation;
  readonly originalCommitSha: Sha;
  readonly commitSha: Sha;
  readonly diffHunk: string;
  readonly resolvedById: number | null;
};

export type AppPermissionLevel = 'read' | 'write' | 'admin';

/** The values of the collaborator permission endpoint. */
export type CollaboratorPermission = 'admin' | 'write' | 'read' | 'none';

/** The role of an account. Access depends on `permission`; `roleName` can be `maintain`, `triage` or a custom name. */
export type CollaboratorRole = { readonly permission: CollaboratorPermission; readonly roleName: string };

/**
 * A ruleset that restricts pushes to `branches` (exact names, or `*` for all). It does not apply to accounts in
 * `bypassIds`.
 */
export type FakeRuleset = {
  readonly rulesetId: number;
  readonly branches: readonly string[];
  readonly types: readonly FakeRuleType[];
  readonly bypassIds: readonly number[];
  /** A push to a pull request dismisses its approvals. */
  readonly dismissesStaleReviews?: boolean;
};

export type FakeRuleType = 'pull_request' | 'update' | 'non_fast_forward' | 'deletion' | 'required_signatures';

/** The acting account, and the App it acts through (null for a person in the browser). */
export type FakeActor = { readonly accountId: number; readonly viaAppId: number | null };
