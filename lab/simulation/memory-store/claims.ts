import type { Claim, PullWork, StoredEffect, StoredSignal, WorkKind } from '../../../src/adapters/store/store.ts';
import {
  isLeaseFree,
  type MemoryEffectRow,
  type MemoryInboxRow,
  type MemoryPullRow,
  type MemoryTables,
} from './tables.ts';

/** The next due signal, or the next due effect. If nothing is due, it ends the claim and returns null. */
export function pickNextWork(row: MemoryPullRow | null, now: number): PullWork | null {
  if (row === null) return null;
  const signal = findDueSignal(row, now);
  if (signal !== null) return { kind: 'signal', signal };
  const effect = row.pendingEffects.find((candidate) => candidate.lane === 'exclusive' && candidate.dueAt <= now);
  if (effect !== undefined) return { kind: 'effect', effect: startAttempt(row, effect) };
  endClaim(row);
  return null;
}

/** The oldest due effect result, or the oldest due webhook. */
function findDueSignal(row: MemoryPullRow, now: number): StoredSignal | null {
  const due = row.pendingSignals.filter((signal) => signalDueAt(row, signal) <= now && signal.signal !== null);
  const next = due.find(({ kind }) => kind === 'effect-result') ?? due[0];
  return next === undefined ? null : toStoredSignal(next);
}

function toStoredSignal(row: MemoryInboxRow): StoredSignal | null {
  const { id, signal, receivedAt, attempts, internalErrors, refusedSince } = row;
  return signal === null ? null : { id, signal, receivedAt, attempts, internalErrors, refusedSince };
}

export function endClaim(row: MemoryPullRow): void {
  row.fencingToken += 1;
  row.leaseUntil = null;
}

export function grantClaim(row: MemoryPullRow, now: number, leaseMs: number): Claim {
  row.fencingToken += 1;
  row.leaseUntil = now + leaseMs;
  return { pullRequestKey: row.key, fencingToken: row.fencingToken, leaseUntil: now + leaseMs };
}

/** A failed comment delays all later ones, so that their order stays the same. */
function signalDueAt(row: MemoryPullRow, { kind, dueAt }: MemoryInboxRow): number {
  return kind === 'webhook' ? Math.max(dueAt, row.webhooksRetryAt) : dueAt;
}

/** When the earliest of the pull request's exclusive work is due; infinite if there is none. */
function workDueAt(row: MemoryPullRow): number {
  return Math.min(
    Number.POSITIVE_INFINITY,
    ...row.pendingSignals.map((signal) => signalDueAt(row, signal)),
    ...row.pendingEffects.flatMap(({ lane, dueAt }) => (lane === 'exclusive' ? [dueAt] : [])),
  );
}

function findOldest<Row>(rows: Iterable<Row>, dueAtOf: (row: Row) => number, now: number): Row | null {
  let oldest: Row | null = null;
  let earliest = Number.POSITIVE_INFINITY;
  for (const row of rows) {
    const dueAt = dueAtOf(row);
    if (dueAt > now || dueAt >= earliest) continue;
    oldest = row;
    earliest = dueAt;
  }
  return oldest;
}

/** The free pull request whose due work is oldest. */
export function findOldestClaimable(tables: MemoryTables, now: number): MemoryPullRow | null {
  const free = [...tables.pulls.values()].filter(({ leaseUntil }) => isLeaseFree(tables, leaseUntil, now));
  return findOldest(free, workDueAt, now);
}

/** Leases the oldest due effect of the concurrent lane. */
export function claimConcurrentEffect(tables: MemoryTables, now: number, leaseMs: number): StoredEffect | null {
  const all = [...tables.pulls.values()].flatMap((row) => row.pendingEffects.map((effect) => ({ row, effect })));
  const free = all.filter(({ effect }) => effect.lane === 'concurrent' && isLeaseFree(tables, effect.leaseUntil, now));
  const next = findOldest(free, ({ effect }) => effect.dueAt, now);
  if (next === null) return null;
  next.effect.leaseUntil = now + leaseMs;
  return startAttempt(next.row, next.effect);
}

function startAttempt(row: MemoryPullRow, effect: MemoryEffectRow): StoredEffect {
  effect.attempts += 1;
  effect.started = true;
  const requestedAt = new Date(effect.createdAt).toISOString();
  const { id, attempts, internalErrors, refusedSince } = effect;
  return {
    id,
    pullRequestKey: row.key,
    effect: effect.effect,
    attempts,
    internalErrors,
    refusedSince,
    requestedAt,
  };
}

/** The earliest time at which work can be claimed (ms); null if there is none. */
export function findEarliestDue(tables: MemoryTables, kind: WorkKind | null): number | null {
  const times = [...tables.pulls.values()].flatMap((row) => [
    ...(kind === 'effect' ? [] : [Math.max(workDueAt(row), row.leaseUntil ?? 0)]),
    ...row.pendingEffects.flatMap(({ lane, dueAt, leaseUntil }) =>
      lane === 'concurrent' && kind !== 'pull' ? [Math.max(dueAt, leaseUntil ?? 0)] : [],
    ),
  ]);
  const earliest = Math.min(Number.POSITIVE_INFINITY, ...times);
  return earliest === Number.POSITIVE_INFINITY ? null : earliest;
}
