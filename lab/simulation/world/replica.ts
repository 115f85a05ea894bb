import { KNOWN_ERRORS, type KnownErrorName } from '../../../fakes/github/known-errors.ts';
import { createDeliveryHandler } from '../../../src/adapters/http/webhook-endpoint.ts';
import type { Store } from '../../../src/adapters/store/store.ts';
import { errorRowOf, type FailedRequest } from '../../../src/core/step/github-errors.ts';
import { ModelError } from '../../../src/core/step/model-port.ts';
import { type GitHub, GitHubError, WRITE_TIMEOUT_MS } from '../../../src/core/step/ports.ts';
import {
  createLookMemory,
  LOOK_INTERVAL_MS,
  type LookOptions,
  lookForDeliveries,
} from '../../../src/worker/deliveries.ts';
import type { WorkerContext } from '../../../src/worker/jobs/job.ts';
import { type ClaimedWork, claimNextEffect, claimNextPull } from '../../../src/worker/process-pull.ts';
import { SILENT_COUNTER, SILENT_LOG } from '../../shared/silent.ts';
import type { CaseFixture } from './fixture.ts';
import { WRITE_METHODS } from './github-port.ts';
import type { Random } from './random.ts';
import type { DeliveryAttemptLog, SimulatedGitHub } from './simulated-github.ts';
import type { FaultKind, Trace } from './trace.ts';
import type { VirtualClock } from './virtual-clock.ts';

/** Probabilities for each call of a port. */
export type FaultRates = { readonly crash: number; readonly fault: number; readonly hang: number };

export const NO_FAULTS: FaultRates = { crash: 0, fault: 0, hang: 0 };

type PortName = 'store' | 'github' | 'model';

/** The longest duration of one call (ms). */
const MAX_LATENCY_MS: Readonly<Record<PortName, number>> = { store: 4, github: 700, model: 20_000 };

/** Rare, important calls fail this many times more often. */
const FAULT_MULTIPLIERS = { commit: 6, createReview: 4, saveIfInboxEmpty: 4 } as const satisfies Partial<
  Record<keyof GitHub | keyof Store, number>
>;

function faultMultiplier(call: string): number {
  const multipliers: Readonly<Record<string, number>> = FAULT_MULTIPLIERS;
  return multipliers[call] ?? 1;
}

const REQUEST_TIMEOUT_MS = 15_000;

/** Hangs can outlast every lease. */
const HANG_MS = [5_000, 60_000] as const;

type ReplicaOptions = {
  readonly clock: VirtualClock;
  readonly random: Random;
  readonly trace: Trace;
  readonly faultRates: () => FaultRates;
  /** The process crashed. Its pending calls never continue. */
  readonly onCrash: () => void;
};

/** Calls that the App sends while another call of the same task is under way. */
const CALLS_BESIDE_OTHERS: ReadonlySet<PropertyKey> = new Set(['fetchVoteSources'] satisfies readonly (keyof GitHub)[]);

