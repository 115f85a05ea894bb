import type { GapWindow } from '../../../src/adapters/store/store.ts';
import type { TranscriptMessage } from '../../../src/core/state/conversation.ts';
import type { Effect } from '../../../src/core/state/effects.ts';
import type { CommittedChange, Proposal, Vote } from '../../../src/core/state/proposal.ts';
import type { RateLimitState } from '../../../src/core/state/rate-limit.ts';
import type { Reason } from '../../../src/core/state/reasons.ts';
import type { PullState, Run } from '../../../src/core/state/run.ts';
import type { Signal } from '../../../src/core/state/signals.ts';

/** Who holds something and until when (ms). */
export type HolderLease = { readonly until: number; readonly holder: number };

export type MemoryInboxRow = {
  readonly id: number;
  readonly kind: 'effect-result' | 'webhook';
  readonly deliveryId: string | null;
  readonly contentKey: string | null;
  readonly receivedAt: number;
  /** Null once its words turned out to be none of our business. */
  signal: Signal | null;
  dueAt: number;
  attempts: number;
  internalErrors: number;
  error: string | null;
  errorId: string | null;
  reason: Reason | null;
  doneAt: number | null;
  deadLettered: boolean;
};

export type MemoryEffectRow = {
  readonly id: number;
  readonly lane: 'exclusive' | 'concurrent';
  readonly effect: Effect;
  readonly dedupeKey: string | null;
  createdAt: number;
  dueAt: number;
  attempts: number;
  rateLimitedAttempts: number;
  internalErrors: number;
  started: boolean;
  lease: HolderLease | null;
  doneAt: number | null;
  error: string | null;
};

type MemoryProposalRow = { readonly position: number; readonly proposal: Proposal; readonly updatedAt: number };

/** One pull request with everything that is stored about it. What is done leaves `waiting` and `wanted`, not the record. */
export type MemoryPullRow = {
  readonly key: string;
  state: Omit<PullState, 'run' | 'proposals'>;
  runId: string | null;
  isActive: boolean;
  activeSince: string | null;
  commentsRetryAt: number;
  fencingToken: number;
  lease: HolderLease | null;
  pendingSignals: readonly MemoryInboxRow[];
  pendingEffects: readonly MemoryEffectRow[];
  inbox: MemoryInboxRow[];
  effects: MemoryEffectRow[];
  readonly proposals: Map<string, MemoryProposalRow>;
  readonly outcomes: Map<string, Proposal>;
  votes: Vote[];
  readonly committedChanges: CommittedChange[];
  readonly onceKeys: Set<string>;
};

/** A process's connection to the database; a null epoch while it is cut off. */
export type MemoryConnection = { epoch: object | null };

/** What a store holds to. The simulation's mutants lack one of them each; everything else has all. */
export type StoreInvariants = {
  /** Whoever lost a pull request writes nothing to it. */
  readonly fencing: boolean;
  /** A step of our own is saved only while no words wait. */
  readonly inboxGuard: boolean;
  /** What a dead process had leased is free. */
  readonly freesDeadLeases: boolean;
  /** What was received is not stored again. */
  readonly dedupe: boolean;
  /** Of the ledger nothing is ever forgotten but words. */
  readonly keepsLedger: boolean;
};

export const ALL_INVARIANTS: StoreInvariants = {
  fencing: true,
  inboxGuard: true,
  freesDeadLeases: true,
  dedupe: true,
  keepsLedger: true,
};

export type MemoryRecoveryRow = {
  readonly fence: number;
  readonly readUntil: number | null;
  readonly nextAt: number;
  readonly lease: HolderLease | null;
  readonly aliveUntil: number | null;
  readonly gap: GapWindow | null;
};

/** A database in memory: rows by pull request, and what is unique among all of them. */
export type MemoryTables = {
  readonly invariants: StoreInvariants;
  readonly pulls: Map<string, MemoryPullRow>;
  /** What is left of those whose account removed the App. */
  readonly removedPulls: MemoryPullRow[];
  readonly runs: Map<string, { readonly pullKey: string; readonly updatedAt: number; readonly run: Run }>;
  readonly messages: Map<string, readonly TranscriptMessage[]>;
  readonly deliveryIds: Set<string>;
  readonly contentKeys: Set<string>;
  /** By the id of the delivery; the installation where the App was removed. */
  readonly installationEvents: Map<string, { readonly receivedAt: number; readonly uninstalled: number | null }>;
  /** Whose turn it is to look for lost webhooks; null until somebody has. */
  recovery: MemoryRecoveryRow | null;
  /** By installation. */
  readonly rateLimits: Map<number, RateLimitState>;
  /** Processes that live: a lease of any other is void at once. */
  readonly holders: Set<number>;
  readonly listeners: Set<() => void>;
  lastId: number;
};

export function createMemoryTables(invariants: StoreInvariants = ALL_INVARIANTS): MemoryTables {
  return {
    invariants,
    pulls: new Map(),
    removedPulls: [],
    runs: new Map(),
    messages: new Map(),
    deliveryIds: new Set(),
    contentKeys: new Set(),
    installationEvents: new Map(),
    recovery: null,
    rateLimits: new Map(),
    holders: new Set(),
    listeners: new Set(),
    lastId: 0,
  };
}

/** The next number of any row: what comes later has a higher one. */
export function nextId(tables: MemoryTables): number {
  tables.lastId += 1;
  return tables.lastId;
}

/** Whether something with this lease may be taken. */
export function isLeaseFree(tables: MemoryTables, lease: HolderLease | null, now: number): boolean {
  if (lease === null || (lease.until <= now && tables.invariants.freesDeadLeases)) return true;
  return tables.invariants.freesDeadLeases && !tables.holders.has(lease.holder);
}

/** Marks it done, if it is not yet, with whatever else is to be said of it. */
export function completeSignalRow(row: MemoryPullRow, signal: MemoryInboxRow, now: number): boolean {
  if (signal.doneAt !== null) return false;
  signal.doneAt = now;
  row.pendingSignals = row.pendingSignals.filter((one) => one !== signal);
  return true;
}

/** The same for an effect; nobody is at it any more. */
export function completeEffectRow(row: MemoryPullRow, effect: MemoryEffectRow, now: number): boolean {
  if (effect.doneAt !== null) return false;
  effect.doneAt = now;
  clearAttempt(effect);
  row.pendingEffects = row.pendingEffects.filter((one) => one !== effect);
  return true;
}

/** Nobody is at it. */
export function clearAttempt(effect: MemoryEffectRow): void {
  effect.started = false;
  effect.lease = null;
}

/** One more signal of a pull request. */
export function addSignal(
  tables: MemoryTables,
  row: MemoryPullRow,
  signal: Signal,
  origin: Pick<MemoryInboxRow, 'kind' | 'deliveryId'> & { readonly contentKey?: string | null; readonly now: number },
): void {
  const { kind, deliveryId, contentKey = null, now } = origin;
  const stored: MemoryInboxRow = {
    id: nextId(tables),
    kind,
    deliveryId,
    contentKey,
    receivedAt: now,
    signal,
    dueAt: now,
    attempts: 0,
    internalErrors: 0,
    error: null,
    errorId: null,
    reason: null,
    doneAt: null,
    deadLettered: false,
  };
  row.inbox.push(stored);
  row.pendingSignals = [...row.pendingSignals, stored];
}

/** Tells every process that something may be due. */
export function notifyListeners(tables: MemoryTables): void {
  for (const listener of tables.listeners) listener();
}
