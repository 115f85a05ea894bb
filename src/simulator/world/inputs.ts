import type { Files } from '../git/commit-files.ts';
import type { FileMode } from '../git/file-mode.ts';
import type { Sha } from '../git/object-store.ts';
import type { Actor, Permission, RulePolicy } from './access.ts';
import type { AccountType, Permissions } from './state.ts';
import type { ReactionContent, Side } from './talk.ts';

export type { Files };

/** A numbered pull request (or issue) and who acts on it. */
export type OnPull = { readonly actor: Actor; readonly repositoryId: number; readonly number: number };
/** A repository and who acts on it. */
export type OnRepository = { readonly actor: Actor; readonly repositoryId: number };

export type AddAccount = { readonly login: string; readonly type?: AccountType; readonly id?: number };
export type AddApp = {
  readonly id?: number;
  readonly slug: string;
  readonly name?: string;
  readonly ownerId: number;
  readonly permissions: Permissions;
  readonly events: readonly string[];
};
/** `repositories` absent means all of the account. */
export type InstallApp = {
  readonly appId: number;
  readonly accountId: number;
  readonly repositories?: readonly number[];
};

export type UninstallApp = { readonly installationId: number };
export type SuspendApp = { readonly installationId: number; readonly suspended: boolean };
/** Takes repositories out of an installation on selected ones. */
export type RemoveFromInstallation = { readonly installationId: number; readonly repositoryIds: readonly number[] };
export type AcceptPermissions = { readonly installationId: number; readonly permissions: Permissions };

/** The default branch gets one commit with `files`, by the owner, at `now`. */
export type AddRepository = {
  readonly ownerId: number;
  readonly name: string;
  readonly private?: boolean;
  readonly defaultBranch?: string;
  readonly files: Files;
  readonly message?: string;
};
export type RenameRepository = { readonly repositoryId: number; readonly name: string };
/** A copy with all refs under another owner; its collaborators are its own. */
export type ForkRepository = { readonly repositoryId: number; readonly ownerId: number };
export type SetPermission = {
  readonly repositoryId: number;
  readonly accountId: number;
  readonly permission: Permission;
  readonly roleName?: string;
};
export type AddRule = { readonly repositoryId: number; readonly rule: Omit<RulePolicy, 'rulesetId'> };

export type OpenIssue = OnRepository & { readonly title: string; readonly body?: string };
/** `head` is a branch of the repository or `{ repositoryId, branch }` of a fork. */
export type OpenPull = OpenIssue & {
  readonly base?: string;
  readonly head: string | { readonly repositoryId: number; readonly branch: string };
  readonly draft?: boolean;
};
export type EditPull = OnPull & { readonly title?: string; readonly body?: string; readonly base?: string };
export type MergePull = OnPull & { readonly sha?: Sha; readonly title?: string };

export type CreateComment = OnPull & { readonly body: string };
/** For issue comments and review comments, by the comment's id. */
export type EditComment = OnRepository & { readonly commentId: number; readonly body: string };
export type OnComment = OnRepository & { readonly commentId: number };
export type React = OnComment & { readonly content: ReactionContent };

/** The place of an inline comment, with REST's meaning of each field; `side` defaults to RIGHT. */
export type PlaceInput = {
  readonly path: string;
  readonly line?: number;
  readonly side?: Side;
  readonly startLine?: number;
  readonly startSide?: Side;
  readonly position?: number;
};
export type ReviewEvent = 'APPROVE' | 'REQUEST_CHANGES' | 'COMMENT';
/**
 * `event` absent makes a PENDING review; `commitSha` absent means the head. `replies` stand in threads that are there:
 * people can write them as part of a review on GitHub's pages, the API does not take them.
 */
export type CreateReview = OnPull & {
  readonly body?: string;
  readonly event?: ReviewEvent;
  readonly commitSha?: Sha;
  readonly comments?: readonly (PlaceInput & { readonly body: string })[];
  readonly replies?: readonly { readonly inReplyTo: number; readonly body: string }[];
};
export type OnReview = OnPull & { readonly reviewId: number };
export type SubmitReview = OnReview & { readonly event: ReviewEvent; readonly body?: string };
export type EditReview = OnReview & { readonly body: string };
export type DismissReview = OnReview & { readonly message: string };

/** One inline comment outside a review; `subjectType: 'file'` takes no line. */
export type CreateReviewComment = OnPull &
  PlaceInput & { readonly body: string; readonly commitSha: Sha; readonly subjectType?: 'line' | 'file' };
export type ReplyToReviewComment = OnPull & { readonly inReplyTo: number; readonly body: string };
/** By the thread's node id (`PRRT_…`). */
export type OnThread = { readonly actor: Actor; readonly threadNodeId: string };

export type CreateBlob = OnRepository & { readonly bytes: Uint8Array };
/** `sha: null` deletes; `content` makes a blob from text. */
export type TreeChangeInput = {
  readonly path: string;
  readonly mode: FileMode;
  readonly sha?: Sha | null;
  readonly content?: string;
};
export type CreateTree = OnRepository & { readonly baseTree?: Sha; readonly changes: readonly TreeChangeInput[] };
export type PersonInput = { readonly name: string; readonly email: string; readonly date?: string };
/** Without `author` and `committer` the App's bot is the author, GitHub the committer, and the commit verified. */
export type CreateCommit = OnRepository & {
  readonly message: string;
  readonly tree: Sha;
  readonly parents: readonly Sha[];
  readonly author?: PersonInput;
  readonly committer?: PersonInput;
};
/** `ref` is the full name, `refs/heads/x`. */
export type CreateRef = OnRepository & { readonly ref: string; readonly sha: Sha };
export type UpdateRef = CreateRef & { readonly force?: boolean };
export type DeleteRef = OnRepository & { readonly ref: string };

/** GraphQL's mutation; contents are bytes already decoded from base64. */
export type CreateCommitOnBranch = OnRepository & {
  readonly branch: string;
  readonly expectedHeadOid: Sha;
  readonly headline: string;
  readonly body?: string;
  readonly additions: readonly { readonly path: string; readonly bytes: Uint8Array }[];
  readonly deletions: readonly string[];
};
/**
 * A person's push: files by path, null deletes. The author is the person unless they name another, as git lets them.
 */
export type PushFiles = OnRepository & {
  readonly branch: string;
  readonly files: ReadonlyMap<string, Uint8Array | string | null>;
  readonly message?: string;
  readonly author?: PersonInput;
};
