import type { PullChecks } from './checks.ts';

/**
 * Sizes of the texts that the model gets besides the task, in bytes of UTF-8 unless the name counts something. A text
 * that does not fit is cut or counted, and never an error.
 */
export const CONTEXT_LIMITS = {
  title: 1_000,
  description: 4_000,
  label: 100,
  labelCount: 20,
  changedFileCount: 300,
  instructions: 32_000,
  /** Larger files are not downloaded. */
  instructionFile: 256_000,
  instructionFileCount: 20,
  overview: 1_500,
  overviewDepth: 3,
  rootFileCount: 60,
  diff: 28_000,
  earlierRunCount: 5,
  earlierTask: 500,
  earlierChangeCount: 10,
  earlierReason: 300,
  /** Of a change that was not applied, so that it is not proposed again. */
  earlierDiff: 600,
  earlierAnswer: 300,
  /** Of the newest earlier run, which a task is often about. */
  newestAnswer: 2_000,
  earlierQuestionCount: 3,
  hunkLineCount: 40,
  hunk: 8_000,
  comments: 8_000,
  reviews: 24_000,
  excerptCount: 20,
  excerptLineCount: 80,
  /** Of all excerpts together. */
  excerpts: 16_000,
  quote: 2_000,
  pushDiff: 2_000,
  pushFileCount: 50,
  pushCount: 5,
  /** Of an answered question, for the run beside it. */
  noteQuestion: 500,
  noteAnswer: 1_500,
} as const;

/** The pull request as the model gets it: cleaned and bounded. */
export type PullSummary = {
  readonly title: string;
  readonly description: string;
  readonly author: string | null;
  readonly baseRef: string;
  readonly headRef: string;
  readonly headSha: string;
  readonly defaultBranch: string;
  readonly draft: boolean;
  readonly fork: boolean;
  readonly labels: readonly string[];
  readonly changedFiles: number;
};

/** The worker's readings for a run's first message: bounded, and without secrets and files that no tool reads. */
export type TaskContext = {
  readonly changed: Part<ChangedFiles>;
  readonly instructions: Part<readonly InstructionFile[]>;
  readonly overview: Part<Overview>;
  readonly diff: Part<DiffExcerpt>;
  readonly earlierRuns: Part<readonly EarlierRun[]>;
  /** The comments that the task is written among, or speaks of, as text; empty for none. */
  readonly discussion: Part<string>;
  /** The other reviews and open review threads that the task can mean, as text; empty for none. */
  readonly reviews: Part<string>;
  /** The code around the commented lines that the task can mean. */
  readonly code: Part<readonly CodeExcerpt[]>;
  /** The checks of the head and the base; null where GitHub does not show them. */
  readonly checks: Pick<PullChecks, 'head' | 'base'> | null;
  /** Whether the lines of the thread that the task was written in can be shown: no secret file had them before. */
  readonly areThreadLinesReadable: boolean;
};

/** One part of the context; `unreadable` if GitHub keeps refusing it, which does not stop the run. */
export type Part<Value> = { readonly kind: 'read'; readonly value: Value } | { readonly kind: 'unreadable' };

/** The files that the pull request changes; those without a row are counted. */
export type ChangedFiles = { readonly rows: readonly ChangedFile[]; readonly unlisted: number };

export type ChangedFile = {
  readonly path: string;
  readonly status: string;
  readonly added: number;
  readonly removed: number;
};

/** Whole files of a diff, in the order of the list, and the paths of those that did not fit. */
export type DiffExcerpt = {
  readonly files: readonly { readonly path: string; readonly patch: string }[];
  readonly omitted: readonly string[];
};

/** Whole lines of a file at the head, without secrets; `first` is the number of the first one. */
export type CodeExcerpt = { readonly path: string; readonly first: number; readonly lines: readonly string[] };

/** A file with instructions of the repository; `note` says what is missing of its text. */
export type InstructionFile = { readonly path: string; readonly text: string; readonly note: string | null };

/** The head at a glance: its directories, and the names in its root folder. */
export type Overview = {
  readonly directories: readonly DirectoryCount[];
  readonly rootFiles: readonly string[];
  readonly unlistedRootFiles: number;
};

/** A directory (empty: the root) with the number of files in and below it. */
export type DirectoryCount = { readonly path: string; readonly files: number };

/** An earlier run on the same pull request. */
export type EarlierRun = {
  readonly task: string;
  readonly by: string;
  /** Why it ended; null if it did not end. */
  readonly end: string | null;
  /** The agent's last words; null if it had none. */
  readonly answer: string | null;
  /** The agent's questions that people answered or rejected. */
  readonly asked: readonly EarlierQuestion[];
  readonly changes: readonly EarlierChange[];
  readonly unlistedChanges: number;
};

/** A question with the answer as the agent got it; `note` is what its author wrote beside it. */
type EarlierQuestion = {
  readonly question: string;
  readonly response: string;
  readonly by: string;
  readonly note: string | null;
};

/**
 * A decided change; `reasons` are the words of its deciders. `lines` are the removed and added rows of one that was not
 * applied; null where there are none to show.
 */
export type EarlierChange = {
  readonly change: string;
  readonly outcome: 'applied' | 'denied' | 'asked for something else';
  readonly lines: string | null;
  readonly by: readonly string[];
  readonly reasons: readonly string[];
};

/** `LEFT` is the version before the pull request. */
export type DiffSide = 'LEFT' | 'RIGHT';

/** The changes of a push; null if GitHub no longer has its commits. */
export type PushContent = {
  readonly files: readonly string[];
  readonly unlistedFiles: number;
  readonly diff: DiffExcerpt;
  /** The push removed commits from the branch. */
  readonly rewritten: boolean;
};

/** The context of a run whose repository could not be read. */
export const UNREADABLE_CONTEXT: TaskContext = {
  changed: { kind: 'unreadable' },
  instructions: { kind: 'unreadable' },
  overview: { kind: 'unreadable' },
  diff: { kind: 'unreadable' },
  earlierRuns: { kind: 'unreadable' },
  discussion: { kind: 'unreadable' },
  reviews: { kind: 'read', value: '' },
  code: { kind: 'read', value: [] },
  checks: null,
  areThreadLinesReadable: false,
};
