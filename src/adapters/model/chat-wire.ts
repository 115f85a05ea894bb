import type OpenAI from 'openai';
import type { OpaqueObject, ToolCall } from '../../core/state/conversation.ts';
import { isRecord } from '../../lib/trust.ts';
import type { ModelTool, ModelWire, ParameterInput, SentMessage } from './model-wire.ts';
import { parseCompletion } from './parse-completion.ts';
import { readCompletion } from './read-completion.ts';
import { toWireArguments, toWireName } from './tool-calls.ts';
import { readUsage } from './usage.ts';

type WireMessage = OpenAI.Chat.Completions.ChatCompletionMessageParam;

/** OpenAI's newest models refuse any effort beside tools here, also their default one. */
const EFFORT_BESIDE_TOOLS = 'reasoning_effort beside tools';

/** The Chat Completions API, which nearly every endpoint has. */
export const CHAT_WIRE: ModelWire = {
  path: '/chat/completions',
  refusals: [
    {
      words: /^(?=.*\btools?\b)(?=.*(?:\breasoning_effort\b|\/responses\b))(?=.*(?:not|n't|un)[ -]?supported)/is,
      name: EFFORT_BESIDE_TOOLS,
      isOfRun: false,
      warning:
        'model endpoint takes tools only without reasoning in Chat Completions, so the model no longer thinks: set OPENAI_API to responses',
    },
  ],
  writeTranscript: (messages) => ({ messages: messages.map(toWireMessage) }),
  writeTool,
  listParameters,
  async readAnswer(response, client, onUsage) {
    const completion = await readCompletion(response, client, (counted) => onUsage(readUsage(counted)));
    return parseCompletion(completion);
  },
};

/** How a request sends an entry of the transcript, with the opaque members that its model gets back. */
function toWireMessage({ message, opaque }: SentMessage): WireMessage {
  switch (message.role) {
    case 'system':
    case 'user':
      return { role: message.role, content: message.content };
    case 'tool':
      return { role: 'tool', tool_call_id: message.toolCallId, content: message.content };
    case 'assistant': {
      // The API rejects an empty list of calls, and a message with neither content nor calls.
      if (message.toolCalls.length === 0)
        return { role: 'assistant', content: message.content ?? '', ...opaque.message };
      const calls = message.toolCalls.map((call) => toWireToolCall(call, opaque.calls[call.id] ?? {}));
      return { role: 'assistant', content: message.content, ...opaque.message, tool_calls: calls };
    }
  }
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

function writeTool({ name, description, parameters }: ModelTool): OpenAI.Chat.Completions.ChatCompletionTool {
  return { type: 'function', function: { name, description, parameters: { ...parameters } } };
}

/** The limit of output tokens has two names, and some endpoints refuse one of them. */
const OUTPUT_LIMIT_NAMES = ['max_completion_tokens', 'max_tokens'] as const;

function listParameters({ parameters, isOpenAi, runId, forbidsCalls, isRefused }: ParameterInput) {
  const limitNames = isOpenAi ? OUTPUT_LIMIT_NAMES : OUTPUT_LIMIT_NAMES.toReversed();
  const limitName = limitNames.find((name) => !isRefused(name));
  const wanted: readonly (readonly [keyof OpenAI.Chat.Completions.ChatCompletionCreateParams, unknown])[] = [
    ...(limitName === undefined ? [] : [[limitName, parameters.maxOutputTokens] as const]),
    ['reasoning_effort', isRefused(EFFORT_BESIDE_TOOLS) ? 'none' : parameters.reasoningEffort],
    ['temperature', parameters.temperature],
    ['prompt_cache_key', isOpenAi ? runId : null],
    ['stream', true],
    ['stream_options', isRefused('stream') ? null : { include_usage: true }],
    ['tool_choice', forbidsCalls ? 'none' : null],
  ];
  return wanted;
}
