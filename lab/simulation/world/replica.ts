import { createDeliveryHandler } from '../../../src/adapters/http/receive-delivery.ts';
import { RUN_RETENTION_MS } from '../../../src/adapters/store/cleanup.ts';
import type { DueTimes, Store } from '../../../src/adapters/store/store.ts';
import type { PullRequestRef, CommentLocation as Spot } from '../../../src/core/state/intent.ts';
import { type GitHub, GitHubError, ModelError, WRITE_TIMEOUT_MS } from '../../../src/core/state/ports.ts';
import type { WorkerContext } from '../../../src/worker/jobs/job.ts';
import { type ClaimedWork, claimNextEffect, claimNextPull } from '../../../src/worker/process-pull.ts';
import { createHeartbeat } from '../../../src/worker/recovery/heartbeat.ts';
import { createCurrentTextReader } from '../../../src/worker/recovery/lost-deliveries.ts';
import {
  createRecoveryMemory,
  RECOVERY_INTERVAL_MS,
  type RecoveryOptions,
  recoverLostDeliveries,
} from '../../../src/worker/recovery/recover-deliveries.ts';
import type { CaseFixture } from './fixture.ts';
import { WRITE_METHODS } from './github-port.ts';
import type { Random } from './random.ts';
import {
  type DeliveryAttemptLog,
  fixtureForPull,
  readBodyAt,
  requireActiveInstallation,
  type SimulatedGitHub,
  snapshotPull,
} from './simulated-github.ts';
import type { FaultKind, Trace } from './trace.ts';
import type { VirtualClock } from './virtual-clock.ts';

/** How often something goes wrong, for each call of a port. */
export type FaultRates = { readonly crash: number; readonly fault: number; readonly hang: number };

export const NO_FAULTS: FaultRates = { crash: 0, fault: 0, hang: 0 };

/** What a process talks to. */
type PortName = 'store' | 'github' | 'model';

/** Longest time of one call of each side (ms). */
const MAX_LATENCY_MS: Readonly<Record<PortName, number>> = { store: 4, github: 700, model: 20_000 };

/** Calls that are few, and matter: how much more often they go wrong. */
const FAULT_MULTIPLIERS = { commit: 6, createReview: 4, saveIfInboxEmpty: 4 } as const satisfies Partial<
  Record<keyof GitHub | keyof Store, number>
>;

function faultMultiplier(call: string): number {
  const multipliers: Readonly<Record<string, number>> = FAULT_MULTIPLIERS;
  return multipliers[call] ?? 1;
}

const REQUEST_TIMEOUT_MS = 15_000;

/** Past every lease. */
const HANG_MS = [5_000, 60_000] as const;

type ReplicaOptions = {
  readonly clock: VirtualClock;
  readonly random: Random;
  readonly trace: Trace;
  readonly faultRates: () => FaultRates;
  /** The process is gone: whatever it had under way never goes on. */
  readonly onCrash: () => void;
  /** GitHub told the installation to wait until then (ms), as the adapter hears it. */
  readonly onRateLimit: (until: number) => Promise<void>;
};

/** One process of the product: every call of its ports stops here until its time has come, and may be its last. */
export class Replica {
  readonly name: string;
  readonly #options: ReplicaOptions;
  #alive = true;
  #hangsUntil = 0;

  constructor(name: string, options: ReplicaOptions) {
    this.name = name;
    this.#options = options;
  }

  get isAlive(): boolean {
    return this.#alive;
  }

  /** Whether it does anything now. */
  get isAwake(): boolean {
    return this.#alive && this.#hangsUntil <= this.#options.clock.now;
  }

