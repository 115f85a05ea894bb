import type { Rank } from '../budget/limits.ts';
import type { Place, PullRef } from '../command/intent.ts';
import type { ListedComment } from '../command/read-listed.ts';
import type { BranchRule } from '../policy/branch-rules.ts';
import type { CommitPlan, Countersigned } from '../policy/countersigned.ts';
import type { Tree } from '../policy/path.ts';
import type { Message, ModelReply } from '../prompt/message.ts';
import type { PullFacts, ReviewComment } from '../run/facts.ts';
import type { Permission, PostedComment, PostedReview } from '../run/proposal.ts';
import type { FoundFile } from '../settings/read-settings.ts';

/** A file of the pull request's diff; `patch` is absent for binary and very large ones. */
export type PullFile = { readonly path: string; readonly status: string; readonly patch: string | null };

/** A comment of a new review, anchored to lines of the head's file. */
export type ReviewDraft = {
  readonly path: string;
  /** First line where the block spans several; null for one line. */
  readonly startLine: number | null;
  readonly line: number;
  readonly body: string;
};

/** A review to be posted: its own body, and whether it asks for changes or only comments. */
export type NewReview = {
  readonly body: string;
  readonly event: 'COMMENT' | 'REQUEST_CHANGES';
  readonly drafts: readonly ReviewDraft[];
};

/** A review of ours as GitHub has it. */
export type StandingReview = Pick<PostedReview, 'id' | 'url' | 'stands'>;

export type CreatedReview = { readonly review: StandingReview; readonly comments: readonly PostedComment[] };

/** A comment of ours found again by its marker. */
export type FoundComment = PostedComment & { readonly body: string };

/** A commit as a list shows it; `parent` is the SHA of its first one. */
export type CommitNote = {
  readonly sha: string;
  readonly parent: string | null;
  readonly message: string;
  readonly authorId: number | null;
};

/**
 * A write without an answer is given up after this time (ms). Shorter than any lease can still last when its process hangs,
 * so that nobody who takes over looks for what was written, or writes, before the last moment at which it may have been sent.
 */
export const WRITE_TIMEOUT_MS = 9_000;

/** What came of one attempt to commit. */
export type CommitOutcome =
  | { readonly kind: 'committed'; readonly sha: string }
  /** The branch is known to have another head: nothing was written. */
  | { readonly kind: 'head-moved' }
  /** GitHub refuses for good (rules, permissions, missing branch); `message` is fit for strangers. */
  | { readonly kind: 'refused'; readonly message: string; readonly byRule: boolean };

/**
 * GitHub, as far as the worker needs it for one pull request.
 * Lists are complete or an error; every call has a timeout and is sent once; failures are `GitHubFault`s.
 * All but `commit` and the comment writes use a read-only token for this repository alone.
 */