/** One process of the App. Each call of its ports takes virtual time and can fail, hang or crash the process. */
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

  /** False if the process crashed or hangs. */
  get isAwake(): boolean {
    return this.#alive && this.#hangsUntil <= this.#options.clock.now;
  }

  /** Runs a function later. A hang delays it, and a crash cancels it. */
  schedule(ms: number, run: () => void): void {
    const { clock } = this.#options;
    clock.schedule(ms, () => {
      if (!this.#alive) return;
      const remainingMs = this.#hangsUntil - clock.now;
      if (remainingMs > 0) this.schedule(remainingMs, run);
      else run();
    });
  }

  /** Returns a port whose methods all go through `call`. */
  wrapPort<Port extends object>(portName: PortName, port: Port): Port {
    const wrappers = new Map<string | symbol, unknown>();
    return new Proxy(port, {
      get: (target, name) => {
        const known = wrappers.get(name);
        if (known !== undefined) return known;
        const method: unknown = Reflect.get(target, name);
        if (typeof method !== 'function') return method;
        const wrapper = (...args: unknown[]) => {
          const perform = () => Reflect.apply(method, target, args);
          return CALLS_BESIDE_OTHERS.has(name)
            ? this.#callAtOnce(portName, perform)
            : this.call(portName, String(name), perform);
        };
        wrappers.set(name, wrapper);
        return wrapper;
      },
    });
  }

  /** Performs one call of a port after a random delay, with a random fault or none. */
  async call<Result>(portName: PortName, name: string, perform: () => Promise<Result>): Promise<Result> {
    const { clock, random } = this.#options;
    const startedAt = clock.now;
    await clock.suspend((resume) => this.schedule(random.float() ** 3 * MAX_LATENCY_MS[portName], resume));
    abortIfTimedOut(portName, name, clock.now - startedAt);
    const fault = this.#pickFault(portName, name);
    if (fault !== null) this.#options.trace.add({ kind: 'fault', fault, where: `${this.name} ${portName}.${name}` });
    switch (fault) {
      case 'crash-before':
        return this.#crash();
      case 'crash-after':
        await perform();
        return this.#crash();
      case 'fault-before':
        throw createPortError(portName, clock.now, random);
      case 'fault-after':
        await perform();
        throw createPortError(portName, clock.now, random);
      case 'limit': {
        const until = clock.now + Math.ceil(random.between(1_000, 60_000));
        throw new GitHubError('a limit of the simulated GitHub', 429, until);
      }
      case 'young-token':
        throw misleadingError(random.pick(['unknown-token', 'unknown-scope']), clock.now, {
          tokenAgeMs: random.integer(15_000),
        });
      case 'lagging-read':
        throw misleadingError('not-yet-there', clock.now, { missingMs: 0 });
      case 'hang':
        this.#hangsUntil = clock.now + random.between(...HANG_MS);
        await clock.suspend((resume) => this.schedule(0, resume));
        abortIfTimedOut(portName, name, clock.now - startedAt);
        return perform();
      case null:
        return perform();
    }
  }

  /** Performs a call without a delay, with a fault at times: the clock follows one call of each task. */
  async #callAtOnce<Result>(portName: PortName, perform: () => Promise<Result>): Promise<Result> {
    const { clock, random } = this.#options;
    if (random.chance(this.#options.faultRates().fault)) throw createPortError(portName, clock.now, random);
    return perform();
  }

  #pickFault(
    portName: PortName,
    name: string,
  ): Exclude<FaultKind, `delivery-${string}` | 'stale-head' | 'refused-by-rule'> | null {
    const { random, faultRates } = this.#options;
    const { crash, fault, hang } = faultRates();
    const roll = random.float() / faultMultiplier(name);
    if (roll < crash) return random.pick(['crash-before', 'crash-after']);
    if (roll < crash + hang) return 'hang';
    if (roll >= crash + hang + fault) return null;
    if (portName !== 'github') return random.pick(['fault-before', 'fault-after']);
    return random.pick([
      'fault-before',
      'fault-after',
      'limit',
      WRITE_METHODS.has(name) ? 'young-token' : random.pick(['young-token', 'lagging-read']),
    ]);
  }

  /** The returned promise stays pending. */
  #crash<Result>(): Promise<Result> {
    this.#alive = false;
    this.#options.onCrash();
    this.#options.clock.taskEnded();
    return new Promise(() => {});
  }
}

/** Applies the App's request timeout, which also ends requests that a hang delayed. */
function abortIfTimedOut(portName: PortName, name: string, ms: number): void {
  const maxMs = WRITE_METHODS.has(name) ? WRITE_TIMEOUT_MS : REQUEST_TIMEOUT_MS;
  if (portName === 'github' && ms > maxMs) throw new GitHubError('the request was aborted', null, null);
}

/** An answer that looks like a refusal. The App's own table says what it means at this age of the token and the thing. */
function misleadingError(
  name: KnownErrorName,
  now: number,
  ages: Pick<FailedRequest, 'tokenAgeMs' | 'missingMs'>,
): GitHubError {
  const { status, message } = KNOWN_ERRORS[name];
  const { meaning, waitMs } = errorRowOf({ status, detail: message, ...ages });
  return new GitHubError(message, status, waitMs === undefined ? null : now + waitMs, { meaning });
}

function createPortError(portName: PortName, now: number, random: Random): Error {
  switch (portName) {
    case 'store':
      return Object.assign(new Error('the simulated database went away'), { code: '57P01' });
    case 'github':
      return new GitHubError('the simulated GitHub went away', random.pick([null, 500, 502, 504]), null);
    case 'model':
      return new ModelError('transient', 'the simulated model went away', random.chance(0.5) ? now + 5_000 : null);
  }
}

/** A signal for one process: calls that a crash left pending stay its listeners, and with them their whole case. */
function neverAborted(): AbortSignal {
  return new AbortController().signal;
}

