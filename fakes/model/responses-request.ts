import { isRecord } from '../../src/lib/trust.ts';
import type { JsonObject } from '../lib/json.ts';
import { checkMessageOrder, isJsonObject, type ParsedPart, readEach, TOOL_NAME, textOf } from './chat-request.ts';
import { checkFields, type FieldRules, FORMS, objectWith } from './fields.ts';
import { encryptedContentOf } from './responses-answer.ts';
import type { ChatMessage, ChatRequest, ChatRequestResult, ChatRole, ChatTool } from './script.ts';
import { checkToolSchema } from './tool-schema.ts';

const KNOWN_FIELDS: ReadonlySet<string> = new Set([
  ...['include', 'input', 'instructions', 'max_output_tokens', 'metadata', 'model', 'parallel_tool_calls'],
  ...['prompt_cache_key', 'reasoning', 'safety_identifier', 'service_tier', 'store', 'stream', 'temperature', 'text'],
  ...['tool_choice', 'tools', 'top_p', 'truncation', 'user'],
]);

const FIELD_RULES: FieldRules = {
  model: FORMS.text,
  instructions: FORMS.text,
  prompt_cache_key: FORMS.text,
  max_output_tokens: FORMS.count,
  temperature: FORMS.temperature,
  stream: FORMS.boolean,
  // Nothing is kept on this machine, so an item can't be meant by its id.
  store: ['false', (value) => value === false],
  include: ['a list with reasoning.encrypted_content', (value) => JSON.stringify(value) === `["${ENCRYPTED}"]`],
  reasoning: objectWith('effort', (value) => typeof value === 'string' && /^[a-z]+$/.test(value)),
  tool_choice: FORMS.toolChoice,
};

const ENCRYPTED = 'reasoning.encrypted_content';

/** Parses a request of the Responses API into the same form as one of Chat Completions. */
export function parseResponsesRequest(body: unknown, headers: Readonly<Record<string, string>>): ChatRequestResult {
  if (!isRecord(body)) return { ok: false, problems: ['the body is not a JSON object'] };
  const items = readEach(body['input'], 'input', readItem);
  const tools = body['tools'] === undefined ? { value: [], problems: [] } : readEach(body['tools'], 'tools', readTool);
  const problems = [...checkFields(body, KNOWN_FIELDS, FIELD_RULES), ...items.problems, ...tools.problems];
  if (problems.length > 0) return { ok: false, problems };
  const { instructions } = body;
  const system = typeof instructions === 'string' ? [message('system', instructions)] : [];
  const messages = [...system, ...joinAssistant(items.value)];
  const orderProblems = [...checkMessageOrder(messages), ...checkReasoning(items.value.map(({ item }) => item))];
  if (orderProblems.length > 0) return { ok: false, problems: orderProblems };
  const request: ChatRequest = { model: String(body['model']), messages, tools: tools.value, headers, body };
  return { ok: true, request };
}

type ReadItem = { readonly item: JsonObject; readonly message: ChatMessage };

function message(role: ChatRole, content: string | null, more: Partial<ChatMessage> = {}): ChatMessage {
  return { role, content, calls: [], toolCallId: null, ...more };
}

const MESSAGE_ROLES: ReadonlySet<unknown> = new Set(['system', 'developer', 'user', 'assistant']);

function readItem(item: JsonObject, where: string): ParsedPart<ReadItem> {
  const { type = 'message', call_id: callId, name, arguments: text, output } = item;
  switch (type) {
    case 'message':
      return readMessage(item, where);
    case 'reasoning':
      return { value: { item, message: message('assistant', null) }, problems: checkReasoningItem(item, where) };
    case 'function_call': {
      const call = { id: String(callId), name: String(name), arguments: String(text) };
      const problems = [
        ...checkCallId(callId, where),
        ...(typeof name === 'string' && TOOL_NAME.test(name) ? [] : [`${where}.name: is not a function name`]),
        ...(isJsonObject(text) ? [] : [`${where}.arguments: is not a JSON object`]),
      ];
      return { value: { item, message: message('assistant', null, { calls: [call] }) }, problems };
    }
    case 'function_call_output': {
      const problems = typeof output === 'string' ? [] : [`${where}.output: must be a string`];
      const result = message('tool', String(output), { toolCallId: String(callId) });
      return { value: { item, message: result }, problems: [...checkCallId(callId, where), ...problems] };
    }
    default:
      return { value: { item, message: message('user', null) }, problems: [`${where}.type: is not a type of item`] };
  }
}

