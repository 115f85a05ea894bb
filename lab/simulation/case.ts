import type { Store } from '../../src/adapters/store/store.ts';
import type { Logger } from '../../src/adapters/telemetry/log.ts';
import { NO_OPERATOR_SETTINGS } from '../../src/core/settings/operator-file.ts';
import type { PullRequestRef } from '../../src/core/state/intent.ts';
import { pullRequestKey } from '../../src/core/state/pull-state.ts';
import type { Model } from '../../src/core/step/model-port.ts';
import type { GitHub } from '../../src/core/step/ports.ts';
import { END_CHECK_MS } from '../../src/worker/effects/ask-model.ts';
import type { WorkerContext } from '../../src/worker/jobs/job.ts';
import { SILENT_LOG } from '../shared/silent.ts';
import type { PlayedCase } from './checks/evidence.ts';
import type { Overrides } from './mutants/mutant.ts';
import { CHECK_NAMES, startCi } from './world/checks.ts';
import { type Habit, startConversation } from './world/conversation.ts';
import type { CaseDatabase } from './world/database.ts';
import { type CaseFixture, createCaseFixture, type ExtraContent, GITHUB_URL, START_TIME } from './world/fixture.ts';
import {
  createGitHubPort,
  pickStaleHeadWindows,
  type StaleHeadWindow,
  withStaleHead,
  withWriteGuard,
} from './world/github-port.ts';
import { PERSON_ACTIONS, type WeightedActions } from './world/person-actions.ts';
import { createRandom, type Random } from './world/random.ts';
import { createRandomModel } from './world/random-model.ts';
import { type FaultRates, NO_FAULTS, Replica, startRecoveryLoop, startWorkers } from './world/replica.ts';
import {
  createDeliveryAttemptLog,
  type DeliveryAttemptLog,
  findInstallation,
  SimulatedGitHub,
} from './world/simulated-github.ts';
import { createTrace, type Trace, traceStore } from './world/trace.ts';
import { VirtualClock } from './world/virtual-clock.ts';
import { createWebhookSender, type DeliveryTarget } from './world/webhooks.ts';

type CaseOptions = {
  readonly seed: number;
  readonly database: CaseDatabase;
  readonly overrides?: Overrides;
  readonly cast?: Cast;
};

/** Who takes part in a case and with what; another program can play its own. */
export type Cast = {
  readonly createModel: typeof createRandomModel;
  readonly content?: ExtraContent;
  readonly actions: WeightedActions;
  readonly hasSecondThoughts: boolean;
  /** Names of another App's checks. */
  readonly checkNames?: readonly string[];
  /** Part of the cases has faults of calls, processes and deliveries. */
  readonly hasFaults: boolean;
  readonly log: Logger;
};

const RANDOM_CAST: Cast = {
  createModel: createRandomModel,
  actions: PERSON_ACTIONS,
  hasSecondThoughts: true,
  hasFaults: true,
  log: SILENT_LOG,
};

/** So that another App's checks are as random as the rest. */
const CI_SEED = 1_000_003;

/** Above the maximum ever needed: a suspension lasts up to eight days, and the App tries each effect once a minute. */
const MAX_EVENTS = 2_000_000;

const BASE_FAULT_RATES: FaultRates = { crash: 0.004, fault: 0.03, hang: 0.004 };

/** The share of cases with a pull request from a fork. */
const FORK_PROBABILITY = 0.12;

/** Webhooks have the times of the API in most cases. */
const SKEWS = [0, 0, 0, -3, -1, 1, 3];

/** By this time after the end of the conversation every delivery has been attempted. */
const MAX_DELIVERY_DELAY_MS = 300_000;

const LONG_SUSPENSION_MS = 3_600_000;

/** The shares of cases with a habit. */
const HABIT_PROBABILITIES: readonly (readonly [Habit, number])[] = [
  ['suspend', 0.05],
  ['require-two', 0.2],
  ['gate-readings', 0.15],
];

function drawHabits(random: Random): readonly Habit[] {
  return HABIT_PROBABILITIES.flatMap(([habit, probability]) => (random.chance(probability) ? [habit] : []));
}

/** Faults are more frequent right after a suspension, while the App retries the requests that GitHub refused. */
const AFTER_REACTIVATION = { factor: 5, ms: 12 * 60_000 } as const;

/** Shared by all parts of one case. */
type CaseState = {
  readonly random: Random;
  readonly clock: VirtualClock;
  readonly trace: Trace;
  readonly fixture: CaseFixture;
  readonly simulatedGitHub: SimulatedGitHub;
  readonly cast: Cast;
  readonly model: Model;
  readonly database: CaseDatabase;
  readonly overrides: Overrides;
  readonly targets: Map<Replica, DeliveryTarget>;
  readonly reasons: Map<string, number>;
  readonly deliveryLog: DeliveryAttemptLog;
  faultRates: FaultRates;
  deliveryFaultRate: number;
  recoversWebhooks: boolean;
  /** The end of the conversation and of all faults (ms), or null. */
  faultFreeSince: number | null;
  /** The last end of a suspension or removal of the App (ms). */
  reactivatedAt: number;
  staleHeadWindows: readonly StaleHeadWindow[];
  replicaCount: number;
};

