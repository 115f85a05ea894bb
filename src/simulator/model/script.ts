/** A function call the scripted model makes; a string is sent as it is, so that broken JSON can be played. */
export type ScriptedCall = {
  readonly name: string;
  readonly arguments: Readonly<Record<string, unknown>> | string;
  /** Made up when absent. */
  readonly id?: string;
};

/** Tokens the answer reports; what is absent is estimated from the number of characters. */
export type ScriptedUsage = {
  readonly promptTokens?: number;
  readonly completionTokens?: number;
  readonly cachedTokens?: number;
};

/** One answer of the model. `finishReason` follows from `calls` when absent. */
export type ModelTurn = {
  readonly content?: string | null;
  readonly refusal?: string;
  readonly calls?: readonly ScriptedCall[];
  readonly finishReason?: 'stop' | 'length' | 'tool_calls' | 'content_filter';
  readonly usage?: ScriptedUsage;
  /** It is answered only once this is over. */
  readonly until?: Promise<unknown>;
};

/** An answer no model means to give. `garbage` is sent with status 200. */
export type ModelFault =
  | {
      readonly fault: 'status';
      readonly status: number;
      readonly headers?: Readonly<Record<string, string>>;
      readonly body?: unknown;
    }
  | { readonly fault: 'garbage'; readonly body: string }
  | { readonly fault: 'empty-choices' }
  | { readonly fault: 'hang' }
  | { readonly fault: 'reset' };

export type ScriptedAnswer = ModelTurn | ModelFault;

/** An answer, or a function that makes one from what was asked. */
export type ScriptEntry = ScriptedAnswer | ((request: ChatRequest) => ScriptedAnswer);

/** A function call inside an assistant message, as it came over the wire. */
export type ChatCall = { readonly id: string; readonly name: string; readonly arguments: string };

export type ChatRole = 'system' | 'developer' | 'user' | 'assistant' | 'tool';

/** One message of the request; `content` is its text (parts joined), null when there is none. */
export type ChatMessage = {
  readonly role: ChatRole;
  readonly content: string | null;
  readonly calls: readonly ChatCall[];
  readonly toolCallId: string | null;
};

export type ChatTool = {
  readonly name: string;
  readonly description: string | null;
  readonly parameters: Readonly<Record<string, unknown>>;
};

/** A request that passed the checks; `body` is the JSON as received. */
export type ChatRequest = {
  readonly model: string;
  readonly messages: readonly ChatMessage[];
  readonly tools: readonly ChatTool[];
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Readonly<Record<string, unknown>>;
};
