import type { Place, PullRef } from '../command/intent.ts';
import type { Obstacles } from '../policy/branch-rules.ts';
import type { OwnEdit } from '../policy/own-history.ts';
import type { Settings } from '../policy/settings.ts';
import type { ToolCall, Usage } from '../prompt/message.ts';
import { isOpen, type Person, type PostedComment, type PostedReview, type Proposal } from './proposal.ts';

/** Raised when the stored form of a run changes; a run with another number is parked, never guessed. */
export const RUN_SCHEMA = 2;

/** Model responses a run may use before it stops and says so. */
export const TURN_LIMIT = 25;

/** One call of the batch: with the tools, before people, or answered for the model. */
export type Call = {
  readonly call: ToolCall;
  readonly status:
    | { readonly kind: 'using' }
    | { readonly kind: 'proposed'; readonly proposalId: string }
    /** Nobody decided in time: the model hears nothing of it, and `/resume` proposes the call again. */
    | { readonly kind: 'expired'; readonly proposalId: string }
    | { readonly kind: 'answered'; readonly output: string };
};

/** All tool calls of one model response. */
export type Batch = {
  readonly turn: number;
  /** What the model wrote beside its calls. */
  readonly text: string | null;
  readonly calls: readonly Call[];
  /** A person said `/continue`: the run goes on even where everything was denied. */
  readonly continued: boolean;
};

/** A person's words that the agent hears after the pending outcomes. */
export type Note = { readonly by: Person; readonly text: string; readonly at: string };

/** How a run ended. */
export type RunEnd =
  | 'finished'
  | 'stopped'
  | 'closed'
  | 'merged'
  | 'denied'
  | 'repeated'
  | 'turn-limit'
  | 'model-failed'
  | 'posting-failed'
  | 'commit-differs'
  | 'expired'
  | 'access-lost';

/** Ends that wait for a person's `/resume`; the others were somebody's will, or all that could be done. */
const RESUMABLE: ReadonlySet<RunEnd> = new Set<RunEnd>(['turn-limit', 'model-failed', 'expired']);

/** Whether a run that ended so may go on. */
export function isResumable(how: RunEnd): boolean {
  return RESUMABLE.has(how);
}

export type Phase =
  | { readonly kind: 'thinking'; readonly turn: number }
  | { readonly kind: 'using-tools'; readonly turn: number }
  | { readonly kind: 'posting'; readonly turn: number }
  | { readonly kind: 'waiting'; readonly turn: number }
  | {
      readonly kind: 'ended';
      readonly how: RunEnd;
      readonly by: Person | null;
      readonly at: string;
      readonly note: string | null;
    };

/** What a person asked for. */
export type Task = {
  readonly text: string;
  readonly by: Person;
  readonly place: Place;
  /** GitHub's `created_at` of the words. */
  readonly askedAt: string;
};

/** A person's `/resume` of a run that had ended: its limits begin anew with it. */
export type Resumption = {
  readonly by: Person;
  /** GitHub's `created_at` of the words. */
  readonly askedAt: string;
  /** Model responses that were used before it. */
  readonly turns: number;
};

/** A person's question about a run (`/ask`). */
export type Question = {
  readonly runId: string;
  readonly by: Person;
  readonly text: string;
  readonly place: Place;
};

