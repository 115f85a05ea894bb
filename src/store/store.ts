import type { Wish } from '../budget/budget.ts';
import type { Limit } from '../budget/limits.ts';
import type { Intent, PullRef } from '../command/intent.ts';
import type { Notice } from '../command/notice.ts';
import type { Message } from '../prompt/message.ts';
import type { CommitEffect, Effect } from '../run/effect.ts';
import type { NamedProposals } from '../run/named-proposals.ts';
import type { Proposal } from '../run/proposal.ts';
import type { Pull, Run } from '../run/run.ts';
import type { Signal } from '../run/signal.ts';
import type { Step } from '../run/step.ts';

/** How an effect comes again: `now` and `notBefore` in ms since the epoch; `signal` is what it has to tell already. */
export type Delay = {
  readonly now: number;
  readonly notBefore: number;
  readonly error: string | null;
  readonly stoppedBy: StoppedBy;
  readonly signal: Signal | null;
};

/** What an attempt was stopped by: a fault of our own, a limit that ends by itself, or anything else. */
export type StoppedBy = 'us' | 'limit' | 'other';

/** A webhook delivery that means something. */
export type Delivery = {
  /** GitHub's `X-GitHub-Delivery`. */
  readonly id: string;
  readonly intent: Intent;
  /** What was said or done, whatever event brought it (`issue-comment:12`); null where only the delivery id counts. */
  readonly naturalKey: string | null;
};

/**
 * The right to work on one pull request until `leaseUntil` (ms); void for writing once `fence` and `mark` are no longer the
 * row's. A server that dies may forget a fence that it gave out and give it once more: the mark is nobody else's.
 */
export type Claim = {
  readonly pullKey: string;
  readonly fence: number;
  readonly mark: string;
  readonly leaseUntil: number;
};

/**
 * A signal in the inbox since `receivedAt` (ms); `id` is its place in the order. Of its `attempts`, all of which failed,
 * the last `faults` failed by a fault of our own.
 */
export type StoredSignal = {
  readonly id: number;
  readonly signal: Signal;
  readonly receivedAt: number;
  readonly attempts: number;
  readonly faults: number;
};

/** What the holder of a pull request has to do next. */
export type PullWork =
  | { readonly kind: 'signal'; readonly signal: StoredSignal }
  | { readonly kind: 'effect'; readonly effect: StoredEffect };

/** A pull request that was just claimed, and its first due signal as `nextWork` would give it; null where that has to be asked. */
export type Claimed = Claim & { readonly first: StoredSignal | null };

/**
 * Why a signal was put back, in words for operators. `ours`: neither GitHub nor the model was at fault, nor a database
 * that was away.
 */
export type Failure = { readonly words: string; readonly ours: boolean };

/** Why a signal was given up. People are told the id, and the log has it with the error. */
export type Fault = { readonly id: string; readonly words: string };

/** Of so many faults on one pull request people are told, whatever goes wrong there. */
export const TOLD_FAULTS = 10;

/** A signal that was given up, for operators to look at: whose it is and why, without its words. Times are ms. */
export type ParkedSignal = {
  readonly id: number;
  readonly pullKey: string;
  /** GitHub's `X-GitHub-Delivery`; null for an effect's outcome. */
  readonly deliveryId: string | null;
  readonly error: string;
  /** As people were told it; null for what was given up before there were any. */
  readonly faultId: string | null;
  /** Tries that failed before the last. */
  readonly attempts: number;
  readonly receivedAt: number;
  readonly parkedAt: number;
};

/** What follows when a signal is given up: what people are told, and what the pull request hears instead of it. */
export type Sequel = { readonly told: Effect | null; readonly outcome: Signal | null };

/**
 * An effect that is to be performed; `attempts` counts this one, `limited` those before that a limit stopped, `faults` the
 * last of those before, one after the other, that failed by a fault of our own. `since` is when it was wanted last
 * (ISO 8601): where an equal one was wanted at once while this waited, its faults count from there.
 */
export type StoredEffect = {
  readonly id: number;
  readonly pullKey: string;
  readonly effect: Effect;
  readonly attempts: number;
  readonly limited: number;
  readonly faults: number;
  readonly since: string;
};

/** GitHub's times (ms) between which webhooks may have been answered that this database knows nothing of. */
export type Doubt = { readonly since: number; readonly until: number };

/** The right to look for lost webhooks; `heardUntil` is GitHub's time (ms) up to which none is missing, null at first. */
export type SweepTurn = { readonly fence: number; readonly heardUntil: number | null; readonly doubt: Doubt | null };