/** Plays one case. The seed determines all random choices. */
export async function playCase({
  seed,
  database,
  overrides = {},
  cast = RANDOM_CAST,
}: CaseOptions): Promise<PlayedCase> {
  const state = createCaseState(seed, database, overrides, cast);
  const { random, clock, trace, fixture, simulatedGitHub } = state;
  const hasFaults = cast.hasFaults && random.chance(0.75);
  if (hasFaults && random.chance(0.6)) state.staleHeadWindows = pickStaleHeadWindows(random, START_TIME);
  state.faultRates = hasFaults ? scaleRates(BASE_FAULT_RATES, random.between(0.2, 2)) : NO_FAULTS;
  state.deliveryFaultRate = hasFaults ? random.between(0, 0.2) : 0;
  state.recoversWebhooks = random.chance(0.25);
  const replicas = random.pick([1, 1, 2, 3]);
  for (let count = 0; count < replicas; count += 1) startReplica(state);
  startConversation({
    ...{ simulatedGitHub, fixture, random, clock, trace },
    ...{ actions: cast.actions, hasSecondThoughts: cast.hasSecondThoughts },
    turns: 4 + random.integer(12),
    habits: new Set([...drawHabits(random), ...(overrides.habits ?? [])]),
    onReactivated: () => {
      state.reactivatedAt = clock.now;
    },
    onEnd: () => {
      // Faults end here, so that all accepted work can finish.
      const faultFree: Partial<CaseState> = {
        faultRates: NO_FAULTS,
        deliveryFaultRate: 0,
        staleHeadWindows: [],
        faultFreeSince: clock.now,
      };
      Object.assign(state, faultFree);
    },
  });
  const hasFinished = await clock.runUntilIdle(MAX_EVENTS);
  const { reasons, recoversWebhooks, deliveryLog } = state;
  const { eventCount } = clock;
  return {
    seed,
    fixture,
    simulatedGitHub,
    trace,
    database,
    eventCount,
    hasFinished,
    reasons,
    recoversWebhooks,
    attempts: deliveryLog.attempts,
  };
}

function scaleRates({ crash, fault, hang }: FaultRates, factor: number): FaultRates {
  return { crash: crash * factor, fault: fault * factor, hang: hang * factor };
}

function createCaseState(seed: number, database: CaseDatabase, overrides: Overrides, cast: Cast): CaseState {
  const random = createRandom(seed);
  const clock = new VirtualClock(START_TIME);
  const trace = createTrace(() => clock.now);
  const fixture = createCaseFixture(random.chance(FORK_PROBABILITY) ? 'fork' : 'branch', cast.content);
  const targets = new Map<Replica, DeliveryTarget>();
  const deliveryLog = createDeliveryAttemptLog(() => clock.now);
  const target = (): DeliveryTarget | null => {
    const awake = [...targets].filter(([replica]) => replica.isAwake).map(([, candidate]) => candidate);
    return awake.length === 0 ? null : random.pick(awake);
  };
  const sendWebhook = createWebhookSender({
    ...{ clock, random, trace, fixture, target, deliveryLog },
    skewSeconds: random.pick(SKEWS),
    faultRate: () => state.deliveryFaultRate,
    installation: () => findInstallation(state.simulatedGitHub.state, fixture),
  });
  const simulatedGitHub = new SimulatedGitHub(fixture.state, clock, (event) => {
    sendWebhook(event);
    check(event);
  });
  const names = cast.checkNames ?? CHECK_NAMES;
  const check = startCi({ simulatedGitHub, fixture, clock, names, random: createRandom(seed + CI_SEED) });
  const state: CaseState = {
    ...{ random, clock, trace, fixture, simulatedGitHub, database, overrides, cast, targets, deliveryLog },
    model: cast.createModel(simulatedGitHub, fixture, random),
    reasons: new Map(),
    faultRates: NO_FAULTS,
    deliveryFaultRate: 0,
    staleHeadWindows: [],
    recoversWebhooks: false,
    faultFreeSince: null,
    reactivatedAt: Number.NEGATIVE_INFINITY,
    replicaCount: 0,
  };
  return state;
}

