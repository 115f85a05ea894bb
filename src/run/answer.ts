import type { OwnTextRefusal } from '../change/own-text.ts';
import type { CommandName } from '../command/intent.ts';
import type { Objection } from '../policy/approval-rules.ts';
import type { Person, ProposalState } from './proposal.ts';
import type { RunEnd } from './run.ts';

/** Why approvals do not take effect. */
export type Doubt =
  /** The repository's settings cannot be read, so nobody knows who may approve. */
  | { readonly kind: 'broken-settings'; readonly problems: readonly string[] }
  | { readonly kind: 'objection'; readonly objection: Objection; readonly login: string }
  /** They count, and more people are needed. */
  | { readonly kind: 'too-few'; readonly missing: number };

/** A proposal as an answer names it. */
export type Named = { readonly id: string; readonly title: string; readonly url: string | null };

/** A proposal that is no longer open, and what became of it (T12). */
export type Settled = {
  readonly id: string;
  readonly state: ProposalState;
  readonly by: Person | null;
  readonly commit: string | null;
  readonly replacedBy: string | null;
};

/** Why a run does not go on: none ended in a way to go on from, one is active or about to begin, or the words came before it ended. */
export type NotResumable = 'nothing' | 'active' | 'written-before';

/** Why the reverse of an applied change is not proposed. */
export type NotUndone =
  /** Another `/undo` of the same change waits for a decision. */
  | { readonly kind: 'waits'; readonly undo: Named }
  /** All is again as it was before the change. */
  | { readonly kind: 'undone'; readonly path: string }
  /** What the change made does not stand there any more, or cannot be told from the like of it. */
  | { readonly kind: 'changed-since'; readonly path: string }
  /** The commit that holds it is not in the repository any more. */
  | { readonly kind: 'commit-gone'; readonly sha: string }
  /** Where a deleted or moved file would come back, something else stands or is in its way. */
  | { readonly kind: 'taken'; readonly path: string }
  | { readonly kind: 'denied-path'; readonly path: string; readonly rule: string }
  /** It would touch the lines or paths of another change that is open. */
  | { readonly kind: 'touches'; readonly other: Named }
  /** Sentences of ours for the model, which people may read as well. */
  | { readonly kind: 'refused'; readonly message: string }
  | { readonly kind: 'not-posted'; readonly message: string };

/** Why a suggestion block in a reply changes nothing. */
export type OwnTextProblem =
  | OwnTextRefusal
  /** It could not be worked out within any time, or memory, that is meant. */
  | { readonly why: 'given-up' }
  | { readonly why: 'several-blocks' }
  /** Its closing fence is missing. */
  | { readonly why: 'unclosed-block' }
  | { readonly why: 'denied-path'; readonly rule: string }
  /** It would touch the lines of another change that is open. */
  | { readonly why: 'touches'; readonly other: Named };

