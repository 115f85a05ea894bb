import type { Change } from '../edits/change.ts';
import type { CommittedVersion } from '../edits/change-set.ts';
import type { Placement } from '../edits/placement.ts';
import type { LineRange } from '../edits/region.ts';
import type { ChecksLook, CompletedChecks } from '../state/checks.ts';
import type { CallRef, ModelResponse, TokenUsage } from '../state/conversation.ts';
import type { StalenessVerdict } from '../state/head-changes.ts';
import type { AccessLossCause, CommentLocation, Intent } from '../state/intent.ts';
import type { PostedComment, PostedReview } from '../state/posted-comment.ts';
import type { AnsweredThread, SyntaxProblem } from '../state/proposal.ts';
import type { Published } from '../state/pull-state.ts';
import type { QuestionInput, SideQuestionOutcome } from '../state/question.ts';
import type { FileReading, ModelDelay, PlanStep } from '../state/run.ts';
import type { CodeOwners, SettingsReading } from '../state/settings.ts';
import type { PullSummary, PushContent, TaskContext } from '../state/task-context.ts';
import type { ProposingToolName } from '../state/tools.ts';
import type { Permission, Person, VoteSources } from '../state/vote.ts';
import type { ModelFailureKind } from './model-port.ts';

/** An input of the state machine: a webhook as an intent, or the outcome of an effect. */
export type Signal =
  | { readonly type: 'intent'; readonly deliveryId: string; readonly intent: Intent }
  | { readonly type: 'run-comment-posted'; readonly runId: string; readonly comment: PostedComment }
  | {
      readonly type: 'context-read';
      readonly runId: string;
      /** Null if GitHub does not show it. */
      readonly pull: PullSummary | null;
      readonly context: TaskContext;
    }
  | {
      readonly type: 'push-read';
      readonly runId: string;
      readonly by: Person;
      readonly before: string;
      readonly after: string;
      readonly content: PushContent | null;
    }
  | ({ readonly type: 'checks-changed' } & CompletedChecks)
  /** The look at `at`. `look` is null if GitHub does not show the checks; `report` is for the model, null unless some failed. */
  | {
      readonly type: 'checks-read';
      readonly runId: string;
      readonly at: string;
      readonly look: ChecksLook | null;
      readonly report: string | null;
    }
  | {
      readonly type: 'model-responded';
      readonly runId: string;
      readonly turn: number;
      readonly response: ModelResponse;
    }
  /** The model gave no usable answer and is not asked again automatically. `message` is safe to publish. */
  | {
      readonly type: 'model-failed';
      readonly runId: string;
      readonly turn: number;
      /** Null if it was never asked, or if this process stopped asking. */
      readonly failure: ModelFailureKind | null;
      readonly message: string;
      /** Absent if the endpoint counted nothing. */
      readonly cost?: TokenUsage;
    }
  /** The conversation does not fit into the model's context, so older readings are no longer sent. */
  | {
      readonly type: 'readings-cleared';
      readonly runId: string;
      readonly turn: number;
      readonly clearedBefore: number;
      /** The cost of a refused request; null if none was sent, or if the endpoint did not count it. */
      readonly usage: TokenUsage | null;
    }
  /** A request failed and will be sent again. */
  | {
      readonly type: 'model-attempt-failed';
      readonly runId: string;
      readonly turn: number;
      /** Null if the endpoint counted nothing. */
      readonly cost: TokenUsage | null;
      /** Null if the next request follows within a few seconds. */
      readonly delay: ModelDelay | null;
    }
  /** The end of a person's question, and what all its requests cost. */
  | {
      readonly type: 'side-question-answered';
      readonly questionId: string;
      readonly outcome: SideQuestionOutcome;
      readonly usage: TokenUsage;
    }
  | {
      readonly type: 'tools-finished';
      readonly runId: string;
      readonly turn: number;
      /** Head SHA that was read; null if nothing could be read. */
      readonly headSha: string | null;
      readonly results: readonly CallResult[];
    }
  | {
      readonly type: 'proposals-posted';
      readonly runId: string;
      /** Null for proposals that belong to no turn. */
      readonly turn: number | null;
      readonly proposals: readonly PostedProposal[];
      /** Reviews that hold the proposals; empty if none of them fits a suggestion block. */
      readonly reviews: readonly Omit<PostedReview, 'turn'>[];
      /** Proposals that comments cannot show completely, with the output for the model. */
      readonly unpostable: readonly { readonly proposalId: string; readonly output: string }[];
      /** The head of the open pull request after the review was posted, as far as it was read. */
      readonly head?: string;
    }
  | {
      readonly type: 'posting-failed';
      readonly runId: string;
      readonly turn: number | null;
      readonly proposalIds: readonly string[];
      readonly message: string;
    }
  /** A question of the agent was posted. */
  | {
      readonly type: 'question-posted';
      readonly runId: string;
      readonly questionId: string;
      readonly comment: PostedComment;
    }
  /** Approved proposals are about to be carried out. Saved only if no other signal is pending. */
  | {
      readonly type: 'commit-preflight';
      readonly runId: string;
      readonly headSha: string;
      /** Current base branch. The webhook of a retarget can be late or lost. */
      readonly baseRef: string;
      readonly checks: readonly PreflightCheck[];
      /** Read right before the attempt. */
      readonly settings: SettingsReading;
      /** Only where the settings ask for code owners. */
      readonly codeOwners?: CodeOwners;
    }
  /**
   * `isPullOpen` is set if GitHub told it with the commit, and `overwritten` if another push has since removed the
   * commit from the branch.
   */
  | (ReportedCommit & { readonly type: 'committed'; readonly isPullOpen?: true; readonly overwritten?: true })
  /** GitHub reported this commit but does not serve it yet. A later attempt verifies it. */
  | (Omit<ReportedCommit, 'files'> & { readonly type: 'commit-unverified' })
  /** GitHub's commit has another tree than was approved. `mismatches` is empty if the difference is unknown. */
  | (Omit<ReportedCommit, 'files'> & {
      readonly type: 'commit-mismatch';
      readonly mismatches: readonly TreeMismatch[];
    })
  /** The head moved before the attempt, or GitHub refused it for now, so nothing was written. */
  | { readonly type: 'commit-head-moved'; readonly runId: string; readonly proposalIds: readonly string[] }
  /** Attempts have failed for 30 s and continue. `location` is the comment that requested the commit. */
  | {
      readonly type: 'commit-delayed';
      readonly runId: string;
      readonly proposalIds: readonly string[];
      readonly location: CommentLocation | null;
    }
  /**
   * A comment or event could have been a denial and is not read: because of an internal error, or because its webhook
   * is lost (`errorId` is null).
   */
  | { readonly type: 'dead-lettered'; readonly errorId: string | null }
  /** GitHub did not let the App dismiss its own review. */
  | { readonly type: 'review-dismiss-refused'; readonly runId: string; readonly reviewId: number }
  /** The page of an open proposal was rewritten. */
  | { readonly type: 'proposal-comment-updated'; readonly proposalId: string; readonly bodyHash: string }
  /** The check run and the label are up to date. */
  | { readonly type: 'waiting-published'; readonly published: Published }
  /** The App has lost access to the repository. */
  | { readonly type: 'access-lost'; readonly cause: AccessLossCause }
  /** A reminder or an expiry is due. Saved only if no other signal is pending. */
  | { readonly type: 'deadline-reached' }
  /** The run has ended and a queued task is next. */
  | { readonly type: 'next-task-due' }
  /** The commit attempt failed for certain and is not repeated. */
  | {
      readonly type: 'commit-failed';
      readonly runId: string;
      readonly proposalIds: readonly string[];
      /** Safe to publish. */
      readonly message: string;
      /** A branch rule refused it and would refuse every other commit. */
      readonly refusedByRule: boolean;
    }
  /** An effect read that the pull request is not open any more, and wrote nothing. */
  | {
      readonly type: 'found-closed';
      readonly state: 'closed' | 'merged';
      /** The changes of a commit attempt; empty for any other effect. */
      readonly proposalIds: readonly string[];
    };

