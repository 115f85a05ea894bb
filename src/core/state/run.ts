import type { LineRange } from '../edits/region.ts';
import type { AwaitingChecks } from './checks.ts';
import type { HeldCall, ToolBatch } from './conversation.ts';
import type { HeadBranch } from './head-branch.ts';
import type { CommentLocation } from './intent.ts';
import { expiryAfter, type IdleResponses } from './limits.ts';
import type { PostedComment, PostedReview } from './posted-comment.ts';
import type { Proposal } from './proposal.ts';
import type { AgentQuestion } from './question.ts';
import type { Settings } from './settings.ts';
import type { Spending, SpendingLimit } from './spending.ts';
import type { PushContent } from './task-context.ts';
import type { Person } from './vote.ts';

/** One agent session on one pull request. */
export type Run = {
  readonly id: string;
  readonly task: Task;
  /** Settings at the start of the run. Approval rules are read again for each decision. */
  readonly settings: Settings;
  readonly phase: Phase;
  /** Number of model responses. */
  readonly turns: number;
  readonly lastResumption: Resumption | null;
  /** Number of messages in the transcript. */
  readonly messageCount: number;
  /** Time of the last reminder of pending proposals and questions. */
  readonly remindedAt: string | null;
  readonly batch: ToolBatch | null;
  /** Valid calls of earlier responses that people do not see yet, oldest first. Empty once they are proposed. */
  readonly heldCalls: readonly HeldCall[];
  readonly idleResponses: IdleResponses;
  /** The model's own plan; null if it wrote none. */
  readonly plan: readonly PlanStep[] | null;
  /** The agent's questions, oldest first. */
  readonly questions: readonly AgentQuestion[];
  readonly spending: Spending;
  /** Readings among the first so many messages of the transcript are sent as one line. It only grows. */
  readonly clearedBefore: number;
  /** Where the open proposals were last assessed: at this head, for this base branch. */
  readonly assessed: { readonly headSha: string; readonly baseRef: string };
  readonly branch: HeadBranch;
  /** Commits that carried this run's changes: the App's own, and pushes that contain nothing else. */
  readonly commits: readonly string[];
  readonly pullAuthor: Person | null;
  readonly agentNotes: readonly AgentNote[];
  /** Heads of pushes that are being read. The model gets no results before it can hear of these. */
  readonly unreadPushes: readonly string[];
  readonly denials: Denials;
  /** Commits of this run's changes by path, oldest first. They determine exactly how lines moved. */
  readonly appCommits: Readonly<Record<string, readonly AppCommit[]>>;
  /** The last reading of each file. `write_file` overwrites a file only as it was last read at the head. */
  readonly readings: readonly FileReading[];
  /** Keys of the last calls that were refused because a file would no longer parse. Sent again, people see them. */
  readonly syntaxRefusals: readonly string[];
  /** The model's closing words: before the end, its answers to words before the last ones. */
  readonly summary: string | null;
  readonly comment: PostedComment | null;
  /** Reviews by the App, oldest first. */
  readonly reviews: readonly PostedReview[];
};

export type Phase =
  /** Before the first request to the model: the worker reads what its first message shows. */
  | { readonly kind: 'reading-context'; readonly since: string }
  | AwaitingModel
  | { readonly kind: 'running-tools'; readonly turn: number }
  | { readonly kind: 'posting'; readonly turn: number }
  | { readonly kind: 'awaiting-decisions'; readonly turn: number }
  | AwaitingChecks
  | {
      readonly kind: 'ended';
      readonly reason: EndReason;
      readonly by: Person | null;
      readonly at: string;
      readonly note: string | null;
    };

type AwaitingModel = {
  readonly kind: 'awaiting-model';
  readonly turn: number;
  /** Time of the request. */
  readonly since: string;
  /** Null unless the next try of the request waits. */
  readonly delay: ModelDelay | null;
  /** The last answer, if it only seems done: the model is asked to go on or to close. Null otherwise. */
  readonly unfinished: string | null;
};

/** Why a request to the model is not repeated before `until` (ISO 8601). */
export type ModelDelay = { readonly cause: 'rate-limit' | 'unreachable' | 'failing'; readonly until: string };

export type EndReason =
  | 'finished'
  | 'stopped'
  | 'closed'
  | 'merged'
  | 'all-denied'
  | 'repeated-denied-change'
  | 'turn-limit'
  | SpendingLimit
  | 'model-failed'
  | 'posting-failed'
  | 'commit-mismatch'
  | 'expired'
  /** A question of the agent expired, and no change. */
  | 'unanswered'
  /** A person rejected a question of the agent. */
  | 'rejected'
  | 'access-lost';

/** A run that ended for one of these reasons can be resumed. The other ends were deliberate or leave nothing to do. */
const RESUMABLE_REASONS: ReadonlySet<EndReason> = new Set<EndReason>([
  'turn-limit',
  'token-limit',
  'cost-limit',
  'time-limit',
  'model-failed',
  'expired',
  'unanswered',
]);

