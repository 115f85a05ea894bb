import { isRecord } from '../../trust.ts';
import type { ChatCall, ChatMessage, ChatRequest, ChatRole, ChatTool } from './script.ts';
import { transcriptProblems } from './transcript-problems.ts';

/** The request as data, or every rule of the Chat Completions API it breaks. */
export type ReadChat =
  | { readonly ok: true; readonly request: ChatRequest }
  | { readonly ok: false; readonly problems: readonly string[] };

type Json = Readonly<Record<string, unknown>>;
type Found<Value> = { readonly value: Value; readonly problems: readonly string[] };

const ROLES: ReadonlySet<string> = new Set(['system', 'developer', 'user', 'assistant', 'tool'] satisfies ChatRole[]);
const TOOL_NAME = /^[a-zA-Z0-9_-]{1,64}$/;

/** The API refuses arguments it does not know; streaming is left out because the product never asks for it. */
const KNOWN_FIELDS: ReadonlySet<string> = new Set([
  'frequency_penalty',
  'max_completion_tokens',
  'max_tokens',
  'messages',
  'metadata',
  'model',
  'n',
  'parallel_tool_calls',
  'presence_penalty',
  'prompt_cache_key',
  'reasoning_effort',
  'response_format',
  'safety_identifier',
  'seed',
  'service_tier',
  'stop',
  'store',
  'temperature',
  'tool_choice',
  'tools',
  'top_p',
  'user',
  'verbosity',
]);

/** Reads a request body strictly: shape of every message and tool, then the order of the conversation. */
export function readChat(body: unknown, headers: Readonly<Record<string, string>>): ReadChat {
  if (!isRecord(body)) return { ok: false, problems: ['the body is not a JSON object'] };
  const messages = readEach(body['messages'], 'messages', readMessage);
  const tools = body['tools'] === undefined ? { value: [], problems: [] } : readEach(body['tools'], 'tools', readTool);
  const problems = [...fieldProblems(body), ...messages.problems, ...tools.problems, ...repeatedTools(tools.value)];
  if (problems.length > 0) return { ok: false, problems };
  const disorder = transcriptProblems(messages.value);
  if (disorder.length > 0) return { ok: false, problems: disorder };
  const request = { model: String(body['model']), messages: messages.value, tools: tools.value, headers, body };
  return { ok: true, request };
}

function fieldProblems(body: Json): readonly string[] {
  const unknown = Object.keys(body).filter((name) => !KNOWN_FIELDS.has(name));
  const model = body['model'];
  return [
    ...unknown.map((name) => `${name}: is not an argument this endpoint knows`),
    ...(typeof model === 'string' && model !== '' ? [] : ['model: must be a non-empty string']),
  ];
}

function readEach<Value>(
  list: unknown,
  where: string,
  read: (item: Json, where: string) => Found<Value>,
): Found<readonly Value[]> {
  if (!Array.isArray(list) || list.length === 0)
    return { value: [], problems: [`${where}: must be a non-empty array`] };
  const values: Value[] = [];
  const problems: string[] = [];
  for (const [index, item] of list.entries()) {
    const place = `${where}[${index}]`;
    if (!isRecord(item)) {
      problems.push(`${place}: must be an object`);
      continue;
    }
    const found = read(item, place);
    values.push(found.value);
    problems.push(...found.problems);
  }
  return { value: values, problems };
}

function readMessage(message: Json, where: string): Found<ChatMessage> {
  const role = message['role'];
  const known = isRole(role) ? role : 'user';
  const content = textOf(message['content']);
  const calls = readCalls(message['tool_calls'], where);
  const toolCallId = message['tool_call_id'];
  const problems = [
    ...(isRole(role) ? [] : [`${where}.role: ${JSON.stringify(role)} is no role`]),
    ...contentProblems(known, content, calls.value, where),
    ...calls.problems,
    ...(known !== 'assistant' && message['tool_calls'] !== undefined
      ? [`${where}.tool_calls: only an assistant calls`]
      : []),
    ...(known === 'tool' && typeof toolCallId !== 'string' ? [`${where}.tool_call_id: must be a string`] : []),
  ];
  const id = typeof toolCallId === 'string' ? toolCallId : null;
  return { value: { role: known, content: content ?? null, calls: calls.value, toolCallId: id }, problems };
}

function isRole(value: unknown): value is ChatRole {
  return typeof value === 'string' && ROLES.has(value);
}

/** Text, null for none, undefined for something that is no content at all. */
function textOf(content: unknown): string | null | undefined {
  if (content === null || content === undefined) return null;
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return undefined;
  const texts = content.map((part: unknown) => (isRecord(part) && part['type'] === 'text' ? part['text'] : undefined));
  return texts.every((text) => typeof text === 'string') ? texts.join('') : undefined;
}

function contentProblems(
  role: ChatRole,
  content: string | null | undefined,
  calls: readonly ChatCall[],
  where: string,
): readonly string[] {
  if (content === undefined) return [`${where}.content: must be text or a list of text parts`];
  if (content !== null) return [];
  return role === 'assistant' && calls.length > 0 ? [] : [`${where}.content: is required`];
}

function readCalls(calls: unknown, where: string): Found<readonly ChatCall[]> {
  if (calls === undefined) return { value: [], problems: [] };
  return readEach(calls, `${where}.tool_calls`, readCall);
}

function readCall(call: Json, where: string): Found<ChatCall> {
  const target = call['function'];
  const name = isRecord(target) ? target['name'] : undefined;
  const text = isRecord(target) ? target['arguments'] : undefined;
  const problems = [
    ...(call['type'] === 'function' ? [] : [`${where}.type: must be function`]),
    ...(typeof call['id'] === 'string' && call['id'] !== '' ? [] : [`${where}.id: must be a non-empty string`]),
    ...(typeof name === 'string' && TOOL_NAME.test(name) ? [] : [`${where}.function.name: is no function name`]),
    ...(typeof text === 'string' ? [] : [`${where}.function.arguments: must be a string`]),
  ];
  return { value: { id: String(call['id']), name: String(name), arguments: String(text) }, problems };
}

function readTool(tool: Json, where: string): Found<ChatTool> {
  const target = tool['function'];
  const definition = isRecord(target) ? target : {};
  const { name, description, parameters } = definition;
  const problems = [
    ...(tool['type'] === 'function' ? [] : [`${where}.type: must be function`]),
    ...(typeof name === 'string' && TOOL_NAME.test(name) ? [] : [`${where}.function.name: is no function name`]),
    ...(isRecord(parameters) && parameters['type'] === 'object'
      ? []
      : [`${where}.function.parameters: must be a JSON schema of an object`]),
  ];
  const text = typeof description === 'string' ? description : null;
  return {
    value: { name: String(name), description: text, parameters: isRecord(parameters) ? parameters : {} },
    problems,
  };
}

function repeatedTools(tools: readonly ChatTool[]): readonly string[] {
  const names = tools.map((tool) => tool.name);
  return names.filter((name, index) => names.indexOf(name) !== index).map((name) => `tools: ${name} is defined twice`);
}