/** One agent session on one pull request. */
export type Run = {
  readonly schema: typeof RUN_SCHEMA;
  readonly id: string;
  readonly task: Task;
  /** As they were when it began; who may decide is read again each time. */
  readonly settings: Settings;
  readonly phase: Phase;
  /** Model responses so far. */
  readonly turns: number;
  /** The last `/resume`; null where there was none. */
  readonly resumed: Resumption | null;
  /** Questions of people that were answered beside the run so far. */
  readonly questions: number;
  /** Messages appended to the transcript so far. */
  readonly messages: number;
  readonly batch: Batch | null;
  readonly usage: Usage;
  /** Head SHA that proposals were last judged against. */
  readonly head: string;
  readonly headRef: string;
  /** The base that open proposals are for. */
  readonly baseRef: string;
  /** Commits that carried this run's changes: the App's own, and pushes that were nothing else. */
  readonly commits: readonly string[];
  /** The head branch lies in another repository: nothing is ever written to it. */
  readonly fork: boolean;
  /** What GitHub's rules may prevent, as of the run's start. */
  readonly obstacles: Obstacles;
  /** Other open pull requests with the same head branch, as of the run's start: a commit changes them too. */
  readonly sameBranch: readonly number[];
  /** A rule refused a commit of this run: none is tried any more. */
  readonly pushRefused: boolean;
  readonly pullAuthor: Person | null;
  readonly notes: readonly Note[];
  /** When a person last told the agent something: what was denied before that may be proposed again. */
  readonly spokenAt: string | null;
  /** How often in a row it proposed what had been denied. */
  readonly repeats: number;
  /** The App's own commits to each path since it began, oldest first: what they moved is known to the line. */
  readonly ownEdits: Readonly<Record<string, readonly OwnEdit[]>>;
  /** Blob last read per path: what `write_file` needs before it may overwrite. */
  readonly read: Readonly<Record<string, string>>;
  /** The model's closing words. */
  readonly summary: string | null;
  readonly comment: PostedComment | null;
  /** Ours, oldest first. */
  readonly reviews: readonly PostedReview[];
  /** How often the run comment, or the text of one of the reviews, had to be put back. */
  readonly restorations: number;
};

/** Everything we know of one pull request that a decision may need. */
export type Pull = {
  readonly ref: PullRef;
  /** The run that is not over, or the last one that was. */
  readonly run: Run | null;
  /** Tasks that wait for the run to end, oldest first. */
  readonly queue: readonly Task[];
  /** Questions that wait for their answer, oldest first; the first is with the model. */
  readonly questions: readonly Question[];
  /** Of the current run, and those that the signal names; oldest first. */
  readonly proposals: readonly Proposal[];
  /** Proposals made on this pull request so far: the next id comes from it. */
  readonly proposalCount: number;
  /** People who were told once that they may not decide here. */
  readonly refused: readonly number[];
};

/** A pull request's key in the store: installation, repository and number. */
export function pullKey(ref: PullRef): string {
  return `${ref.installationId}/${ref.repositoryId}/${ref.number}`;
}

/** The run while it is not over. */
export function activeRun(pull: Pull): Run | null {
  return pull.run !== null && pull.run.phase.kind !== 'ended' ? pull.run : null;
}

/** Whether the App commits to the run's branch: never to a fork's, and no more once GitHub's rules refused a commit. */
export function isWritable({ fork, pushRefused }: Pick<Run, 'fork' | 'pushRefused'>): boolean {
  return !fork && !pushRefused;
}

/** Whether anything is there that the end of the pull request, or of our access to it, would end. */
export function goesOn(pull: Pull): boolean {
  return activeRun(pull) !== null || pull.queue.length > 0 || pull.proposals.some(isOpen);
}

/**
 * GitHub's time at which the first of what goes on was asked for, or shown: words of before do not concern it. Null where
 * nothing of it was.
 */
export function goesOnSince(pull: Pull): string | null {
  const tasks = [activeRun(pull)?.task ?? [], pull.queue].flat().map(({ askedAt }) => askedAt);
  const shown = pull.proposals.filter(isOpen).flatMap(({ proposedAt }) => proposedAt ?? []);
  const [first = null] = [...tasks, ...shown].toSorted((left, right) => Date.parse(left) - Date.parse(right));
  return first;
}

/** A pull request that nobody has spoken on yet. */
export function newPull(ref: PullRef): Pull {
  return { ref, run: null, queue: [], questions: [], proposals: [], proposalCount: 0, refused: [] };
}
