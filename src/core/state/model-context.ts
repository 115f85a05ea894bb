/** A run's knowledge of its model's context, and the message from which on it sends the results of readings. */
export type ModelContext = {
  /** Readings among the first so many messages of the transcript are sent as one line. It only grows. */
  readonly clearedBefore: number;
  /** About the most that a request can have, as a refusal showed, in tokens of our estimate; null without one. */
  readonly learnedLimit: number | null;
  /** Tokens by the endpoint's count for each one of our estimate; 1 before it counted any. */
  readonly tokensPerEstimated: number;
};

/** Before the first request. */
export const NEW_MODEL_CONTEXT: ModelContext = {
  clearedBefore: 0,
  learnedLimit: null,
  tokensPerEstimated: 1,
};

/** An endpoint that counts only what is not cached must not make a long conversation look short. */
const TOKENS_PER_ESTIMATED = { min: 0.5, max: 4 } as const;

/**
 * The context after a request of `estimated` tokens was answered that the endpoint counted as `counted`; 0 if it did
 * not count. So that much fits, also after an earlier refusal.
 */
export function withMeasurement(context: ModelContext, estimated: number, counted: number): ModelContext {
  const { learnedLimit: learned } = context;
  const learnedLimit = learned === null ? null : Math.max(learned, estimated);
  if (estimated <= 0 || counted <= 0) return { ...context, learnedLimit };
  const { min, max } = TOKENS_PER_ESTIMATED;
  return { ...context, learnedLimit, tokensPerEstimated: Math.min(max, Math.max(min, counted / estimated)) };
}
