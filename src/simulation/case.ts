import type { PullRef } from '../command/intent.ts';
import { pullKey } from '../run/run.ts';
import type { Store } from '../store/store.ts';
import type { Context } from '../worker/context.ts';
import type { GitHub, Model } from '../worker/ports.ts';
import { workOutHere } from '../worker/work-out.ts';
import { type Chance, openChance } from './chance.ts';
import { startCrew } from './crew.ts';
import type { Database } from './database.ts';
import { type Door, openDeliveries } from './deliveries.ts';
import { type Attempt, type AttemptLog, openAttemptLog } from './delivery-log.ts';
import { startForgetting } from './forgetting.ts';
import { installationNow } from './github/installation.ts';
import { directGitHub } from './github/port.ts';
import { type Spell, staleSpells, withStaleHead } from './github/stale-head.ts';
import { writingWhile } from './github/writing-while.ts';
import { Hub } from './hub.ts';
import { randomModel } from './model.ts';
import { converse } from './people/conversation.ts';
import { CALM, Replica, type Weather } from './replica.ts';
import { openScene, type Scene, SITE, START } from './scene.ts';
import type { Laws } from './store/tables.ts';
import { tracedStore } from './store/traced-store.ts';
import { startSweeping } from './sweeping.ts';
import { Timeline } from './timeline.ts';
import { openTrace, type Trace } from './trace.ts';

/** What is put in place of the product's own behaviour, to see whether the simulation notices. */
export type Bend = {
  readonly store?: (store: Store) => Store;
  readonly github?: (github: GitHub, hub: Hub, scene: Scene) => GitHub;
  /** What a process works with, ports and all. */
  readonly context?: (context: Context) => Context;
  /** What shows only where the App's owner is restless is looked for there: few cases are otherwise. */
  readonly restless?: true;
  /** A store in memory that lacks a law. */
  readonly laws?: Laws;
};

export type CaseOptions = { readonly seed: number; readonly database: Database; readonly bend?: Bend };

/** A case that was played to its end. */
export type PlayedCase = {
  readonly seed: number;
  readonly scene: Scene;
  readonly hub: Hub;
  readonly trace: Trace;
  readonly database: Database;
  readonly events: number;
  /** Nothing was left to happen. */
  readonly rested: boolean;
  /** How often a signal was decided for each reason. */
  readonly reasons: ReadonlyMap<string, number>;
  /** What GitHub tried to deliver, in order. */
  readonly attempts: readonly Attempt[];
  /** The processes looked for lost webhooks. */
  readonly swept: boolean;
  /** The processes forgot what was kept long enough, and went on for long after everything was over. */
  readonly forgot: boolean;
};

/** More than any case that comes to rest has ever needed: what waits for a suspended App is tried every ten minutes. */
const MOST_EVENTS = 250_000;
const STORM: Weather = { crash: 0.004, fault: 0.03, hang: 0.004 };
/** How many cases are about a pull request from a fork. */
const FORKS = 0.12;
/** After the last word every delivery has come, or never will, by then. */
const LATEST_DELIVERY_MS = 300_000;
const LONG_ABSENCE_MS = 3_600_000;
/** In how many of the cases in which much goes wrong the database's server dies, and how often after what is not on disk yet. */
const FORGETFUL = 0.2;
const DIES = 0.02;
/** In how many cases the App's owner suspends it over and over. */
const RESTLESS = 0.05;
/** How much more goes wrong when the App has just come back, and for how long: what was refused is tried again by then. */
const ROUGH = { factor: 5, ms: 12 * 60_000 } as const;
const SILENT = { debug() {}, info() {}, warn() {}, error() {} };

/** Everything of one case that its parts share. */
type Stage = {
  readonly chance: Chance;
  readonly timeline: Timeline;
  readonly trace: Trace;
  readonly scene: Scene;
  readonly hub: Hub;
  readonly model: Model;
  readonly database: Database;
  readonly bend: Bend;
  readonly doors: Map<Replica, Door>;
  readonly reasons: Map<string, number>;
  readonly log: AttemptLog;
  weather: Weather;
  trouble: number;
  swept: boolean;
  forgets: boolean;
  /** When people had stopped talking and nothing went wrong any more (ms); null before that. */
  calmSince: number | null;
  /** When the App could act again last (ms). */
  returnedAt: number;
  spells: readonly Spell[];
  born: number;
};

