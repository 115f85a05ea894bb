/**
 * Counts a request, or returns the time until which its priority is blocked. This block also covers lower priorities
 * and is stored, so that checking again costs nothing.
 */
export function acquire(
  state: RateLimitState,
  request: AcquireRequest,
  limits: readonly RateLimit[],
  now: number,
): AcquireResult {
  const waitTimes = [
    state.blockedUntil[request.priority],
    quotaWaitUntil(request, now),
    ...limits.map((limit) => limitWaitUntil(state, limit, request, now)),
  ];
  const waitUntil = Math.max(...waitTimes);
  if (waitUntil > now) return { state: pauseUntil(state, request.priority, waitUntil), waitUntil };
  const used = Object.fromEntries(limits.map((limit) => [limit.name, countUsage(state, limit, request.cost, now)]));
  return { state: { ...state, used }, waitUntil: null };
}

/** Blocks this priority and all lower ones until a time (ms). */
export function pauseUntil(state: RateLimitState, priority: Priority, until: number): RateLimitState {
  const { read, act, notify } = state.blockedUntil;
  const blocked = PRIORITIES.slice(PRIORITIES.indexOf(priority));
  const laterOf = (one: Priority, at: number): number => (blocked.includes(one) ? Math.max(at, until) : at);
  return {
    ...state,
    blockedUntil: { read: laterOf('read', read), act: laterOf('act', act), notify: laterOf('notify', notify) },
  };
}

/**
 * The usage of one installation: slots by limit, oldest first, and the time (ms) until which each priority is blocked.
 */
export type RateLimitState = {
  readonly used: Readonly<Record<string, readonly UsageSlot[]>>;
  readonly blockedUntil: Readonly<Record<Priority, number>>;
};

/** Usage within one slot of time. */
type UsageSlot = { readonly slot: number; readonly used: number };

/** A request that is about to be sent; `quota` is null if no response has reported one. */
export type AcquireRequest = { readonly priority: Priority; readonly cost: RequestCost; readonly quota: Quota | null };

/** `waitUntil` (ms) is null if the request can be sent; then it is counted. */
type AcquireResult = { readonly state: RateLimitState; readonly waitUntil: number | null };

/** The hourly quota as of GitHub's last response; `resetAt` is ms by our clock. */
export type Quota = { readonly limit: number; readonly remaining: number; readonly resetAt: number };

/**
 * The purpose of work, most important first: `read` fetches what a decision needs, `act` commits, posts proposals and
 * runs tools, `notify` only informs people.
 */
export type Priority = 'read' | 'act' | 'notify';

const PRIORITIES = ['read', 'act', 'notify'] as const satisfies readonly Priority[];

/** The share of each limit that a priority can use. The rest is reserved for higher priorities. */
export const PRIORITY_SHARES = { read: 1, act: 0.9, notify: 0.7 } as const satisfies Record<Priority, number>;

/** The cost of one request in GitHub's units. */
export type RequestCost = { readonly points: number; readonly writes: number };

export const READ_COST: RequestCost = { points: 1, writes: 0 };

export const WRITE_COST: RequestCost = { points: 5, writes: 1 };

/** The maximum usage of a unit in any window of this length (ms), per installation. */
export type RateLimit = {
  readonly name: string;
  readonly unit: keyof RequestCost;
  readonly max: number;
  readonly windowMs: number;
};

const MINUTE_MS = 60_000;

/**
 * GitHub's secondary limits. GitHub does not report their usage, so we count it. Every write counts as content
 * creation.
 */
export const GITHUB_RATE_LIMITS: readonly RateLimit[] = [
  { name: 'writes-minute', unit: 'writes', max: 80, windowMs: MINUTE_MS },
  { name: 'writes-hour', unit: 'writes', max: 500, windowMs: 60 * MINUTE_MS },
  { name: 'points-minute', unit: 'points', max: 900, windowMs: MINUTE_MS },
];

/** The limits of a host. GitHub Enterprise Server has none unless its responses report some. */
export function rateLimitsFor(host: string): readonly RateLimit[] {
  return host === 'github.com' || host.endsWith('.ghe.com') ? GITHUB_RATE_LIMITS : [];
}

/** Number of slots per limit. It keeps the stored state small. */
const SLOTS_PER_WINDOW = 12;

/** Maximum difference between sending a request and its arrival at GitHub. */
const MAX_NETWORK_DELAY_MS = 5_000;

function quotaWaitUntil({ priority, quota }: AcquireRequest, now: number): number {
  if (quota === null || quota.resetAt <= now) return 0;
  return quota.limit - quota.remaining < quota.limit * PRIORITY_SHARES[priority] ? 0 : quota.resetAt;
}

/** The time at which enough of the oldest slots have left the limit's window. */
function limitWaitUntil(
  state: RateLimitState,
  limit: RateLimit,
  { priority, cost }: AcquireRequest,
  now: number,
): number {
  const amount = cost[limit.unit];
  const slots = activeSlots(state, limit, now);
  let excess = slots.reduce((sum, { used }) => sum + used, amount) - limit.max * PRIORITY_SHARES[priority];
  if (amount === 0 || excess <= 0) return 0;
  for (const slot of slots) {
    excess -= slot.used;
    if (excess <= 0) return slotExpiresAt(slot, limit);
  }
  return now + limit.windowMs;
}

function countUsage(state: RateLimitState, limit: RateLimit, cost: RequestCost, now: number): readonly UsageSlot[] {
  const slot = Math.floor(now / slotMs(limit));
  const before = activeSlots(state, limit, now);
  const amount = cost[limit.unit];
  if (amount === 0) return before;
  const last = before.at(-1);
  if (last === undefined || last.slot < slot) return [...before, { slot, used: amount }];
  return [...before.slice(0, -1), { slot: last.slot, used: last.used + amount }];
}

/** The slots that still count. */
function activeSlots(state: RateLimitState, limit: RateLimit, now: number): readonly UsageSlot[] {
  return (state.used[limit.name] ?? []).filter((slot) => slotExpiresAt(slot, limit) > now);
}

/** The time at which every request of this slot has left the window for certain. */
function slotExpiresAt({ slot }: UsageSlot, limit: RateLimit): number {
  return (slot + 1) * slotMs(limit) + limit.windowMs + MAX_NETWORK_DELAY_MS;
}

function slotMs({ windowMs }: RateLimit): number {
  return windowMs / SLOTS_PER_WINDOW;
}
