import { APIError, type OpenAI } from 'openai';
import { z } from 'zod';
import type { OpaqueObject, ToolCall } from '../../core/state/conversation.ts';
import { isRecord } from '../../lib/trust.ts';
import { UnusableResponseError } from './error-meanings.ts';
import type {
  JsonObject,
  ModelAnswer,
  ModelTool,
  ModelWire,
  ParameterInput,
  SentMembers,
  SentMessage,
} from './model-wire.ts';
import {
  type AnswerBody,
  areArgumentsBroken,
  MAX_ACCEPTED_TOOL_CALLS,
  parseUsage,
  readAnswerBody,
  readCalls,
  readUsage,
  toWireArguments,
  toWireName,
  truncateContent,
  type WrittenCall,
} from './read-answer.ts';

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

/** Called for each piece of an answer, with its unchecked count of tokens: it costs also if it breaks off. */
type OnPiece = (usage: unknown) => void;

/** Reads a response into one completion, whether it is streamed or not. */
function readCompletion(response: Response, client: OpenAI, onPiece: OnPiece): Promise<unknown> {
  return readAnswerBody(response, client, async (body) => {
    const completion = body.kind === 'plain' ? body.json : await mergeChunks(body, onPiece);
    onPiece(isRecord(completion) ? completion['usage'] : null);
    return completion;
  });
}

/** Merges the chunks of a stream into a completion as an endpoint sends it without streaming. */
async function mergeChunks({ events, isDone }: AnswerBody & { kind: 'stream' }, onPiece: OnPiece): Promise<unknown> {
  let message: unknown = {};
  let finishReason: unknown = null;
  let usage: unknown;
  let isEmpty = true;
  for await (const chunk of events) {
    if (!isRecord(chunk)) continue;
    isEmpty = false;
    // Some endpoints count anew in each chunk, so the last count is the whole one.
    usage = chunk['usage'] ?? usage;
    onPiece(usage);
    const { delta, message: whole, finish_reason: end } = choiceOf(chunk);
    message = mergeDelta(message, delta ?? whole);
    finishReason = isUnset(end) ? finishReason : end;
  }
  if (isEmpty) throw new UnusableResponseError('unreadable-answer', 'the stream has no chunk');
  if (typeof finishReason !== 'string' && !(isDone() && isWhole(message)))
    throw new UnusableResponseError('cut-off', 'the stream ended in mid-answer');
  return { choices: [{ message, finish_reason: finishReason }], usage };
}

/** Whether a message without a finish reason can be all that its model said. */
function isWhole(message: unknown): boolean {
  const { content, refusal, tool_calls: calls = [] }: JsonObject = isRecord(message) ? message : {};
  if (!Array.isArray(calls) || calls.some((call: unknown) => hasBrokenArguments(call))) return false;
  return calls.length > 0 || !isUnset(content) || !isUnset(refusal);
}

function hasBrokenArguments(call: unknown): boolean {
  const text = isRecord(call) && isRecord(call['function']) ? call['function']['arguments'] : null;
  return typeof text === 'string' && text !== '' && areArgumentsBroken(text);
}

function choiceOf(chunk: JsonObject): JsonObject {
  const choices: readonly unknown[] = Array.isArray(chunk['choices']) ? chunk['choices'] : [];
  const found = choices.find((choice) => isRecord(choice) && (choice['index'] ?? 0) === 0);
  return isRecord(found) ? found : {};
}

/** Members that name or label something. Endpoints repeat them in each delta, so they replace instead of adding up. */
const LABELS: ReadonlySet<string> = new Set(['format', 'id', 'index', 'name', 'object', 'role', 'type']);

/**
 * The value after a delta: texts are concatenated, objects are merged by member, and elements of lists by their
 * `index`. Null adds nothing. A text beside a list, as a content can be both, is one of its parts. The package's own
 * merging knows only its own members, and loses thoughts.
 */
