import type { Rules } from '../policy/branch-rules.ts';
import type { SettingsReading } from '../policy/settings.ts';
import type { Permission, Person, PostedComment } from './proposal.ts';

/** The pull request as GitHub has it now. */
export type PullFacts = {
  readonly state: 'open' | 'closed' | 'merged';
  readonly draft: boolean;
  readonly title: string;
  readonly author: Person | null;
  readonly baseRef: string;
  readonly baseSha: string;
  readonly headRef: string;
  readonly headSha: string;
  /** The head branch lies in another repository: never written to. */
  readonly fork: boolean;
  /** How many files its diff has; GitHub lists at most the first 3,000 of them. */
  readonly changedFiles: number;
};

/** A file at the head, as a judgement of freshness needs it; `text` is null where it is not text. */
export type HeadFile = { readonly blob: string; readonly mode: string; readonly text: string | null };

/** Which facts a signal needs before it can be decided. */
export type Need =
  | { readonly kind: 'permission'; readonly login: string; readonly id: number }
  | { readonly kind: 'pull-request' }
  /** The repository's settings as they are on its default branch now. */
  | { readonly kind: 'settings' }
  /** The rules of these branches; null for a head branch that is never written to. */
  | { readonly kind: 'rules'; readonly headRef: string | null; readonly baseRef: string }
  /** Other open pull requests with this head branch. */
  | { readonly kind: 'same-branch'; readonly headRef: string }
  /** Changed paths of the pull request, for the model's first message. */
  | { readonly kind: 'changed-paths' }
  /** The comments of somebody's review. */
  | { readonly kind: 'review-comments'; readonly reviewId: number }
  /** These comments of ours as they stand now. */
  | { readonly kind: 'comments'; readonly comments: readonly PostedComment[] }
  /**
   * The file of an applied change at the head, and in the commit that holds it (null where that says nothing more); of a
   * move also where it came from.
   */
  | {
      readonly kind: 'undone';
      readonly commit: string | null;
      readonly head: string;
      readonly path: string;
      readonly from: string | null;
    }
  /** These paths at two commits, and both ends of these moves, of which blob and mode are enough. */
  | {
      readonly kind: 'files';
      readonly base: string;
      readonly head: string;
      readonly paths: readonly string[];
      readonly moves: readonly Move[];
    };

/** From one path to another. */
export type Move = { readonly from: string; readonly to: string };

/** A comment of somebody's review as GitHub lists it; `rootId` is its thread's first comment. */
export type ReviewComment = { readonly rootId: number; readonly body: string; readonly updatedAt: string };

/** The App itself: its slug, and the numeric id of its bot account. */
export type Self = { readonly slug: string; readonly botId: number };

/** What was fetched for a signal. A fact that was not needed is absent; one that was needed never is. */
export type Facts = {
  /** ISO 8601 in milliseconds: the worker's clock, set right where GitHub's answers show that it goes wrong. */
  readonly now: string;
  readonly self: Self;
  /** Whether the operator serves this repository's owner. */
  readonly served: boolean;
  readonly permission?: Permission;
  readonly pull?: PullFacts;
  readonly settings?: SettingsReading;
  readonly rules?: Rules;
  /** Numbers of the other open pull requests with the same head branch. */
  readonly sameBranch?: readonly number[];
  readonly changedPaths?: readonly string[];
  /** Of the review whose body is to be decided. */
  readonly reviewComments?: readonly ReviewComment[];
  /** By comment id: the hash of its body, in the form of `PostedComment.bodyHash`; null where it is gone. */
  readonly bodyHashes?: Readonly<Record<string, string | null>>;
  /** Of the change that is to be undone; `fromAtHead` is what stands where a move came from. */
  readonly undone?: {
    readonly atCommit: HeadFile | null | 'gone';
    readonly atHead: HeadFile | null;
    readonly fromAtHead: HeadFile | null;
  };
  readonly files?: {
    readonly atBase: Readonly<Record<string, HeadFile | null>>;
    readonly atHead: Readonly<Record<string, HeadFile | null>>;
  };
};
