import type {
  Claim,
  DueTimes,
  PullWork,
  Store,
  StoredEffect,
  StoredSignal,
} from '../../../src/adapters/store/store.ts';
import { PRIORITY_OF } from '../../../src/core/state/effects.ts';
import { acquire, pauseUntil, type RateLimitState, UNUSED_RATE_LIMITS } from '../../../src/core/state/rate-limit.ts';
import {
  type HolderLease,
  isLeaseFree,
  type MemoryEffectRow,
  type MemoryInboxRow,
  type MemoryPullRow,
  type MemoryTables,
} from './tables.ts';

/** The next due signal, else the next due effect, else the claim is given back. */
export function pickNextWork(tables: MemoryTables, row: MemoryPullRow | null, now: number): PullWork | null {
  if (row === null) return null;
  const signal = findDueSignal(tables, row, now);
  if (signal !== null) return { kind: 'signal', signal };
  const effect = row.pendingEffects.find((one) => one.lane === 'exclusive' && isEffectDue(tables, row, one, now));
  if (effect !== undefined) return { kind: 'effect', effect: startAttempt(row, effect) };
  endClaim(row);
  return null;
}

/** Outcomes first, then what people said, each in the order received. */
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
  const isTime = dueAt <= now || (type === 'catch-up' && attempts === 0);
  return isTime && rateLimitBlocks(tables, row)[PRIORITY_OF[type]] <= now;
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

/** When what people or effects left can be heard at the earliest: none of people's words overtakes one that failed. */
function signalDueAt(row: MemoryPullRow, { kind, dueAt }: MemoryInboxRow): number {
  return kind === 'webhook' ? Math.max(dueAt, row.commentsRetryAt) : dueAt;
}

/** When something may be begun, of its own time and the one that its installation's budget names. */
type ReadyTime = (dueAt: number, gate: number) => number;

/** Its own time, once the gate is open: what waited for a budget keeps its place. */
function readyAt(now: number): ReadyTime {
  return (due, gate) => (gate <= now ? due : Number.POSITIVE_INFINITY);
}

/** When the pull request's oldest work became, or becomes, due; infinite where there is none. */
function workDueAt(tables: MemoryTables, row: MemoryPullRow, when: ReadyTime): number {
  const gates = rateLimitBlocks(tables, row);
  let due = Number.POSITIVE_INFINITY;
  for (const signal of row.pendingSignals) due = Math.min(due, when(signalDueAt(row, signal), gates.read));
  for (const { lane, dueAt, effect } of row.pendingEffects)
    if (lane === 'exclusive') due = Math.min(due, when(dueAt, gates[PRIORITY_OF[effect.type]]));
  return due;
}

function findOldest<Row>(rows: Iterable<Row>, ageOf: (row: Row) => number, now: number): Row | null {
  let found: Row | null = null;
  let age = Number.POSITIVE_INFINITY;
  for (const row of rows) {
    const itsAge = ageOf(row);
    if (itsAge > now || itsAge >= age) continue;
    found = row;
    age = itsAge;
  }
  return found;
}

/** The free pull request whose due work is oldest. */
export function findOldestClaimable(tables: MemoryTables, now: number): MemoryPullRow | null {
  const free = [...tables.pulls.values()].filter(({ lease }) => isLeaseFree(tables, lease, now));
  const when = readyAt(now);
  return findOldest(free, (one) => workDueAt(tables, one, when), now);
}

/** The effect of the free lane that has waited longest, leased to this holder. */
export function claimConcurrentEffect(
  tables: MemoryTables,
  holder: number,
  now: number,
  leaseMs: number,
): StoredEffect | null {
  const all = [...tables.pulls.values()].flatMap((row) => row.pendingEffects.map((effect) => ({ row, effect })));
  const free = all.filter(({ effect }) => effect.lane === 'concurrent' && isLeaseFree(tables, effect.lease, now));
  const when = readyAt(now);
  const dueOf = ({ row, effect }: (typeof free)[number]): number =>
    when(effect.dueAt, rateLimitBlocks(tables, row)[PRIORITY_OF[effect.effect.type]]);
  const next = findOldest(free, dueOf, now);
  if (next === null) return null;
  next.effect.lease = { until: now + leaseMs, holder };
  return startAttempt(next.row, next.effect);
}

/** Counts the attempt. */
function startAttempt(row: MemoryPullRow, effect: MemoryEffectRow): StoredEffect {
  effect.attempts += 1;
  effect.started = true;
  const requestedAt = new Date(effect.createdAt).toISOString();
  const { id, attempts, rateLimitedAttempts, internalErrors } = effect;
  return {
    id,
    pullRequestKey: row.key,
    effect: effect.effect,
    attempts,
    rateLimitedAttempts,
    internalErrors,
    requestedAt,
  };
}

/** When the earliest waiting work of each lane may be taken. */
export function findEarliestDue(tables: MemoryTables): DueTimes {
  const leased = (lease: HolderLease | null): number =>
    lease !== null && tables.holders.has(lease.holder) ? lease.until : Number.NEGATIVE_INFINITY;
  let pull = Number.POSITIVE_INFINITY;
  let free = Number.POSITIVE_INFINITY;
  for (const row of tables.pulls.values()) {
    pull = Math.min(pull, Math.max(workDueAt(tables, row, Math.max), leased(row.lease)));
    const gates = rateLimitBlocks(tables, row);
    for (const { lane, dueAt, lease, effect } of row.pendingEffects)
      if (lane === 'concurrent') free = Math.min(free, Math.max(dueAt, leased(lease), gates[PRIORITY_OF[effect.type]]));
  }
  return { exclusive: finiteOrNull(pull), concurrent: finiteOrNull(free) };
}

function finiteOrNull(time: number): number | null {
  return time === Number.POSITIVE_INFINITY ? null : time;
}

/** What the store has for GitHub's limits, in memory. */
export function memoryRateLimitMethods({
  rateLimits,
}: MemoryTables): Pick<Store, 'acquireRateLimit' | 'pauseInstallation'> {
  return {
    acquireRateLimit: async (installationId, wish, limits, now) => {
      const { state, waitUntil } = acquire(rateLimits.get(installationId) ?? UNUSED_RATE_LIMITS, wish, limits, now);
      rateLimits.set(installationId, state);
      return waitUntil;
    },
    pauseInstallation: async (installationId, until) =>
      void rateLimits.set(
        installationId,
        pauseUntil(rateLimits.get(installationId) ?? UNUSED_RATE_LIMITS, 'read', until),
      ),
  };
}

/** Until when work of each rank waits on the pull request (ms). */
function rateLimitBlocks({ rateLimits }: MemoryTables, { state }: MemoryPullRow): RateLimitState['blockedUntil'] {
  return (rateLimits.get(state.ref.installationId) ?? UNUSED_RATE_LIMITS).blockedUntil;
}
