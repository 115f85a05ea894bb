import type { Step } from '../../run/step.ts';
import type { Store } from '../../store/store.ts';
import { type PullRow, type Tables, wake } from './tables.ts';

/** Who plays a database that dies. */
export type DiskWatcher = {
  readonly now: () => number;
  /** How far the history is: what is forgotten is all that was stored from there on. */
  readonly place: () => number;
  /** Something was stored that is not on disk yet. */
  readonly later: () => void;
};

/** What a database in memory would still know if its server died, as the product waits for PostgreSQL's disk. */
export type Disk = {
  /** From now on it is known what is on disk. */
  readonly watch: (watcher: DiskWatcher) => void;
  /** All that was stored is on disk. */
  readonly sync: () => void;
  /** The server dies, and another one begins with what is on disk; from which place on things are forgotten, null where none is. */
  readonly dies: () => number | null;
  /** The same store, each method of which waits for the disk or does not. */
  readonly under: (store: Store) => Store;
};

/** A server syncs by itself about so often (ms): what is older is on its disk. */
const SOON_MS = 200;
/** What does not wait for the disk, and what does. Neither is what stores nothing; of `save` the step decides. */
const LATER = ['claimPull', 'release', 'nextWork', 'claimEffect', 'finishEffect'] as const satisfies (keyof Store)[];
const SYNCED = [
  ...([
    'receive',
    'tellAll',
    'saveDirect',
    'postponeSignal',
    'parkSignal',
    'postponeEffect',
    'renew',
    'renewEffect',
  ] as const),
  ...(['catchUpAll', 'beginSweep', 'endSweep', 'heartbeat', 'prune', 'rest'] as const),
] satisfies (keyof Store)[];

/** What a server that dies may forget. */
type Kept = Pick<
  Tables,
  'pulls' | 'removed' | 'runs' | 'messages' | 'notices' | 'budgets' | 'deliveryIds' | 'naturalKeys' | 'sweep' | 'lastId'
>;

/** Nothing is ever forgotten until somebody watches. */
export function openDisk(tables: Tables): Disk {
  let watcher: DiskWatcher | null = null;
  let onDisk: { readonly kept: Kept; readonly place: number; readonly at: number } | null = null;
  const before = (): void => {
    if (watcher === null || (onDisk !== null && watcher.now() - onDisk.at <= SOON_MS)) return;
    onDisk = { kept: keptOf(tables), place: watcher.place(), at: watcher.now() };
  };
  const sync = (): void => {
    onDisk = null;
  };
  const moment: Moment = { before, sync, later: () => watcher?.later() };
  return {
    watch: (given) => {
      watcher = given;
    },
    sync,
    dies() {
      if (onDisk === null) return null;
      const { kept, place } = onDisk;
      restore(tables, kept);
      sync();
      wake(tables);
      return place;
    },
    under: (store) => ({
      ...store,
      ...changed(store, LATER, (act) => unsynced(act, moment)),
      ...changed(store, SYNCED, (act) => synced(act, moment)),
      save: savingUnder(store, tables, moment),
    }),
  };
}

/** Around what is stored: before it, and after it where it is on disk, or will be later. */
type Moment = { readonly before: () => void; readonly sync: () => void; readonly later: () => void };

type Act = (...given: never[]) => unknown;

function unsynced(act: Act, { before, later }: Moment): Act {
  return (...given) => {
    before();
    const result = act(...given);
    later();
    return result;
  };
}

function synced(act: Act, { sync }: Moment): Act {
  return (...given) => {
    const result = act(...given);
    sync();
    return result;
  };
}

function savingUnder(store: Store, tables: Tables, { before, sync, later }: Moment): Store['save'] {
  return (claim, signal, step, now, ending) => {
    before();
    const goesOn = onlyGoesOn(step, tables.pulls.get(claim.pullKey));
    const saved = store.save(claim, signal, step, now, ending);
    const ends = tables.pulls.get(claim.pullKey)?.fence !== claim.fence;
    if (ends && goesOn) later();
    else sync();
    return saved;
  };
}

function changed(store: Store, names: readonly (keyof Store)[], change: (act: Act) => Act): Partial<Store> {
  return Object.fromEntries(names.map((name) => [name, change(store[name])]));
}

/** As the product has it: no vote, no write, no drop, and no proposal that became another one. */
function onlyGoesOn({ pull, dropsRest, votes, writes }: Step, row: PullRow | undefined): boolean {
  const isUnchanged = pull.proposals.every((one) => row?.proposals.get(one.id)?.proposal === one);
  return !dropsRest && votes.length === 0 && writes.length === 0 && isUnchanged;
}

function keptOf(tables: Tables): Kept {
  return {
    ...{ sweep: tables.sweep, lastId: tables.lastId, removed: tables.removed.map(copyOf) },
    pulls: new Map([...tables.pulls].map(([key, row]) => [key, copyOf(row)])),
    runs: new Map(tables.runs),
    messages: new Map(tables.messages),
    notices: new Map(tables.notices),
    budgets: new Map(tables.budgets),
    deliveryIds: new Set(tables.deliveryIds),
    naturalKeys: new Set(tables.naturalKeys),
  };
}

function copyOf(row: PullRow): PullRow {
  const inbox = new Map(row.inbox.map((one) => [one.id, { ...one }]));
  const effects = new Map(row.effects.map((one) => [one.id, { ...one }]));
  return {
    ...row,
    inbox: [...inbox.values()],
    waiting: row.waiting.flatMap(({ id }) => inbox.get(id) ?? []),
    effects: [...effects.values()],
    wanted: row.wanted.flatMap(({ id }) => effects.get(id) ?? []),
    proposals: new Map(row.proposals),
    outcomes: new Map(row.outcomes),
    votes: [...row.votes],
    writes: [...row.writes],
    onceKeys: new Set(row.onceKeys),
  };
}

function restore(tables: Tables, kept: Kept): void {
  Object.assign(tables, { sweep: kept.sweep, lastId: kept.lastId, tenure: {} });
  tables.removed.splice(0, Number.POSITIVE_INFINITY, ...kept.removed);
  refill(tables.pulls, kept.pulls);
  refill(tables.runs, kept.runs);
  refill(tables.messages, kept.messages);
  refill(tables.notices, kept.notices);
  refill(tables.budgets, kept.budgets);
  for (const name of ['deliveryIds', 'naturalKeys'] as const) {
    tables[name].clear();
    for (const one of kept[name]) tables[name].add(one);
  }
}

function refill<Key, Value>(map: Map<Key, Value>, entries: ReadonlyMap<Key, Value>): void {
  map.clear();
  for (const [key, value] of entries) map.set(key, value);
}