export type SignalOf<Type extends Signal['type']> = Extract<Signal, { type: Type }>;

/** A commit by the App. */
type ReportedCommit = {
  readonly runId: string;
  readonly sha: string;
  /** Null if it is unknown. */
  readonly parentSha: string | null;
  readonly proposalIds: readonly string[];
  /** By proposal id, as far as known. */
  readonly committedVersions: Readonly<Record<string, CommittedVersion>>;
  /** Changed paths; empty if unknown. */
  readonly files: readonly CommittedFile[];
};

/** One path of a commit: its blob before (null: new) and after (null: deleted), and the replaced lines. */
export type CommittedFile = {
  readonly path: string;
  readonly before: string | null;
  readonly after: string | null;
  readonly ranges: readonly LineRange[];
};

/** A path whose content in a commit differs from the approved one. Null stands for a missing file. */
export type TreeMismatch = {
  readonly path: string;
  /** The approved content; for any other path, that of the parent commit. */
  readonly expected: TreeFile | null;
  readonly actual: TreeFile | null;
};

/** A file in a git tree: blob SHA-1 and mode. */
export type TreeFile = { readonly blob: string; readonly mode: string };

/** The result of a tool call: output for the model, or a change for people. */
export type ToolResult =
  | {
      readonly callId: string;
      readonly kind: 'output';
      readonly output: string;
      /** Of a call that read a file; absent elsewhere. */
      readonly reading?: FileReading;
      /** The keys of a change that was refused because a file would no longer parse: of its call and of its outcome. */
      readonly syntaxRefusals?: readonly string[];
    }
  /** A call beyond the limits of one response. The model cannot mend it, only repeat it later. */
  | { readonly callId: string; readonly kind: 'postponed'; readonly output: string }
  | { readonly callId: string; readonly kind: 'plan'; readonly steps: readonly PlanStep[] }
  | {
      readonly callId: string;
      readonly kind: 'question';
      readonly prompt: string;
      readonly input: QuestionInput;
    }
  /** A question that cannot be asked, and why. Nobody sees it, and the run goes on. */
  | {
      readonly callId: string;
      readonly kind: 'unaskable';
      readonly prompt: string;
      readonly problem: string;
    }
  | {
      readonly callId: string;
      readonly kind: 'change';
      readonly change: Change;
      /** The calls that it answers, in order. Several calls that touch in one file are one change. */
      readonly calls: readonly CallRef[];
      readonly tool: ProposingToolName;
      readonly reason: string | null;
      /** Absent if it answers no review thread. */
      readonly answers?: AnsweredThread;
      /** Absent if every file would still parse, as far as known. */
      readonly syntaxProblems?: readonly SyntaxProblem[];
    };

/** A result with the response of its call. */
export type CallResult = ToolResult & { readonly turn: number };

/** A proposal as posted. */
export type PostedProposal = {
  readonly proposalId: string;
  /** Its number in the order of the page; absent where that is the order of the calls. */
  readonly index?: number;
  readonly placement: Placement;
  readonly comment: PostedComment;
};

/** The state of one proposal right before it is carried out. */
export type PreflightCheck = {
  readonly proposalId: string;
  /** How each member of its change applies, in order. */
  readonly verdicts: readonly StalenessVerdict[];
  /** Current permission of each person whose approval counts, by numeric id. */
  readonly permissions: Readonly<Record<string, Permission>>;
  /** The comments and reviews of the approvals, as GitHub shows them now. */
  readonly voteSources: VoteSources;
};

/** Whether the signal reports a commit. The ledger needs every commit, even of an ended run. */
export function reportsCommit({ type }: Signal): boolean {
  return type === 'committed' || type === 'commit-unverified' || type === 'commit-mismatch';
}
