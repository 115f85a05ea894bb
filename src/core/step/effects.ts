import type { Reply } from '../../lib/trust.ts';
import type { IssuedCall } from '../state/conversation.ts';
import type { CommentLocation } from '../state/intent.ts';
import type { AnsweredThread } from '../state/proposal.ts';
import type { CheckRunMode } from '../state/settings.ts';
import type { PullSummary } from '../state/task-context.ts';
import type { Person } from '../state/vote.ts';

/**
 * An action outside the state machine. Effects are data: saved with the decision that requests them, performed
 * afterwards.
 */
export type Effect =
  /** Read what the model's first message shows. `pull` is the pull request as the run's start saw it, if it did. */
  | { readonly type: 'read-context'; readonly runId: string; readonly pull: PullSummary | null }
  /** Read what a push by another person changed. */
  | {
      readonly type: 'read-push';
      readonly runId: string;
      readonly by: Person;
      readonly before: string;
      readonly after: string;
    }
  /** At `at`, ask GitHub for the checks that the run waits for. `requestedAt` is the time of the decision. */
  | { readonly type: 'read-checks'; readonly runId: string; readonly at: string; readonly requestedAt: string }
  /** Send the transcript to the model. */
  | { readonly type: 'ask-model'; readonly runId: string; readonly turn: number }
  /** Ask the model a person's question, with the tools that read, until it answers. */
  | { readonly type: 'answer-side-question'; readonly questionId: string }
  /** Run the read-only calls, and compute the changes of gated calls at the head. */
  | { readonly type: 'run-tools'; readonly runId: string; readonly turn: number; readonly calls: readonly IssuedCall[] }
  /** Post these proposals together. */
  | {
      readonly type: 'post-proposals';
      readonly runId: string;
      /** Null for proposals that belong to no turn. */
      readonly turn: number | null;
      readonly proposalIds: readonly string[];
    }
  /** Post a question of the agent. */
  | { readonly type: 'post-question'; readonly runId: string; readonly turn: number; readonly questionId: string }
  /** Update the question's comment to its state. */
  | { readonly type: 'update-question-comment'; readonly runId: string; readonly questionId: string }
  /**
   * Commit the approved ones of these proposals in one commit, and give files to the agent that it may read.
   * `location` is the deciding comment; null for none.
   */
  | {
      readonly type: 'commit';
      readonly runId: string;
      readonly proposalIds: readonly string[];
      readonly location: CommentLocation | null;
    }
  /** Start the oldest queued task. */
  | { readonly type: 'start-next-task' }
  /** Update the proposal's comment to its state. Resolve its thread if the state is final. */
  | { readonly type: 'update-proposal-comment'; readonly proposalId: string }
  /**
   * Update the run comment. A `progress` update waits `PROGRESS_DELAY_MS`. The `first` one creates the comment and need
   * not search for an earlier one on its first attempt.
   */
  | { readonly type: 'update-run-comment'; readonly runId: string; readonly progress?: true; readonly first?: true }
  /**
   * Bring the check run and the label of the pull request up to date; with `mergeGroup`, give that commit of a merge queue
   * its check run instead.
   */
  | {
      readonly type: 'publish-waiting';
      readonly mode: CheckRunMode;
      readonly label: boolean;
      readonly mergeGroup?: string;
    }
  /** At GitHub's time `at`, remind of what expires soon, and let expire what is overdue. `requestedAt` is the time of the decision. */
  | { readonly type: 'check-deadlines'; readonly at: string; readonly requestedAt: string }
  /** Dismiss a review by the App that requested changes. */
  | { readonly type: 'dismiss-review'; readonly runId: string; readonly reviewId: number }
  | {
      readonly type: 'react';
      readonly location: CommentLocation;
      readonly content: 'eyes' | '+1';
      /** When the comment was written, by GitHub's clock. */
      readonly askedAt: string;
    }
  /** Post a reply, at most once per `onceKey` on the pull request or, by its prefix, in the repository. */
  | {
      readonly type: 'reply';
      readonly to: CommentLocation | { readonly at: 'pull-request' } | AnsweredPlace;
      readonly reply: Reply;
      readonly onceKey: string | null;
    };

