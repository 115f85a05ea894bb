import type { Change } from '../change/change.ts';
import type { Placement } from '../change/placement.ts';
import type { LineRange } from '../change/range.ts';
import type { Intent, Place } from '../command/intent.ts';
import type { AccessLoss } from '../command/notice.ts';
import type { Difference } from '../policy/as-approved.ts';
import type { Verdict } from '../policy/freshness.ts';
import type { SettingsReading } from '../policy/settings.ts';
import type { ModelReply, Usage } from '../prompt/message.ts';
import type { GatedTool } from '../tools/definitions.ts';
import type { Made, Permission, PostedComment, PostedReview } from './proposal.ts';
import type { Question } from './run.ts';

/** What the tools made of one call: words for the model at once, or a change for people. */
export type ToolResult =
  /** An edit whose text exists only thanks to another call of the same batch. */
  | { readonly callId: string; readonly kind: 'depends'; readonly path: string; readonly onCallId: string }
  | {
      readonly callId: string;
      readonly kind: 'output';
      readonly output: string;
      readonly read: { readonly path: string; readonly blob: string } | null;
    }
  | {
      readonly callId: string;
      readonly kind: 'change';
      readonly tool: GatedTool;
      readonly reason: string | null;
      readonly change: Change;
    };

/** Where one proposal was posted. */
export type PostedProposal = {
  readonly proposalId: string;
  readonly placement: Placement;
  readonly comment: PostedComment;
  /** As in `Proposal.parts`: all of them stand. */
  readonly parts: readonly PostedComment[];
};

/** How one proposal stands right before an attempt to commit it. */
export type Check = {
  readonly proposalId: string;
  readonly verdict: Verdict;
  /** Of each person whose approval counts, by numeric id, read again now. */
  readonly permissions: Readonly<Record<string, Permission>>;
};

/** One path of a commit: its blobs before (null: new) and after (null: gone), and the lines that were replaced. */
export type CommittedFile = {
  readonly path: string;
  readonly before: string | null;
  readonly after: string | null;
  readonly ranges: readonly LineRange[];
};

/** What came of a question. `message` is fit for a stranger's eyes; `content` null where the model had no words. */
export type Said =
  | { readonly kind: 'words'; readonly content: string | null; readonly usage: Usage }
  | { readonly kind: 'failed'; readonly message: string };

