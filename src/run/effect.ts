import type { Rank } from '../budget/limits.ts';
import type { Place } from '../command/intent.ts';
import type { ToolCall } from '../prompt/message.ts';
import type { Answer } from './answer.ts';
import type { Question } from './run.ts';

/** Something to do outside. Effects are data: saved with the decision that wants them, performed afterwards. */
export type Effect =
  /** Send the transcript to the model. */
  | { readonly type: 'ask-model'; readonly runId: string; readonly turn: number }
  /** Put a person's question to the model, on a copy of its transcript. */
  | { readonly type: 'ask-question'; readonly question: Question }
  /** Read for the model, and work out what its gated calls would change at the head. */
  | { readonly type: 'use-tools'; readonly runId: string; readonly turn: number; readonly calls: readonly ToolCall[] }
  /** Post these proposals together. */
  | {
      readonly type: 'post-review';
      readonly runId: string;
      /** Null for what belongs to no turn. */
      readonly turn: number | null;
      readonly proposalIds: readonly string[];
    }
  /** Commit what is approved of these, in one commit. `place` is where the deciding words stand; null for none. */
  | {
      readonly type: 'commit';
      readonly runId: string;
      readonly proposalIds: readonly string[];
      readonly place: Place | null;
    }
  /** Begin with the oldest queued task. */
  | { readonly type: 'start-next' }
  /** Make the proposal's comment say what became of it; resolve its thread once that is final. */
  | { readonly type: 'show-proposal'; readonly proposalId: string }
  /**
   * Make the run comment say how the run stands. What is only `progress` waits `PROGRESS_MS`; the `first` of a run creates the
   * comment, which cannot stand there before its first try.
   */
  | { readonly type: 'show-run'; readonly runId: string; readonly progress?: true; readonly first?: true }
  /** After `THREAD_GRACE_MS`, see whether the thread that somebody resolved still is. */
  | { readonly type: 'see-thread'; readonly proposalId: string; readonly since: string }
  /** At GitHub's time `at`, see what is to be reminded of or has waited long enough; `wantedAt` is the time of the wish. */
  | { readonly type: 'see-deadline'; readonly at: string; readonly wantedAt: string }
  /**
   * Hear what was said since GitHub's time `since` (null: since what goes on was asked for), and see how the pull request
   * stands: webhooks may be lost for good. With `expiring`, what nobody decided in time expires after that.
   */
  | { readonly type: 'catch-up'; readonly since: string | null; readonly expiring: boolean }
  /** Let expire what nobody decided in time. */
  | { readonly type: 'expire' }
  /** The head moved: see whose suggestion blocks GitHub has put out of date, after `OUTDATED_MS`. */
  | { readonly type: 'see-outdated'; readonly runId: string }
  /** Make the text of a review of ours say again what we wrote. */
  | { readonly type: 'show-review'; readonly runId: string; readonly reviewId: number }
  /** Take the force from a review of ours that asked for changes. */
  | { readonly type: 'dismiss-review'; readonly runId: string; readonly reviewId: number }
  | { readonly type: 'react'; readonly place: Place; readonly content: 'eyes' | '+1' }
  /** One visible answer. With `once`, never a second one under that key. */
  | {
      readonly type: 'answer';
      readonly to: Place | { readonly at: 'pull' };
      readonly answer: Answer;
      readonly once: string | null;
    };

export type EffectType = Effect['type'];

/** A commit that is wanted. */
export type CommitEffect = Extract<Effect, { type: 'commit' }>;

/**
 * Effects of the `pull` lane are performed one by one by whoever holds the pull request;
 * those of the `free` lane take long, hold nothing, and may be overtaken by people's words.
 */
export const LANES = {
  'ask-model': 'free',
  'ask-question': 'free',
  'use-tools': 'free',
  'post-review': 'pull',
  'start-next': 'pull',
  commit: 'pull',
  'show-proposal': 'pull',
  'show-run': 'pull',
  'see-thread': 'pull',
  'see-outdated': 'pull',
  'see-deadline': 'pull',
  'catch-up': 'pull',
  expire: 'pull',
  'show-review': 'pull',
  'dismiss-review': 'pull',
  react: 'pull',
  answer: 'pull',
} as const satisfies Record<EffectType, 'pull' | 'free'>;

/** What an effect is for: what only tells people something waits first, and is given up where GitHub never takes it. */
export const RANK_OF = {
  'ask-model': 'act',
  'ask-question': 'act',
  'use-tools': 'act',
  'post-review': 'act',
  'start-next': 'act',
  commit: 'act',
  'show-proposal': 'tell',
  'show-run': 'tell',
  'see-thread': 'act',
  'see-deadline': 'act',
  expire: 'act',
  'catch-up': 'act',
  'see-outdated': 'tell',
  'show-review': 'act',
  'dismiss-review': 'act',
  react: 'tell',
  answer: 'tell',
} as const satisfies Record<EffectType, Rank>;

/** The key under which an undone effect swallows an equal one; null where each is its own. */
export function coalescingKey(effect: Effect): string | null {
  switch (effect.type) {
    case 'show-run':
      return `show-run:${effect.runId}`;
    case 'show-proposal':
      return `show-proposal:${effect.proposalId}`;
    case 'show-review':
      return `show-review:${effect.reviewId}`;
    case 'see-outdated':
      return `see-outdated:${effect.runId}`;
    case 'see-deadline':
      return `see-deadline:${effect.at}`;
    case 'catch-up':
      return `catch-up:${effect.since}:${effect.expiring}`;
    case 'start-next':
    case 'expire':
      return effect.type;
    case 'ask-model':
    case 'ask-question':
    case 'use-tools':
    case 'post-review':
    case 'commit':
    case 'see-thread':
    case 'dismiss-review':
    case 'react':
    case 'answer':
      return null;
  }
}

/** For whoever pressed the wrong button, or meant to say that it is done. */
export const THREAD_GRACE_MS = 60_000;

/** GitHub works out a while after a push where threads stand. */
export const OUTDATED_MS = 10_000;

/**
 * Between two pull requests that catch up together: each takes some four requests, of which as many are sent at most
 * meanwhile.
 */
export const CATCH_UP_PAUSE_MS = 6_000;

/** What a quick model does within so long is shown together: people read no faster, and every edit counts for a limit. */
export const PROGRESS_MS = 1_000;

/**
 * How long an effect waits before it is first performed (ms). Where an equal one is wanted at once meanwhile, it waits no
 * longer.
 */
export function delayOf(effect: Effect): number {
  switch (effect.type) {
    case 'show-run':
      return effect.progress ? PROGRESS_MS : 0;
    case 'see-outdated':
      return OUTDATED_MS;
    case 'see-thread':
      return THREAD_GRACE_MS;
    case 'see-deadline':
      return Math.max(0, Date.parse(effect.at) - Date.parse(effect.wantedAt));
    default:
      return 0;
  }
}
