import type OpenAI from 'openai';
import type { ToolCall } from '../../core/state/conversation.ts';
import { isRecord } from '../../lib/trust.ts';
import type { JsonObject, ModelTool, ModelWire, ParameterInput, SentMembers, SentMessage } from './model-wire.ts';
import { ITEMS, readResponsesAnswer } from './read-responses-answer.ts';
import { toWireArguments, toWireName } from './tool-calls.ts';

type InputItem = OpenAI.Responses.ResponseInputItem;

type Parameters = OpenAI.Responses.ResponseCreateParams;

/** The Responses API of OpenAI and Azure, where their newest models can think and call tools in one answer. */
export const RESPONSES_WIRE: ModelWire = {
  path: '/responses',
  refusals: [
    {
      words: /encrypted content\b.*\bcould not be (?:verified|decrypted)/is,
      name: ITEMS,
      isOfRun: true,
      warning: 'model endpoint cannot read its own thoughts any more; the run goes on without them',
    },
  ],
  writeTranscript,
  writeTool,
  listParameters,
  readAnswer: readResponsesAnswer,
};

/** The endpoint stores nothing: each request has the whole transcript. */
function writeTranscript(messages: readonly SentMessage[]): JsonObject {
  const first = messages[0]?.message;
  const system = first?.role === 'system' ? { instructions: first.content } : {};
  const rest = first?.role === 'system' ? messages.slice(1) : messages;
  return { store: false, ...system, input: rest.flatMap(toInputItems) };
}

function toInputItems({ message, opaque }: SentMessage): readonly (InputItem | JsonObject)[] {
  switch (message.role) {
    case 'system':
    case 'user':
      return [{ role: message.role, content: message.content }];
    case 'tool':
      return [{ type: 'function_call_output', call_id: message.toolCallId, output: message.content }];
    case 'assistant': {
      const kept = keptItems(opaque);
      const { content, toolCalls } = message;
      const said: readonly InputItem[] =
        content === null || content === '' || kept.length > 0 ? [] : [{ role: 'assistant', content }];
      const known = new Map(toolCalls.map((call) => [call.id, call]));
      const repeated = kept.flatMap((item) => {
        if (item['type'] !== 'function_call') return [item];
        const call = known.get(String(item['call_id']));
        known.delete(String(item['call_id']));
        return call === undefined ? [] : [{ ...item, ...toWireCall(call) }];
      });
      return [...said, ...repeated, ...[...known.values()].map(toWireCall)];
    }
  }
}

/** The items of an answer in their order; its calls are without what the transcript has. */
function keptItems({ message: { [ITEMS]: items } }: SentMembers): readonly JsonObject[] {
  return Array.isArray(items) ? items.filter(isRecord) : [];
}

function toWireCall({ id, name, arguments: text }: ToolCall) {
  return { type: 'function_call', call_id: id, name: toWireName(name), arguments: toWireArguments(text) } as const;
}

/** Schemas of ours have optional members, which strict ones cannot have. */
function writeTool({ name, description, parameters }: ModelTool): OpenAI.Responses.FunctionTool {
  return { type: 'function', name, description, parameters: { ...parameters }, strict: false };
}

function listParameters({ parameters, isOpenAi, runId, forbidsCalls }: ParameterInput) {
  const { maxOutputTokens, reasoningEffort, temperature } = parameters;
  const wanted: readonly (readonly [keyof Parameters, unknown])[] = [
    ['max_output_tokens', maxOutputTokens],
    ['reasoning', reasoningEffort === null ? null : { effort: reasoningEffort }],
    ['temperature', temperature],
    ['prompt_cache_key', isOpenAi ? runId : null],
    ['include', ['reasoning.encrypted_content'] satisfies Parameters['include']],
    ['stream', true],
    ['tool_choice', forbidsCalls ? 'none' : null],
  ];
  return wanted;
}
