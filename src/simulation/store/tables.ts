import type { Budget } from '../../budget/budget.ts';
import type { Message } from '../../prompt/message.ts';
import type { Effect } from '../../run/effect.ts';
import type { Proposal, Vote, Write } from '../../run/proposal.ts';
import type { Reason } from '../../run/reason.ts';
import type { Pull, Run } from '../../run/run.ts';
import type { Signal } from '../../run/signal.ts';
import type { Doubt } from '../../store/store.ts';

/** Who holds something and until when (ms). */
export type Lease = { readonly until: number; readonly holder: number };

export type InboxRow = {
  readonly id: number;
  readonly kind: 'outcome' | 'intent';
  readonly deliveryId: string | null;
  readonly naturalKey: string | null;
  readonly receivedAt: number;
  /** Null once its words turned out to be none of our business. */
  signal: Signal | null;
  notBefore: number;
  attempts: number;
  faults: number;
  error: string | null;
  faultId: string | null;
  reason: Reason | null;
  doneAt: number | null;
  parked: boolean;
};

export type EffectRow = {
  readonly id: number;
  readonly lane: 'pull' | 'free';
  readonly effect: Effect;
  readonly coalescingKey: string | null;
  createdAt: number;
  notBefore: number;
  attempts: number;
  limited: number;
  faults: number;
  begun: boolean;
  lease: Lease | null;
  doneAt: number | null;
  error: string | null;
};

export type ProposalRow = { readonly place: number; readonly proposal: Proposal; readonly updatedAt: number };

/** One pull request with everything that is stored about it. What is done leaves `waiting` and `wanted`, not the record. */
export type PullRow = {
  readonly key: string;
  state: Omit<Pull, 'run' | 'proposals'>;
  runId: string | null;
  active: boolean;
  goesOnSince: string | null;
  heldUntil: number;
  fence: number;
  mark: string | null;
  lease: Lease | null;
  waiting: readonly InboxRow[];
  wanted: readonly EffectRow[];
  inbox: InboxRow[];
  effects: EffectRow[];
  readonly proposals: Map<string, ProposalRow>;
  readonly outcomes: Map<string, Proposal>;
  votes: Vote[];
  readonly writes: Write[];
  readonly onceKeys: Set<string>;
};

/** What a store holds to. The simulation's mutants lack one of them each; everything else has all. */
export type Laws = {
  /** Whoever lost a pull request writes nothing to it. */
  readonly fencing: boolean;
  /** A step of our own is saved only while no words wait. */
  readonly guard: boolean;
  /** What a dead process had leased is free. */
  readonly deadLeases: boolean;
  /** What was received is not stored again. */
  readonly dedupe: boolean;
  /** Of the ledger nothing is ever forgotten but words. */
  readonly ledger: boolean;
  /** What was stored before a write to GitHub is on disk before that is sent. */
  readonly disk: boolean;
};

export const ALL_LAWS: Laws = {
  fencing: true,
  guard: true,
  deadLeases: true,
  dedupe: true,
  ledger: true,
  disk: true,
};

export type SweepRow = {
  readonly fence: number;
  readonly heardUntil: number | null;
  readonly nextAt: number;
  readonly lease: Lease | null;
  readonly aliveUntil: number | null;
  readonly doubt: Doubt | null;
};

/** A database in memory: rows by pull request, and what is unique among all of them. */
export type Tables = {
  readonly laws: Laws;
  readonly pulls: Map<string, PullRow>;
  /** What is left of those whose account removed the App. */
  readonly removed: PullRow[];
  readonly runs: Map<string, { readonly pullKey: string; readonly updatedAt: number; readonly run: Run }>;
  readonly messages: Map<string, readonly Message[]>;
  readonly deliveryIds: Set<string>;
  readonly naturalKeys: Set<string>;
  /** By the id of the delivery; the installation where the App was removed. */
  readonly notices: Map<string, { readonly receivedAt: number; readonly uninstalled: number | null }>;
  /** Whose turn it is to look for lost webhooks; null until somebody has. */
  sweep: SweepRow | null;
  /** By installation. */
  readonly budgets: Map<number, Budget>;
  /** Processes that live: a lease of any other is void at once. */
  readonly holders: Set<number>;
  readonly listeners: Set<() => void>;
  lastId: number;
  /** So many claims were given: what tells each from all others. */
  claims: number;
  /** The server that answers: another one after it died. */
  tenure: object;
};

export function emptyTables(laws: Laws = ALL_LAWS): Tables {
  return {
    laws,
    pulls: new Map(),
    removed: [],
    runs: new Map(),
    messages: new Map(),
    deliveryIds: new Set(),
    naturalKeys: new Set(),
    notices: new Map(),
    sweep: null,
    budgets: new Map(),
    holders: new Set(),
    listeners: new Set(),
    lastId: 0,
    claims: 0,
    tenure: {},
  };
}

/** The next number of any row: what comes later has a higher one. */
export function nextId(tables: Tables): number {
  tables.lastId += 1;
  return tables.lastId;
}

/** Whether something with this lease may be taken. */
export function isFree(tables: Tables, lease: Lease | null, now: number): boolean {
  if (lease === null || (lease.until <= now && tables.laws.deadLeases)) return true;
  return tables.laws.deadLeases && !tables.holders.has(lease.holder);
}

/** Marks it done, if it is not yet, with whatever else is to be said of it. */
export function settle(row: PullRow, signal: InboxRow, now: number): boolean {
  if (signal.doneAt !== null) return false;
  signal.doneAt = now;
  row.waiting = row.waiting.filter((one) => one !== signal);
  return true;
}

/** The same for an effect; nobody is at it any more. */
export function finish(row: PullRow, effect: EffectRow, now: number): boolean {
  if (effect.doneAt !== null) return false;
  effect.doneAt = now;
  idle(effect);
  row.wanted = row.wanted.filter((one) => one !== effect);
  return true;
}

/** Nobody is at it. */
export function idle(effect: EffectRow): void {
  effect.begun = false;
  effect.lease = null;
}

/** One more signal of a pull request. */
export function addSignal(
  tables: Tables,
  row: PullRow,
  signal: Signal,
  origin: Pick<InboxRow, 'kind' | 'deliveryId'> & { readonly naturalKey?: string | null; readonly now: number },
): void {
  const { kind, deliveryId, naturalKey = null, now } = origin;
  const stored: InboxRow = {
    id: nextId(tables),
    kind,
    deliveryId,
    naturalKey,
    receivedAt: now,
    signal,
    notBefore: now,
    attempts: 0,
    faults: 0,
    error: null,
    faultId: null,
    reason: null,
    doneAt: null,
    parked: false,
  };
  row.inbox.push(stored);
  row.waiting = [...row.waiting, stored];
}

/** Tells every process that something may be due. */
export function wake(tables: Tables): void {
  for (const listener of tables.listeners) listener();
}
