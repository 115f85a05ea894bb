import type { TokenUsage } from './conversation.ts';
import type { RunLimits } from './settings.ts';

/** Dollars for a million tokens. */
export type ModelPrice = { readonly input: number; readonly cachedInput: number; readonly output: number };

/** By the name of the model, as the operator gives them. */
export type ModelPrices = ReadonlyMap<string, ModelPrice>;

/** Null if the operator gives none. */
export function priceOf(prices: ModelPrices | undefined, model: string | null): ModelPrice | null {
  return model === null ? null : (prices?.get(model) ?? null);
}

/** What a run has spent. The price is that of its start or of its last renewal. */
export type Spending = {
  readonly usage: TokenUsage;
  /** Time of the agent at work, without its waiting for people (ms). */
  readonly workMs: number;
  /** Until when `workMs` is counted while the agent is at work; null while it is not. */
  readonly workingSince: string | null;
  /** Null if it is unknown. */
  readonly price: ModelPrice | null;
  /** Dollars of all answers, each at the price of its time; null if a price was unknown. */
  readonly costUsd: number | null;
  /** The amounts when the limits last began anew. */
  readonly renewedAt: { readonly tokens: number; readonly workMs: number; readonly costUsd: number };
};

export const NO_USAGE: TokenUsage = { inputTokens: 0, cachedInputTokens: 0, outputTokens: 0 };

/** The spending of a new run. */
export function startSpending(price: ModelPrice | null): Spending {
  return {
    usage: NO_USAGE,
    workMs: 0,
    workingSince: null,
    price,
    costUsd: price === null ? null : 0,
    renewedAt: { tokens: 0, workMs: 0, costUsd: 0 },
  };
}

/** The spending with its limits begun anew, at the model's price now; null keeps the price that was. */
export function renewSpending(spending: Spending, newPrice: ModelPrice | null): Spending {
  const { usage, workMs } = spending;
  const price = newPrice ?? spending.price;
  const costUsd = spending.costUsd ?? (price === null ? null : 0);
  return { ...spending, price, costUsd, renewedAt: { tokens: totalTokens(usage), workMs, costUsd: costUsd ?? 0 } };
}

/** The spending with another answer. */
export function addAnswer(spending: Spending, usage: TokenUsage): Spending {
  const cost = costOf(usage, spending.price);
  const costUsd = spending.costUsd === null || cost === null ? null : spending.costUsd + cost;
  return { ...spending, usage: addTokens(spending.usage, usage), costUsd };
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
export function renewedTokens({ usage, renewedAt }: Spending): number {
  return totalTokens(usage) - renewedAt.tokens;
}

/** The dollars since the limits began anew; null if they are unknown. */
export function renewedCost({ costUsd, renewedAt }: Spending): number | null {
  return costUsd === null ? null : costUsd - renewedAt.costUsd;
}

export type SpendingLimit = 'token-limit' | 'cost-limit' | 'time-limit';

/** The limit that a run has reached at `now` (ISO 8601); null if it can go on. */
export function findReachedLimit(spending: Spending, limits: RunLimits, now: string): SpendingLimit | null {
  if (renewedTokens(spending) >= limits.tokens) return 'token-limit';
  // A cost that nobody knows could be anything, so no limit allows it.
  if (limits.costUsd !== null && (renewedCost(spending) ?? Number.POSITIVE_INFINITY) >= limits.costUsd)
    return 'cost-limit';
  const workMs = countWork(spending, false, now).workMs - spending.renewedAt.workMs;
  return limits.minutes !== null && workMs >= limits.minutes * 60_000 ? 'time-limit' : null;
}