function readMessage(item: JsonObject, where: string): ParsedPart<ReadItem> {
  const { role, content } = item;
  const text = textOf(content, ['input_text', 'output_text']);
  const known = MESSAGE_ROLES.has(role);
  const problems = [
    ...(known ? [] : [`${where}.role: ${JSON.stringify(role)} is not a role`]),
    ...(typeof text === 'string' ? [] : [`${where}.content: must be text or a list of text parts`]),
  ];
  const read: ChatRole = role === 'system' || role === 'developer' || role === 'assistant' ? role : 'user';
  return { value: { item, message: message(read, text ?? null) }, problems };
}

function checkCallId(id: unknown, where: string): readonly string[] {
  return typeof id === 'string' && id !== '' ? [] : [`${where}.call_id: must be a non-empty string`];
}

/** Nothing is stored, so a thought without its content is not known here any more. */
function checkReasoningItem({ id, summary, encrypted_content: content }: JsonObject, where: string): readonly string[] {
  return [
    ...(typeof id === 'string' && id.startsWith('rs_') ? [] : [`${where}.id: must begin with rs_`]),
    ...(Array.isArray(summary) ? [] : [`${where}.summary: must be a list`]),
    ...(content === undefined ? [`Item with id '${String(id)}' not found. Items are not persisted.`] : []),
    ...(content === undefined || content === encryptedContentOf(id)
      ? []
      : [`The encrypted content of ${String(id)} could not be verified.`]),
  ];
}

/** The calls in a request's history that came back without their thought. */
export function findThoughtlessCalls({ input }: JsonObject): readonly string[] {
  const calls = Array.isArray(input) ? input.filter(isRecord).filter(({ type }) => type === 'function_call') : [];
  return calls.filter(({ id }) => id === undefined).map(({ name }) => `the call of ${String(name)} lost its thought`);
}

/** Items of one answer as one message, as Chat Completions has it. */
function joinAssistant(items: readonly ReadItem[]): readonly ChatMessage[] {
  const joined: ChatMessage[] = [];
  for (const { message: next } of items) {
    const last = joined.at(-1);
    if (last?.role !== 'assistant' || next.role !== 'assistant') {
      joined.push(next);
      continue;
    }
    const content = [last.content, next.content].filter((text) => text !== null).join('\n\n');
    joined[joined.length - 1] = { ...last, content: content || null, calls: [...last.calls, ...next.calls] };
  }
  return joined;
}

/** A thought comes right before what it led to, and an item with an id of this endpoint after its thought. */
function checkReasoning(items: readonly JsonObject[]): readonly string[] {
  return items.flatMap((item, index) => {
    const next = items[index + 1];
    const leads =
      next?.['type'] === 'function_call' || next?.['role'] === 'assistant' || next?.['type'] === 'reasoning';
    if (item['type'] === 'reasoning' && !leads)
      return [`Item '${String(item['id'])}' of type 'reasoning' was provided without its required following item.`];
    const thought = thoughtOf(item);
    const isThere = thought === null || items.slice(0, index).some(({ id }) => id === thought);
    return isThere
      ? []
      : [`Item '${String(item['id'])}' of type '${String(item['type'])}' was provided without '${thought}'.`];
  });
}

/** The id of the thought that led to an item with an id of this endpoint. */
function thoughtOf({ id }: JsonObject): string | null {
  const serial = typeof id === 'string' ? /^(?:fc|msg)_(\d+)(?:_\d+)?$/.exec(id)?.[1] : undefined;
  return serial === undefined ? null : `rs_${serial}`;
}

function readTool({ type, name, description, parameters, strict }: JsonObject, where: string): ParsedPart<ChatTool> {
  const problems = [
    ...(type === 'function' ? [] : [`${where}.type: must be function`]),
    ...(typeof name === 'string' && TOOL_NAME.test(name) ? [] : [`${where}.name: is not a function name`]),
    // Strict is the default, and such a schema requires every property.
    ...(strict === false ? [] : [`${where}.strict: must be false for this schema`]),
    ...checkToolSchema(parameters, `${where}.parameters`),
  ];
  const text = typeof description === 'string' ? description : null;
  const value = { name: String(name), description: text, parameters: isRecord(parameters) ? parameters : {} };
  return { value, problems };
}
