import type OpenAI from 'openai';
import { z } from 'zod';
import {
  MAX_ARGUMENT_CHARACTERS,
  type ModelResponse,
  type OpaqueObject,
  type TokenUsage,
  type ToolCall,
  type TranscriptMessage,
} from '../../core/state/conversation.ts';
import { isReported } from '../../core/state/spending.ts';
import { readToolName } from '../../core/state/tools.ts';
import { isRecord, parseJson } from '../../lib/trust.ts';
import type { SentMembers } from './opaque-members.ts';

type WireMessage = OpenAI.Chat.Completions.ChatCompletionMessageParam;

type WireTool = OpenAI.Chat.Completions.ChatCompletionTool;

/** A tool that the model can call. `parameters` is a JSON schema. */
export type ModelTool = {
  readonly name: string;
  readonly description: string;
  readonly parameters: Readonly<Record<string, unknown>>;
};

/** How a request sends an entry of the transcript, with the opaque members that its model gets back. */
export function toWireMessage(message: TranscriptMessage, opaque: SentMembers): WireMessage {
  switch (message.role) {
    case 'system':
    case 'user':
      return { role: message.role, content: message.content };
    case 'tool':
      return { role: 'tool', tool_call_id: message.toolCallId, content: message.content };
    case 'assistant': {
      // The API rejects an empty list of calls, and a message with neither content nor calls.
      if (message.toolCalls.length === 0)
        return { ...opaque.message, role: 'assistant', content: message.content ?? '' };
      const calls = message.toolCalls.map((call) => toWireToolCall(call, opaque.calls[call.id] ?? {}));
      return { ...opaque.message, role: 'assistant', content: message.content, tool_calls: calls };
    }
  }
}

export function toWireTool({ name, description, parameters }: ModelTool): WireTool {
  return { type: 'function', function: { name, description, parameters: { ...parameters } } };
}

function toWireToolCall({ id, name, arguments: text }: ToolCall, { function: inFunction, ...members }: OpaqueObject) {
  const known = { name: toWireName(name), arguments: toWireArguments(text) };
  return {
    ...members,
    id,
    type: 'function',
    function: { ...(isRecord(inFunction) ? inFunction : {}), ...known },
  } as const;
}

/** Strict endpoints refuse a history with other names, such as `functions.read_file`. */
function toWireName(name: string): string {
  return readToolName(name) ?? (name.replace(/[^\w-]/g, '_').slice(0, MAX_NAME_CHARACTERS) || 'unnamed');
}

/** The limit of the Chat Completions API. */
const MAX_NAME_CHARACTERS = 64;

const MAX_MALFORMED_CHARACTERS = 200;

/** Whether arguments are no JSON object. Several endpoints refuse a history that contains such a call. */
export function areArgumentsBroken(text: string): boolean {
  try {
    return !isRecord(parseJson(text));
  } catch {
    return true;
  }
}

/** The arguments as valid JSON; the model recognizes the beginning of broken ones. */
function toWireArguments(text: string): string {
  if (!areArgumentsBroken(text)) return text;
  if (text.trim() === '') return '{}';
  return JSON.stringify({ _malformed: text.slice(0, MAX_MALFORMED_CHARACTERS).toWellFormed() });
}

/** Maximum length of a call's id. Some gateways put the signature of a thought into it, which has thousands. */
const MAX_ID_CHARACTERS = 32_768;

/** Maximum length of a call's name as the model wrote it. */
const MAX_WRITTEN_NAME_CHARACTERS = 1_000;

const WireToolCall = z.object({
  id: z.string().min(1).max(MAX_ID_CHARACTERS),
  type: z.literal('function').nullish(),
  function: z.object({ name: z.string().max(MAX_WRITTEN_NAME_CHARACTERS), arguments: z.string() }),
});

/** Maximum length of a response in UTF-16 units. Each later request of the run contains the response. */
const MAX_CONTENT_CHARACTERS = 200_000;