type WorkerLoopOptions = {
  readonly replica: Replica;
  readonly clock: VirtualClock;
  readonly trace: Trace;
  /** All calls of its ports go through the replica. */
  readonly context: WorkerContext;
  /** The store without the replica, because wake-ups and timers take no virtual time. */
  readonly store: Pick<Store, 'onWorkAvailable' | 'nextDue'>;
};

const MAX_CONCURRENT = { pulls: 2, effects: 3 } as const;

/** Makes a process look for due work, claim it and perform it. */
export function startWorkers({ replica, clock, trace, context, store }: WorkerLoopOptions): void {
  const worker = { context, stopping: neverAborted() };
  const running = { pulls: 0, effects: 0 };
  let scheduledAt = Number.POSITIVE_INFINITY;
  /** Looks for work after the given time (ms), unless an earlier look is scheduled. */
  function lookIn(ms: number): void {
    const at = Math.ceil(clock.now + ms);
    if (!replica.isAlive || scheduledAt <= at) return;
    scheduledAt = at;
    replica.schedule(ms, () => {
      if (scheduledAt <= clock.now) scheduledAt = Number.POSITIVE_INFINITY;
      clock.runTask(look);
    });
  }
  /** Like the App's worker loop, it claims up to its limits; what it leaves is found once something ends. */
  async function look(): Promise<void> {
    const due = await store.nextDue();
    if (due === null) return;
    if (due > clock.now) return lookIn(due - clock.now);
    clock.runTask(() => start('pulls', () => claimNextPull(worker)));
    clock.runTask(() => start('effects', () => claimNextEffect(worker)));
  }
  async function start(kind: keyof typeof running, claim: () => Promise<ClaimedWork | null>): Promise<void> {
    if (running[kind] >= MAX_CONCURRENT[kind]) return;
    running[kind] += 1;
    try {
      const work = await claim();
      if (work === null) return lookIn(20);
      lookIn(1);
      await work();
      lookIn(1);
    } catch (error) {
      trace.add({ kind: 'note', text: `${replica.name}: work failed: ${String(error)}` });
      lookIn(1_000);
    } finally {
      running[kind] -= 1;
    }
  }
  store.onWorkAvailable(() => lookIn(0));
  lookIn(0);
}

type ReplicaRecoveryOptions = {
  readonly replica: Replica;
  readonly clock: VirtualClock;
  readonly simulatedGitHub: SimulatedGitHub;
  readonly fixture: CaseFixture;
  readonly deliveryLog: DeliveryAttemptLog;
  /** The process's own view of the store. */
  readonly store: Store;
  /** No more deliveries can be lost. The next complete recovery is the last. */
  readonly isOver: () => boolean;
};

/**
 * Conversations can pause for days, so the interval doubles up to this limit. A failed recovery is retried after the
 * shortest interval, as in the App: otherwise GitHub's log could expire after a few failures in a row.
 */
const MAX_RECOVERY_INTERVAL_MS = 24 * 60 * 60_000;

/** Makes a process look for lost webhooks at its start and then repeatedly. */
export function startRecoveryLoop(options: ReplicaRecoveryOptions): void {
  const { replica, clock, isOver } = options;
  const memory = createLookMemory();
  const appOptions = lookOptions(options);
  const look = async (): Promise<'finished' | 'continues' | 'failed'> => {
    const isLast = isOver();
    try {
      return (await lookForDeliveries(memory, appOptions)) === 'done' && isLast ? 'finished' : 'continues';
    } catch {
      return 'failed';
    }
  };
  const runOnce = async (nextIntervalMs: number): Promise<void> => {
    const result = await look();
    if (result === 'finished') return;
    const intervalMs = result === 'failed' ? LOOK_INTERVAL_MS : nextIntervalMs;
    replica.schedule(intervalMs, () =>
      clock.runTask(() => runOnce(Math.min(intervalMs * 2, MAX_RECOVERY_INTERVAL_MS))),
    );
  };
  replica.schedule(0, () => clock.runTask(() => runOnce(LOOK_INTERVAL_MS)));
}

function lookOptions({ replica, clock, fixture, deliveryLog, store }: ReplicaRecoveryOptions): LookOptions {
  const now = (): number => clock.now;
  const delivered = { store, identity: () => fixture, now, log: SILENT_LOG, deliveries: SILENT_COUNTER };
  return {
    ...{ store, now, log: SILENT_LOG, recoveredDeliveries: SILENT_COUNTER, intervalMs: LOOK_INTERVAL_MS },
    deliveries: replica.wrapPort('github', deliveryLog.port),
    handleDelivery: createDeliveryHandler(delivered),
  };
}