/** The review thread that a commit answers. It is resolved after the reply, unless another open change answers it, too. */
type AnsweredPlace = { readonly at: 'answered-thread' } & Pick<AnsweredThread, 'rootId' | 'nodeId'>;

/** Prefix of an `onceKey` that counts for all pull requests together; the repository's id follows. */
export const ONCE_IN_REPOSITORY = 'repository:';

export type EffectType = Effect['type'];

export type CommitEffect = Extract<Effect, { type: 'commit' }>;

/**
 * `exclusive` effects run one at a time under the lease of the pull request. `concurrent` effects are slow; they hold
 * no lease on the pull request, and comments can overtake them.
 */
export const LANES = {
  'read-context': 'concurrent',
  'read-push': 'concurrent',
  'read-checks': 'concurrent',
  'ask-model': 'concurrent',
  'answer-side-question': 'concurrent',
  'run-tools': 'concurrent',
  'post-proposals': 'exclusive',
  'post-question': 'exclusive',
  'update-question-comment': 'exclusive',
  'start-next-task': 'exclusive',
  commit: 'exclusive',
  'update-proposal-comment': 'exclusive',
  'update-run-comment': 'exclusive',
  'publish-waiting': 'exclusive',
  'check-deadlines': 'exclusive',
  'dismiss-review': 'exclusive',
  react: 'exclusive',
  reply: 'exclusive',
} as const satisfies Record<EffectType, 'exclusive' | 'concurrent'>;

/** An effect that is not performed yet absorbs new ones with the same key; null if every effect counts. */
export function dedupeKey(effect: Effect): string | null {
  switch (effect.type) {
    case 'update-run-comment':
      return `update-run-comment:${effect.runId}`;
    case 'update-proposal-comment':
      return `update-proposal-comment:${effect.proposalId}`;
    case 'update-question-comment':
      return `update-question-comment:${effect.questionId}`;
    case 'check-deadlines':
      return `check-deadlines:${effect.at}`;
    case 'read-checks':
      return `read-checks:${effect.at}`;
    case 'publish-waiting':
      return `publish-waiting:${effect.mergeGroup ?? ''}`;
    case 'start-next-task':
      return effect.type;
    case 'read-context':
    case 'read-push':
    case 'ask-model':
    case 'answer-side-question':
    case 'run-tools':
    case 'post-proposals':
    case 'post-question':
    case 'commit':
    case 'dismiss-review':
    case 'react':
    case 'reply':
      return null;
  }
}

/** These post comments whose ids are stored with the result. */
const POSTING_EFFECTS: ReadonlySet<EffectType> = new Set<EffectType>(['post-proposals', 'post-question']);

/**
 * Whether an outdated attempt cannot finish the effect. It might have acted before the newest request that the effect
 * absorbed, or posted a comment that a later attempt did not find and posted again. Of others the first result counts.
 */
export function onlyNewestAttemptFinishes(effect: Effect): boolean {
  return dedupeKey(effect) !== null || POSTING_EFFECTS.has(effect.type);
}

/** Delay before an effect is first performed (ms). An equal effect without delay cuts it short. */
export function delayOf(effect: Effect): number {
  switch (effect.type) {
    case 'update-run-comment':
      return effect.progress ? PROGRESS_DELAY_MS : 0;
    case 'check-deadlines':
    case 'read-checks':
      return Math.max(0, Date.parse(effect.at) - Date.parse(effect.requestedAt));
    default:
      return 0;
  }
}

/** Bundles quick steps of the model into one edit, because every edit counts toward a rate limit. */
export const PROGRESS_DELAY_MS = 1_000;
