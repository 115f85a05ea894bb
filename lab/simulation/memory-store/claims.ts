import type {
  Claim,
  DueTimes,
  PullWork,
  Store,
  StoredEffect,
  StoredSignal,
} from '../../../src/adapters/store/store.ts';
import { PRIORITY_OF } from '../../../src/core/step/effects.ts';
import { acquire, pauseUntil, type RateLimitState } from '../../../src/core/step/rate-limit.ts';
import {
  type HolderLease,
  isLeaseFree,
  type MemoryEffectRow,
  type MemoryInboxRow,
  type MemoryPullRow,
  type MemoryTables,
  requireWholeTime,
} from './tables.ts';

const UNUSED_RATE_LIMITS: RateLimitState = { used: {}, blockedUntil: { read: 0, act: 0, notify: 0 } };

/** The next due signal, or the next due effect. If nothing is due, it ends the claim and returns null. */
export function pickNextWork(tables: MemoryTables, row: MemoryPullRow | null, now: number): PullWork | null {
  if (row === null) return null;
  const signal = findDueSignal(tables, row, now);
  if (signal !== null) return { kind: 'signal', signal };
  const effect = row.pendingEffects.find(
    (candidate) => candidate.lane === 'exclusive' && isEffectDue(tables, row, candidate, now),
  );
  if (effect !== undefined) return { kind: 'effect', effect: startAttempt(row, effect) };
  endClaim(row);
  return null;
}

/** The oldest due effect result, or the oldest due webhook. */
export function findDueSignal(tables: MemoryTables, row: MemoryPullRow, now: number): StoredSignal | null {
  if (rateLimitBlocks(tables, row).read > now) return null;
  const due = row.pendingSignals.filter((signal) => signalDueAt(row, signal) <= now && signal.signal !== null);
  const next = due.find(({ kind }) => kind === 'effect-result') ?? due[0];
  return next === undefined ? null : toStoredSignal(next);
}

function toStoredSignal({ id, signal, receivedAt, attempts, internalErrors }: MemoryInboxRow): StoredSignal | null {
  return signal === null ? null : { id, signal, receivedAt, attempts, internalErrors };
}

function isEffectDue(
  tables: MemoryTables,
  row: MemoryPullRow,
  { effect: { type }, dueAt, attempts }: MemoryEffectRow,
  now: number,
): boolean {
  const isTimeReached = dueAt <= now || (type === 'catch-up' && attempts === 0);
  return isTimeReached && rateLimitBlocks(tables, row)[PRIORITY_OF[type]] <= now;
}

export function endClaim(row: MemoryPullRow): void {
  row.fencingToken += 1;
  row.lease = null;
}

export function grantClaim(row: MemoryPullRow, holder: number, now: number, leaseMs: number): Claim {
  row.fencingToken += 1;
  row.lease = { until: now + leaseMs, holder };
  return { pullRequestKey: row.key, fencingToken: row.fencingToken, leaseUntil: now + leaseMs };
}

/** A failed comment delays all later ones, so that their order stays the same. */
function signalDueAt(row: MemoryPullRow, { kind, dueAt }: MemoryInboxRow): number {
  return kind === 'webhook' ? Math.max(dueAt, row.webhooksRetryAt) : dueAt;
}

/** Combines the due time of work with the end of its rate-limit block (both ms). */
type ReadyTime = (dueAt: number, blockedUntil: number) => number;

/** Blocked work is not ready. Afterwards it keeps its due time, and so its place in the queue. */
function readyAt(now: number): ReadyTime {
  return (dueAt, blockedUntil) => (blockedUntil <= now ? dueAt : Number.POSITIVE_INFINITY);
}

