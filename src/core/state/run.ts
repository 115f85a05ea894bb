import type { LineRange } from '../edits/region.ts';
import type { BranchRestrictions } from './branch-rules.ts';
import type { TokenUsage, ToolCall } from './conversation.ts';
import type { CommentLocation, PullRequestRef } from './intent.ts';
import { isOpen, type Person, type PostedComment, type PostedReview, type Proposal } from './proposal.ts';
import type { Settings } from './settings.ts';

/** The state of one pull request, as far as a decision can need it. */
export type PullState = {
  readonly ref: PullRequestRef;
  /** The active run, or else the last one. */
  readonly run: Run | null;
  /** Queued tasks, oldest first. */
  readonly queue: readonly Task[];
  /** Unanswered questions, oldest first. The model works on the first one. */
  readonly questions: readonly Question[];
  /** Proposals of the current run and those that the signal names, oldest first. */
  readonly proposals: readonly Proposal[];
  /** Number of proposals on this pull request so far. The next id is derived from it. */
  readonly proposalCount: number;
  /** People who got the one reply that they cannot decide here. */
  readonly notifiedUnauthorizedUserIds: readonly number[];
};

/** One agent session on one pull request. */
export type Run = {
  readonly schema: typeof RUN_SCHEMA;
  readonly id: string;
  readonly task: Task;
  /** Settings at the start of the run. Approval rules are read again for each decision. */
  readonly settings: Settings;
  readonly phase: Phase;
  /** Number of model responses. */
  readonly turns: number;
  readonly lastResumption: Resumption | null;
  /** Number of `/ask` questions that were answered. */
  readonly questionCount: number;
  /** Number of messages in the transcript. */
  readonly messageCount: number;
  readonly batch: ToolBatch | null;
  readonly usage: TokenUsage;
  /** Head SHA that the proposals were last assessed against. */
  readonly assessedHeadSha: string;
  readonly headRef: string;
  /** Base branch that the open proposals were made for. */
  readonly baseRef: string;
  /** Commits that carried this run's changes: the App's own, and pushes that contain nothing else. */
  readonly commits: readonly string[];
  /** The head branch is in another repository, which the App never writes to. */
  readonly isFork: boolean;
  /** Restrictions by GitHub's rules at the start of the run. */
  readonly branchRestrictions: BranchRestrictions;
  /** Other open pull requests with the same head branch at the start of the run. A commit changes them too. */
  readonly otherPullsOnBranch: readonly number[];
  /** A rule refused a commit of this run, so the App makes no further attempts. */
  readonly commitsRefused: boolean;
  readonly pullAuthor: Person | null;
  readonly agentNotes: readonly AgentNote[];
  /** People besides the task's author whose words the model has. */
  readonly instructors: readonly Person[];
  /** Time of a person's last words about the whole task. A change that was denied earlier can be proposed again. */
  readonly lastFeedbackAt: string | null;
  /** Number of consecutive proposals that repeated a denied change. */
  readonly repeatedProposals: number;
  /** Commits of this run's changes by path, oldest first. They determine exactly how lines moved. */
  readonly appCommits: Readonly<Record<string, readonly AppCommit[]>>;
  /** SHA of the blob last read per path. `write_file` requires it before it overwrites a file. */
  readonly readBlobs: Readonly<Record<string, string>>;
  /** The model's closing message. */
  readonly summary: string | null;
  readonly comment: PostedComment | null;
  /** Reviews by the App, oldest first. */
  readonly reviews: readonly PostedReview[];
  /** Number of times the run comment or a review body was repaired after someone changed it. */
  readonly repairCount: number;
};

export type Phase =
  | { readonly kind: 'awaiting-model'; readonly turn: number }
  | { readonly kind: 'running-tools'; readonly turn: number }
  | { readonly kind: 'posting'; readonly turn: number }
  | { readonly kind: 'awaiting-decisions'; readonly turn: number }
  | {
      readonly kind: 'ended';
      readonly reason: EndReason;
      readonly by: Person | null;
      readonly at: string;
      readonly note: string | null;
    };