export function mergeDelta(whole: unknown, delta: unknown): unknown {
  if (delta === null || delta === undefined) return whole;
  if (typeof whole === 'string' && typeof delta === 'string') return whole + delta;
  if (Array.isArray(delta)) return delta.reduce(mergeElement, toParts(whole));
  if (Array.isArray(whole) && typeof delta === 'string') return toParts(delta).reduce(mergeElement, whole);
  if (!isRecord(whole) || !isRecord(delta)) return delta;
  const members = new Map(Object.entries(whole));
  for (const [name, value] of Object.entries(delta)) {
    const before = members.get(name);
    // Some endpoints send an empty or null id or name in every delta but the first.
    const relabeled = isUnset(value) ? (before ?? value) : value;
    members.set(name, LABELS.has(name) ? relabeled : mergeDelta(before, value));
  }
  return Object.fromEntries(members);
}

function toParts(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value;
  return typeof value === 'string' && value !== '' ? [{ type: 'text', text: value }] : [];
}

function mergeElement(list: readonly unknown[], element: unknown): readonly unknown[] {
  const at = continuesLastPart(list, element)
    ? list.length - 1
    : list.findLastIndex((one) => isSameElement(one, element));
  return at === -1 ? [...list, element] : list.with(at, mergeDelta(list[at], element));
}

/** Parts of a content have no index, and come in pieces too. */
function continuesLastPart(list: readonly unknown[], piece: unknown): boolean {
  const last = list.at(-1);
  if (!isRecord(last) || !isRecord(piece) || piece['type'] !== last['type']) return false;
  return isUnset(piece['index']) && (piece['type'] === 'text' || piece['type'] === 'thinking');
}

/** Some endpoints count several calls or kinds of thoughts with one index; their ids or types tell them apart. */
function isSameElement(one: unknown, other: unknown): boolean {
  if (!isRecord(one) || !isRecord(other) || typeof other['index'] !== 'number') return false;
  const isSameLabel = (name: string): boolean =>
    isUnset(one[name]) || isUnset(other[name]) || one[name] === other[name];
  return one['index'] === other['index'] && isSameLabel('id') && isSameLabel('type');
}

/** Whether a label says nothing: some endpoints send an empty or null one in place of none. */
function isUnset(label: unknown): boolean {
  return label === undefined || label === null || label === '';
}

const WireChoice = z.object({
  message: z.object({
    content: z.union([z.string(), z.array(z.unknown())]).nullish(),
    refusal: z.string().nullish(),
    tool_calls: z.array(z.record(z.string(), z.unknown())).max(MAX_ACCEPTED_TOOL_CALLS).nullish(),
    function_call: z.null().optional(),
  }),
});

const WireCompletion = z.object({ choices: z.tuple([WireChoice], z.unknown()), usage: z.unknown().optional() });

/**
 * Parses a Chat Completions response; throws if it is invalid, or says that it failed. A refusal counts as content.
 * Content and arguments above their maximum length are truncated with a note, which leaves the arguments broken. Token
 * counts that are not reported are 0.
 */
export function parseCompletion(completion: unknown): ModelAnswer {
  const finishReason = readFinishReason(firstChoice(completion)['finish_reason']);
  const parsed = WireCompletion.safeParse(completion);
  if (!parsed.success) throw new UnusableResponseError('unreadable-answer', 'the answer has another form');
  const { choices, usage } = parsed.data;
  const { content, refusal, tool_calls: calls } = choices[0].message;
  const toolCalls = readCalls((calls ?? []).map(toWrittenCall));
  return {
    // A stream opens with an empty text, also before a refusal or calls.
    content: truncateContent(textOf(content) || refusal || null),
    toolCalls,
    finishReason: finishReason ?? (toolCalls.length > 0 ? 'tool_calls' : 'stop'),
    usage: parseUsage(usage),
    members: unknownMembersOf(
      completion,
      toolCalls.map(({ id }) => id),
    ),
  };
}

/** A call of a function or, from a model that ignores what it was offered, of a custom tool. */
function toWrittenCall({ id, function: target, custom }: OpaqueObject): WrittenCall {
  if (isRecord(target)) return { ...target, id };
  return isRecord(custom) ? { id, name: custom['name'], arguments: custom['input'] } : { id };
}

type Content = string | readonly unknown[] | null | undefined;

