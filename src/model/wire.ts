import type OpenAI from 'openai';
import { z } from 'zod';
import type { Message, ModelReply, ToolCall } from '../prompt/message.ts';

type WireMessage = OpenAI.Chat.Completions.ChatCompletionMessageParam;
type WireTool = OpenAI.Chat.Completions.ChatCompletionTool;

/** A tool as the model is told of it; `parameters` is a JSON schema. */
export type ModelTool = {
  readonly name: string;
  readonly description: string;
  readonly parameters: Readonly<Record<string, unknown>>;
};

const WireCall = z.object({
  id: z.string().min(1),
  type: z.literal('function').default('function'),
  function: z.object({ name: z.string(), arguments: z.string() }),
});
/** UTF-16 units of an answer's words that are kept: far more than anybody reads, and no burden for each later request. */
const MOST_CONTENT = 200_000;

/** Calls that a response may hold at all: each is kept, answered and sent again. */
const MOST_CALLS = 1_000;

const Tokens = z.number().nonnegative().catch(0);
const WireUsage = z
  .object({
    prompt_tokens: Tokens,
    completion_tokens: Tokens,
    prompt_tokens_details: z.object({ cached_tokens: Tokens }).catch({ cached_tokens: 0 }),
  })
  .catch({ prompt_tokens: 0, completion_tokens: 0, prompt_tokens_details: { cached_tokens: 0 } });
const WireChoice = z.object({
  message: z.object({
    content: z.string().nullish(),
    refusal: z.string().nullish(),
    tool_calls: z.array(WireCall).max(MOST_CALLS).nullish(),
    function_call: z.null().optional(),
  }),
  finish_reason: z.string().nullish(),
});
const WireReply = z.object({ choices: z.tuple([WireChoice], z.unknown()), usage: WireUsage });

/** A transcript's message as Chat Completions takes it. */
export function toWire(message: Message): WireMessage {
  switch (message.role) {
    case 'system':
    case 'user':
      return { role: message.role, content: message.content };
    case 'tool':
      return { role: 'tool', tool_call_id: message.callId, content: message.content };
    case 'assistant':
      // An empty list of calls is refused, and so is a message of neither content nor calls.
      if (message.calls.length === 0) return { role: 'assistant', content: message.content ?? '' };
      return { role: 'assistant', content: message.content, tool_calls: message.calls.map(toWireCall) };
  }
}

/** A tool as Chat Completions takes it. */
export function toWireTool({ name, description, parameters }: ModelTool): WireTool {
  return { type: 'function', function: { name, description, parameters: { ...parameters } } };
}

/**
 * The endpoint's answer as a reply, or null where it is none: no choice, another kind of call, calls that share an
 * id or are more than 1,000, anything that is not of this shape. A refusal is what the model says. Words beyond 200,000 characters are cut off
 * with a note. Tokens not reported count 0.
 */
export function readReply(answer: unknown): ModelReply | null {
  const parsed = WireReply.safeParse(answer);
  if (!parsed.success) return null;
  const { choices, usage } = parsed.data;
  const { message, finish_reason: finishReason } = choices[0];
  const calls = (message.tool_calls ?? []).map(fromWireCall);
  if (new Set(calls.map(({ id }) => id)).size < calls.length) return null;
  return {
    content: contentOf(message.content ?? message.refusal ?? null),
    calls,
    finishReason: finishReason ?? (calls.length > 0 ? 'tool_calls' : 'stop'),
    usage: {
      input: usage.prompt_tokens,
      cachedInput: usage.prompt_tokens_details.cached_tokens,
      output: usage.completion_tokens,
    },
  };
}

function contentOf(said: string | null): string | null {
  if (said === null || said.length <= MOST_CONTENT) return said;
  const kept = said.slice(0, MOST_CONTENT).replace(/[\uD800-\uDBFF]$/, '');
  return `${kept}\n\n(cut here: the answer had ${said.length} characters)`;
}

function toWireCall(call: ToolCall) {
  return { id: call.id, type: 'function', function: { name: call.name, arguments: call.arguments } } as const;
}

function fromWireCall(call: z.infer<typeof WireCall>): ToolCall {
  return { id: call.id, name: call.function.name, arguments: call.function.arguments };
}
