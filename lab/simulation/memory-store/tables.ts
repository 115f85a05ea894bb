import type { WorkListener } from '../../../src/adapters/store/store.ts';
import type { TranscriptMessage } from '../../../src/core/state/conversation.ts';
import type { CommittedChange, Proposal } from '../../../src/core/state/proposal.ts';
import type { PullState } from '../../../src/core/state/pull-state.ts';
import type { QuestionAnswer } from '../../../src/core/state/question.ts';
import type { Run } from '../../../src/core/state/run.ts';
import type { Vote } from '../../../src/core/state/vote.ts';
import type { Effect } from '../../../src/core/step/effects.ts';
import type { Reason } from '../../../src/core/step/reasons.ts';
import type { Signal } from '../../../src/core/step/signals.ts';

export type MemoryInboxRow = {
  readonly id: number;
  readonly kind: 'effect-result' | 'webhook';
  readonly deliveryId: string | null;
  readonly contentKey: string | null;
  readonly receivedAt: number;
  /** Null after a step found that the comment is not for the App. */
  signal: Signal | null;
  dueAt: number;
  attempts: number;
  internalErrors: number;
  refusedSince: number | null;
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
  internalErrors: number;
  refusedSince: number | null;
  started: boolean;
  leaseUntil: number | null;
  doneAt: number | null;
  error: string | null;
};

type MemoryProposalRow = { readonly position: number; readonly proposal: Proposal; readonly updatedAt: number };

/** All data of one pull request. `inbox` and `effects` also keep finished rows. */
export type MemoryPullRow = {
  readonly key: string;
  state: Omit<PullState, 'run' | 'proposals'>;
  runId: string | null;
  isActive: boolean;
  webhooksRetryAt: number;
  fencingToken: number;
  leaseUntil: number | null;
  pendingSignals: readonly MemoryInboxRow[];
  pendingEffects: readonly MemoryEffectRow[];
  inbox: MemoryInboxRow[];
  effects: MemoryEffectRow[];
  readonly proposals: Map<string, MemoryProposalRow>;
  readonly outcomes: Map<string, Proposal>;
  votes: Vote[];
  answers: MemoryAnswerRow[];
  readonly committedChanges: CommittedChange[];
  readonly onceKeys: Set<string>;
};

/** A person's answer to a question of a run; null once it is erased. */
type MemoryAnswerRow = { readonly runId: string; readonly answer: QuestionAnswer | null };

/** Rules that the store enforces. Mutants switch off one of them. */
export type StoreInvariants = {
  /** A process that lost its claim cannot write. */
  readonly fencing: boolean;
  /** `saveIfInboxEmpty` fails while comments are pending. */
  readonly inboxGuard: boolean;
  /** The leases of a process that crashed or hangs end. */
  readonly leasesEnd: boolean;
  /** A delivery is stored once. */
  readonly dedupe: boolean;
};

export const ALL_INVARIANTS: StoreInvariants = {
  fencing: true,
  inboxGuard: true,
  leasesEnd: true,
  dedupe: true,
};

/** A database in memory. */
export type MemoryTables = {
  readonly invariants: StoreInvariants;
  readonly pulls: Map<string, MemoryPullRow>;
  /** Starts of runs and of their limits anew. */
  runStarts: { readonly pullKey: string; readonly requesterId: number; readonly startedAt: number }[];
  readonly runs: Map<string, { readonly pullKey: string; readonly updatedAt: number; readonly run: Run }>;
  readonly messages: Map<string, readonly TranscriptMessage[]>;
  readonly deliveryIds: Set<string>;
  readonly contentKeys: Set<string>;
  /** Delivery ids. */
  readonly installationEvents: Set<string>;
  readonly recovery: { nextLookAt: number; recoveredUntil: number | null };
  readonly listeners: Set<WorkListener>;
  lastId: number;
};

export function createMemoryTables(invariants: StoreInvariants = ALL_INVARIANTS): MemoryTables {
  return {
    invariants,
    pulls: new Map(),
    runStarts: [],
    runs: new Map(),
    messages: new Map(),
    deliveryIds: new Set(),
    contentKeys: new Set(),
    installationEvents: new Set(),
    recovery: { nextLookAt: 0, recoveredUntil: null },
    listeners: new Set(),
    lastId: 0,
  };
}

/** Row ids increase over all tables. */
export function nextId(tables: MemoryTables): number {
  tables.lastId += 1;
  return tables.lastId;
}

export function isLeaseFree({ invariants }: MemoryTables, leaseUntil: number | null, now: number): boolean {
  return leaseUntil === null || (leaseUntil <= now && invariants.leasesEnd);
}

export function completeSignalRow(row: MemoryPullRow, signal: MemoryInboxRow, now: number): void {
  signal.doneAt = now;
  row.pendingSignals = row.pendingSignals.filter((pending) => pending !== signal);
}

/** Returns false if the effect was done already. */
export function completeEffectRow(row: MemoryPullRow, effect: MemoryEffectRow, now: number): boolean {
  if (effect.doneAt !== null) return false;
  effect.doneAt = now;
  clearAttempt(effect);
  row.pendingEffects = row.pendingEffects.filter((pending) => pending !== effect);
  return true;
}

export function clearAttempt(effect: MemoryEffectRow): void {
  effect.started = false;
  effect.leaseUntil = null;
}

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
    refusedSince: null,
    error: null,
    errorId: null,
    reason: null,
    doneAt: null,
    deadLettered: false,
  };
  row.inbox.push(stored);
  row.pendingSignals = [...row.pendingSignals, stored];
}

/** Throws for a fraction of a millisecond, which the databases refuse before they change anything. */
export function requireWholeTime(ms: number): number {
  if (!Number.isInteger(ms)) throw new Error(`${ms} is no time in whole milliseconds`);
  return ms;
}

/** Tells every process of due work. */
export function notifyListeners(tables: MemoryTables, ...work: Parameters<WorkListener>): void {
  for (const listener of tables.listeners) listener(...work);
}
