import type { OwnText, OwnTextInput } from '../change/own-text.ts';
import type { Rules } from '../policy/branch-rules.ts';
import type { SettingsReading } from '../policy/settings.ts';
import type { Judged, Judging } from './judging.ts';
import type { Permission, Person, PostedComment } from './proposal.ts';
import type { Reverse, Undoing } from './reverse.ts';

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
   * The reverse of an applied change: from its file at the head, and in the commit that holds it (null where that says
   * nothing more); of a move also from where it came from.
   */
  | {
      readonly kind: 'undone';
      readonly commit: string | null;
      readonly head: string;
      readonly undoing: Omit<Undoing, 'seen'>;
    }
  /** What became of what waits, from its paths at two commits, and of moves from both ends at the second. */
  | { readonly kind: 'files'; readonly base: string; readonly head: string; readonly judging: Judging }
  /** The change that a person's own lines make of a file at the head; it is not read where the change is to make it new. */
  | { readonly kind: 'own-text'; readonly head: string; readonly own: Omit<OwnTextInput, 'baseText'> };

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
  /** The reverse of the change that is to be undone, or why there is none. */
  readonly reverse?: Reverse;
  /** How everything that waits stands at the head. */
  readonly judged?: Judged;
  /** What a person's own lines come to. */
  readonly ownText?: OwnTextFact;
};

/** No files are among these facts: what takes long with large ones is worked out before anything is decided. */
export type OwnTextFact = OwnText | { readonly kind: 'refused'; readonly refusal: { readonly why: 'given-up' } };
