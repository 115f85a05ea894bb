import type { GitFileMode, Sha } from '../git/objects.ts';
import type { GitFiles } from '../git/trees.ts';
import type {
  AppPermissions,
  CollaboratorPermission,
  DiffSide,
  FakeAccountType,
  FakeActor,
  FakeAnnotation,
  FakeCheckAction,
  FakeCheckConclusion,
  FakeCheckStatus,
  FakeReactionContent,
  FakeRuleset,
  FakeStatusState,
} from '../state/github-state.ts';

/** A pull request or issue, and the actor. */
export type PullTarget = { readonly actor: FakeActor; readonly repositoryId: number; readonly number: number };

export type RepositoryTarget = { readonly actor: FakeActor; readonly repositoryId: number };

export type AddAccountInput = { readonly login: string; readonly type?: FakeAccountType; readonly id?: number };

export type AddAppInput = {
  readonly id?: number;
  readonly slug: string;
  readonly name?: string;
  readonly ownerId: number;
  readonly permissions: AppPermissions;
  readonly events: readonly string[];
};

/** The permissions and events that the App asks for from now on. */
export type ChangeAppInput = {
  readonly appId: number;
  readonly permissions?: AppPermissions;
  readonly events?: readonly string[];
};

/** Without `repositories` the App is installed on all of them. */
export type InstallAppInput = {
  readonly appId: number;
  readonly accountId: number;
  readonly repositories?: readonly number[];
};

export type UninstallAppInput = { readonly installationId: number };

export type SuspendAppInput = { readonly installationId: number; readonly suspended: boolean };

export type RemoveFromInstallationInput = {
  readonly installationId: number;
  readonly repositoryIds: readonly number[];
};

export type AcceptPermissionsInput = { readonly installationId: number; readonly permissions: AppPermissions };

/** `files` become the first commit on the default branch, by the owner. */
export type AddRepositoryInput = {
  readonly ownerId: number;
  readonly name: string;
  readonly private?: boolean;
  readonly defaultBranch?: string;
  readonly files: GitFiles;
  readonly message?: string;
};

/** A new login of an account, which keeps its id. */
export type RenameAccountInput = { readonly id: number; readonly login: string };

export type RenameRepositoryInput = { readonly repositoryId: number; readonly name: string };

export type TransferRepositoryInput = { readonly repositoryId: number; readonly ownerId: number };

export type ForkRepositoryInput = { readonly repositoryId: number; readonly ownerId: number };

export type SetPermissionInput = {
  readonly repositoryId: number;
  readonly accountId: number;
  readonly permission: CollaboratorPermission;
  readonly roleName?: string;
};

/** `team` is `org/slug`. */
export type SetTeamInput = { readonly team: string; readonly memberIds: readonly number[] };

export type AddRulesetInput = { readonly repositoryId: number; readonly ruleset: Omit<FakeRuleset, 'rulesetId'> };

export type OpenIssueInput = RepositoryTarget & { readonly title: string; readonly body?: string };

/** `head` is a branch of this repository or of a fork. */
export type CreatePullRequestInput = OpenIssueInput & {
  readonly base?: string;
  readonly head: string | { readonly repositoryId: number; readonly branch: string };
  readonly draft?: boolean;
};

export type EditPullRequestInput = PullTarget & {
  readonly title?: string;
  readonly body?: string;
  readonly base?: string;
};

export type MergePullRequestInput = PullTarget & { readonly sha?: Sha; readonly title?: string };

export type CreateIssueCommentInput = PullTarget & { readonly body: string };

export type EditCommentInput = RepositoryTarget & { readonly commentId: number; readonly body: string };

export type CommentTarget = RepositoryTarget & { readonly commentId: number };

export type AddReactionInput = CommentTarget & { readonly content: FakeReactionContent };

/** The location of a review comment, with the fields of the REST API; `side` defaults to RIGHT. */
export type CommentPositionInput = {
  readonly path: string;
  readonly line?: number;
  readonly side?: DiffSide;
  readonly startLine?: number;
  readonly startSide?: DiffSide;
  readonly position?: number;
};

export type ReviewEventName = 'APPROVE' | 'REQUEST_CHANGES' | 'COMMENT';

/**
 * Without `event` the review is PENDING; without `commitSha` it refers to the head. `replies` to existing threads are
 * possible only in the browser, not through the API.
 */
export type CreateReviewInput = PullTarget & {
  readonly body?: string;
  readonly event?: ReviewEventName;
  readonly commitSha?: Sha;
  readonly comments?: readonly (CommentPositionInput & { readonly body: string })[];
  readonly replies?: readonly { readonly inReplyTo: number; readonly body: string }[];
};

