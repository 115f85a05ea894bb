import { RANK_OF } from '../../run/effect.ts';
import type { Due, StoredEffect } from '../../store/store.ts';
import { gatesOf } from './budgets.ts';
import { type EffectRow, type InboxRow, isFree, type Lease, type PullRow, type Tables } from './tables.ts';

/** When what people or effects left can be heard at the earliest: none of people's words overtakes one that failed. */
export function dueAt(row: PullRow, { kind, notBefore }: InboxRow): number {
  return kind === 'intent' ? Math.max(notBefore, row.heldUntil) : notBefore;
}

/** When something may be begun, of its own time and the one that its installation's budget names. */
type When = (dueAt: number, gate: number) => number;

/** Its own time, once the gate is open: what waited for a budget keeps its place. */
function openAt(now: number): When {
  return (due, gate) => (gate <= now ? due : Number.POSITIVE_INFINITY);
}

/** When the pull request's oldest work became, or becomes, due; infinite where there is none. */
function workOf(tables: Tables, row: PullRow, when: When): number {
  const gates = gatesOf(tables, row);
  let due = Number.POSITIVE_INFINITY;
  for (const signal of row.waiting) due = Math.min(due, when(dueAt(row, signal), gates.hear));
  for (const { lane, notBefore, effect } of row.wanted)
    if (lane === 'pull') due = Math.min(due, when(notBefore, gates[RANK_OF[effect.type]]));
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

/** The free pull request whose due work is oldest. */
export function oldestFree(tables: Tables, now: number): PullRow | null {
  const free = [...tables.pulls.values()].filter(({ lease }) => isFree(tables, lease, now));
  const when = openAt(now);
  return oldest(free, (one) => workOf(tables, one, when), now);
}

/** The effect of the free lane that has waited longest, leased to this holder. */
export function claimEffect(tables: Tables, holder: number, now: number, leaseMs: number): StoredEffect | null {
  const all = [...tables.pulls.values()].flatMap((row) => row.wanted.map((effect) => ({ row, effect })));
  const free = all.filter(({ effect }) => effect.lane === 'free' && isFree(tables, effect.lease, now));
  const when = openAt(now);
  const dueOf = ({ row, effect }: (typeof free)[number]): number =>
    when(effect.notBefore, gatesOf(tables, row)[RANK_OF[effect.effect.type]]);
  const next = oldest(free, dueOf, now);
  if (next === null) return null;
  next.effect.lease = { until: now + leaseMs, holder };
  return begin(next.row, next.effect);
}

/** Counts the attempt. */
export function begin(row: PullRow, effect: EffectRow): StoredEffect {
  effect.attempts += 1;
  effect.begun = true;
  const since = new Date(effect.createdAt).toISOString();
  const { id, attempts, limited, faults } = effect;
  return { id, pullKey: row.key, effect: effect.effect, attempts, limited, faults, since };
}

/** When the earliest waiting work of each lane may be taken. */
export function nextDue(tables: Tables): Due {
  const leased = (lease: Lease | null): number =>
    lease !== null && tables.holders.has(lease.holder) ? lease.until : Number.NEGATIVE_INFINITY;
  let pull = Number.POSITIVE_INFINITY;
  let free = Number.POSITIVE_INFINITY;
  for (const row of tables.pulls.values()) {
    pull = Math.min(pull, Math.max(workOf(tables, row, Math.max), leased(row.lease)));
    const gates = gatesOf(tables, row);
    for (const { lane, notBefore, lease, effect } of row.wanted)
      if (lane === 'free') free = Math.min(free, Math.max(notBefore, leased(lease), gates[RANK_OF[effect.type]]));
  }
  return { pull: orNull(pull), free: orNull(free) };
}

function orNull(time: number): number | null {
  return time === Number.POSITIVE_INFINITY ? null : time;
}
