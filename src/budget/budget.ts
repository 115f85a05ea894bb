import { type Cost, type Limit, RANKS, type Rank, SHARES } from './limits.ts';

/** What was spent in one slot of time, by the slot's number. */
export type Slot = { readonly slot: number; readonly spent: number };

/** What one installation has spent, by limit and oldest first, and until when (ms) work of each rank has to wait. */
export type Budget = {
  readonly spent: Readonly<Record<string, readonly Slot[]>>;
  readonly gates: Readonly<Record<Rank, number>>;
};

export const UNSPENT: Budget = { spent: {}, gates: { hear: 0, act: 0, tell: 0 } };

/** What GitHub's last answer said of the hourly quota; `resetAt` is ms by our clock. */
export type Quota = { readonly limit: number; readonly remaining: number; readonly resetAt: number };

/** A request that is about to be sent. `quota` is null where no answer has told of any. */
export type Wish = { readonly rank: Rank; readonly cost: Cost; readonly quota: Quota | null };

/** `waitUntil` (ms) is null where the request may be sent: then it is counted. */
export type Spending = { readonly budget: Budget; readonly waitUntil: number | null };

/** A limit is counted in so many slots, so that a budget stays a handful of numbers. */
const SLOTS = 12;
/** A request may reach GitHub so much later than one that was sent after it. */
const LATE_MS = 5_000;

/**
 * Counts a request, or says until when its rank has to wait. All work of that rank and those behind it waits with it, so
 * that the next question costs nothing.
 */
export function spend(budget: Budget, wish: Wish, limits: readonly Limit[], now: number): Spending {
  const waits = [
    budget.gates[wish.rank],
    quotaWait(wish, now),
    ...limits.map((limit) => limitWait(budget, limit, wish, now)),
  ];
  const waitUntil = Math.max(...waits);
  if (waitUntil > now) return { budget: rest(budget, wish.rank, waitUntil), waitUntil };
  const spent = Object.fromEntries(limits.map((limit) => [limit.name, counted(budget, limit, wish.cost, now)]));
  return { budget: { ...budget, spent }, waitUntil: null };
}

/** Nothing of this rank, or behind it, is begun before that time (ms). */
export function rest(budget: Budget, rank: Rank, until: number): Budget {
  const { hear, act, tell } = budget.gates;
  const waiting = RANKS.slice(RANKS.indexOf(rank));
  const gate = (one: Rank, at: number): number => (waiting.includes(one) ? Math.max(at, until) : at);
  return { ...budget, gates: { hear: gate('hear', hear), act: gate('act', act), tell: gate('tell', tell) } };
}

function quotaWait({ rank, quota }: Wish, now: number): number {
  if (quota === null || quota.resetAt <= now) return 0;
  return quota.limit - quota.remaining < quota.limit * SHARES[rank] ? 0 : quota.resetAt;
}

/** When enough of the oldest slots have left the limit's span. */
function limitWait(budget: Budget, limit: Limit, { rank, cost }: Wish, now: number): number {
  const amount = cost[limit.unit];
  const slots = counting(budget, limit, now);
  let over = slots.reduce((sum, { spent }) => sum + spent, amount) - limit.most * SHARES[rank];
  if (amount === 0 || over <= 0) return 0;
  for (const slot of slots) {
    over -= slot.spent;
    if (over <= 0) return leaves(slot, limit);
  }
  return now + limit.spanMs;
}

function counted(budget: Budget, limit: Limit, cost: Cost, now: number): readonly Slot[] {
  const slot = Math.floor(now / slotMs(limit));
  const before = counting(budget, limit, now);
  const amount = cost[limit.unit];
  if (amount === 0) return before;
  const last = before.at(-1);
  if (last === undefined || last.slot < slot) return [...before, { slot, spent: amount }];
  return [...before.slice(0, -1), { slot: last.slot, spent: last.spent + amount }];
}

/** The slots that still count. */
function counting(budget: Budget, limit: Limit, now: number): readonly Slot[] {
  return (budget.spent[limit.name] ?? []).filter((slot) => leaves(slot, limit) > now);
}

/** When all that was sent in this slot has surely left the span. */
function leaves({ slot }: Slot, limit: Limit): number {
  return (slot + 1) * slotMs(limit) + limit.spanMs + LATE_MS;
}

function slotMs({ spanMs }: Limit): number {
  return spanMs / SLOTS;
}