export type ReviewTarget = PullTarget & { readonly reviewId: number };

export type SubmitReviewInput = ReviewTarget & { readonly event: ReviewEventName; readonly body?: string };

export type EditReviewInput = ReviewTarget & { readonly body: string };

export type DismissReviewInput = ReviewTarget & { readonly message: string };

/** A single review comment. `subjectType: 'file'` needs no line. */
export type CreateReviewCommentInput = PullTarget &
  CommentPositionInput & { readonly body: string; readonly commitSha: Sha; readonly subjectType?: 'line' | 'file' };

export type ReplyToReviewCommentInput = PullTarget & { readonly inReplyTo: number; readonly body: string };

/** `threadNodeId` looks like `PRRT_…`. */
export type ThreadTarget = { readonly actor: FakeActor; readonly threadNodeId: string };

export type CreateBlobInput = RepositoryTarget & { readonly bytes: Uint8Array };

/** `sha: null` deletes the path; `content` creates a blob from text. */
export type TreeChangeInput = {
  readonly path: string;
  readonly mode: GitFileMode;
  readonly sha?: Sha | null;
  readonly content?: string;
};

export type CreateTreeInput = RepositoryTarget & {
  readonly baseTree?: Sha;
  readonly changes: readonly TreeChangeInput[];
};

export type GitIdentityInput = { readonly name: string; readonly email: string; readonly date?: string };

/**
 * Without `author` and `committer`, the App’s bot is the author, GitHub is the committer, and the commit is verified.
 */
export type CreateCommitInput = RepositoryTarget & {
  readonly message: string;
  readonly tree: Sha;
  readonly parents: readonly Sha[];
  readonly author?: GitIdentityInput;
  readonly committer?: GitIdentityInput;
};

/** `ref` is a full name such as `refs/heads/main`. */
export type CreateRefInput = RepositoryTarget & { readonly ref: string; readonly sha: Sha };

/** `expected` is the commit that the ref must have. */
export type UpdateRefInput = CreateRefInput & { readonly force?: boolean; readonly expected?: Sha };

export type DeleteRefInput = RepositoryTarget & { readonly ref: string };

/** The input of the GraphQL mutation; `bytes` are already decoded from base64. */
export type CreateCommitOnBranchInput = RepositoryTarget & {
  readonly branch: string;
  readonly expectedHeadOid: Sha;
  readonly headline: string;
  readonly body?: string;
  readonly additions: readonly { readonly path: string; readonly bytes: Uint8Array }[];
  readonly deletions: readonly string[];
};

/** A push of files by path; null deletes a file. `author` defaults to the person who pushes. */
export type PushFilesInput = RepositoryTarget & {
  readonly branch: string;
  readonly files: ReadonlyMap<string, Uint8Array | string | null>;
  readonly message?: string;
  readonly author?: GitIdentityInput;
};

/** `actor.viaAppId` is the App whose suite it is. */
export type OpenCheckSuiteInput = RepositoryTarget & { readonly headSha: Sha; readonly expectsMore?: boolean };

/** The last job of a workflow has been created. */
export type CloseCheckSuiteInput = RepositoryTarget & { readonly suiteId: number };

type CheckRunFields = {
  readonly detailsUrl?: string;
  readonly externalId?: string;
  readonly status?: FakeCheckStatus;
  readonly conclusion?: FakeCheckConclusion;
  readonly output?: { readonly title?: string; readonly summary?: string; readonly text?: string };
  /** Added to the former ones. */
  readonly annotations?: readonly FakeAnnotation[];
  readonly actions?: readonly FakeCheckAction[];
  /** Only GitHub Actions has logs; there is no API to write one. */
  readonly log?: Uint8Array | string;
};

/** Without `suiteId` it belongs to the suite of its App and commit. A conclusion completes it. */
export type CreateCheckRunInput = RepositoryTarget &
  CheckRunFields & { readonly name: string; readonly headSha: Sha; readonly suiteId?: number };

export type UpdateCheckRunInput = RepositoryTarget &
  CheckRunFields & { readonly checkRunId: number; readonly name?: string };

/** `context` defaults to GitHub's `default`. */
export type CreateCommitStatusInput = RepositoryTarget & {
  readonly sha: Sha;
  readonly state: FakeStatusState;
  readonly context?: string;
  readonly description?: string;
  readonly targetUrl?: string;
};

/** A person presses a button of a check run. GitHub asks nobody for a permission. */
export type PressCheckButtonInput = {
  readonly actor: FakeActor;
  readonly repositoryId: number;
  readonly checkRunId: number;
  readonly identifier: string;
};