/** Up to when (GitHub's time, ms; null: nowhere) a sweep has looked, and into what doubt. */
export type SweepProgress = { readonly until: number | null; readonly doubt: Doubt | null };

/** When the earliest undone work of each lane may be taken (ms); null where none waits. */
export type Due = { readonly pull: number | null; readonly free: number | null };

/** Work that was just stored and is due now: so many pull requests, or effects of the free lane. */
export type Hint = { readonly lane: keyof Due; readonly count: number };

/** For whom something is leased, and how long (ms) unless it is renewed. */
export type Lease = { readonly worker: string; readonly ms: number };

/**
 * What may happen to the pull request in the same step that saves it: given back where nothing else of it is due, and then
 * the first effect of the free lane that the step wants leased, where any may be (null: none).
 */
export type Ending = { readonly lease: Lease | null };

/** The claim is over; `effect` is leased to its former holder, and `pull` is what `load` would give at that moment, where known. */
export type GivenBack = { readonly kind: 'given-back'; readonly effect: StoredEffect | null; readonly pull?: Pull };

/** A run, whatever its pull request goes on with now, and what it proposed, oldest first. */
export type KnownRun = { readonly run: Run; readonly proposals: readonly Proposal[] };

/** What a save came to: nothing was written where it is `lost`, or signals wait. */
export type SaveResult = 'saved' | GivenBack | 'lost' | 'signals-waiting';

/**
 * Where everything lives. Times are ms since the epoch and come from the caller's clock, never from the database.
 * Every write of a claim's holder is fenced: it changes nothing once another worker holds the pull request.
 */
