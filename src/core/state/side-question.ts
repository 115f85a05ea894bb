import type { Nudge, TokenUsage, ToolCall } from './conversation.ts';
import type { CommentLocation } from './intent.ts';
import { DAY_MS } from './limits.ts';
import type { ModelContext } from './model-context.ts';
import type { ProposalState } from './proposal.ts';
import type { RunLimits } from './settings.ts';
import { costOf, type ModelPrice, totalTokens } from './spending.ts';
import type { Person } from './vote.ts';

/** Limits of people's questions. `pending` counts those of one pull request, `kept` its answered ones. */
export const SIDE_QUESTION_LIMITS = {
  pending: 10,
  pendingOfOnePerson: 3,
  /** Responses of the model for one question. In the last one it can call nothing. */
  responses: 8,
  /** Tokens of one question, read and written. The response after them is its last. */
  tokens: 300_000,
  kept: 5,
  keptQuestionBytes: 1_000,
  keptAnswerBytes: 4_000,
  /** Characters of the diff of the change that a question is about. A longer one is left out. */
  changeDiffCharacters: 8_000,
} as const;

/** A person's question beside the runs (`/ask`). The model can read for it, and nothing comes of it but an answer. */
export type SideQuestion = {
  /** Derived from its comment. */
  readonly id: string;
  readonly by: Person;
  readonly text: string;
  /** The text that the comment quotes; null if it quotes nothing. */
  readonly quote: string | null;
  readonly location: CommentLocation;
  /** GitHub's `created_at` of the comment. */
  readonly requestedAt: string;
  /** The run that was there when it was asked; null where no run ever was. */
  readonly runId: string | null;
  /** The change in whose thread it was asked; null elsewhere. */
  readonly askedChange: AskedChange | null;
  readonly phase: SideQuestionPhase;
  /** Messages of the run's transcript that its own transcript continues; 0 if it has a beginning of its own. */
  readonly runMessageCount: number;
  /** Messages of its own transcript. */
  readonly messageCount: number;
  /** Null unless the last response led to one. */
  readonly nudge: Nudge | null;
  /** Its cost so far, with the requests that failed. */
  readonly usage: TokenUsage;
  /** Null until it begins. */
  readonly terms: QuestionTerms | null;
  /** Null before the first response: then it is the run's. */
  readonly modelContext: ModelContext | null;
};

/** The model that answers a question, its price, and what the questions of a day may still cost. */
type QuestionTerms = {
  readonly model: string | null;
  readonly price: ModelPrice | null;
  readonly tokens: number;
  /** Null for no limit. */
  readonly costUsd: number | null;
};

/** The cost of a pull request's questions since `since` (ISO 8601), within 24 hours; null before the first one. */
export type QuestionSpending = { readonly since: string | null; readonly tokens: number; readonly costUsd: number };

export const NO_QUESTION_SPENDING: QuestionSpending = { since: null, tokens: 0, costUsd: 0 };

/** The spending with another request of a question. Its first one after 24 hours begins a new day. */
export function addQuestionCost(
  spending: QuestionSpending,
  usage: TokenUsage,
  price: ModelPrice | null,
  now: string,
): QuestionSpending {
  const { since, tokens, costUsd } = spendingOfDay(spending, now);
  const cost = costOf(usage, price) ?? 0;
  return { since: since ?? now, tokens: tokens + totalTokens(usage), costUsd: costUsd + cost };
}

function spendingOfDay(spending: QuestionSpending, now: string): QuestionSpending {
  const { since } = spending;
  const isOver = since === null || Date.parse(now) - Date.parse(since) >= DAY_MS;
  return isOver ? NO_QUESTION_SPENDING : spending;
}

/** The questions of a day may cost together what one run may. */
export function questionTerms(
  spending: QuestionSpending,
  { model, price, limits }: Pick<QuestionTerms, 'model' | 'price'> & { readonly limits: RunLimits },
  now: string,
): QuestionTerms {
  const { tokens, costUsd } = spendingOfDay(spending, now);
  const remaining = limits.costUsd === null ? null : limits.costUsd - costUsd;
  return { model, price, tokens: limits.tokens - tokens, costUsd: remaining };
}

/** The limit of a day that a question has reached with what it cost; null if it can go on. */
export function reachedDayLimit(terms: QuestionTerms | null, usage: TokenUsage): 'tokens' | 'cost_usd' | null {
  if (terms === null) return null;
  if (totalTokens(usage) >= terms.tokens) return 'tokens';
  // A cost that nobody knows could be anything, so no limit allows it.
  const cost = costOf(usage, terms.price) ?? Number.POSITIVE_INFINITY;
  return terms.costUsd !== null && cost >= terms.costUsd ? 'cost_usd' : null;
}

/** When the questions of a pull request may cost anew (ISO 8601). */
export function questionsFreeAt({ since }: QuestionSpending, now: string): string {
  return new Date(Date.parse(since ?? now) + DAY_MS).toISOString();
}

/** The limit that makes the response of this turn the last one, in which nothing can be called; null if none does. */
export function reachedSideLimit({ usage, terms }: SideQuestion, turn: number): 'responses' | 'tokens' | 'day' | null {
  if (turn >= SIDE_QUESTION_LIMITS.responses) return 'responses';
  if (totalTokens(usage) >= SIDE_QUESTION_LIMITS.tokens) return 'tokens';
  return reachedDayLimit(terms, usage) === null ? null : 'day';
}

type SideQuestionPhase =
  /** Another question is before it. */
  | { readonly kind: 'queued' }
  /** The worker reads what its transcript begins with. */
  | { readonly kind: 'opening' }
  | { readonly kind: 'awaiting-model'; readonly turn: number }
  | { readonly kind: 'running-tools'; readonly turn: number; readonly calls: readonly ToolCall[] };

/** A change as a question about it shows it to the model, which knows no id. */
export type AskedChange = {
  readonly paths: readonly string[];
  readonly state: ProposalState;
  /** Its unified diff, masked; null if it has none, a long one, or lines that the model may not read. */
  readonly diff: string | null;
};

/** An answered question, for later questions and runs. Both texts are masked and cut. */
export type AnsweredQuestion = {
  readonly by: Person;
  readonly question: string;
  readonly answer: string;
  readonly answeredAt: string;
};
