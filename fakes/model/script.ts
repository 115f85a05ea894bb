import { isRecord } from '../../src/lib/trust.ts';
import type { JsonObject } from '../lib/json.ts';
import { createChunks, type Delivery } from './stream.ts';

/** A tool call by the scripted model. Arguments in a string are sent unchanged, so that they can be invalid JSON. */
export type ScriptedCall = {
  readonly name: string;
  readonly arguments: Readonly<Record<string, unknown>> | string;
  /** Generated when absent. */
  readonly id?: string;
  /** Members of the call beside the usual ones; the model wants them back. */
  readonly members?: JsonObject;
};

/** Token counts of an answer. Missing counts are estimated from the number of characters. */
type ScriptedUsage = {
  readonly promptTokens?: number;
  readonly completionTokens?: number;
  readonly cachedTokens?: number;
};

/** One answer of the model. `finishReason` defaults to `tool_calls` with calls, else to `stop`. */
export type ScriptedTurn = {
  readonly content?: string | null;
  readonly refusal?: string;
  readonly calls?: readonly ScriptedCall[];
  readonly finishReason?: 'stop' | 'length' | 'tool_calls' | 'content_filter';
  readonly usage?: ScriptedUsage;
  /** Members of the message beside the usual ones; the model wants them back. */
  readonly members?: JsonObject;
  /** How a stream is sent. */
  readonly delivery?: Delivery;
  /** Delays the answer until this promise settles. */
  readonly sendAfter?: Promise<unknown>;
};

/** A faulty answer. `invalid-body` is sent with status 200. */
export type ScriptedFault =
  | {
      readonly fault: 'status';
      readonly status: number;
      readonly headers?: Readonly<Record<string, string>>;
      readonly body?: unknown;
    }
  | { readonly fault: 'invalid-body'; readonly body: string }
  | { readonly fault: 'empty-choices' }
  /** A login page with status 200. */
  | { readonly fault: 'web-page' }
  /** An error in the middle of a stream. */
  | { readonly fault: 'stream-error'; readonly error: JsonObject }
  | { readonly fault: 'hang' }
  | { readonly fault: 'reset' };

export type ScriptedReply = ScriptedTurn | ScriptedFault;

/** An answer, or a function that creates one from the request. */
export type ScriptEntry = ScriptedReply | ((request: ChatRequest) => ScriptedReply);

/** A tool call in an assistant message of the request. */
export type ChatToolCall = { readonly id: string; readonly name: string; readonly arguments: string };

export type ChatRole = 'system' | 'developer' | 'user' | 'assistant' | 'tool';

/** One message of the request. `content` is the joined text of its parts; null if there is none. */
export type ChatMessage = {
  readonly role: ChatRole;
  readonly content: string | null;
  readonly calls: readonly ChatToolCall[];
  readonly toolCallId: string | null;
};

export type ChatTool = {
  readonly name: string;
  readonly description: string | null;
  readonly parameters: Readonly<Record<string, unknown>>;
};

/** A valid request; `body` is the received JSON. */
export type ChatRequest = {
  readonly model: string;
  readonly messages: readonly ChatMessage[];
  readonly tools: readonly ChatTool[];
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Readonly<Record<string, unknown>>;
};

/** The parsed request, or every rule of the API that it violates. */
export type ChatRequestResult =
  | { readonly ok: true; readonly request: ChatRequest }
  | { readonly ok: false; readonly problems: readonly string[] };

/** Creates a `chat.completion` object. `serial` makes its ids unique; `now` is in ms. */
export function createCompletion(turn: ScriptedTurn, request: ChatRequest, serial: number, now: number): JsonObject {
  const { envelope, message, finishReason, usage } = completionParts(turn, request, serial, now);
  return { ...envelope, choices: [{ index: 0, message, logprobs: null, finish_reason: finishReason }], usage };
}

/** Creates the completion as the chunks of a stream. */
export function createCompletionChunks(
  turn: ScriptedTurn,
  request: ChatRequest,
  serial: number,
  now: number,
): readonly JsonObject[] {
  const options = request.body['stream_options'];
  const includeUsage = isRecord(options) && options['include_usage'] === true;
  return createChunks(completionParts(turn, request, serial, now), includeUsage);
}

function completionParts(turn: ScriptedTurn, request: ChatRequest, serial: number, now: number) {
  const calls = turn.calls ?? [];
  const message = {
    role: 'assistant',
    content: turn.content ?? null,
    refusal: turn.refusal ?? null,
    annotations: [],
    ...turn.members,
    ...(calls.length > 0
      ? { tool_calls: calls.map((call, index) => createToolCall(call, `call_${serial}_${index}`)) }
      : {}),
  };
  const usage = countUsage(turn.usage ?? {}, JSON.stringify(request.body), JSON.stringify(message));
  const finishReason = turn.finishReason ?? (calls.length > 0 ? 'tool_calls' : 'stop');
  return { envelope: createEnvelope(request, serial, now), message, finishReason, usage };
}

/** Creates a completion without choices. */
export function createEmptyCompletion(request: ChatRequest, serial: number, now: number): unknown {
  return {
    ...createEnvelope(request, serial, now),
    choices: [],
    usage: countUsage({}, JSON.stringify(request.body), ''),
  };
}

function createEnvelope(request: ChatRequest, serial: number, now: number): Readonly<Record<string, unknown>> {
  return { id: `chatcmpl-${serial}`, object: 'chat.completion', created: Math.floor(now / 1000), model: request.model };
}

function createToolCall(call: ScriptedCall, generatedId: string): unknown {
  const text = typeof call.arguments === 'string' ? call.arguments : JSON.stringify(call.arguments);
  const id = call.id ?? generatedId;
  return { ...call.members, id, type: 'function', function: { name: call.name, arguments: text } };
}

const CHARACTERS_PER_TOKEN = 4;

/** An estimate of the tokens of a text. */
export function countTokens(text: string): number {
  return Math.ceil(text.length / CHARACTERS_PER_TOKEN);
}

function countUsage(scripted: ScriptedUsage, requestText: string, answerText: string): unknown {
  const prompt = scripted.promptTokens ?? countTokens(requestText);
  const answer = scripted.completionTokens ?? countTokens(answerText);
  return {
    prompt_tokens: prompt,
    completion_tokens: answer,
    total_tokens: prompt + answer,
    prompt_tokens_details: { cached_tokens: scripted.cachedTokens ?? 0, audio_tokens: 0 },
    completion_tokens_details: { reasoning_tokens: 0, audio_tokens: 0 },
  };
}
