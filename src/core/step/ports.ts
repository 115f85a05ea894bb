import type { Countersigned } from '../../lib/trust.ts';
import type { Check, CheckDetails, PullChecks } from '../state/checks.ts';
import type { BranchRule } from '../state/head-branch.ts';
import type { CommentLocation, PullRequestRef } from '../state/intent.ts';
import type { PostedComment, PostedReview } from '../state/posted-comment.ts';
import type { CheckRunPage, FoundCheckRun, OutdatedCheckRunPage } from '../state/pull-state.ts';
import type { DiffSide } from '../state/task-context.ts';
import type { Permission, VoteLocation, VoteSources } from '../state/vote.ts';
import type { RequiredPermission } from './app-rights.ts';
import type { AppIdentity, PullFacts, SubmittedReviewComment } from './facts.ts';
import { type ErrorMeaning, errorRowOf } from './github-errors.ts';

/** The App's account on GitHub. */
export type AppAccount = AppIdentity & {
  /** Login of the account that owns the App. */
  readonly owner: string;
  /** The accounts that installed it; absent where GitHub does not count them. */
  readonly installations?: number | undefined;
};

/** Opens GitHub for one pull request. */
export type GitHubApp = {
  /** A write fails with a `LeaseLostError` if `canWrite` returns false right before it is sent. */
  forPull(ref: PullRequestRef, canWrite?: () => boolean): GitHub;
  identity(): Promise<AppAccount>;
};

/**
 * GitHub's API for one pull request. Lists are complete or fail. Every call has a timeout, is sent again only if it
 * certainly changed nothing, and fails with a `GitHubError`. Calls that only read use a read-only token for this
 * repository, and one for members about teams.
 */
