import type { CheckEvent } from '../../core/state/checks.ts';
import type { TranscriptMessage } from '../../core/state/conversation.ts';
import type { InstallationEvent, Intent, PullRequestRef } from '../../core/state/intent.ts';
import type { ReachedRunLimit, RunStart } from '../../core/state/limits.ts';
import type { Proposal } from '../../core/state/proposal.ts';
import type { PullState } from '../../core/state/pull-state.ts';
import type { FinishedRun, Run } from '../../core/state/run.ts';
import type { CommitEffect, Effect } from '../../core/step/effects.ts';
import type { ProposalSelector } from '../../core/step/facts.ts';
import type { Signal } from '../../core/step/signals.ts';
import type { Step } from '../../core/step/step.ts';
import type { DatabaseFacts } from './engine/inspect.ts';

/** Why an attempt failed: by an error of our own, a refusal of GitHub, or anything else, such as an outage. */
export type FailureKind = 'internal' | 'refusal' | 'other';

/** Internal errors of the last attempts in a row, and the time of the first refusal with no other failure since (ms). */
export type FailureCounts = { readonly internalErrors: number; readonly refusedSince: number | null };

/** The counts after another failure: any other kind restarts a count. A mere postponement (null) keeps them. */
export function countFailure(counts: FailureCounts, failure: FailureKind | null, now: number): FailureCounts {
  if (failure === null) return counts;
  return {
    internalErrors: failure === 'internal' ? counts.internalErrors + 1 : 0,
    refusedSince: failure === 'refusal' ? (counts.refusedSince ?? now) : null,
  };
}

/** How to retry an effect. Times are ms since the epoch; `signal` is an early result of the attempt. */
export type EffectRetry = {
  readonly now: number;
  readonly notBefore: number;
  readonly error: string;
  /** Null if the attempt was only postponed. */
  readonly failure: FailureKind | null;
  readonly signal: Signal | null;
};

/** A webhook delivery with an intent. */
export type InterpretedDelivery = {
  /** GitHub's `X-GitHub-Delivery`. */
  readonly id: string;
  readonly intent: Intent;
  /** Identifies the content across events, as in `issue-comment:12`; null if only the delivery id counts. */
  readonly contentKey: string | null;
  /** Stored with it if its repository is paused, once on the pull request for each pause. */
  readonly pausedReply?: Effect | undefined;
};

/**
 * The right to work on one pull request until `leaseUntil` (ms). Writes fail once the row has another fencing token.
 */
export type Claim = {
  readonly pullRequestKey: string;
  readonly fencingToken: number;
  readonly leaseUntil: number;
};

/** A signal in the inbox since `receivedAt` (ms), in the order of `id`. `attempts` counts failed attempts. */
export type StoredSignal = FailureCounts & {
  readonly id: number;
  readonly signal: Signal;
  readonly receivedAt: number;
  readonly attempts: number;
};

/** The next work of a claim's holder. */
export type PullWork =
  | { readonly kind: 'signal'; readonly signal: StoredSignal }
  | { readonly kind: 'effect'; readonly effect: StoredEffect };

/** Why a signal was postponed. */
export type AttemptFailure = { readonly now: number; readonly error: string; readonly failure: FailureKind };

/** The error of a dead letter. `id` is shown on GitHub and logged with the error. */
export type ErrorReport = { readonly id: string; readonly errorText: string };

/** Only the first internal errors of a pull request are reported there, so that a broken one is not flooded. */
export const MAX_REPORTED_ERRORS = 10;

/** Stored with a dead letter: the reply on GitHub, and the signal that replaces the lost one. */
export type DeadLetterFollowUp = { readonly reply: Effect | null; readonly signal: Signal | null };

/**
 * An effect to perform. `attempts` includes this attempt. If a duplicate that is due immediately is requested,
 * `requestedAt` (ISO 8601) changes to that time, and the counts restart.
 */