  /** Lets something happen later, if the process still lives then, and not while it hangs. */
  schedule(ms: number, run: () => void): void {
    const { clock } = this.#options;
    clock.schedule(ms, () => {
      if (!this.#alive) return;
      const left = this.#hangsUntil - clock.now;
      if (left > 0) this.schedule(left, run);
      else run();
    });
  }

  /** A port that is this process's own: the same methods, each through `call`. */
  wrapPort<Port extends object>(side: PortName, port: Port): Port {
    const calls = new Map<string | symbol, unknown>();
    return new Proxy(port, {
      get: (target, name) => {
        const known = calls.get(name);
        if (known !== undefined) return known;
        const method: unknown = Reflect.get(target, name);
        if (typeof method !== 'function') return method;
        const call = (...given: unknown[]) => this.call(side, String(name), () => Reflect.apply(method, target, given));
        calls.set(name, call);
        return call;
      },
    });
  }

  /** One call: some time passes, and it may be done, refused, or the last thing that the process ever did. */
  async call<Result>(side: PortName, name: string, act: () => Promise<Result>): Promise<Result> {
    const { clock, random } = this.#options;
    const asked = clock.now;
    await clock.suspend((goOn) => this.schedule(random.float() ** 3 * MAX_LATENCY_MS[side], goOn));
    abortIfTimedOut(side, name, clock.now - asked);
    const fate = this.#fate(side, name);
    if (fate !== null) this.#options.trace.add({ kind: 'fault', fault: fate, where: `${this.name} ${side}.${name}` });
    switch (fate) {
      case 'crash-before':
        return this.#die();
      case 'crash-after':
        await act();
        return this.#die();
      case 'fault-before':
        throw createPortError(side, clock.now, random);
      case 'fault-after':
        await act();
        throw createPortError(side, clock.now, random);
      case 'limit': {
        const until = clock.now + random.between(1_000, 60_000);
        await this.#options.onRateLimit(until);
        throw new GitHubError('a limit of the simulated GitHub', 429, until);
      }
      case 'hang':
        this.#hangsUntil = clock.now + random.between(...HANG_MS);
        await clock.suspend((goOn) => this.schedule(0, goOn));
        abortIfTimedOut(side, name, clock.now - asked);
        return act();
      case null:
        return act();
    }
  }

  #fate(
    side: PortName,
    name: string,
  ): Exclude<FaultKind, `delivery-${string}` | 'connection-cut' | 'stale-head'> | null {
    const { random, faultRates } = this.#options;
    const { crash, fault, hang } = faultRates();
    const roll = random.float() / faultMultiplier(name);
    if (roll < crash) return random.pick(['crash-before', 'crash-after']);
    if (roll < crash + hang) return 'hang';
    if (roll >= crash + hang + fault) return null;
    return random.pick(side === 'github' ? ['fault-before', 'fault-after', 'limit'] : ['fault-before', 'fault-after']);
  }

  /** Whoever waits for the answer waits for ever. */
  #die<Result>(): Promise<Result> {
    this.#alive = false;
    this.#options.onCrash();
    this.#options.clock.taskEnded();
    return new Promise(() => {});
  }
}

/** The product's own bound of a request: a process that hung before it was sent finds it aborted. */
function abortIfTimedOut(side: PortName, name: string, ms: number): void {
  const most = WRITE_METHODS.has(name) ? WRITE_TIMEOUT_MS : REQUEST_TIMEOUT_MS;
  if (side === 'github' && ms > most) throw new GitHubError('the request was aborted', null, null);
}

function createPortError(side: PortName, now: number, random: Random): Error {
  switch (side) {
    case 'store':
      return Object.assign(new Error('the simulated database went away'), { code: '57P01' });
    case 'github':
      return new GitHubError('the simulated GitHub went away', random.pick([null, 500, 502]), null);
    case 'model':
      return new ModelError('transient', 'the simulated model went away', random.chance(0.5) ? now + 5_000 : null);
  }
}

/** A process that works: what it shares with nobody, and when it looks for work. */
type WorkerLoopOptions = {
  readonly replica: Replica;
  readonly clock: VirtualClock;
  readonly trace: Trace;
  /** Its ports, each call of which goes through the replica. */
  readonly context: WorkerContext;
  /** The same store, for what costs a process nothing: waking up, and knowing when to look again. */
  readonly store: Pick<Store, 'onWorkAvailable' | 'nextDue'>;
};

const MAX_CONCURRENT = { exclusive: 2, concurrent: 3 } as const satisfies Record<keyof DueTimes, number>;

const NEVER_STOPPING = new AbortController().signal;

/** Lets a process look for work whenever there may be some, and carry out what it claims. */
export function startWorkers(options: WorkerLoopOptions): void {
  const { replica, context, store } = options;
  // What ended in one lane may have left work for the other one.
  const look = (ms: number): void => {
    lanes.exclusive(ms);
    lanes.concurrent(ms);
  };
  const lanes = {
    exclusive: startLane(options, 'exclusive', look, () =>
      claimNextPull({ context, workerName: replica.name, stopping: NEVER_STOPPING }),
    ),
    concurrent: startLane(options, 'concurrent', look, () =>
      claimNextEffect({ context, workerName: replica.name, stopping: NEVER_STOPPING }),
    ),
  };
  store.onWorkAvailable(() => look(0));
  look(0);
}

/** Looks after so many ms for work of this kind; a look that is planned for sooner makes a later one unnecessary. */
function startLane(
  options: WorkerLoopOptions,
  lane: keyof DueTimes,
  lookAgain: (ms: number) => void,
  claim: () => Promise<ClaimedWork | null>,
): (ms: number) => void {
  const { replica, clock, trace, store } = options;
  let underWay = 0;
  let planned = Number.POSITIVE_INFINITY;
  const look = (ms: number): void => {
    const at = Math.ceil(clock.now + ms);
    if (!replica.isAlive || planned <= at) return;
    planned = at;
    replica.schedule(ms, () => {
      if (planned <= clock.now) planned = Number.POSITIVE_INFINITY;
      if (underWay < MAX_CONCURRENT[lane]) clock.runTask(turn);
    });
  };
  /** As the product's own loop does: a claim is only tried where something is due. */
  const turn = async (): Promise<void> => {
    underWay += 1;
    try {
      const due = (await store.nextDue(clock.now))[lane];
      if (due === null) return;
      if (due > clock.now) return look(due - clock.now);
      const work = await claim();
      if (work === null) return look(20);
      look(1);
      await work();
      lookAgain(1);
    } catch (error) {
      trace.add({ kind: 'note', text: `${replica.name}: work failed: ${String(error)}` });
      lookAgain(1_000);
    } finally {
      underWay -= 1;
    }
  };
  return look;
}