export type Store = {
  /** Stores deliveries durably, all or none; one answer each, in order. */
  receive(deliveries: readonly Delivery[], now: number): Promise<readonly ('stored' | 'duplicate')[]>;

  /**
   * Stores a notice durably for all pull requests that it concerns, as an outcome that comes before people's words;
   * a delivery is told once.
   */
  tellAll(deliveryId: string, notice: Notice, now: number): Promise<'stored' | 'duplicate'>;

  /** Those of these delivery ids under which something is stored. */
  knownDeliveries(ids: readonly string[]): Promise<ReadonlySet<string>>;
  /** Every pull request where a run goes on or a task waits. */
  activePulls(): Promise<readonly { readonly repositoryId: number; readonly number: number }[]>;
  /**
   * Wants of every pull request where something goes on that it catches up with what was said since GitHub's time `since`
   * (ISO 8601): of the first now, of each other one `pauseMs` after the one before; but of each as soon as it is worked
   * on anyway. Where the same is wanted already, nothing more is. Answers how many they are.
   */
  catchUpAll(since: string, now: number, pauseMs: number): Promise<number>;
  /**
   * Takes the turn to look for lost webhooks, for `leaseMs` or as long as this process lives; null while another one has
   * it, and, unless `early`, before the time that the last one named.
   */
  beginSweep(now: number, leaseMs: number, early: boolean): Promise<SweepTurn | null>;
  /** Gives the turn back; changes nothing once another process has had it. A doubt that has grown meanwhile stays whole. */
  endSweep(turn: SweepTurn, progress: SweepProgress, nextAt: number): Promise<void>;
  /**
   * Notes that the database is in use at GitHub's time `at` (ms). Where a process says so for the first time, or finds that
   * the database does not remember the `last` time it did, all since the one that it remembers is in doubt: it may be a
   * backup that was restored.
   */
  heartbeat(at: number, last: number | null): Promise<void>;

  /** Claims a pull request that has a due signal or a due effect of the pull lane, oldest work first. */
  claimPull(worker: string, now: number, leaseMs: number): Promise<Claimed | null>;
  /** Extends the lease; false once it is lost. */
  renew(claim: Claim, now: number, leaseMs: number): Promise<boolean>;
  /** Gives the pull request back; changes nothing once the claim is lost. */
  release(claim: Claim): Promise<void>;

  /** The pull request with its current run, that run's proposals, and any other that is named by id or comment id. */
  load(pullKey: string, named: NamedProposals): Promise<Pull>;
  /** A run of the pull request, the current one or an earlier one, with its proposals; null where it was forgotten. */
  loadRun(pullKey: string, runId: string): Promise<KnownRun | null>;
  /** Where the pull request is, whatever form the rest of it is stored in. */
  refOf(pullKey: string): Promise<PullRef>;
  transcript(runId: string): Promise<readonly Message[]>;

  /**
   * The next due signal: outcomes of effects first, then intents, each in the order received; none overtakes one that failed.
   * Where none is due, the next due effect of this pull request's lane, in order; its attempt is counted before it is
   * returned, and the first try to catch up is always due. Null where there is neither: then the claim is given back.
   */
  nextWork(claim: Claim, now: number): Promise<PullWork | null>;
  /**
   * When the earliest of what people said and is yet to be decided can be heard (ms): `now` where it is due, null where
   * nothing of theirs waits. Until it is null, `saveDirect` answers `signals-waiting`.
   */
  heldUntil(claim: Claim, now: number): Promise<number | null>;
  /** Every commit of the pull request that is wanted and not done yet, oldest first. */
  commitsWanted(pullKey: string): Promise<readonly CommitEffect[]>;
  /** When this pull request next asks for what no webhook told (ms, `now` at least); null where it has not to catch up. */
  unheardUntil(claim: Claim, now: number): Promise<number | null>;
  /**
   * Saves a decided signal and marks it done, in one transaction. With an `ending` the claim may be over with it: where it is
   * not, `nextWork` has more.
   */
  save(claim: Claim, signal: StoredSignal, step: Step, now: number, ending?: Ending): Promise<SaveResult>;
  /**
   * Saves a signal that was never in the inbox, and only while no due outcome and no intent at all waits for this pull
   * request. An intent that `receive` stores at the same time is either seen here or stored after this is saved.
   */
  saveDirect(claim: Claim, signal: Signal, step: Step, now: number): Promise<SaveResult>;
  /** Puts a signal back until `notBefore`; with a failure, that counts as an attempt and holds back later intents. */
  postponeSignal(claim: Claim, signal: StoredSignal, notBefore: number, failure: Failure | null): Promise<void>;
  /**
   * Gives a signal up: it stays in the table with its fault and blocks nothing. What the pull request hears instead, and
   * what people are told of the first `TOLD_FAULTS` of it, are stored in the same transaction.
   */
  parkSignal(claim: Claim, signal: StoredSignal, fault: Fault, sequel: Sequel, now: number): Promise<void>;
  /** What was given up, of any pull request, newest first, at most `most`. */
  parked(most: number): Promise<readonly ParkedSignal[]>;

  /** The next due effect of the free lane of any pull request, leased to this worker. */
  claimEffect(worker: string, now: number, leaseMs: number): Promise<StoredEffect | null>;
  /** Extends that lease; false once the effect is done or another worker has it. */
  renewEffect(effect: StoredEffect, now: number, leaseMs: number): Promise<boolean>;
  /**
   * Marks it done and stores its outcome as a signal, in one transaction. A repeated call changes nothing; what is known of a
   * commit is stored, once, though the effect was dropped. With a lease the pull
   * request is claimed along with it, the outcome first; null where it is not free, or another outcome comes before.
   */
  finishEffect(effect: StoredEffect, outcome: Signal | null, now: number, lease?: Lease): Promise<Claimed | null>;
  /**
   * Puts it back until `notBefore`, with a signal to tell meanwhile, in one transaction. Does nothing where another
   * worker took it since; of one that was dropped only what it knows of a commit is stored.
   */
  postponeEffect(effect: StoredEffect, delay: Delay): Promise<void>;

  /**
   * Counts a request that is about to be sent to GitHub, for all processes; or says until when (ms) work of its rank has
   * to wait in this installation. Such work is not given out before; it keeps its place.
   */
  spend(installationId: number, wish: Wish, limits: readonly Limit[], now: number): Promise<number | null>;
  /** GitHub told this installation to wait: nothing of it is given out before that time (ms). */
  rest(installationId: number, until: number): Promise<void>;

  /** When the earliest waiting work of each lane may be taken; of what is due after `now` only its own time is looked at. */
  nextDue(now: number): Promise<Due>;
  /**
   * Calls back when somebody may have stored work; null where it is not known what (another process did). A hint only: it may
   * get lost, and the work be somebody else's by then. Returns how to stop.
   */
  onWake(wake: (hint: Hint | null) => void): () => void;
  /**
   * Calls back, for as long as the process lives, as soon as the connection to the database breaks: what answers next may
   * be another server, which remembers less.
   */
  onCut(cut: () => void): void;
  /**
   * What the leases of this process go by now: null while that connection is opened anew, and then another one. What was taken
   * under an earlier one may be somebody else's, or unknown to the database. Nothing is given out while it is null.
   */
  tenure(): object | null;
  /**
   * Forgets a batch of what was kept long enough (`prune.ts`): dealt-with deliveries and effects, runs that are over, and
   * everything of an installation that was removed; never what the ledger proves. True where there is more.
   */
  prune(now: number): Promise<boolean>;
  /** Rejects where nothing can be stored: the database does not answer, or has not this version's form. */
  ping(): Promise<void>;
  close(): Promise<void>;
};
