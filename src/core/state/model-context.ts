/** A run's knowledge of its model's context, and the message from which on it sends the results of readings. */
export type ModelContext = {
  /** Readings among the first so many messages of the transcript are sent as one line. It only grows. */
  readonly clearedBefore: number;
  /** The most tokens that a request can have, as a refusal showed; null without one. */
  readonly learnedLimit: number | null;
};

/** Before the first request. */
export const NEW_MODEL_CONTEXT: ModelContext = { clearedBefore: 0, learnedLimit: null };
