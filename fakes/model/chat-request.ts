import { isRecord, parseJson } from '../../src/lib/trust.ts';
import type { JsonObject } from '../lib/json.ts';
import { checkParameters } from './chat-parameters.ts';
import type { ChatMessage, ChatRequestResult, ChatRole, ChatTool, ChatToolCall } from './script.ts';
import { checkToolSchema } from './tool-schema.ts';

export type ParsedPart<Value> = { readonly value: Value; readonly problems: readonly string[] };

const ROLES: ReadonlySet<string> = new Set(['system', 'developer', 'user', 'assistant', 'tool'] satisfies ChatRole[]);

export const TOOL_NAME = /^[a-zA-Z0-9_-]{1,64}$/;

/** Members of a message or call that every endpoint takes. */
const KNOWN_MEMBERS: ReadonlySet<string> = new Set([
  ...['role', 'content', 'refusal', 'name', 'tool_calls', 'tool_call_id', 'id', 'type', 'function', 'annotations'],
]);

/** Further members of messages and calls that this endpoint takes, because it sent them. */
type MemberRules = { readonly members: ReadonlySet<string> };

const NO_MEMBERS: MemberRules = { members: new Set() };

/** Parses a request body: first each message and tool, then the order of the messages. */
export function parseChatRequest(
  body: unknown,
  headers: Readonly<Record<string, string>>,
  rules: MemberRules = NO_MEMBERS,
): ChatRequestResult {
  if (!isRecord(body)) return { ok: false, problems: ['the body is not a JSON object'] };
  const messages = readEach(body['messages'], 'messages', (message, where) => readMessage(message, where, rules));
  const tools = body['tools'] === undefined ? { value: [], problems: [] } : readEach(body['tools'], 'tools', readTool);
  const problems = [...checkParameters(body), ...messages.problems, ...tools.problems, ...checkToolNames(tools.value)];
  if (problems.length > 0) return { ok: false, problems };
  const orderProblems = checkMessageOrder(messages.value);
  if (orderProblems.length > 0) return { ok: false, problems: orderProblems };
  const request = { model: String(body['model']), messages: messages.value, tools: tools.value, headers, body };
  return { ok: true, request };
}

export function readEach<Value>(
  list: unknown,
  where: string,
  read: (item: JsonObject, where: string) => ParsedPart<Value>,
): ParsedPart<readonly Value[]> {
  if (!Array.isArray(list) || list.length === 0)
    return { value: [], problems: [`${where}: must be a non-empty array`] };
  const values: Value[] = [];
  const problems: string[] = [];
  for (const [index, item] of list.entries()) {
    const fieldPath = `${where}[${index}]`;
    if (!isRecord(item)) {
      problems.push(`${fieldPath}: must be an object`);
      continue;
    }
    const found = read(item, fieldPath);
    values.push(found.value);
    problems.push(...found.problems);
  }
  return { value: values, problems };
}

function readMessage(message: JsonObject, where: string, rules: MemberRules): ParsedPart<ChatMessage> {
  const role = message['role'];
  const known = isRole(role) ? role : 'user';
  const content = textOf(message['content']);
  const calls = readCalls(message['tool_calls'], where, rules);
  const toolCallId = message['tool_call_id'];
  const problems = [
    ...(isRole(role) ? [] : [`${where}.role: ${JSON.stringify(role)} is not a role`]),
    ...checkMembers(message, where, rules),
    ...checkContent(known, content, calls.value, where),
    ...calls.problems,
    ...(known !== 'assistant' && message['tool_calls'] !== undefined
      ? [`${where}.tool_calls: only an assistant message can have calls`]
      : []),
    ...(known === 'tool' && typeof toolCallId !== 'string' ? [`${where}.tool_call_id: must be a string`] : []),
  ];
  const id = typeof toolCallId === 'string' ? toolCallId : null;
  return { value: { role: known, content: content ?? null, calls: calls.value, toolCallId: id }, problems };
}

function isRole(value: unknown): value is ChatRole {
  return typeof value === 'string' && ROLES.has(value);
}

/** Returns the text of a message with parts of these types: null if there is no content, undefined if it is invalid. */
export function textOf(content: unknown, types: readonly string[] = ['text']): string | null | undefined {
  if (content === null || content === undefined) return null;
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return undefined;
  const texts = content.map((part: unknown) =>
    isRecord(part) && types.includes(String(part['type'])) ? part['text'] : undefined,
  );
  return texts.every((text) => typeof text === 'string') ? texts.join('') : undefined;
}

function checkContent(
  role: ChatRole,
  content: string | null | undefined,
  calls: readonly ChatToolCall[],
  where: string,
): readonly string[] {
  if (content === undefined) return [`${where}.content: must be text or a list of text parts`];
  if (content !== null) return [];
  return role === 'assistant' && calls.length > 0 ? [] : [`${where}.content: is required`];
}