export type GitHub = {
  /**
   * The permissions that the App needs and its installation lacks. Sends no request while the token for writing is
   * known, which every run needs anyway.
   */
  missingPermissions(): Promise<readonly RequiredPermission[]>;
  fetchPull(): Promise<PullFacts>;
  /** The same as it was up to two seconds ago, for what only shows it. */
  fetchRecentPull(): Promise<PullFacts>;
  fetchPermission(login: string): Promise<{ readonly permission: Permission; readonly userId: number | null }>;
  /** The settings file on the repository's default branch, never on the pull request's; null if there is none. */
  fetchSettingsFile(): Promise<SettingsFileLookup | null>;
  /** `CODEOWNERS` on the default branch, at the first of GitHub's places that has one; null if none has. */
  fetchCodeOwnersFile(): Promise<CodeOwnersLookup | null>;
  /** Whether a person is a member of `@org/team`; `unreadable` if the installation does not let the App see members. */
  fetchTeamMembership(team: string, login: string): Promise<TeamMembership>;
  /** Of the head and the base, without the App's own; null if the installation does not show them. */
  fetchChecks(): Promise<PullChecks | null>;
  fetchCheckDetails(check: Check): Promise<CheckDetails>;
  /** Complete recursive listing of a commit's tree, cached by SHA. */
  fetchTree(commit: string): Promise<Tree>;
  /** The commit from which the head branched off the base; cached, because both are commits. */
  fetchMergeBase(base: string, head: string): Promise<string>;
  /** Bytes of a blob, cached by SHA. */
  fetchBlob(sha: string): Promise<Uint8Array>;
  /**
   * Every plain file of a commit in one request, for searching only: `.gitattributes` can exclude or change files. Null
   * if the archive exceeds the size limit.
   */
  fetchArchive(commit: string): Promise<ReadonlyMap<string, Uint8Array> | null>;
  /** The tree of a branch, such as the default one, as it is now. */
  fetchBranchTree(branch: string): Promise<Tree>;
  /** The changes of a push: the files between two commits; null if GitHub no longer has one of them. */
  comparePush(before: string, after: string): Promise<PushComparison | null>;
  /** The changed files. GitHub lists at most 3,000; a file beyond that cannot carry a suggestion. */
  listFiles(head: string): Promise<readonly PullRequestFile[]>;
  /** The words of people and bots on the pull request, in one request. */
  fetchDiscussion(): Promise<Discussion>;
  /** Active rules of a branch, including rules that some accounts can bypass. Empty if the server has no rulesets. */
  fetchRules(branch: string): Promise<readonly BranchRule[]>;
  /** Numbers of the other open pull requests with this head branch in this repository. */
  otherPullsOnBranch(branch: string): Promise<readonly number[]>;
  /** Commits reachable from `head` (a commit or branch) but not from `base`, newest first. */
  listCommits(base: string, head: string): Promise<readonly CommitSummary[]>;

  /** Posts one review with all drafts or fails without a trace. Comments are in the order of the drafts. */
  createReview(head: string, review: NewReview): Promise<CreatedReview>;
  /** Reviews by the App on this pull request whose body begins with this marker. */
  findReviews(marker: string): Promise<readonly OwnReview[]>;
  /** The comments of any review on this pull request; null if it has no such review. */
  listReviewComments(reviewId: number): Promise<readonly SubmittedReviewComment[] | null>;
  /** False if GitHub refuses, so that a person has to dismiss it. True if it is already dismissed. */
  dismissReview(reviewId: number, message: string): Promise<boolean>;
  createFileComment(head: string, path: string, body: string): Promise<PostedComment>;
  createComment(body: string): Promise<PostedComment>;
  /** Posts a reply in the thread whose first comment is `rootId`. */
  createReply(rootId: number, body: string): Promise<PostedComment>;
  /** Returns the hash of the new body, as in `PostedComment.bodyHash`. */
  updateComment(comment: PostedComment, body: string): Promise<{ readonly bodyHash: string }>;
  /** Updates a comment and resolves its thread in one request. If that is refused, one of both may have been done. */
  closeThread(comment: PostedComment, body: string): Promise<'closed' | 'no-open-thread' | 'refused'>;
  /** Resolves the thread whose first comment is this one. A resolved thread is no error. */
  resolveThread(comment: Pick<PostedComment, 'kind' | 'nodeId'>): Promise<void>;
  react(location: CommentLocation, content: 'eyes' | '+1'): Promise<void>;
  /** The App's check runs of this name on a commit; null if the installation does not let the App write any. */
  findCheckRuns(head: string): Promise<readonly FoundCheckRun[] | null>;
  /** Creates a completed check run and returns its id; null as above, or if the repository has no such commit. */
  createCheckRun(head: string, page: CheckRunPage): Promise<number | null>;
  /** Writes a check run anew. One that is gone, or that the App may not write any more, stays as it is. */
  updateCheckRun(id: number, page: OutdatedCheckRunPage): Promise<void>;
  /** False if the repository has no such label and the App may not create it. */
  addLabel(name: string): Promise<boolean>;
  /** A label that is not there is no error. */
  removeLabel(name: string): Promise<void>;
  /**
   * Comments by the App on this pull request that begin with one of these markers. `since` is a time (ISO 8601,
   * GitHub's clock) before which none was posted; null if unknown.
   */
  findCommentsByMarker(markers: readonly string[], since: string | null): Promise<ReadonlyMap<string, FoundComment>>;
  /** The current text of these comments by `commentKey`; null for a deleted comment. */
  fetchCommentTexts(comments: readonly PostedComment[]): Promise<Readonly<Record<string, CommentText | null>>>;
  /** The comments and reviews that votes were read from, as they are now; null for what GitHub does not have. */
  fetchVoteSources(locations: readonly VoteLocation[]): Promise<VoteSources>;
  /** Whether the App has posted this body here since that time (ISO 8601). */
  hasPosted(body: string, since: string): Promise<boolean>;

  /** Compare-and-swap on the head. Throws a `GitHubError` if it is unknown whether the commit exists. */
  commit(plan: Countersigned<CommitPlan>): Promise<CommitResult>;
};

/** A commit on the pull request's head branch. It can be created only while `expectedHead` is the head. */
export type CommitPlan = {
  readonly branch: string;
  readonly expectedHead: string;
  /** Subject, trailers and co-authors. */
  readonly message: string;
  readonly files: readonly FileWrite[];
  readonly proposalIds: readonly string[];
};

/** One file of a commit. */
export type FileWrite = {
  readonly path: string;
  readonly mode: '100644' | '100755';
  readonly content: FileContent;
};

export type FileContent =
  | { readonly kind: 'bytes'; readonly bytes: Uint8Array }
  /** A blob that the repository already has, by SHA. The bytes of a moved file are never sent. */
  | { readonly kind: 'blob'; readonly sha: string }
  | { readonly kind: 'deleted' };

/** The result of one commit attempt. */
export type CommitResult =
  /** `isPullOpen` where GitHub told with the commit that no merge has overtaken it. */
  | { readonly kind: 'committed'; readonly sha: string; readonly isPullOpen?: true }
  /** The branch has another head, so nothing was written. */
  | { readonly kind: 'head-moved' }
  /** A permanent refusal (rules, permissions, missing branch). `message` is safe to publish. */
  | { readonly kind: 'refused'; readonly message: string; readonly byRule: boolean };

