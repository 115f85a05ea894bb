import type { FailureCounts, FailureKind, Store, StoredEffect } from '../../adapters/store/store.ts';
import type { Logger } from '../../adapters/telemetry/log.ts';
import type { OperatorSettings } from '../../core/settings/operator-file.ts';
import type { PullRequestRef } from '../../core/state/intent.ts';
import type { Proposal } from '../../core/state/proposal.ts';
import type { PullState } from '../../core/state/pull-state.ts';
import type { Effect } from '../../core/step/effects.ts';
import { type AppIdentity, NO_PROPOSALS, type PullFacts } from '../../core/step/facts.ts';
import type { Model } from '../../core/step/model-port.ts';
import type { Clock, GitHub, GitHubApp } from '../../core/step/ports.ts';
import type { Signal } from '../../core/step/signals.ts';
import type { RepoLinks } from '../../lib/format.ts';

/** One attempt to perform an effect. */
export type Job<Type extends Effect['type'] = Effect['type']> = {
  readonly context: WorkerContext;
  readonly stored: StoredEffect;
  readonly effect: Extract<Effect, { type: Type }>;
  /** Number of this attempt, from 1. A later one must first look for the writes of earlier attempts. */
  readonly attempts: number;
  /** Aborts when the process stops. */
  readonly stopping: AbortSignal;
  /** Decides a signal in the middle of the effect; null if comments are pending and must be handled first. */
  readonly decideNow: (signal: Signal) => Promise<PullState | null>;
  /** When pending comments of the pull request can be handled (ms); null if there are none. */
  readonly pendingCommentsDueAt: () => Promise<number | null>;
};

/** The services and settings of a worker. */
export type WorkerContext = {
  readonly store: Store;
  readonly githubApp: GitHubApp;
  readonly model: Model;
  readonly clock: Clock;
  readonly log: Logger;
  readonly self: AppIdentity;
  /** Random text that nobody outside knows. */
  readonly idKey: string;
  /** Whether the operator serves the repositories of this account. */
  readonly isServedOwner: (owner: string) => boolean;
  /** The operator's settings as they are now. A repository's settings hold only within them. */
  readonly operatorSettings: () => OperatorSettings;
  /** Addresses of a repository's pages. */
  readonly links: (ref: PullRequestRef) => RepoLinks;
  readonly recordMetric: (event: MetricEvent) => void;
};

/**
 * A decided signal, an attempt of an effect, or how long people waited for the App. Labels come from closed lists and
 * never name a repository or person.
 */
export type MetricEvent =
  | { readonly kind: 'signal'; readonly reason: string }
  | { readonly kind: 'effect'; readonly effect: string; readonly outcome: string }
  | { readonly kind: 'wait'; readonly until: 'reaction' | 'commit'; readonly seconds: number };

/** Access to one pull request, for reading files and posting comments. */
export type PullContext = { readonly github: GitHub };

/** Access to one pull request and to the rules of its repository. */
export type RulesContext = PullContext & Pick<WorkerContext, 'operatorSettings'>;

/**
 * The result of an attempt: done, with an optional signal; or a retry at `retryAt` (ms), perhaps with a signal that is
 * stored at once. `failure` is null if nothing failed.
 */
export type EffectResult =
  | { readonly kind: 'done'; readonly signal: Signal | null; readonly isGivenUp?: true }
  | {
      readonly kind: 'retry';
      readonly retryAt: number;
      readonly error: string;
      readonly failure: FailureKind | null;
      readonly signal?: Signal;
    };

export const DONE: EffectResult = { kind: 'done', signal: null };

/** Loads the pull request with its open proposals and those of its current run. */
export function loadJobPull({ context, stored }: Pick<Job, 'context' | 'stored'>): Promise<PullState> {
  return context.store.load(stored.pullRequestKey, NO_PROPOSALS);
}

/**
 * The result of an effect that read the pull request as closed, because its webhook is late or lost; null if it is
 * open. `attempted` are the changes of a commit attempt.
 */
export function resultIfClosed(
  { state }: Pick<PullFacts, 'state'>,
  attempted: readonly Proposal[] = [],
): { readonly kind: 'done'; readonly signal: Signal } | null {
  if (state === 'open') return null;
  return { kind: 'done', signal: { type: 'found-closed', state, proposalIds: attempted.map(({ id }) => id) } };
}

/** The age of the request (ms). An equal request meanwhile renews it. */
export function msSinceRequested({ context, stored }: Pick<Job, 'context' | 'stored'>): number {
  return context.clock.now() - Date.parse(stored.requestedAt);
}

/** For how long GitHub has refused the request (ms), so that the time of an outage does not count. */
export function msRefused({ context, stored }: Pick<Job, 'context'> & { readonly stored: FailureCounts }): number {
  return stored.refusedSince === null ? 0 : context.clock.now() - stored.refusedSince;
}

export type RetryResult = Extract<EffectResult, { kind: 'retry' }>;

/** Pending comments are usually handled at once, because signals come before effects. */
const COMMENT_DELAY_MS = 100;

/** Retries the effect after the pending comments, which can be handled at `dueAt` (ms; null if unknown). */
export function retryAfterComments({ context }: Pick<Job, 'context'>, dueAt: number | null): RetryResult {
  return {
    kind: 'retry',
    retryAt: Math.max(dueAt ?? 0, context.clock.now() + COMMENT_DELAY_MS),
    error: 'pending comments go first',
    failure: null,
  };
}
