/** A function call that the model asked for; `arguments` is the text it wrote, not yet checked. */
export type ToolCall = { readonly id: string; readonly name: string; readonly arguments: string };

/** One entry of a run's transcript. Every call of an assistant message is answered by exactly one tool message, in order. */
export type Message =
  | { readonly role: 'system'; readonly content: string }
  | { readonly role: 'user'; readonly content: string }
  | { readonly role: 'assistant'; readonly content: string | null; readonly calls: readonly ToolCall[] }
  | { readonly role: 'tool'; readonly callId: string; readonly content: string };

/** Tokens as the endpoint reports them; 0 where it reports none. */
export type Usage = { readonly input: number; readonly cachedInput: number; readonly output: number };

/** One model response. */
export type ModelReply = {
  readonly content: string | null;
  readonly calls: readonly ToolCall[];
  /** The endpoint's word: `stop`, `tool_calls`, `length`, `content_filter` or another. */
  readonly finishReason: string;
  readonly usage: Usage;
};
