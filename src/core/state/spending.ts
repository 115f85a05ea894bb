import type { TokenUsage } from './conversation.ts';
import type { Settings } from './settings.ts';

/** Dollars for a million tokens. */
export type ModelPrice = { readonly input: number; readonly cachedInput: number; readonly output: number };

/** By the name of the model, as the operator gives them. */
export type ModelPrices = ReadonlyMap<string, ModelPrice>;

/** Null if the operator gives none. */
export function priceOf(prices: ModelPrices | undefined, model: string | null): ModelPrice | null {
  return model === null ? null : (prices?.get(model) ?? null);
}

/** The time and cost of a run, beside its tokens. The price is that of its start, its last renewal or its new model. */
export type Spending = {
  /** Time of the agent at work, without its waiting for people (ms). */
  readonly workMs: number;
  /** Until when `workMs` is counted while the agent is at work; null while it is not. */
  readonly workingSince: string | null;
  /** Null if it is unknown. */
  readonly price: ModelPrice | null;
  /** Dollars of all answers, each at the price of its time; null if a price was unknown. */
  readonly costUsd: number | null;
  /** The amounts when the limits last began anew. */
  readonly renewedAt: { readonly usage: TokenUsage; readonly workMs: number; readonly costUsd: number };
};

/** The parts of a run that say what it spent, and what it may spend until a person renews it. */
type Spender = {
  readonly usage: TokenUsage;
  readonly spending: Spending;
  readonly settings: Pick<Settings, 'limits'>;
};

export const NO_USAGE: TokenUsage = { inputTokens: 0, cachedInputTokens: 0, outputTokens: 0 };

/** The spending of a new run. */
export function startSpending(price: ModelPrice | null): Spending {
  return {
    workMs: 0,
    workingSince: null,
    price,
    costUsd: price === null ? null : 0,
    renewedAt: { usage: NO_USAGE, workMs: 0, costUsd: 0 },
  };
}

/** The spending with its limits begun anew, at the model's price now; null keeps the price that was. */
export function renewSpending({ usage, spending }: Omit<Spender, 'settings'>, price: ModelPrice | null): Spending {
  const priced = { ...spending, price: price ?? spending.price };
  const costUsd = spending.costUsd ?? (priced.price === null ? null : 0);
  return { ...priced, costUsd, renewedAt: { usage, workMs: spending.workMs, costUsd: costUsd ?? 0 } };
}

/** The spending with what another answer cost. */
export function addCost(spending: Spending, usage: TokenUsage): Spending {
  const cost = costOf(usage, spending.price);
  return { ...spending, costUsd: spending.costUsd === null || cost === null ? null : spending.costUsd + cost };
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
export function renewedTokens({ usage, spending }: Omit<Spender, 'settings'>): TokenUsage {
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
  const { limits } = spender.settings;
  const { renewedAt } = spender.spending;
  if (totalTokens(renewedTokens(spender)) >= limits.tokens) return 'token-limit';
  // A cost that nobody knows could be anything, so no limit allows it.
  if (limits.costUsd !== null && (renewedCost(spender) ?? Number.POSITIVE_INFINITY) >= limits.costUsd)
    return 'cost-limit';
  const { workMs } = countWork(spender.spending, false, now);
  return limits.minutes !== null && workMs - renewedAt.workMs >= limits.minutes * 60_000 ? 'time-limit' : null;
}

/** The dollars since the limits began anew; null if they are unknown. */
export function renewedCost({ spending: { costUsd, renewedAt } }: Pick<Spender, 'spending'>): number | null {
  return costUsd === null ? null : costUsd - renewedAt.costUsd;
}