export type EndReason =
  | 'finished'
  | 'stopped'
  | 'closed'
  | 'merged'
  | 'all-denied'
  | 'repeated-denied-change'
  | 'turn-limit'
  | 'model-failed'
  | 'posting-failed'
  | 'commit-mismatch'
  | 'expired'
  | 'access-lost';

/** A run that ended for one of these reasons can be resumed. The other ends were deliberate or leave nothing to do. */
const RESUMABLE_REASONS: ReadonlySet<EndReason> = new Set<EndReason>(['turn-limit', 'model-failed', 'expired']);

export function isResumable(reason: EndReason): boolean {
  return RESUMABLE_REASONS.has(reason);
}

/** A person's request that starts a run. */
export type Task = {
  readonly text: string;
  readonly by: Person;
  readonly location: CommentLocation;
  /** GitHub's `created_at` of the comment. */
  readonly requestedAt: string;
};

/** A person's `/resume` of an ended run. The run's limits start anew with it. */
type Resumption = {
  readonly by: Person;
  /** GitHub's `created_at` of the comment. */
  readonly requestedAt: string;
  /** Number of model responses before it. */
  readonly turnsBefore: number;
};

/** A person's question about a run (`/ask`). */
export type Question = {
  readonly runId: string;
  readonly by: Person;
  readonly text: string;
  readonly location: CommentLocation;
};

export type ToolBatch = {
  readonly turn: number;
  /** Text that the model wrote beside its calls. */
  readonly assistantText: string | null;
  readonly calls: readonly ToolCallState[];
  /** Set by `/continue`: the run goes on even if every change was denied. */
  readonly continued: boolean;
};

/** One call of the batch and its progress. */
export type ToolCallState = {
  readonly toolCall: ToolCall;
  readonly status:
    | { readonly kind: 'running' }
    | { readonly kind: 'proposed'; readonly proposalId: string }
    /** The proposal expired undecided. The model is not told; `/resume` proposes the call again. */
    | { readonly kind: 'expired'; readonly proposalId: string }
    | { readonly kind: 'answered'; readonly output: string };
};

/** A person's comment for the agent, delivered after the pending outcomes. */
export type AgentNote = { readonly by: Person; readonly text: string; readonly at: string };

/** One commit of a run to one file: the blobs before and after, and the replaced lines. */
export type AppCommit = {
  readonly blobBefore: string;
  readonly blobAfter: string;
  readonly ranges: readonly LineRange[];
};

/** Version of the stored form. The App never reads a run with another version. */
export const RUN_SCHEMA = 1;

/** Maximum number of model responses of a run, counted from its start or its last `/resume`. */
export const MAX_TURNS = 25;

/** Key of a pull request in the store. */
export function pullRequestKey(ref: PullRequestRef): string {
  return `${ref.installationId}/${ref.repositoryId}/${ref.number}`;
}

/** The state of a pull request that the App has not worked on. */
export function createPullState(ref: PullRequestRef): PullState {
  return { ref, run: null, queue: [], questions: [], proposals: [], proposalCount: 0, notifiedUnauthorizedUserIds: [] };
}

/** The run, unless it has ended; null otherwise. */
export function activeRun(pull: PullState): Run | null {
  return pull.run !== null && pull.run.phase.kind !== 'ended' ? pull.run : null;
}

/** Whether closing the pull request, or losing access to it, would end anything. */
export function hasActiveWork(pull: PullState): boolean {
  return activeRun(pull) !== null || pull.queue.length > 0 || pull.proposals.some(isOpen);
}

/**
 * GitHub's time at which the oldest active task was requested or the oldest open proposal posted. Comments before it do
 * not concern them. Null if nothing is active.
 */
export function activeSince(pull: PullState): string | null {
  const tasks = [activeRun(pull)?.task ?? [], pull.queue].flat().map(({ requestedAt }) => requestedAt);
  const shown = pull.proposals.filter(isOpen).flatMap(({ proposedAt }) => proposedAt ?? []);
  const [first = null] = [...tasks, ...shown].toSorted((left, right) => Date.parse(left) - Date.parse(right));
  return first;
}

/** Whether the App can commit to the run's branch. */
export function canCommit({ isFork, commitsRefused }: Pick<Run, 'isFork' | 'commitsRefused'>): boolean {
  return !isFork && !commitsRefused;
}