/** Starts a process. After a crash another one starts, and the leases of the first last until their time. */
function startReplica(state: CaseState): void {
  const { clock, random, trace, fixture, database, targets } = state;
  state.replicaCount += 1;
  const store = database.open();
  const replica = new Replica(`replica-${state.replicaCount}`, {
    ...{ clock, random, trace },
    faultRates: () => currentFaultRates(state),
    onCrash: () => {
      targets.delete(replica);
      clock.schedule(random.between(500, 20_000), () => startReplica(state));
    },
  });
  const overriddenStore = (state.overrides.store ?? identity)(traceStore(store, trace));
  const replicaStore = { ...replica.wrapPort('store', overriddenStore), ...leaseMethods(clock, overriddenStore) };
  targets.set(replica, { replica, store: replicaStore });
  startWorkers({
    ...{ replica, clock, trace, store },
    context: (state.overrides.context ?? identity)(createWorkerContext(state, replica, replicaStore)),
  });
  const { simulatedGitHub, deliveryLog, recoversWebhooks } = state;
  const isOver = (): boolean =>
    state.faultFreeSince !== null && clock.now > state.faultFreeSince + MAX_DELIVERY_DELAY_MS;
  if (recoversWebhooks)
    startRecoveryLoop({ ...{ replica, clock, simulatedGitHub, fixture, deliveryLog, isOver }, store: replicaStore });
}

/** No faults during long suspensions: the App retries for hours, and enough database errors would end the retries. */
function currentFaultRates({ faultRates, simulatedGitHub, fixture, clock, reactivatedAt }: CaseState): FaultRates {
  if (clock.now - reactivatedAt < AFTER_REACTIVATION.ms)
    return { ...faultRates, fault: faultRates.fault * AFTER_REACTIVATION.factor };
  const since = findInstallation(simulatedGitHub.state, fixture)?.suspendedAt ?? null;
  return since !== null && clock.now - Date.parse(since) > LONG_SUSPENSION_MS ? NO_FAULTS : faultRates;
}

function identity<Value>(value: Value): Value {
  return value;
}

/** These methods bypass the replica: renewals take no virtual time. */
function leaseMethods(clock: VirtualClock, store: Store): Pick<Store, 'renewClaim' | 'renewEffect'> {
  const asTask = <Result>(work: Promise<Result>): Promise<Result> => {
    clock.taskStarted();
    return work.finally(() => clock.taskEnded());
  };
  return {
    renewClaim: (claim, now, leaseMs) => asTask(store.renewClaim(claim, now, leaseMs)),
    renewEffect: (effect, now, leaseMs) => asTask(store.renewEffect(effect, now, leaseMs)),
  };
}

function createWorkerContext(state: CaseState, replica: Replica, store: Store): WorkerContext {
  const { simulatedGitHub, fixture, trace, clock, overrides, reasons, model, cast, random } = state;
  const window = (): StaleHeadWindow | undefined =>
    state.staleHeadWindows.find(({ from, until }) => from <= clock.now && clock.now < until);
  const openGitHub = (ref: PullRequestRef): GitHub => {
    const port = createGitHubPort(simulatedGitHub, { ...fixture, ref }, trace);
    const direct = withStaleHead(port, { window, random, trace });
    return replica.wrapPort(
      'github',
      overrides.github === undefined ? direct : overrides.github(direct, simulatedGitHub, fixture),
    );
  };
  const githubs = new Map<string, GitHub>();
  return {
    store,
    githubApp: {
      forPull: (ref, canWrite) => {
        const github = githubs.get(pullRequestKey(ref)) ?? openGitHub(ref);
        githubs.set(pullRequestKey(ref), github);
        return canWrite === undefined ? github : withWriteGuard(github, canWrite);
      },
      identity: async () => ({ slug: fixture.slug, botId: fixture.botId, owner: 'acme' }),
    },
    model: replica.wrapPort('model', model),
    clock: {
      now: () => clock.now,
      every: (ms, tick) => (ms === END_CHECK_MS ? NEVER_REPEATED : repeatOnReplica(replica, ms, tick)),
    },
    log: cast.log,
    self: { slug: fixture.slug, botId: fixture.botId },
    idKey: 'lab',
    isServedOwner: () => true,
    operatorSettings: () => NO_OPERATOR_SETTINGS,
    links: () => ({ repository: `${GITHUB_URL}/acme/shop` }),
    recordMetric: (metric) => {
      if (metric.kind === 'signal') reasons.set(metric.reason, (reasons.get(metric.reason) ?? 0) + 1);
    },
  };
}

/** The watch for answers that nobody awaits: it looks beside a call of its task, which virtual time does not follow. */
const NEVER_REPEATED = (): void => {};

function repeatOnReplica(replica: Replica, ms: number, tick: () => void): () => void {
  let stopped = false;
  const scheduleTick = (): void => {
    replica.schedule(ms, () => {
      if (stopped) return;
      tick();
      scheduleTick();
    });
  };
  scheduleTick();
  return () => {
    stopped = true;
  };
}
