import { APIError, type OpenAI } from 'openai';
import type { ToolCall } from '../../core/state/conversation.ts';
import { isRecord } from '../../lib/trust.ts';
import { UnusableResponseError } from './error-meanings.ts';
import { statedStatus } from './model-errors.ts';
import type {
  JsonObject,
  ModelAnswer,
  ModelTool,
  ModelWire,
  OnUsage,
  ParameterInput,
  SentMembers,
  SentMessage,
} from './model-wire.ts';
import {
  type AnswerBody,
  MAX_ACCEPTED_TOOL_CALLS,
  parseUsage,
  readAnswerBody,
  readCalls,
  readUsage,
  toWireArguments,
  toWireName,
  truncateContent,
} from './read-answer.ts';

type InputItem = OpenAI.Responses.ResponseInputItem;

type Parameters = OpenAI.Responses.ResponseCreateParams;

/** The opaque member that holds the items of an answer. It is never on the wire. */
const ITEMS = 'output_items';

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

type EventType = OpenAI.Responses.ResponseStreamEvent['type'];

type ItemType = OpenAI.Responses.ResponseOutputItem['type'];

const ENDS: ReadonlySet<unknown> = new Set<EventType>(['response.completed', 'response.incomplete', 'response.failed']);

/** Reads an answer of the Responses API, which has items: thoughts, texts and calls. */
function readResponsesAnswer(response: Response, client: OpenAI, onUsage: OnUsage): Promise<ModelAnswer> {
  return readAnswerBody(
    response,
    client,
    async (body) => {
      const ended = body.kind === 'plain' ? body.json : await readStream(body, response.headers);
      const answered = isRecord(ended) ? ended : {};
      onUsage(readUsage(answered['usage']));
      throwIfFailed(answered, response.headers);
      return toAnswer(answered);
    },
    'events',
  );
}

/** The response of the last event. The stream is not read to its end, which some gateways leave open. */
async function readStream({ events }: AnswerBody & { kind: 'stream' }, headers: Headers): Promise<JsonObject> {
  const done: unknown[] = [];
  let isEmpty = true;
  for await (const event of events) {
    if (!isRecord(event)) continue;
    isEmpty = false;
    const { type, response: ended, error } = event;
    if (type === ('error' satisfies EventType) || isRecord(error)) throw streamError(error ?? event, headers);
    if (type === ('response.output_item.done' satisfies EventType)) done.push(event['item']);
    if (!ENDS.has(type) || !isRecord(ended)) continue;
    // Some gateways leave the output out of the last event, and others the events of its items.
    const whole = itemsOf(ended['output']);
    return { ...ended, output: whole.length > done.length ? whole : done };
  }
  if (isEmpty) throw new UnusableResponseError('unreadable-answer', 'the stream has no event');
  throw new UnusableResponseError('cut-off', 'the stream ended in mid-answer');
}

function itemsOf(output: unknown): readonly JsonObject[] {
  return Array.isArray(output) ? output.filter(isRecord) : [];
}

/** An error with the status that the endpoint would have answered with, had it known before the stream began. */
function streamError(error: unknown, headers: Headers): APIError {
  const body = isRecord(error) ? error : { message: String(error) };
  const status = REFUSED.test(`${body['code']} ${body['type']}`) ? 400 : statedStatus(body);
  return new APIError(status, body, undefined, headers);
}

/** The codes of requests that would fail again. */
const REFUSED = /invalid_|policy|context_length|too_l(?:ong|arge)/;

function throwIfFailed({ status, error, output }: JsonObject, headers: Headers): void {
  if (isRecord(error)) throw streamError(error, headers);
  if (status === 'failed') throw streamError({ message: 'The response failed.' }, headers);
  if (!Array.isArray(output)) throw new UnusableResponseError('unreadable-answer', 'the answer has another form');
  if (status === 'in_progress' || status === 'queued' || status === 'cancelled')
    throw new UnusableResponseError('cut-off', `the response is ${status}`);
}

function toAnswer(ended: JsonObject): ModelAnswer {
  const items = itemsOf(ended['output']);
  const written = items.filter(({ type }) => type === ('function_call' satisfies ItemType));
  if (written.length > MAX_ACCEPTED_TOOL_CALLS)
    throw new UnusableResponseError('unreadable-answer', `the answer has ${written.length} calls`);
  const toolCalls = readCalls(written.map(({ call_id: id, ...call }) => ({ ...call, id })));
  const ids = new Map(toolCalls.map(({ id }, index) => [written[index], id]));
  const texts = items.map(textOf).filter((text) => text !== '');
  return {
    content: truncateContent(texts.join('\n\n') || null),
    toolCalls,
    finishReason: finishReasonOf(ended) ?? (toolCalls.length > 0 ? 'tool_calls' : 'stop'),
    usage: parseUsage(ended['usage']),
    members: keepItems(items, ids),
  };
}

/** The text of a message, of which a refusal is one too. */
function textOf({ type, content }: JsonObject): string {
  return itemsOf(type === ('message' satisfies ItemType) ? content : [])
    .map(({ text, refusal }) => text ?? refusal)
    .filter((text) => typeof text === 'string')
    .join('');
}

/** In the words of Chat Completions; null for a whole answer. An unknown reason counts as the limit of its length. */
function finishReasonOf({ status, incomplete_details: details }: JsonObject): string | null {
  if (status !== 'incomplete') return null;
  return isRecord(details) && details['reason'] === 'content_filter' ? 'content_filter' : 'length';
}

/**
 * The items for the next request, in their order, if the model wants any of them back. A call is without what the
 * transcript has of it. The endpoint refuses a thought that leads to nothing, a thought without its content, and items
 * by their id without the thought before them.
 */
function keepItems(items: readonly JsonObject[], ids: ReadonlyMap<JsonObject | undefined, string>): SentMembers {
  const known = items.filter((item) => KEPT.has(item['type']) || textOf(item) !== '');
  const kept = known.slice(0, known.findLastIndex(({ type }) => type !== 'reasoning') + 1);
  const thoughts = kept.filter(({ type }) => type === 'reasoning');
  const isWanted = thoughts.length > 0 || kept.some(({ phase }) => typeof phase === 'string');
  if (!isWanted || !thoughts.every(hasContent)) return { message: {}, calls: {} };
  return { message: { [ITEMS]: kept.map((item) => toKept(item, ids.get(item))) }, calls: {} };
}

const KEPT: ReadonlySet<unknown> = new Set<ItemType>(['reasoning', 'function_call']);

function hasContent({ encrypted_content: encrypted, content }: JsonObject): boolean {
  return (typeof encrypted === 'string' && encrypted !== '') || (Array.isArray(content) && content.length > 0);
}

function toKept(item: JsonObject, callId: string | undefined): JsonObject {
  const members = Object.entries(item).filter(([, value]) => value !== null);
  if (callId === undefined) return Object.fromEntries(members);
  const { name, arguments: text, ...call } = Object.fromEntries(members);
  return { ...call, call_id: callId };
}