/** Maximum number of tool calls in a response. Each later request of the run contains them. */
const MAX_ACCEPTED_TOOL_CALLS = 1_000;

/** More tokens than any model reads or writes at once. Such a count says nothing. */
const MAX_TOKENS = 100_000_000;

/** A count that makes no sense is none. */
const TokenCount = z
  .union([
    z.number(),
    z
      .string()
      .regex(/^\d{1,9}$/)
      .transform(Number),
  ])
  .pipe(z.int().min(0).max(MAX_TOKENS))
  .catch(0);

const WireUsage = z
  .object({
    prompt_tokens: TokenCount,
    completion_tokens: TokenCount,
    prompt_tokens_details: z.object({ cached_tokens: TokenCount }).catch({ cached_tokens: 0 }),
  })
  .catch({ prompt_tokens: 0, completion_tokens: 0, prompt_tokens_details: { cached_tokens: 0 } })
  .transform(
    ({ prompt_tokens, completion_tokens, prompt_tokens_details: { cached_tokens } }): TokenUsage => ({
      inputTokens: prompt_tokens,
      // A part of the input, and never more.
      cachedInputTokens: Math.min(cached_tokens, prompt_tokens),
      outputTokens: completion_tokens,
    }),
  );

/** An endpoint's count of tokens; null if it counts none. */
export function readUsage(counted: unknown): TokenUsage | null {
  const usage = WireUsage.parse(counted);
  return isReported(usage) ? usage : null;
}

const WireChoice = z.object({
  message: z.object({
    content: z.string().nullish(),
    refusal: z.string().nullish(),
    tool_calls: z.array(WireToolCall).max(MAX_ACCEPTED_TOOL_CALLS).nullish(),
    function_call: z.null().optional(),
  }),
  finish_reason: z.string().nullish(),
});

const WireCompletion = z.object({ choices: z.tuple([WireChoice], z.unknown()), usage: WireUsage });

/**
 * Parses a Chat Completions response; null if it is invalid, including calls with the same id. A refusal counts as
 * content. Content and arguments above their maximum length are truncated with a note, which leaves the arguments
 * broken. Token counts that are not reported are 0.
 */
export function parseResponse(response: unknown): ModelResponse | null {
  const parsed = WireCompletion.safeParse(response);
  if (!parsed.success) return null;
  const { choices, usage } = parsed.data;
  const { message, finish_reason: finishReason } = choices[0];
  const toolCalls = (message.tool_calls ?? []).map(fromWireToolCall);
  if (new Set(toolCalls.map(({ id }) => id)).size < toolCalls.length) return null;
  return {
    // A stream opens with an empty text, also before a refusal or calls.
    content: truncateContent(message.content || message.refusal || null),
    toolCalls,
    finishReason: finishReason ?? (toolCalls.length > 0 ? 'tool_calls' : 'stop'),
    usage,
  };
}

function truncateContent(content: string | null): string | null {
  if (content === null || content.length <= MAX_CONTENT_CHARACTERS) return content;
  const truncated = content.slice(0, MAX_CONTENT_CHARACTERS).replace(/[\uD800-\uDBFF]$/, '');
  return `${truncated}\n\n(cut here: the answer had ${content.length} characters)`;
}

function fromWireToolCall(call: z.infer<typeof WireToolCall>): ToolCall {
  return { id: call.id, name: call.function.name, arguments: truncateArguments(call.function.arguments) };
}

/** The transcript needs no more of arguments that nobody reads than their beginning. */
function truncateArguments(text: string): string {
  if (text.length <= MAX_ARGUMENT_CHARACTERS) return text;
  const beginning = text.slice(0, MAX_MALFORMED_CHARACTERS).toWellFormed();
  return `${beginning} (cut here: the arguments had ${text.length} characters, at most ${MAX_ARGUMENT_CHARACTERS} are read)`;
}