export type GitHub = {
  pull(): Promise<PullFacts>;
  permission(login: string): Promise<{ readonly permission: Permission; readonly userId: number | null }>;
  /** The repository's settings on its default branch, never on the pull request's; null where there are none. */
  settingsFile(): Promise<FoundFile | null>;
  /** Complete recursive listing of a commit's tree; cached by SHA. */
  tree(commit: string): Promise<Tree>;
  /** Bytes of a blob; cached by SHA. */
  blob(sha: string): Promise<Uint8Array>;
  /**
   * Every plain file of a commit in one request, for searching only: `.gitattributes` may leave out or change some.
   * Null where the archive is too large to be searched; no more of it is read then.
   */
  archive(commit: string): Promise<ReadonlyMap<string, Uint8Array> | null>;
  /** Of more than 3,000 changed files the first 3,000: GitHub lists no others. One that is missing can carry no suggestion. */
  files(head: string): Promise<readonly PullFile[]>;
  /** Active rules of a branch, whoever may bypass them; none where the server knows no rulesets. */
  rules(branch: string): Promise<readonly BranchRule[]>;
  /** Numbers of the other open pull requests whose head is this branch of this repository. */
  othersOn(branch: string): Promise<readonly number[]>;
  /** How many people approve of the pull request now. */
  approvals(): Promise<number>;
  /** Commits reachable from `head`, a commit or a branch of the repository, and not from `base`, newest first. */
  commits(base: string, head: string): Promise<readonly CommitNote[]>;

  /** One review with all drafts, or an error and nothing; returns it with its comments in the drafts' order. */
  createReview(head: string, review: NewReview): Promise<CreatedReview>;
  /** Reviews of the App itself on this pull request whose body begins with this marker. */
  findReviews(marker: string): Promise<readonly StandingReview[]>;
  /** The comments of anybody's review on this pull request. */
  reviewComments(reviewId: number): Promise<readonly ReviewComment[]>;
  updateReview(reviewId: number, body: string): Promise<void>;
  /** False where GitHub does not let us: then somebody else has to. No error where it is dismissed already. */
  dismissReview(reviewId: number, message: string): Promise<boolean>;
  createFileComment(head: string, path: string, body: string): Promise<PostedComment>;
  createComment(body: string): Promise<PostedComment>;
  /** A reply in the thread whose first comment is `rootId`. */
  reply(rootId: number, body: string): Promise<PostedComment>;
  /** Returns the new body's hash, as in `PostedComment.bodyHash`, and GitHub's time of the change (ISO 8601). */
  updateComment(comment: PostedComment, body: string): Promise<{ readonly bodyHash: string; readonly at: string }>;
  /** Resolves the thread whose first comment is this one; no error where it is resolved already. */
  resolveThread(comment: PostedComment): Promise<void>;
  /** Whether the thread whose first comment is this one is resolved now; false where there is none. */
  isResolved(comment: PostedComment): Promise<boolean>;
  /** Node ids of the first comments of threads whose lines are no longer what they were, or no longer in the diff. */
  outdatedThreads(): Promise<readonly string[]>;
  react(place: Place, content: 'eyes' | '+1'): Promise<void>;
  /**
   * Comments of the App itself on this pull request whose first line is one of these markers. None stood there before
   * `since` (ISO 8601, by GitHub's clock); null where that is not known.
   */
  findByMarker(markers: readonly string[], since: string | null): Promise<ReadonlyMap<string, FoundComment>>;
  /** By comment id, the hash (as in `PostedComment.bodyHash`) of what stands there now; null where it is gone. */
  bodyHashes(comments: readonly PostedComment[]): Promise<Readonly<Record<string, string | null>>>;
  /** Comments that anybody began to write at or after this time (ISO 8601, by GitHub's clock), oldest first. */
  saidSince(since: string): Promise<readonly ListedComment[]>;
  /** Whether the App itself already wrote this body there since that time (ISO 8601). */
  wrote(body: string, since: string): Promise<boolean>;

  /** Compare-and-swap on the head. Throws a `GitHubFault` where it is unknown whether it landed. */
  commit(plan: Countersigned<CommitPlan>): Promise<CommitOutcome>;
};

/** Opens GitHub for one pull request. */
export type GitHubs = {
  /**
   * `rank` says what it is for, and so how long it may go on when little is left of GitHub's limits; `hear` unless told.
   * Where `mayWrite` says no right before a request that writes, once that is counted, it fails with `NotOurs` instead.
   */
  for(ref: PullRef, rank?: Rank, mayWrite?: () => boolean): GitHub;
  self(): Promise<{ slug: string; botId: number; owner: string }>;
  /** How far GitHub's clock is ahead of ours (ms), as far as its answers show; 0 where they agree. */
  ahead(): number;
};

/** A failure of GitHub that may pass. `retryAt` is GitHub's own word for when to try again (ms since the epoch). */
export class GitHubFault extends Error {
  readonly status: number | null;
  readonly retryAt: number | null;
  constructor(message: string, status: number | null, retryAt: number | null, options?: ErrorOptions) {
    super(message, options);
    this.name = 'GitHubFault';
    this.status = status;
    this.retryAt = retryAt;
  }
}

/** A request that was not sent: too little is left of what GitHub grants the installation. `retryAt` is when to try again. */
export class BudgetSpent extends GitHubFault {
  declare readonly retryAt: number;
  constructor(retryAt: number) {
    super('the budget of the installation is spent', 429, retryAt);
    this.name = 'BudgetSpent';
  }
}

/** A request that was not sent: the database may not know any more that somebody is at it, so that others may be, unseen. */
export class NotOurs extends GitHubFault {
  constructor() {
    super('the database went away under this attempt', null, null);
    this.name = 'NotOurs';
  }
}

/** Whether a failed request is worth repeating later. */
export class ModelFault extends Error {
  readonly kind: 'passing' | 'lasting';
  readonly retryAt: number | null;
  constructor(kind: 'passing' | 'lasting', message: string, retryAt: number | null, options?: ErrorOptions) {
    super(message, options);
    this.name = 'ModelFault';
    this.kind = kind;
    this.retryAt = retryAt;
  }
}

/** A Chat Completions endpoint. Both throw a `ModelFault`; the message is fit for strangers. */
export type Model = {
  ask(messages: readonly Message[], signal: AbortSignal): Promise<ModelReply>;
  /** The same, but no tool may be called: the reply's words are all that counts. */
  askForWords(messages: readonly Message[], signal: AbortSignal): Promise<ModelReply>;
};

/** Time in ms since the epoch, and what recurs: `every` calls back until the function that it returns is called. */
export type Clock = { now(): number; every(ms: number, tick: () => void): () => void };