/** Something that happened. An intent comes from GitHub; the others are what came of an effect. */
export type Signal =
  | { readonly type: 'intent'; readonly deliveryId: string; readonly intent: Intent }
  | { readonly type: 'run-shown'; readonly runId: string; readonly comment: PostedComment }
  | { readonly type: 'model-replied'; readonly runId: string; readonly turn: number; readonly reply: ModelReply }
  /** The model gave no usable answer and will not be asked again by itself. `message` is fit for a stranger's eyes. */
  | { readonly type: 'model-failed'; readonly runId: string; readonly turn: number; readonly message: string }
  /** A person's question was answered in words, or will not be. */
  | { readonly type: 'question-answered'; readonly question: Question; readonly said: Said }
  | {
      readonly type: 'tools-used';
      readonly runId: string;
      readonly turn: number;
      /** Head SHA that was read; null where nothing could be. */
      readonly head: string | null;
      readonly results: readonly ToolResult[];
    }
  | {
      readonly type: 'review-posted';
      readonly runId: string;
      /** Null for what belongs to no turn. */
      readonly turn: number | null;
      readonly proposals: readonly PostedProposal[];
      /** The reviews that hold them; none where no suggestion block could say any. */
      readonly reviews: readonly Omit<PostedReview, 'turn'>[];
      /** Not posted, because comments cannot show the whole change; with what the model is told. */
      readonly unshown: readonly { readonly proposalId: string; readonly output: string }[];
    }
  | {
      readonly type: 'posting-failed';
      readonly runId: string;
      readonly turn: number | null;
      readonly proposalIds: readonly string[];
      readonly message: string;
    }
  /** An attempt to commit is about to begin; saved only while no other signal waits. */
  | {
      readonly type: 'commit-starting';
      readonly runId: string;
      readonly head: string;
      /** Where the pull request goes now: GitHub's word of a retarget may be late, or lost. */
      readonly baseRef: string;
      readonly checks: readonly Check[];
      /** Read again now. */
      readonly settings: SettingsReading;
    }
  /** `away` where somebody has pushed it away since: the head is another one. */
  | (CommitMade & { readonly type: 'committed'; readonly away?: true })
  /** GitHub said that it made this commit of the attempt, and would not show it yet: another attempt reads it back. */
  | (Omit<CommitMade, 'files'> & { readonly type: 'commit-unread' })
  /** GitHub made a commit of the attempt, and its tree is not what was approved; `differences` is empty where it is not known how. */
  | {
      readonly type: 'commit-differs';
      readonly runId: string;
      readonly sha: string;
      readonly proposalIds: readonly string[];
      /** As of the commit that was asked for; absent from what earlier versions stored. */
      readonly parent?: string;
      readonly made?: CommitMade['made'];
      readonly differences: readonly Difference[];
    }
  /** The branch had moved when the attempt came: nothing was written. */
  | { readonly type: 'commit-missed'; readonly runId: string; readonly proposalIds: readonly string[] }
  /** Attempts have failed for half a minute, and more are made; `place` is where the words stand that wanted it. */
  | {
      readonly type: 'commit-delayed';
      readonly runId: string;
      readonly proposalIds: readonly string[];
      readonly place: Place | null;
    }
  /** A thread that somebody resolved while its proposal waited was looked at again, a while later. */
  | {
      readonly type: 'thread-seen';
      readonly proposalId: string;
      /** Which of its resolutions: that of `Proposal.resolved`. */
      readonly since: string;
      readonly resolved: boolean;
    }
  /** These proposals' threads are out of date: GitHub's button beside them does nothing any more. */
  | { readonly type: 'threads-outdated'; readonly runId: string; readonly proposalIds: readonly string[] }
  /** Somebody's words or deed could not be understood for a fault of ours, and were put aside: they may have been a no. */
  | { readonly type: 'put-aside'; readonly fault: string }
  /** GitHub did not let us dismiss a review of ours. */
  | { readonly type: 'review-kept'; readonly runId: string; readonly reviewId: number }
  /** An open proposal's comments were written anew, at GitHub's time `at`. */
  | {
      readonly type: 'proposal-shown';
      readonly proposalId: string;
      readonly bodyHash: string;
      /** Of `Proposal.parts`, in their order. */
      readonly partHashes: readonly string[];
      readonly at: string;
    }
  /** One of an open proposal's comments is not there any more. */
  | { readonly type: 'comment-gone'; readonly proposalId: string; readonly commentId: number }
  /** The App can no longer work here. */
  | { readonly type: 'access-lost'; readonly loss: AccessLoss }
  /** It is time to remind people of what waits, or to wait no longer. */
  | { readonly type: 'deadline-reached' }
  /**
   * What was said meanwhile is stored, behind this, as if it had come; `read` is false where GitHub shows nothing of the
   * pull request any more.
   */
  | { readonly type: 'caught-up'; readonly read: boolean; readonly expiring: boolean }
  /** What nobody decided in time is about to expire; saved only while no other signal waits. */
  | { readonly type: 'expiring' }
  /** The run is over and somebody's next task waits. */
  | { readonly type: 'task-due' }
  /** The attempt is known not to have landed and will not be repeated. */
  | {
      readonly type: 'commit-failed';
      readonly runId: string;
      readonly proposalIds: readonly string[];
      /** Fit for a stranger's eyes. */
      readonly message: string;
      /** A rule of the branch refused it, and would refuse every other. */
      readonly byRule: boolean;
    };

/** A commit of ours. */
type CommitMade = {
  readonly runId: string;
  readonly sha: string;
  /** Absent from what earlier versions stored. */
  readonly parent?: string;
  readonly proposalIds: readonly string[];
  /** By proposal id: as it was made, where that is known. */
  readonly made: Readonly<Record<string, Made>>;
  /** What it did to each path; empty where that is not known any more. */
  readonly files: readonly CommittedFile[];
};

/** Whether it tells of a commit that the ledger must have, whatever has ended meanwhile. */
export function tellsOfCommit({ type }: Signal): boolean {
  return type === 'committed' || type === 'commit-unread' || type === 'commit-differs';
}