type ReplicaRecoveryOptions = {
  readonly replica: Replica;
  readonly clock: VirtualClock;
  readonly simulatedGitHub: SimulatedGitHub;
  readonly fixture: CaseFixture;
  readonly log: DeliveryAttemptLog;
  /** The process's own view of the store. */
  readonly store: Store;
  /** Nothing can be lost any more: one whole sweep from here on is the last. */
  readonly isOver: () => boolean;
};

/**
 * People may be silent for days: each look is twice as far from the one before as that was, up to this; but one that failed
 * comes again soon, as it does in a process, or GitHub's log forgets meanwhile what a few of them in a row did not read.
 */
const MAX_RECOVERY_INTERVAL_MS = 24 * 60 * 60_000;

const NEVER_ABORTED = new AbortController().signal;

const NO_COUNTER = { inc() {} };

const SILENT_LOG = { debug() {}, info() {}, warn() {}, error() {} };

/** Lets a process look for lost webhooks when it begins, and again and again. */
export function startRecoveryLoop(options: ReplicaRecoveryOptions): void {
  const { replica, clock, isOver } = options;
  const memory = createRecoveryMemory();
  const given = recoveryOptions(options);
  const lookOnce = async (): Promise<'over' | 'looked' | 'failed'> => {
    // What an earlier look left over is worked off first, without reading the log again.
    const last = isOver() && memory.backlog.length === 0 && memory.scan === null;
    try {
      return (await recoverLostDeliveries(memory, given, NEVER_ABORTED)) === 'done' && last ? 'over' : 'looked';
    } catch {
      return 'failed';
    }
  };
  const look = async (pauseMs: number): Promise<void> => {
    const came = await lookOnce();
    if (came === 'over') return;
    const pause = came === 'failed' ? RECOVERY_INTERVAL_MS : pauseMs;
    replica.schedule(pause, () => clock.runTask(() => look(Math.min(pause * 2, MAX_RECOVERY_INTERVAL_MS))));
  };
  replica.schedule(0, () => clock.runTask(() => look(RECOVERY_INTERVAL_MS)));
}

function recoveryOptions({
  replica,
  clock,
  simulatedGitHub,
  fixture,
  log,
  store,
}: ReplicaRecoveryOptions): RecoveryOptions {
  const now = (): number => clock.now;
  const page = replica.wrapPort('github', {
    fetchComment: async (ref: PullRequestRef, place: Spot) => {
      requireActiveInstallation(simulatedGitHub, ref);
      return readBodyAt(snapshotPull(simulatedGitHub, fixtureForPull(fixture, ref.number)), place);
    },
  });
  return {
    ...{ store, now, log: SILENT_LOG, recoveredDeliveries: NO_COUNTER },
    heartbeat: createHeartbeat({ store, onDisconnect() {}, githubTime: now }),
    deliveries: replica.wrapPort('github', log.port),
    withCurrentText: createCurrentTextReader({ identity: fixture, fetchComment: page.fetchComment }),
    handleDelivery: createDeliveryHandler({
      store,
      identity: () => fixture,
      now,
      log: SILENT_LOG,
      deliveries: NO_COUNTER,
    }),
    githubTime: now,
  };
}

type CleanupLoopOptions = {
  readonly replica: Replica;
  readonly clock: VirtualClock;
  /** The process's own view of the store. */
  readonly store: Pick<Store, 'deleteExpired'>;
  /** When people had stopped talking (ms); null before that. */
  readonly faultFreeSince: () => number | null;
};

const FIRST_CLEANUP_MS = 60_000;

/** Each look is three times as far from the one before as that was, up to this. */
const MAX_CLEANUP_INTERVAL_MS = 10 * 86_400_000;

/** What is over is over some weeks after the last word. */
const ALL_EXPIRED_MS = RUN_RETENTION_MS + 40 * 86_400_000;

/** Lets a process forget what was kept long enough, until nothing can be left to be forgotten. */
export function startCleanupLoop({ replica, clock, store, faultFreeSince }: CleanupLoopOptions): void {
  const isDone = async (last: boolean): Promise<boolean> => {
    try {
      while (await store.deleteExpired(clock.now));
      return last;
    } catch {
      return false;
    }
  };
  const look = async (pauseMs: number): Promise<void> => {
    const since = faultFreeSince();
    if (await isDone(since !== null && clock.now > since + ALL_EXPIRED_MS)) return;
    replica.schedule(pauseMs, () => clock.runTask(() => look(Math.min(pauseMs * 3, MAX_CLEANUP_INTERVAL_MS))));
  };
  replica.schedule(FIRST_CLEANUP_MS, () => clock.runTask(() => look(FIRST_CLEANUP_MS)));
}