/** Plays one case: its seed settles everything that happens. */
export async function playCase({ seed, database, bend = {} }: CaseOptions): Promise<PlayedCase> {
  const stage = openStage(openChance(seed), database, bend);
  const { chance, timeline, trace, scene, hub } = stage;
  const stormy = chance.happens(0.75);
  if (stormy && chance.happens(0.6)) stage.spells = staleSpells(chance, START);
  stage.weather = stormy ? scaled(STORM, chance.between(0.2, 2)) : CALM;
  stage.trouble = stormy ? chance.between(0, 0.2) : 0;
  stage.swept = chance.happens(0.25);
  stage.forgets = chance.happens(0.2);
  if (stormy && chance.happens(FORGETFUL)) letDatabaseDie(stage);
  const replicas = chance.pick([1, 1, 2, 3]);
  for (let count = 0; count < replicas; count += 1) await bear(stage);
  converse({
    ...{ hub, scene, chance, timeline, trace },
    turns: 4 + chance.whole(12),
    restless: chance.happens(RESTLESS) || bend.restless === true,
    onReturn: () => {
      stage.returnedAt = timeline.now;
    },
    onEnd: () => {
      // From here on all goes well, so that whatever was accepted can be seen to its end.
      Object.assign(stage, { weather: CALM, trouble: 0, spells: [], calmSince: timeline.now });
    },
  });
  const rested = await timeline.play(MOST_EVENTS);
  const { reasons, swept, forgets: forgot, log } = stage;
  const { played: events } = timeline;
  return { seed, scene, hub, trace, database, events, rested, reasons, swept, forgot, attempts: log.attempts };
}

function scaled({ crash, fault, hang }: Weather, factor: number): Weather {
  return { crash: crash * factor, fault: fault * factor, hang: hang * factor };
}

function openStage(chance: Chance, database: Database, bend: Bend): Stage {
  const timeline = new Timeline(START);
  const trace = openTrace(() => timeline.now);
  const scene = openScene(chance.happens(FORKS) ? 'fork' : 'branch');
  const doors = new Map<Replica, Door>();
  const log = openAttemptLog(() => timeline.now);
  const stage: Omit<Stage, 'hub' | 'model'> = {
    ...{ chance, timeline, trace, scene, database, bend, doors, log },
    reasons: new Map(),
    weather: CALM,
    trouble: 0,
    spells: [],
    swept: false,
    forgets: false,
    calmSince: null,
    returnedAt: Number.NEGATIVE_INFINITY,
    born: 0,
  };
  const door = (): Door | null => {
    const awake = [...doors].filter(([replica]) => replica.awake).map(([, one]) => one);
    return awake.length === 0 ? null : chance.pick(awake);
  };
  const tell = openDeliveries({
    ...{ timeline, chance, trace, scene, door, log },
    trouble: () => whole.trouble,
    installation: () => installationNow(whole.hub.world, scene),
  });
  const hub = new Hub(scene.world, timeline, tell);
  const whole: Stage = Object.assign(stage, { hub, model: randomModel(hub, scene, chance) });
  return whole;
}

/** Starts a process; when it dies, its locks are gone at once or soon, and another one comes. */
async function bear(stage: Stage): Promise<void> {
  const { timeline, chance, trace, scene, database, doors } = stage;
  stage.born += 1;
  const { store, dies } = await database.open();
  const replica = new Replica(`replica-${stage.born}`, {
    ...{ timeline, chance, trace },
    weather: () => weatherOf(stage),
    onDeath: () => {
      doors.delete(replica);
      timeline.after(chance.pick([0, chance.between(0, 20_000)]), () => timeline.follow(dies));
      timeline.after(chance.between(500, 20_000), () => timeline.follow(() => bear(stage)));
    },
    onLimit: (until) => store.rest(installationNow(stage.hub.world, scene)?.id ?? scene.ref.installationId, until),
  });
  const bent = (stage.bend.store ?? same)(tracedStore(store, trace));
  const own = { ...replica.port('store', bent), ...besides(timeline, bent) };
  doors.set(replica, { replica, store: own });
  startCrew({
    ...{ replica, timeline, trace, store },
    context: (stage.bend.context ?? same)(contextOf(stage, replica, own)),
  });
  const { hub, log, swept } = stage;
  const isOver = (): boolean => stage.calmSince !== null && timeline.now > stage.calmSince + LATEST_DELIVERY_MS;
  if (swept) startSweeping({ ...{ replica, timeline, hub, scene, log, isOver }, store: own });
  if (stage.forgets) startForgetting({ replica, timeline, store: own, calmSince: () => stage.calmSince });
}