function textOf(content: Content): string {
  return typeof content === 'string' ? content : (content ?? []).map((part) => partText(part) ?? '').join('');
}

/** The text of a part of a content; null for thoughts and other parts, which only the model understands. */
function partText(part: unknown): string | null {
  const { type, text, refusal } = isRecord(part) ? part : { type: 'text', text: part, refusal: null };
  const said = type === 'refusal' ? refusal : TEXT_TYPES.has(type) ? text : null;
  return typeof said === 'string' ? said : null;
}

const TEXT_TYPES: ReadonlySet<unknown> = new Set(['text', 'output_text', undefined]);

/** Members that this product reads or that mean nothing in a request. */
const KNOWN_IN_MESSAGE: ReadonlySet<string> = new Set([
  ...['role', 'content', 'refusal', 'tool_calls', 'function_call', 'annotations', 'audio', 'name'],
]);

const KNOWN_IN_CALL: ReadonlySet<string> = new Set(['id', 'type', 'index', 'function', 'custom']);

const KNOWN_IN_FUNCTION: ReadonlySet<string> = new Set(['name', 'arguments']);

/**
 * The members of a completion's first message that the schema does not know, without nulls, those of its calls by
 * `ids`. A content is among them if it has more than text.
 */
function unknownMembersOf(completion: unknown, ids: readonly string[]): SentMembers {
  const found = firstChoice(completion)['message'];
  const message = isRecord(found) ? found : {};
  const { content, tool_calls: calls } = message;
  const parts = Array.isArray(content) && content.some((part: unknown) => partText(part) === null) ? { content } : {};
  const inCalls = (Array.isArray(calls) ? calls.filter(isRecord) : []).map(unknownInCall);
  const byId = inCalls.map((members, index) => [ids[index] ?? '', members] as const);
  return {
    message: { ...unknownMembers(message, KNOWN_IN_MESSAGE), ...parts },
    calls: Object.fromEntries(byId.filter(([, members]) => Object.keys(members).length > 0)),
  };
}

function firstChoice(completion: unknown): OpaqueObject {
  const choices = isRecord(completion) ? completion['choices'] : undefined;
  const choice: unknown = Array.isArray(choices) ? choices[0] : undefined;
  return isRecord(choice) ? choice : {};
}

function unknownInCall(call: OpaqueObject): OpaqueObject {
  const inFunction = isRecord(call['function']) ? unknownMembers(call['function'], KNOWN_IN_FUNCTION) : {};
  const own = unknownMembers(call, KNOWN_IN_CALL);
  return Object.keys(inFunction).length > 0 ? { ...own, function: inFunction } : own;
}

function unknownMembers(object: OpaqueObject, known: ReadonlySet<string>): OpaqueObject {
  return Object.fromEntries(Object.entries(object).filter(([name, value]) => value !== null && !known.has(name)));
}

/** Why an answer ended that failed, in the words of several endpoints, with the error that others answer with. */
const FAILURES: readonly (readonly [RegExp, { readonly status: number; readonly code?: string }])[] = [
  [/context_window|context_length|model_length/, { status: 400, code: 'context_length_exceeded' }],
  [/sensitive|safety|prohibited|blocklist|recitation|policy/, { status: 400, code: 'content_filter' }],
  [/error|fail|network|insufficient|overload|unavailable|timeout|abort|cancel|malformed/, { status: 500 }],
];

/** The words of some endpoints for a limit of length. */
const LENGTH = /^max_(?:output_|completion_|new_)?tokens$/;

/**
 * The finish reason of an answer in OpenAI's words, as far as they have one for it; null if there is none. Throws the
 * error that a reason stands for if it means failure; then the text before it is not used.
 */
function readFinishReason(written: unknown): string | null {
  if (typeof written !== 'string' || written === '') return null;
  const reason = written.toLowerCase();
  if (LENGTH.test(reason)) return 'length';
  const found = FAILURES.find(([pattern]) => pattern.test(reason))?.[1];
  if (found === undefined) return reason;
  const message = `the answer ended with "${reason}"`;
  throw new APIError(found.status, { message, code: found.code ?? null }, undefined, new Headers());
}