/** The earliest ready time of the pull request's exclusive work; infinite if there is none. */
function workDueAt(tables: MemoryTables, row: MemoryPullRow, readyTime: ReadyTime): number {
  const blocks = rateLimitBlocks(tables, row);
  let earliest = Number.POSITIVE_INFINITY;
  for (const signal of row.pendingSignals)
    earliest = Math.min(earliest, readyTime(signalDueAt(row, signal), blocks.read));
  for (const { lane, dueAt, effect } of row.pendingEffects)
    if (lane === 'exclusive') earliest = Math.min(earliest, readyTime(dueAt, blocks[PRIORITY_OF[effect.type]]));
  return earliest;
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
  const free = [...tables.pulls.values()].filter(({ lease }) => isLeaseFree(tables, lease, now));
  const readyTime = readyAt(now);
  return findOldest(free, (row) => workDueAt(tables, row, readyTime), now);
}

/** Leases the oldest due effect of the concurrent lane to this holder. */
export function claimConcurrentEffect(
  tables: MemoryTables,
  holder: number,
  now: number,
  leaseMs: number,
): StoredEffect | null {
  const all = [...tables.pulls.values()].flatMap((row) => row.pendingEffects.map((effect) => ({ row, effect })));
  const free = all.filter(({ effect }) => effect.lane === 'concurrent' && isLeaseFree(tables, effect.lease, now));
  const readyTime = readyAt(now);
  const dueAtOf = ({ row, effect }: (typeof free)[number]): number =>
    readyTime(effect.dueAt, rateLimitBlocks(tables, row)[PRIORITY_OF[effect.effect.type]]);
  const next = findOldest(free, dueAtOf, now);
  if (next === null) return null;
  next.effect.lease = { until: now + leaseMs, holder };
  return startAttempt(next.row, next.effect);
}

function startAttempt(row: MemoryPullRow, effect: MemoryEffectRow): StoredEffect {
  effect.attempts += 1;
  effect.started = true;
  const requestedAt = new Date(effect.createdAt).toISOString();
  const { id, attempts, waitingAttempts, internalErrors } = effect;
  return {
    id,
    pullRequestKey: row.key,
    effect: effect.effect,
    attempts,
    waitingAttempts,
    internalErrors,
    requestedAt,
  };
}

/** The earliest time at which work of each lane can be claimed (ms). */
export function findEarliestDue(tables: MemoryTables): DueTimes {
  const leasedUntil = (lease: HolderLease | null): number =>
    lease !== null && tables.holders.has(lease.holder) ? lease.until : Number.NEGATIVE_INFINITY;
  let exclusive = Number.POSITIVE_INFINITY;
  let concurrent = Number.POSITIVE_INFINITY;
  for (const row of tables.pulls.values()) {
    exclusive = Math.min(exclusive, Math.max(workDueAt(tables, row, Math.max), leasedUntil(row.lease)));
    const blocks = rateLimitBlocks(tables, row);
    for (const { lane, dueAt, lease, effect } of row.pendingEffects)
      if (lane === 'concurrent')
        concurrent = Math.min(concurrent, Math.max(dueAt, leasedUntil(lease), blocks[PRIORITY_OF[effect.type]]));
  }
  return { exclusive: finiteOrNull(exclusive), concurrent: finiteOrNull(concurrent) };
}

function finiteOrNull(time: number): number | null {
  return time === Number.POSITIVE_INFINITY ? null : time;
}

export function memoryRateLimitMethods({
  rateLimits,
}: MemoryTables): Pick<Store, 'acquireRateLimit' | 'pauseInstallation'> {
  return {
    acquireRateLimit: async (installationId, request, limits, now) => {
      const { state, waitUntil } = acquire(rateLimits.get(installationId) ?? UNUSED_RATE_LIMITS, request, limits, now);
      rateLimits.set(installationId, state);
      return waitUntil;
    },
    pauseInstallation: async (installationId, until) =>
      void rateLimits.set(
        installationId,
        pauseUntil(rateLimits.get(installationId) ?? UNUSED_RATE_LIMITS, 'read', requireWholeTime(until)),
      ),
  };
}

/** The end of the rate-limit block for each priority (ms). */
function rateLimitBlocks({ rateLimits }: MemoryTables, { state }: MemoryPullRow): RateLimitState['blockedUntil'] {
  return (rateLimits.get(state.ref.installationId) ?? UNUSED_RATE_LIMITS).blockedUntil;
}
