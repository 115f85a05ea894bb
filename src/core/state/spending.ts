import type { TokenUsage } from './conversation.ts';

/** Dollars for a million tokens. */
export type ModelPrice = { readonly input: number; readonly cachedInput: number; readonly output: number };

/** What a run may spend until a person renews it; null for no limit. `minutes` counts the agent at work. */
export type SpendingLimits = {
  readonly tokens: number;
  readonly costUsd: number | null;
  readonly minutes: number | null;
};

const DEFAULT_SPENDING_LIMITS: SpendingLimits = { tokens: 1_000_000, costUsd: null, minutes: null };

/** What a run spends beside its tokens. Price and limits are those of its start. */
export type Spending = {
  /** Some tokens are our estimate, because the endpoint reported none. */
  readonly isEstimated: boolean;
  /** Time of the agent at work, without its waiting for people (ms). */
  readonly workMs: number;
  /** Until when `workMs` is counted while the agent is at work; null while it is not. */
  readonly workingSince: string | null;
  /** Null if it is unknown. */
  readonly price: ModelPrice | null;
  readonly limits: SpendingLimits;
  /** What was spent when the limits last began anew. */
  readonly renewedAt: { readonly usage: TokenUsage; readonly workMs: number };
};

/** The parts of a run that say what it spent. */
type Spender = { readonly usage: TokenUsage; readonly spending: Spending };

export const NO_USAGE: TokenUsage = { inputTokens: 0, cachedInputTokens: 0, outputTokens: 0 };

/** The spending of a new run. */
export function startSpending(price: ModelPrice | null): Spending {
  return {
    isEstimated: false,
    workMs: 0,
    workingSince: null,
    price,
    limits: DEFAULT_SPENDING_LIMITS,
    renewedAt: { usage: NO_USAGE, workMs: 0 },
  };
}

/** The spending with its limits begun anew. */
export function renewSpending({ usage, spending }: Spender): Spending {
  return { ...spending, renewedAt: { usage, workMs: spending.workMs } };
}

/** The spending with the time up to `now` (ISO 8601). */
export function countWork(spending: Spending, isAtWork: boolean, now: string): Spending {
  const { workingSince } = spending;
  const ms = workingSince === null ? 0 : Math.max(0, Date.parse(now) - Date.parse(workingSince));
  return { ...spending, workMs: spending.workMs + ms, workingSince: isAtWork ? now : null };
}

/** Whether the endpoint counted. */
export function isReported({ inputTokens, outputTokens }: TokenUsage): boolean {
  return inputTokens + outputTokens > 0;
}

export function addTokens(one: TokenUsage, other: TokenUsage): TokenUsage {
  return {
    inputTokens: one.inputTokens + other.inputTokens,
    cachedInputTokens: one.cachedInputTokens + other.cachedInputTokens,
    outputTokens: one.outputTokens + other.outputTokens,
  };
}

export function totalTokens({ inputTokens, outputTokens }: TokenUsage): number {
  return inputTokens + outputTokens;
}

/** Dollars for these tokens; null if the price is unknown. Cached tokens are a part of the input. */
export function costOf({ inputTokens, cachedInputTokens, outputTokens }: TokenUsage, price: ModelPrice | null) {
  if (price === null) return null;
  const cached = Math.min(cachedInputTokens, inputTokens);
  const dollars = (inputTokens - cached) * price.input + cached * price.cachedInput + outputTokens * price.output;
  return dollars / 1_000_000;
}

/** The tokens since the limits began anew. */
export function renewedTokens({ usage, spending }: Spender): TokenUsage {
  const { usage: before } = spending.renewedAt;
  return {
    inputTokens: usage.inputTokens - before.inputTokens,
    cachedInputTokens: usage.cachedInputTokens - before.cachedInputTokens,
    outputTokens: usage.outputTokens - before.outputTokens,
  };
}

export type SpendingLimit = 'token-limit' | 'cost-limit' | 'time-limit';

/** The limit that a run has reached at `now` (ISO 8601); null if it can go on. */
export function findReachedLimit(spender: Spender, now: string): SpendingLimit | null {
  const { limits, price, renewedAt } = spender.spending;
  const tokens = renewedTokens(spender);
  if (totalTokens(tokens) >= limits.tokens) return 'token-limit';
  const cost = costOf(tokens, price);
  if (limits.costUsd !== null && cost !== null && cost >= limits.costUsd) return 'cost-limit';
  const { workMs } = countWork(spender.spending, false, now);
  return limits.minutes !== null && workMs - renewedAt.workMs >= limits.minutes * 60_000 ? 'time-limit' : null;
}
