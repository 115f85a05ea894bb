import type { UserEditInput, UserEditResult } from '../edits/build/user-edit.ts';
import type { Change, FileChange } from '../edits/change.ts';
import type { LineRange } from '../edits/region.ts';
import type { BranchFacts } from '../state/head-branch.ts';
import type { Staleness, StalenessInput } from '../state/head-changes.ts';
import type { ReachedRunLimit, RunStart } from '../state/limits.ts';
import type { Proposal } from '../state/proposal.ts';
import type { AppCommit } from '../state/run.ts';
import type { CodeOwners, SettingsInForce, SettingsReading } from '../state/settings.ts';
import type { ModelPrices } from '../state/spending.ts';
import type { Permission, Person } from '../state/vote.ts';
import type { RequiredPermission } from './app-rights.ts';
import type { UndoRefusal } from './reasons.ts';

/** One fact that a signal needs before it can be decided. */
export type Need =
  | { readonly kind: 'permission'; readonly login: string; readonly id: number }
  /** The permissions that the App's installation lacks. */
  | { readonly kind: 'missing-permissions' }
  | { readonly kind: 'pull-request' }
  /** The repository's settings on its default branch. */
  | { readonly kind: 'settings' }
  /** The owners of these paths, and which of these people they are. */
  | { readonly kind: 'code-owners'; readonly paths: readonly string[]; readonly people: readonly Person[] }
  /** All settings with their sources. */
  | { readonly kind: 'settings-in-force' }
  /** The effects of a commit to the head branch. */
  | { readonly kind: 'branch'; readonly headRef: string; readonly baseRef: string; readonly approvals: number }
  /** Whether another run can start in the repository. */
  | { readonly kind: 'run-limit'; readonly start: RunStart }
  /** Who wrote the first comment of a thread. */
  | { readonly kind: 'thread-author'; readonly rootId: number }
  /** The comments of a submitted review. */
  | { readonly kind: 'review-comments'; readonly reviewId: number }
  /** The current comments of these pending proposals. */
  | { readonly kind: 'comment-hashes'; readonly proposals: readonly Proposal[] }
  /** The reverse of an applied change at a head. */
  | { readonly kind: 'undo'; readonly head: string; readonly applied: AppliedChange }
  /** The verdicts on pending changes after the head moved from `fromSha` to `head`. */
  | { readonly kind: 'staleness'; readonly fromSha: string; readonly head: string; readonly staleness: StalenessInput }
  /** The same of changes that were found on the branch, between the commits of one push. */
  | {
      readonly kind: 'brought-by-push';
      readonly fromSha: string;
      readonly head: string;
      readonly staleness: StalenessInput;
    }
  /** What the authors of standing approvals may do now. */
  | { readonly kind: 'standing-approvals'; readonly people: readonly Person[] }
  /** The change that results from a person's own lines. The base text is not read for a new file. */
  | { readonly kind: 'user-edit'; readonly head: string; readonly userEdit: Omit<UserEditInput, 'baseText'> };

/** An applied change, and its members in order as they were committed. `id` is that of its proposal. */
export type AppliedChange = {
  readonly id: string;
  readonly change: Change;
  readonly members: readonly AppliedMember[];
};

export type AppliedMember = {
  readonly change: FileChange;
  /** Its lines in the commit; null if they are unknown, or for a whole file. */
  readonly range: LineRange | null;
  /** The run's own commits to the path, oldest first. */
  readonly appCommits: readonly AppCommit[];
};

/** The reverse of an applied change, or the reason why it cannot be undone. */
export type UndoResult = { readonly kind: 'change'; readonly change: Change } | UndoRefusal;

/** The facts that a command asks for itself. Permission and review comments are fetched for every command. */
export type CommandNeed = Exclude<
  Need['kind'],
  'permission' | 'thread-author' | 'review-comments' | 'standing-approvals' | 'brought-by-push'
>;

/** Everything that was fetched for a signal: exactly the facts that it needs; all others are absent. */
export type Facts = {
  /** ISO 8601 in milliseconds: the worker's clock, corrected by GitHub's. */
  readonly now: string;
  readonly app: AppIdentity;
  /** Whether the operator serves this repository's owner. */
  readonly ownerAllowed: boolean;
  /** Random text that nobody outside knows, for the ids on a pull request without a run so far. */
  readonly idKey?: string;
  readonly permission?: Permission;
  readonly missingPermissions?: readonly RequiredPermission[];
  readonly pullRequest?: PullFacts;
  readonly settings?: SettingsReading;
  /** Only where the settings ask for code owners. */
  readonly codeOwners?: CodeOwners;
  readonly settingsInForce?: SettingsInForce;
  /** Absent for a fork. */
  readonly branch?: BranchFacts;
  /** Null if the run can start. */
  readonly reachedRunLimit?: ReachedRunLimit | null;
  /** Absent if the operator gives none. */
  readonly modelPrices?: ModelPrices;
  /** The numeric id of who began the thread; null if it is unknown. */
  readonly threadAuthor?: number | null;
  /** Comments of the review whose body is decided; null if the pull request has no such review. */
  readonly reviewComments?: readonly SubmittedReviewComment[] | null;
  /** Body hash by `commentKey`, in the form of `PostedComment.bodyHash`; null for a deleted comment. */
  readonly commentHashes?: Readonly<Record<string, string | null>>;
  /** The current permissions of the authors of standing approvals, by numeric id. */
  readonly standingPermissions?: Readonly<Record<string, Permission>>;
  readonly undo?: UndoResult;
  /** The verdicts on all pending changes at the head. */
  readonly staleness?: Staleness;
  readonly broughtByPush?: Staleness;
  /** The result of a person's own lines. File contents are left out: large files are processed before the decision. */
  readonly userEdit?: UserEditResult;
};

/** The App itself: its slug, and the numeric id of its bot account. */
export type AppIdentity = { readonly slug: string; readonly botId: number };

/** The current state of the pull request on GitHub. */
export type PullFacts = {
  readonly state: 'open' | 'closed' | 'merged';
  readonly draft: boolean;
  readonly title: string;
  /** In Markdown; empty if there is none. */
  readonly description: string;
  readonly labels: readonly string[];
  readonly author: Person | null;
  readonly baseRef: string;
  readonly baseSha: string;
  readonly headRef: string;
  readonly headSha: string;
  /** The head branch is in another repository, which the App never writes to. */
  readonly fork: boolean;
  /** Number of files in the diff. GitHub lists at most the first 3,000. */
  readonly changedFiles: number;
  /** Number of people who approve the pull request, of 100 with a verdict at most. */
  readonly approvals: number;
  readonly defaultBranch: string;
};

/** A comment of a review as GitHub lists it; `rootId` is the first comment of its thread. */
export type SubmittedReviewComment = { readonly rootId: number; readonly body: string; readonly updatedAt: string };

/** Proposals to load in addition to open ones and those of the current run. */
export type ProposalSelector = {
  readonly ids: readonly string[];
  /** Also those whose first comment has or had this id, in the conversation or in a thread. */
  readonly commentId: number | null;
};

export const NO_PROPOSALS: ProposalSelector = { ids: [], commentId: null };