/** No database breaks as often for days as it does in a storm, and tries that it breaks are counted. */
function weatherOf({ weather, hub, scene, timeline, returnedAt }: Stage): Weather {
  if (timeline.now - returnedAt < ROUGH.ms) return { ...weather, fault: weather.fault * ROUGH.factor };
  const since = installationNow(hub.world, scene)?.suspendedAt ?? null;
  return since !== null && timeline.now - Date.parse(since) > LONG_ABSENCE_MS ? CALM : weather;
}

/** What was stored before a write is on disk before it is sent: it is counted there. */
function syncs({ database, bend }: Stage): true {
  if (bend.laws?.disk !== false) database.disk?.sync();
  return true;
}

/** Lets the database's server die now and then, while something is not on its disk yet. */
function letDatabaseDie(stage: Stage): void {
  const { database, timeline, trace, chance } = stage;
  const die = (): void => {
    const place = database.disk?.dies() ?? null;
    if (place === null) return;
    trace.forget(place);
    trace.add({ kind: 'fault', fault: 'database-died', where: 'its server' });
  };
  database.disk?.watch({
    now: () => timeline.now,
    place: () => trace.happenings.length,
    later: () => {
      if (stage.weather !== CALM && chance.happens(DIES)) timeline.after(chance.between(0, 150), die);
    },
  });
}

function same<Value>(value: Value): Value {
  return value;
}

/** Leases are renewed beside the work, in no time; what the process itself knows is no call. */
function besides(timeline: Timeline, store: Store): Pick<Store, 'renew' | 'renewEffect' | 'tenure'> {
  const beside = <Result>(work: Promise<Result>): Promise<Result> => {
    timeline.begins();
    return work.finally(() => timeline.rests());
  };
  return {
    renew: (claim, now, leaseMs) => beside(store.renew(claim, now, leaseMs)),
    renewEffect: (effect, now, leaseMs) => beside(store.renewEffect(effect, now, leaseMs)),
    tenure: () => store.tenure(),
  };
}

function contextOf(stage: Stage, replica: Replica, store: Store): Context {
  const { hub, scene, trace, timeline, bend, reasons, model } = stage;
  const isStale = (): boolean => stage.spells.some(({ from, until }) => from <= timeline.now && timeline.now < until);
  const openGitHub = (ref: PullRef): GitHub => {
    const direct = withStaleHead(directGitHub(hub, { ...scene, ref }, trace), isStale, trace);
    return replica.port('github', bend.github === undefined ? direct : bend.github(direct, hub, scene));
  };
  const githubs = new Map<string, GitHub>();
  return {
    store,
    githubs: {
      for: (ref, _rank, mayWrite) => {
        const github = githubs.get(pullKey(ref)) ?? openGitHub(ref);
        githubs.set(pullKey(ref), github);
        return mayWrite === undefined ? github : writingWhile(github, () => mayWrite() && syncs(stage));
      },
      self: async () => ({ slug: scene.slug, botId: scene.botId, owner: 'acme' }),
      ahead: () => 0,
    },
    model: replica.port('model', model),
    clock: { now: () => timeline.now, every: (ms, tick) => every(replica, ms, tick) },
    log: SILENT,
    self: { slug: scene.slug, botId: scene.botId },
    serves: () => true,
    workOut: workOutHere,
    links: () => ({ repository: `${SITE}/acme/shop` }),
    count: (counted) => {
      if (counted.kind === 'signal') reasons.set(counted.reason, (reasons.get(counted.reason) ?? 0) + 1);
    },
  };
}

function every(replica: Replica, ms: number, tick: () => void): () => void {
  let stopped = false;
  const again = (): void => {
    replica.after(ms, () => {
      if (stopped) return;
      tick();
      again();
    });
  };
  again();
  return () => {
    stopped = true;
  };
}