export type StoredEffect = FailureCounts & {
  readonly id: number;
  readonly pullRequestKey: string;
  readonly effect: Effect;
  readonly attempts: number;
  readonly requestedAt: string;
};

/** A current or earlier run with its proposals, oldest first. */
export type StoredRun = { readonly run: Run; readonly proposals: readonly Proposal[] };

/**
 * The outcome of a save. `lost`: the claim is lost, or the signal was already done. `run-limit-reached`: other runs
 * have filled a limit since the facts were read. Only `saved` has written anything.
 */
export type SaveResult = 'saved' | 'lost' | 'inbox-not-empty' | 'run-limit-reached';

/** Work that is claimed: signals and exclusive effects with their pull request, or a concurrent effect alone. */
export type WorkKind = 'pull' | 'effect';

export type WorkListener = (kind: WorkKind, atMost: number) => void;

/** For work of several pull requests. */
export const ANY_NUMBER = Number.POSITIVE_INFINITY;

/**
 * Everything that is persisted. Times are ms since the epoch, from the caller's clock and never from the database.
 * Every write with a claim is fenced: it changes nothing once another worker holds the pull request.
 */
export type Store = {
  /** Stores a delivery durably. A known id or content key makes it a duplicate, and nothing is changed for it. */
  receive(delivery: InterpretedDelivery, now: number): Promise<'stored' | 'duplicate'>;

  /**
   * Stores an event of an installation durably for all its affected pull requests, ahead of pending comments. A
   * repeated delivery is a duplicate.
   */
  broadcastToPulls(deliveryId: string, event: InstallationEvent, now: number): Promise<'stored' | 'duplicate'>;

  /** Tells the runs that wait for checks of this repository. Nothing is stored where none waits. */
  noticeChecks(event: CheckEvent, now: number): Promise<void>;

  /** Returns those of the delivery ids that are stored. */
  findKnownDeliveries(ids: readonly string[]): Promise<ReadonlySet<string>>;
  /** Voids the votes for all changes that are not committed, and all standing approvals: denials can be lost. */
  voidVotes(now: number): Promise<void>;
  /**
   * Begins a look for lost webhooks: none is missing up to `recoveredUntil` (ms; null at first). Returns null within
   * `intervalMs` of the last look of any process, unless `early`.
   */
  beginRecovery(
    now: number,
    intervalMs: number,
    early: boolean,
  ): Promise<{ readonly recoveredUntil: number | null } | null>;
  /** Ends a look that has found all that was lost until then (ms). */
  endRecovery(until: number): Promise<void>;

  /** Claims the unclaimed pull request with the oldest due signal or exclusive effect. */
  claimPull(now: number, leaseMs: number): Promise<Claim | null>;
  /** Extends the lease; false once it is lost. */
  renewClaim(claim: Claim, now: number, leaseMs: number): Promise<boolean>;
  /** Releases the pull request; changes nothing once the claim is lost. */
  releaseClaim(claim: Claim): Promise<void>;

  /**
   * Loads the pull request with its current run, that run's proposals, all open ones, and those named by id or comment
   * id.
   */
  load(pullRequestKey: string, named: ProposalSelector): Promise<PullState>;
  /** Loads a current or earlier run with its proposals; null if it was deleted. */
  loadRun(pullRequestKey: string, runId: string): Promise<StoredRun | null>;
  /** The newest other runs of the pull request with their decided changes, oldest first. */
  listEarlierRuns(pullRequestKey: string, runId: string, limit: number): Promise<readonly FinishedRun[]>;
  /** The limit of runs within 24 hours that keeps this run from starting; null if it can start. */
  findReachedRunLimit(ref: PullRequestRef, start: RunStart, now: number): Promise<ReachedRunLimit | null>;
  /** Loads the location of the pull request, also if its run has an unknown schema version. */
  loadRef(pullRequestKey: string): Promise<PullRequestRef>;
  loadTranscript(runId: string): Promise<readonly TranscriptMessage[]>;

  /**
   * Returns the next due signal: effect results first, then webhooks, each in order of arrival; a failed webhook holds
   * back the later ones. Otherwise returns the next due exclusive effect and counts the attempt. If there is neither, releases the claim and returns null.
   */
  nextWork(claim: Claim, now: number): Promise<PullWork | null>;
  /**
   * When the earliest pending webhook or `dead-lettered` signal can be handled (ms, at least `now`); null if none is
   * pending. Until then `saveIfInboxEmpty` returns `inbox-not-empty`.
   */
  nextCommentAt(claim: Claim, now: number): Promise<number | null>;
  /** All pending commits of the pull request, oldest first. */
  listPendingCommits(pullRequestKey: string): Promise<readonly CommitEffect[]>;
  /** Saves a decided signal and marks it done, in one transaction. A new run is counted and saved atomically. */
  save(claim: Claim, signal: StoredSignal, step: Step, now: number): Promise<SaveResult>;
  /**
   * Saves the step of a signal that was never in the inbox, and only if no effect result is due and no webhook,
   * `dead-lettered` signal is pending. A delivery that arrives meanwhile is either seen here or stored
   * after it. Stores ignore `signal`: a wrapper, such as the simulation's trace, records the cause of the step.
   */
  saveIfInboxEmpty(claim: Claim, signal: Signal, step: Step, now: number): Promise<SaveResult>;
  /** Postpones a signal until `notBefore`. With a failure, counts an attempt and holds back later webhooks. */
  postponeSignal(claim: Claim, signal: StoredSignal, notBefore: number, failure: AttemptFailure | null): Promise<void>;
  /**
   * Moves a signal to the dead letters, where it blocks nothing. The follow-up is stored in the same transaction; its
   * reply only for the first `MAX_REPORTED_ERRORS` of the pull request.
   */
  deadLetterSignal(
    claim: Claim,
    signal: StoredSignal,
    report: ErrorReport,
    followUp: DeadLetterFollowUp,
    now: number,
  ): Promise<void>;

  /** Leases the next due concurrent effect of any pull request to this worker. */
  claimEffect(now: number, leaseMs: number): Promise<StoredEffect | null>;
  /** Extends that lease; false once the effect is done or another worker has it. */
  renewEffect(effect: StoredEffect, now: number, leaseMs: number): Promise<boolean>;
  /**
   * Marks the effect done and stores its result as a signal, in one transaction. A repeated call changes nothing, nor
   * does an outdated attempt of an effect that only the newest one finishes. A cancelled effect can still report a
   * commit, once.
   */
  finishEffect(effect: StoredEffect, result: Signal | null, now: number): Promise<void>;
  /**
   * Postpones the effect until `notBefore` and stores its signal, in one transaction. Does nothing if another worker
   * has taken the effect. A cancelled effect can still report a commit, once.
   */
  postponeEffect(effect: StoredEffect, retry: EffectRetry): Promise<void>;

  /**
   * When the earliest pending work can start (ms), of one kind or of both: at its own time, and after a lease on it.
   * Null if none is pending.
   */
  nextDue(kind?: WorkKind | null): Promise<number | null>;
  /**
   * Calls back when this process has stored due work of so many claims at most. Another worker can be faster. Returns a
   * function that unsubscribes.
   */
  onWorkAvailable(listener: WorkListener): () => void;
  /**
   * Deletes a batch of expired rows (`cleanup.ts`): handled deliveries and effects, ended runs, and all data of
   * uninstalled accounts, and kept answers to questions; never the evidence in the ledger. Returns true if there is
   * more.
   */
  deleteExpired(now: number): Promise<boolean>;
  /** Rejects if the database does not answer, or if its schema is older than this version's. */
  ping(): Promise<void>;
  /**
   * Rejects if no delivery can be stored now: stores one and takes it back. Costlier than `ping`, so call it rarely.
   */
  rehearseReceive(now: number): Promise<void>;
  /** What the database is, and what keeps the App from working on it. */
  describe(): Promise<DatabaseFacts>;
  close(): Promise<void>;
};
