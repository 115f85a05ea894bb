import type { Claim, Due, StoredEffect } from '../../store/store.ts';
import { type EffectRow, type InboxRow, isFree, type Lease, type PullRow, type Tables } from './tables.ts';

/** When what people or effects left can be heard at the earliest: none of people's words overtakes one that failed. */
export function dueAt(row: PullRow, { kind, notBefore }: InboxRow): number {
  return kind === 'intent' ? Math.max(notBefore, row.heldUntil) : notBefore;
}

/** When the pull request's oldest work became, or becomes, due; infinite where there is none. */
function workOf(row: PullRow): number {
  let due = Number.POSITIVE_INFINITY;
  for (const signal of row.waiting) due = Math.min(due, dueAt(row, signal));
  for (const { lane, notBefore } of row.wanted) if (lane === 'pull') due = Math.min(due, notBefore);
  return due;
}

function oldest<Row>(rows: Iterable<Row>, ageOf: (row: Row) => number, now: number): Row | null {
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

/** Claims the free pull request whose due work is oldest. */
export function claimPull(tables: Tables, holder: number, now: number, leaseMs: number): Claim | null {
  const free = [...tables.pulls.values()].filter(({ lease }) => isFree(tables, lease, now));
  const row = oldest(free, workOf, now);
  if (row === null) return null;
  row.fence += 1;
  row.lease = { until: now + leaseMs, holder };
  return { pullKey: row.key, fence: row.fence, leaseUntil: now + leaseMs };
}

/** The effect of the free lane that has waited longest, leased to this holder. */
export function claimEffect(tables: Tables, holder: number, now: number, leaseMs: number): StoredEffect | null {
  const all = [...tables.pulls.values()].flatMap((row) => row.wanted.map((effect) => ({ row, effect })));
  const free = all.filter(({ effect }) => effect.lane === 'free' && isFree(tables, effect.lease, now));
  const next = oldest(free, ({ effect }) => effect.notBefore, now);
  if (next === null) return null;
  next.effect.lease = { until: now + leaseMs, holder };
  return begin(next.row, next.effect);
}

/** Counts the attempt. */
export function begin(row: PullRow, effect: EffectRow): StoredEffect {
  effect.attempts += 1;
  effect.begun = true;
  const since = new Date(effect.createdAt).toISOString();
  return { id: effect.id, pullKey: row.key, effect: effect.effect, attempts: effect.attempts, since };
}

/** When the earliest waiting work of each lane may be taken. */
export function nextDue(tables: Tables): Due {
  const leased = (lease: Lease | null): number =>
    lease !== null && tables.holders.has(lease.holder) ? lease.until : Number.NEGATIVE_INFINITY;
  let pull = Number.POSITIVE_INFINITY;
  let free = Number.POSITIVE_INFINITY;
  for (const row of tables.pulls.values()) {
    pull = Math.min(pull, Math.max(workOf(row), leased(row.lease)));
    for (const { lane, notBefore, lease } of row.wanted)
      if (lane === 'free') free = Math.min(free, Math.max(notBefore, leased(lease)));
  }
  return { pull: orNull(pull), free: orNull(free) };
}

function orNull(time: number): number | null {
  return time === Number.POSITIVE_INFINITY ? null : time;
}
