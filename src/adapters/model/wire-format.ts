import type OpenAI from 'openai';
import { z } from 'zod';
import type { ModelResponse, ToolCall, TranscriptMessage } from '../../core/state/conversation.ts';

type WireMessage = OpenAI.Chat.Completions.ChatCompletionMessageParam;

type WireTool = OpenAI.Chat.Completions.ChatCompletionTool;

/** A tool that the model can call. `parameters` is a JSON schema. */
export type ModelTool = {
  readonly name: string;
  readonly description: string;
  readonly parameters: Readonly<Record<string, unknown>>;
};

export function toWireMessage(message: TranscriptMessage): WireMessage {
  switch (message.role) {
    case 'system':
    case 'user':
      return { role: message.role, content: message.content };
    case 'tool':
      return { role: 'tool', tool_call_id: message.toolCallId, content: message.content };
    case 'assistant':
      // The API rejects an empty list of calls, and a message with neither content nor calls.
      if (message.toolCalls.length === 0) return { role: 'assistant', content: message.content ?? '' };
      return { role: 'assistant', content: message.content, tool_calls: message.toolCalls.map(toWireToolCall) };
  }
}

export function toWireTool({ name, description, parameters }: ModelTool): WireTool {
  return { type: 'function', function: { name, description, parameters: { ...parameters } } };
}

function toWireToolCall(call: ToolCall) {
  return { id: call.id, type: 'function', function: { name: call.name, arguments: call.arguments } } as const;
}

const WireToolCall = z.object({
  id: z.string().min(1),
  type: z.literal('function').default('function'),
  function: z.object({ name: z.string(), arguments: z.string() }),
});

/** Maximum length of a response in UTF-16 units. Each later request of the run contains the response. */
const MAX_CONTENT_CHARACTERS = 200_000;

/** Maximum number of tool calls in a response. Each later request of the run contains them. */
const MAX_ACCEPTED_TOOL_CALLS = 1_000;

const TokenCount = z.number().nonnegative().catch(0);

const WireUsage = z
  .object({
    prompt_tokens: TokenCount,
    completion_tokens: TokenCount,
    prompt_tokens_details: z.object({ cached_tokens: TokenCount }).catch({ cached_tokens: 0 }),
  })
  .catch({ prompt_tokens: 0, completion_tokens: 0, prompt_tokens_details: { cached_tokens: 0 } });

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
 * content. Content above the maximum length is truncated with a note. Token counts that are not reported are 0.
 */
export function parseResponse(response: unknown): ModelResponse | null {
  const parsed = WireCompletion.safeParse(response);
  if (!parsed.success) return null;
  const { choices, usage } = parsed.data;
  const { message, finish_reason: finishReason } = choices[0];
  const toolCalls = (message.tool_calls ?? []).map(fromWireToolCall);
  if (new Set(toolCalls.map(({ id }) => id)).size < toolCalls.length) return null;
  return {
    content: truncateContent(message.content ?? message.refusal ?? null),
    toolCalls,
    finishReason: finishReason ?? (toolCalls.length > 0 ? 'tool_calls' : 'stop'),
    usage: {
      inputTokens: usage.prompt_tokens,
      cachedInputTokens: usage.prompt_tokens_details.cached_tokens,
      outputTokens: usage.completion_tokens,
    },
  };
}

function truncateContent(content: string | null): string | null {
  if (content === null || content.length <= MAX_CONTENT_CHARACTERS) return content;
  const truncated = content.slice(0, MAX_CONTENT_CHARACTERS).replace(/[\uD800-\uDBFF]$/, '');
  return `${truncated}\n\n(cut here: the answer had ${content.length} characters)`;
}

function fromWireToolCall(call: z.infer<typeof WireToolCall>): ToolCall {
  return { id: call.id, name: call.function.name, arguments: call.function.arguments };
}