/** Everything the App may answer to somebody's words; `render/answer.ts` has the sentences. */
export type Answer =
  | { readonly kind: 'not-served'; readonly owner: string }
  | { readonly kind: 'not-allowed'; readonly login: string; readonly command: CommandName | 'mention' | 'reply' }
  | { readonly kind: 'pull-not-open'; readonly state: 'closed' | 'merged' }
  /** Several are pending and the words do not say which. */
  | {
      readonly kind: 'which';
      readonly command: 'approve' | 'deny' | 'edit' | 'show';
      readonly pending: readonly Named[];
    }
  | { readonly kind: 'nothing-pending'; readonly command: CommandName }
  /** `/approve all` and the like left these alone: they were posted in the same second or later. */
  | { readonly kind: 'posted-later'; readonly left: readonly Named[] }
  /** A review's own comments speak of all that its body could mean. */
  | { readonly kind: 'answered-inline' }
  | { readonly kind: 'unknown-ids'; readonly ids: readonly string[]; readonly pending: readonly Named[] }
  | { readonly kind: 'settled'; readonly proposals: readonly Settled[] }
  | { readonly kind: 'misfit'; readonly command: CommandName | null; readonly word: string; readonly hint: string }
  | { readonly kind: 'unknown-command'; readonly word: string; readonly nearest: CommandName | null }
  | { readonly kind: 'affirmation'; readonly id: string }
  | { readonly kind: 'empty-reply'; readonly id: string }
  /** A reply with a suggestion block that could not be taken as a person's own text. */
  | { readonly kind: 'own-text'; readonly id: string; readonly problem: OwnTextProblem }
  | { readonly kind: 'edited-comment' }
  /** Our own comments on these were changed or deleted by somebody: they are written anew, nothing was approved. */
  | { readonly kind: 'comment-edited'; readonly proposals: readonly Named[] }
  /** Somebody who may decide edited a comment of ours: it was put back, and there are better ways. */
  | { readonly kind: 'restored'; readonly id: string }
  /** Comments that were changed or deleted too often: their changes were withdrawn. */
  | { readonly kind: 'not-restored'; readonly proposals: readonly Named[] }
  | {
      readonly kind: 'retargeted';
      readonly from: string;
      readonly to: string;
      readonly proposals: readonly Named[];
    }
  /** These expire soon, the first of them at GitHub's time `expiresAt`; `people` asked for them. */
  | {
      readonly kind: 'reminder';
      readonly people: readonly Person[];
      readonly proposals: readonly Named[];
      readonly expiresAt: string;
    }
  | { readonly kind: 'deleted-words'; readonly proposals: readonly Settled[] }
  /** A rule refused a commit of this run before. */
  | { readonly kind: 'push-refused'; readonly headRef: string }
  | { readonly kind: 'fork'; readonly headRef: string }
  | { readonly kind: 'queued'; readonly ahead: number }
  /** `/stop` between two runs: these do not begin. */
  | { readonly kind: 'queue-dropped'; readonly dropped: readonly string[] }
  | { readonly kind: 'no-run'; readonly command: CommandName | 'mention' }
  | { readonly kind: 'committed'; readonly sha: string; readonly applied: readonly Named[] }
  /** A person's own lines that fit no more. */
  | { readonly kind: 'own-text-stale'; readonly by: Person; readonly proposals: readonly Named[] }
  /** `undone` are the changes that those of them which are undos were to take back. */
  | { readonly kind: 'stale'; readonly proposals: readonly Named[]; readonly undone: readonly string[] }
  | { readonly kind: 'commit-failed'; readonly proposals: readonly Named[]; readonly message: string }
  /** Approved, and not committed yet, though it was tried for a while. */
  | { readonly kind: 'commit-delayed'; readonly proposals: readonly Named[] }
  /** GitHub's commit of these holds something else; `words` say what was approved and what stands, as plain text. */
  | {
      readonly kind: 'commit-differs';
      readonly sha: string;
      readonly proposals: readonly Named[];
      readonly words: string;
    }
  /** An approval was given and counts for nothing, or not for enough; these go on waiting. */
  | { readonly kind: 'not-counted'; readonly doubt: Doubt; readonly proposals: readonly Named[] }
  /** The same, found out right before the commit: these wait again. */
  | { readonly kind: 'approval-void'; readonly doubt: Doubt; readonly proposals: readonly Named[] }
  /** Something said after these were approved was put aside under this id: they wait again. */
  | { readonly kind: 'approvals-withdrawn'; readonly fault: string; readonly proposals: readonly Named[] }
  /** `/undo` that comes to no proposal. */
  | { readonly kind: 'not-undone'; readonly of: string; readonly why: NotUndone }
  /** An undo is the exact reverse or nothing: there is nothing in it to be done differently. */
  | { readonly kind: 'undo-as-it-is'; readonly proposals: readonly Named[] }
  /** `/resume` where nothing may go on. */
  | { readonly kind: 'not-resumed'; readonly why: NotResumable }
  /** A change as `/show` shows it; `diff` is null where it has none. */
  | {
      readonly kind: 'shown';
      readonly proposal: Named;
      readonly settled: Settled;
      readonly digest: string;
      readonly diff: string | null;
    }
  /** What the model said to somebody's question; nothing was decided by it. */
  | { readonly kind: 'asked'; readonly by: Person; readonly question: string; readonly content: string | null }
  | { readonly kind: 'ask-failed'; readonly by: Person; readonly question: string; readonly message: string }
  | { readonly kind: 'questions-full'; readonly most: number }
  /**
   * What somebody said, or an event of the pull request, met a fault of ours and was put aside under this id; `form` for
   * either where another version stored the run.
   */
  | { readonly kind: 'fault'; readonly fault: string; readonly about: 'words' | 'event' | 'form' }
  | { readonly kind: 'help' }
  | {
      readonly kind: 'status';
      readonly pending: readonly Named[];
      readonly running: boolean;
      /** Tasks that wait. */
      readonly queued: number;
      /** Questions that wait for their answer. */
      readonly questions: number;
      /** Whether `/resume` would let the last run go on. */
      readonly resumable: boolean;
    }
  /** The one mention at a run's end. `dropped` are tasks that were queued behind it. */
  | {
      readonly kind: 'run-ended';
      readonly requester: Person;
      readonly how: RunEnd;
      readonly by: Person | null;
      /** Whether any change was proposed at all. */
      readonly proposed: boolean;
      readonly commits: readonly string[];
      readonly note: string | null;
      readonly dropped: readonly string[];
    };