/** A commit as listed; `parent` is the SHA of its first parent. */
export type CommitSummary = {
  readonly sha: string;
  readonly parent: string | null;
  readonly message: string;
  readonly authorId: number | null;
};

/** A commit's complete recursive tree by path, including directories (mode 040000). */
export type Tree = ReadonlyMap<string, TreeEntry>;

/** An entry of a tree: git's mode, the object's SHA-1, and the size in bytes of a file. */
export type TreeEntry = { readonly mode: string; readonly sha: string; readonly size: number | null };

/**
 * A file of the pull request's diff; `patch` is null for binary and very large files. `previousPath` is that of a moved
 * file; `added` and `removed` count lines.
 */
export type PullRequestFile = {
  readonly path: string;
  readonly previousPath: string | null;
  readonly status: string;
  readonly added: number;
  readonly removed: number;
  readonly patch: string | null;
};

/** The files that a push changed, at most the first 300. `rewritten`: commits were removed from the branch. */
export type PushComparison = { readonly files: readonly PullRequestFile[]; readonly rewritten: boolean };

/** The content at `SETTINGS_PATH`. A directory or a broken link counts as `no-file`, and a link is not followed. */
export type SettingsFileLookup =
  | { readonly kind: 'file'; readonly bytes: Uint8Array }
  | { readonly kind: 'too-large'; readonly size: number }
  | { readonly kind: 'link' }
  | { readonly kind: 'no-file' };

/** `CODEOWNERS` as found. GitHub ignores the content of a file that is too large, and a link is not followed. */
export type CodeOwnersLookup = { readonly path: string; readonly bytes: Uint8Array | 'too-large' | 'link' };

/** A team that does not exist has no members. */
export type TeamMembership = 'member' | 'not-member' | 'unreadable';

/** A review to post. `event` determines whether it requests changes. */
export type NewReview = {
  readonly body: string;
  readonly event: 'COMMENT' | 'REQUEST_CHANGES';
  readonly comments: readonly ReviewCommentDraft[];
};

/** A comment of a new review, anchored to lines of the head's file. */
export type ReviewCommentDraft = {
  readonly path: string;
  /** First of several lines; null for one line. */
  readonly startLine: number | null;
  readonly line: number;
  readonly body: string;
};

/** A review by the App as GitHub has it. */
export type OwnReview = Pick<PostedReview, 'id' | 'url' | 'status'>;

export type CreatedReview = {
  readonly review: OwnReview;
  readonly comments: readonly PostedComment[];
  /** Read after the review; null if it was not. */
  readonly pull: Pick<PullFacts, 'state' | 'headSha'> | null;
};

/** A comment by the App that was found by its marker. */
export type FoundComment = PostedComment & { readonly body: string };

/** A comment's text with line feeds as line ends, and its hash, as in `PostedComment.bodyHash`. */
export type CommentText = { readonly body: string; readonly bodyHash: string };

/**
 * Timeout of a write (ms). It is shorter than the remaining lease of a hung process, so a new holder never searches for
 * a write that could still be sent.
 */
export const WRITE_TIMEOUT_MS = 9_000;

/** What a `GitHubError` is made with, besides its message. Without a meaning, the table of errors gives it one. */
type GitHubErrorOptions = ErrorOptions & {
  readonly meaning?: ErrorMeaning;
  readonly detail?: string;
  readonly isLimit?: boolean;
};

/**
 * A GitHub request failed. `retryAt` is the time for the next attempt (ms since the epoch), if there is one, and then
 * the meaning is `try-again`; `requestId` is GitHub's own id of the request, for the log.
 */
export class GitHubError extends Error {
  readonly meaning: ErrorMeaning;
  readonly status: number | null;
  readonly retryAt: number | null;
  /** GitHub's own sentence in one line, safe to publish; might be empty. */
  readonly detail: string;
  readonly requestId: string | null = null;
  /** A limit of all requests of the installation, GitHub's or our own. */
  readonly isLimit: boolean;
  constructor(message: string, status: number | null, retryAt: number | null, options: GitHubErrorOptions = {}) {
    super(message, options);
    this.name = 'GitHubError';
    this.status = status;
    this.retryAt = retryAt;
    this.detail = options.detail ?? '';
    this.isLimit = options.isLimit ?? status === 429;
    const { meaning = errorRowOf({ status, detail: message }).meaning } = options;
    this.meaning = retryAt === null ? meaning : 'try-again';
  }

  /** No response, or one that says that GitHub itself fails. */
  get isOutage(): boolean {
    return this.status === null || this.status >= 500;
  }
}