/** A run that ended for one of these reasons did its part, and goes on when people write to it. */
const ANSWERING_REASONS: ReadonlySet<EndReason> = new Set<EndReason>([
  'finished',
  'all-denied',
  'repeated-denied-change',
  ...RESUMABLE_REASONS,
]);

/** Whether people can go on talking with a run that ended so. */
export function isAnswering(reason: EndReason): boolean {
  return ANSWERING_REASONS.has(reason);
}

export function isResumable(reason: EndReason): boolean {
  return RESUMABLE_REASONS.has(reason);
}

/** A person's request that starts a run. */
export type Task = {
  /** The person's own words. */
  readonly text: string;
  /** The text that the comment quotes; null if it quotes nothing. */
  readonly quote: string | null;
  readonly by: Person;
  readonly location: CommentLocation;
  /** The change of an earlier run below which it was written; absent elsewhere. */
  readonly about?: DecidedChange;
  /** GitHub's `created_at` of the comment. */
  readonly requestedAt: string;
};

/** A person's `/resume` of an ended run, or words to it. The run's limits start anew with it. */
export type Resumption = {
  readonly by: Person;
  /** GitHub's `created_at` of the comment. */
  readonly requestedAt: string;
  /** The last words to the ended run; null if there were none, so that its end is told to the requester. */
  readonly spoken: SpokenWords | null;
};

/** Words that an ended run went on with. Its next end is told to their author, without what was told before. */
type SpokenWords = {
  readonly by: Person;
  readonly location: CommentLocation;
  /** The run's responses and commits when they were written. */
  readonly turns: number;
  readonly commits: number;
};

/** Which denials hold against a change that is proposed again, and how often the model tried. */
type Denials = {
  /** Time of a person's last words to the agent, which lift earlier denials. */
  readonly liftedAt: string | null;
  /** Consecutive proposals that repeated a denied change. */
  readonly repeats: number;
};

export const NO_DENIALS: Denials = { liftedAt: null, repeats: 0 };

/** One line of the model's plan. */
export type PlanStep = { readonly text: string; readonly done: boolean };

/** News for the agent, delivered after the pending outcomes. */
export type AgentNote =
  | WordsNote
  /** Another person's push; `content` is null if GitHub no longer has it. */
  | {
      readonly kind: 'push';
      readonly by: Person;
      readonly before: string;
      readonly after: string;
      readonly content: PushContent | null;
    }
  /** An applied undo of a change, which can itself be an undo. */
  | {
      readonly kind: 'undo';
      readonly by: Person;
      readonly paths: readonly string[];
      readonly commitSha: string;
    }
  /** A question of a person that was answered beside the run. */
  | { readonly kind: 'question'; readonly by: Person; readonly question: string; readonly answer: string };

/** A person's comment for the agent. Only such a note keeps the run going. */
export type WordsNote = {
  readonly kind: 'words';
  readonly by: Person;
  readonly text: string;
  readonly at: string;
  /** The decided change below which they stand; null if they are about the whole. */
  readonly about: DecidedChange | null;
};

/** A change as the model is told about it: by path, outcome and diff, because it knows no id. */
export type DecidedChange = {
  readonly path: string;
  readonly outcome: 'applied' | 'denied' | 'expired';
  /** Whether the run that gets the words proposed it; an earlier run did otherwise. */
  readonly isOwn: boolean;
  /** Cut, and without secrets; null where there is none to show. */
  readonly diff: string | null;
};

/** One commit of a run to one file: the blobs before and after, and the replaced lines. */
export type AppCommit = {
  readonly blobBefore: string;
  readonly blobAfter: string;
  readonly ranges: readonly LineRange[];
};

/** A version of a file that `read_file` has read. The file before the pull request (`base`) is another one. */
export type FileReading = {
  readonly path: string;
  readonly ref: 'head' | 'base';
  readonly blob: string;
  /** The lines that the model was shown, so that none of them need be shown again. */
  readonly shown: readonly ShownLines[];
};

/** Lines that one output shows: 1-based, inclusive. */
export type ShownLines = { readonly first: number; readonly last: number };

/** The time (ISO 8601) at which something that the run posted expires undecided; null if it is not posted. */
export function expiresAt(run: Pick<Run, 'settings'> | null, postedAt: string | null): string | null {
  return run === null || postedAt === null ? null : expiryAfter(postedAt, run.settings.expiryHours);
}

/** The parts of an earlier run that the store keeps. */
export type FinishedRun = {
  readonly run: Pick<Run, 'task' | 'phase' | 'summary' | 'questions'>;
  readonly proposals: readonly DecidedProposal[];
};

/** The fields of a decided proposal that an earlier run shows. */
export type DecidedProposal = Pick<Proposal, 'state' | 'votes' | 'change'> & {
  readonly origin: Pick<Proposal['origin'], 'kind'>;
};
