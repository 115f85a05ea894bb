/** One entry of a run's transcript. Each call of an assistant message gets exactly one tool message, in order. */
export type TranscriptMessage =
  | { readonly role: 'system'; readonly content: string }
  | { readonly role: 'user'; readonly content: string }
  | { readonly role: 'assistant'; readonly content: string | null; readonly toolCalls: readonly ToolCall[] }
  | { readonly role: 'tool'; readonly toolCallId: string; readonly content: string };

/** A function call of the model. `arguments` is its unchecked JSON text. */
export type ToolCall = { readonly id: string; readonly name: string; readonly arguments: string };

export type ModelResponse = {
  readonly content: string | null;
  readonly toolCalls: readonly ToolCall[];
  /** As the endpoint reports it: `stop`, `tool_calls`, `length`, `content_filter` or another. */
  readonly finishReason: string;
  readonly usage: TokenUsage;
};

/** Token counts as the endpoint reports them; 0 if it reports none. */
export type TokenUsage = {
  readonly inputTokens: number;
  readonly cachedInputTokens: number;
  readonly outputTokens: number;
};