function readCalls(calls: unknown, where: string, rules: MemberRules): ParsedPart<readonly ChatToolCall[]> {
  if (calls === undefined) return { value: [], problems: [] };
  return readEach(calls, `${where}.tool_calls`, (call, at) => readCall(call, at, rules));
}

function checkMembers(object: JsonObject, where: string, { members }: MemberRules): readonly string[] {
  const unknown = Object.keys(object).filter((name) => !KNOWN_MEMBERS.has(name) && !members.has(name));
  return unknown.map((name) => `${where}.${name}: is not a member this endpoint knows`);
}

/** Endpoints that hand the arguments to another API parse them, and refuse the history if they can't. */
export function isJsonObject(text: unknown): boolean {
  try {
    return isRecord(parseJson(String(text)));
  } catch {
    return false;
  }
}

function readCall(call: JsonObject, where: string, rules: MemberRules): ParsedPart<ChatToolCall> {
  const target = call['function'];
  const name = isRecord(target) ? target['name'] : undefined;
  const text = isRecord(target) ? target['arguments'] : undefined;
  const problems = [
    ...(call['type'] === 'function' ? [] : [`${where}.type: must be function`]),
    ...(typeof call['id'] === 'string' && call['id'] !== '' ? [] : [`${where}.id: must be a non-empty string`]),
    ...(typeof name === 'string' && TOOL_NAME.test(name) ? [] : [`${where}.function.name: is not a function name`]),
    ...(typeof text === 'string' ? [] : [`${where}.function.arguments: must be a string`]),
    ...(isJsonObject(text) ? [] : [`${where}.function.arguments: is not a JSON object`]),
    ...checkMembers(call, where, rules),
  ];
  return { value: { id: String(call['id']), name: String(name), arguments: String(text) }, problems };
}

function readTool(tool: JsonObject, where: string): ParsedPart<ChatTool> {
  const target = tool['function'];
  const definition = isRecord(target) ? target : {};
  const { name, description, parameters } = definition;
  const problems = [
    ...(tool['type'] === 'function' ? [] : [`${where}.type: must be function`]),
    ...(typeof name === 'string' && TOOL_NAME.test(name) ? [] : [`${where}.function.name: is not a function name`]),
    ...checkToolSchema(parameters, `${where}.function.parameters`),
  ];
  const text = typeof description === 'string' ? description : null;
  return {
    value: { name: String(name), description: text, parameters: isRecord(parameters) ? parameters : {} },
    problems,
  };
}

function checkToolNames(tools: readonly ChatTool[]): readonly string[] {
  const names = tools.map((tool) => tool.name);
  return names.filter((name, index) => names.indexOf(name) !== index).map((name) => `tools: ${name} is defined twice`);
}

/**
 * Returns the violated rules. Each tool call needs exactly one `tool` message, in the order of the calls and before any
 * other message.
 */
export function checkMessageOrder(messages: readonly ChatMessage[]): readonly string[] {
  const problems: string[] = [];
  const seen = new Set<string>();
  let openCallIds: readonly string[] = [];
  for (const [index, message] of messages.entries()) {
    const where = `messages[${index}]`;
    if (message.role === 'tool') {
      problems.push(...checkToolMessage(message, openCallIds, seen, where));
      openCallIds = openCallIds.filter((id) => id !== message.toolCallId);
      continue;
    }
    if (openCallIds.length > 0) problems.push(`${where}: ${openCallIds.join(', ')} had no tool message before it`);
    problems.push(...checkCallIds(message, seen, where));
    openCallIds = message.calls.map((call) => call.id);
    for (const id of openCallIds) seen.add(id);
  }
  if (openCallIds.length > 0) problems.push(`messages: ${openCallIds.join(', ')} had no tool message at the end`);
  return problems;
}

function checkToolMessage(
  message: ChatMessage,
  openCallIds: readonly string[],
  seen: ReadonlySet<string>,
  where: string,
): readonly string[] {
  const id = message.toolCallId ?? '';
  if (openCallIds[0] === id) return [];
  if (openCallIds.includes(id)) return [`${where}: ${id} is answered out of order, ${openCallIds[0]} comes first`];
  if (seen.has(id)) return [`${where}: ${id} was answered already, or its turn is over`];
  return [`${where}: a tool message answers ${id}, which no assistant message before it called`];
}

function checkCallIds(message: ChatMessage, seen: ReadonlySet<string>, where: string): readonly string[] {
  const ids = message.calls.map((call) => call.id);
  const repeated = ids.filter((id, index) => seen.has(id) || ids.indexOf(id) !== index);
  return repeated.map((id) => `${where}: the call id ${id} is used twice`);
}