/** Whether an error of GitHub has one of these meanings. */
export function means(error: unknown, ...meanings: readonly ErrorMeaning[]): error is GitHubError {
  return error instanceof GitHubError && meanings.includes(error.meaning);
}

/** Turns a rejection with one of these meanings into null. */
export function nullIf(...meanings: readonly ErrorMeaning[]): (error: unknown) => null {
  return (error) => {
    if (!means(error, ...meanings)) throw error;
    return null;
  };
}

/**
 * A request was not sent, because the installation's rate limit is used up. `retryAt` is the time for the next attempt.
 */
export class RateLimitExceededError extends GitHubError {
  declare readonly retryAt: number;
  constructor(retryAt: number) {
    super('the rate limit of the installation is used up', 429, retryAt);
    this.name = 'RateLimitExceededError';
  }
}

/** A request was not sent, because the database connection broke: another worker could hold the lease by now. */
export class LeaseLostError extends GitHubError {
  constructor() {
    super('the database connection was lost during this attempt', null, null);
    this.name = 'LeaseLostError';
  }
}

/** A webhook delivery with a verified signature. `name` is GitHub's event; the payload is unchecked. */
export type DeliveryEvent = {
  readonly id: string;
  readonly name: string;
  readonly payload: Readonly<Record<string, unknown>>;
};

/** GitHub's log of webhooks that this App did not take. Each call is one request and fails with a `GitHubError`. */
export type DeliveryLog = {
  /** `cursor` is the `nextCursor` of an earlier page, null for the newest. */
  fetchPage(cursor: string | null): Promise<DeliveryLogPage>;
  /** The parsed payload; null if GitHub no longer has it. */
  fetchPayload(id: string): Promise<Readonly<Record<string, unknown>> | null>;
};

/** Newest first. `nextCursor` continues with older ones, null at the end. */
export type DeliveryLogPage = { readonly deliveries: readonly LoggedDelivery[]; readonly nextCursor: string | null };

/** One failed attempt of GitHub to deliver a webhook, as the App's delivery log lists it. */
export type LoggedDelivery = {
  /** GitHub's id of this attempt, which can exceed the range of JavaScript numbers. */
  readonly id: string;
  /** `X-GitHub-Delivery`, the same for all attempts of one webhook. */
  readonly guid: string;
  /** GitHub's time (ms since the epoch). */
  readonly deliveredAt: number;
  readonly event: string;
  readonly action: string | null;
  readonly repositoryId: number | null;
};

/** `now` is ms since the epoch. `every` calls back until the returned function is called. */
export type Clock = { now(): number; every(ms: number, tick: () => void): () => void };

/** The words of people and bots on a pull request. Each list is oldest first and holds the newest ones. */
export type Discussion = {
  readonly author: Author | null;
  readonly description: string;
  readonly comments: readonly Statement[];
  readonly reviews: readonly Review[];
  readonly threads: readonly ReviewThread[];
  /** Older comments, reviews and threads that the lists leave out. */
  readonly omitted: number;
};

/** An account; null stands for a deleted one. */
export type Author = {
  /** Null unless it is the account of a person. */
  readonly id: number | null;
  readonly login: string;
  readonly kind: AuthorKind;
};

/** Only a person has access. `app-as-person` is an App that wrote in a person's name; `other` has a login only. */
export type AuthorKind = 'person' | 'bot' | 'app-as-person' | 'other';

/** A text of a person or bot. Times are GitHub's (ISO 8601). */
export type Statement = {
  /** Null for a description and a review. */
  readonly id: number | null;
  /** The review of a comment in a thread; null elsewhere. */
  readonly reviewId: number | null;
  readonly author: Author | null;
  readonly body: string;
  readonly at: string;
  readonly updatedAt: string;
  /** Somebody has hidden it on the page. */
  readonly isHidden: boolean;
};

/** A submitted review; `state` is GitHub's, such as `APPROVED`. */
export type Review = Statement & { readonly state: string };

/** `line` is null for a whole file or an outdated place; `omitted` counts older comments that are left out. */
export type ReviewThread = {
  readonly root: ThreadRoot;
  readonly path: string;
  readonly line: number | null;
  /** First of several lines. */
  readonly startLine: number | null;
  readonly side: DiffSide;
  readonly isResolved: boolean;
  readonly isOutdated: boolean;
  readonly comments: readonly Statement[];
  readonly omitted: number;
};

/** The first comment of a thread. `diffHunk` ends at the line that it is about. */
export type ThreadRoot = {
  /** Null if GitHub names none. */
  readonly id: number | null;
  readonly nodeId: string;
  readonly author: Author | null;
  readonly diffHunk: string;
};
