import { cutAtWord } from '../../lib/format.ts';

/** One entry of a run's transcript. Each call of an assistant message gets exactly one tool message, in order. */
export type TranscriptMessage =
  | { readonly role: 'system'; readonly content: string }
  | { readonly role: 'user'; readonly content: string }
  | AssistantMessage
  | { readonly role: 'tool'; readonly toolCallId: string; readonly content: string };

type AssistantMessage = {
  readonly role: 'assistant';
  readonly content: string | null;
  readonly toolCalls: readonly ToolCall[];
  /** Absent if the response had nothing but text and calls. */
  readonly opaque?: OpaqueMembers;
};

/** A function call of the model. `arguments` is its unchecked JSON text. */
export type ToolCall = { readonly id: string; readonly name: string; readonly arguments: string };

/** Maximum length of a call's arguments. No writable file needs more. */
export const MAX_ARGUMENT_CHARACTERS = 4_000_000;

/** A JSON object that the product does not read. */
export type OpaqueObject = Readonly<Record<string, unknown>>;

/**
 * Members of a response that only its model understands, such as signed thoughts. They go back to that model at that
 * endpoint, and nowhere else: not to another model, not onto a page, not into a log.
 */
export type OpaqueMembers = {
  readonly model: string;
  /** Origin and path of the endpoint's base URL. */
  readonly endpoint: string;
  /** Members of the message. */
  readonly message: OpaqueObject;
  /** Members of its calls, by call id. */
  readonly calls: Readonly<Record<string, OpaqueObject>>;
};

export type ModelResponse = {
  readonly content: string | null;
  readonly toolCalls: readonly ToolCall[];
  /** As the endpoint reports it: `stop`, `tool_calls`, `length`, `content_filter` or another. */
  readonly finishReason: string;
  readonly usage: TokenUsage;
  readonly opaque?: OpaqueMembers;
};

/** Token counts as the endpoint reports them; 0 if it reports none. */
export type TokenUsage = {
  readonly inputTokens: number;
  readonly cachedInputTokens: number;
  readonly outputTokens: number;
};

/** Names one call of a run. Ids can repeat in later responses. */
export type CallRef = { readonly turn: number; readonly callId: string };

/** A call of the model, with the number of its response. */
export type IssuedCall = {
  readonly turn: number;
  readonly toolCall: ToolCall;
  /** The response ended at its length limit within or after this call, so its arguments can be incomplete. */
  readonly isCut: boolean;
};

/** A valid call that people do not see yet. It is shown together with later changes. */
export type HeldCall = IssuedCall & { readonly path: string };

export type ToolBatch = {
  readonly turn: number;
  /** Text that the model wrote beside its calls. */
  readonly assistantText: string | null;
  readonly calls: readonly ToolCallState[];
  /** Set by `/continue`: the run goes on even if every change was denied. */
  readonly continued: boolean;
};

/** One call of the batch and its progress. */
export type ToolCallState = IssuedCall & {
  /** The path of a call that was held. Its outcome is told in a note, because its response has all results. */
  readonly heldPath: string | null;
  readonly status:
    | { readonly kind: 'proposed'; readonly proposalId: string }
    /** `ifRefused` takes the place of an error when the call is repeated after a push. */
    | { readonly kind: 'running'; readonly ifRefused?: CallOutput }
    | { readonly kind: 'asked'; readonly questionId: string }
    /** The proposal, or the question (null), expired. The model is not told; `/resume` repeats the call. */
    | { readonly kind: 'expired'; readonly proposalId: string | null }
    | ({ readonly kind: 'answered' } & CallOutput);
};

/** The output of a call. */
export type CallOutput = { readonly output: string };

export function callRefOf({ turn, toolCall }: IssuedCall): CallRef {
  return { turn, callId: toolCall.id };
}

export function isSameCall(left: CallRef, right: CallRef): boolean {
  return left.turn === right.turn && left.callId === right.callId;
}

/** Whether two lists of calls have one in common. */
export function sharesCall(left: readonly CallRef[], right: readonly CallRef[]): boolean {
  return left.some((one) => right.some((other) => isSameCall(one, other)));
}

/** The call without its progress. */
export function toIssuedCall({ turn, toolCall, isCut }: IssuedCall): IssuedCall {
  return { turn, toolCall, isCut };
}

/** Characters of a reason that people see. A longer one is cut. */
export const MAX_REASON_CHARACTERS = 200;

/** A reason as people see it; null for none. */
export function cutReason(written: string): string | null {
  return cutAtWord(written.trim(), MAX_REASON_CHARACTERS) || null;
}
