import { createHash } from 'node:crypto';
import { isRecord } from '../../src/lib/trust.ts';
import type { JsonObject } from '../lib/json.ts';
import { type ChatRequest, countTokens, type ScriptedTurn } from './script.ts';
import { piecesOf } from './stream.ts';

/** What the fake puts into the thought of this id; it knows its own again. */
export function encryptedContentOf(id: unknown): string {
  return createHash('sha256')
    .update(`thought ${String(id)}`)
    .digest('base64');
}

/** Creates a `response` object: a thought, the text, the calls. `serial` makes its ids unique; `now` is in ms. */
export function createResponse(turn: ScriptedTurn, request: ChatRequest, serial: number, now: number): JsonObject {
  const reason = INCOMPLETE_REASONS[turn.finishReason ?? ''] ?? null;
  const output = createOutput(turn, request, serial, reason === null ? 'completed' : 'incomplete');
  return {
    ...createEnvelope(request, serial, now),
    status: reason === null ? 'completed' : 'incomplete',
    incomplete_details: reason === null ? null : { reason },
    output,
    usage: createUsage(turn, request, output),
  };
}

const INCOMPLETE_REASONS: Readonly<Record<string, string>> = {
  length: 'max_output_tokens',
  content_filter: 'content_filter',
};

/** Creates a completed response without output. */
export function createEmptyResponse(request: ChatRequest, serial: number, now: number): JsonObject {
  return createResponse({}, request, serial, now);
}

function createEnvelope({ model }: ChatRequest, serial: number, now: number): JsonObject {
  const created = Math.floor(now / 1000);
  return { id: `resp_${serial}`, object: 'response', created_at: created, model, error: null, store: false };
}

function createOutput(turn: ScriptedTurn, request: ChatRequest, serial: number, status: string): readonly JsonObject[] {
  const { content = null, refusal, calls = [] } = turn;
  const part =
    refusal === undefined ? { type: 'output_text', text: content, annotations: [] } : { type: 'refusal', refusal };
  const said = (content ?? '') !== '' || refusal !== undefined;
  const thought = createThought(request, `rs_${serial}`);
  return [
    ...(said || calls.length > 0 ? [thought] : []),
    ...(said ? [{ id: `msg_${serial}`, type: 'message', status, role: 'assistant', content: [part] }] : []),
    ...calls.map((call, index) => ({
      ...{ id: `fc_${serial}_${index}`, type: 'function_call', status, call_id: call.id ?? `call_${serial}_${index}` },
      name: call.name,
      arguments: typeof call.arguments === 'string' ? call.arguments : JSON.stringify(call.arguments),
    })),
  ];
}

function createThought({ body }: ChatRequest, id: string): JsonObject {
  const thought = { id, type: 'reasoning', summary: [] };
  return body['include'] === undefined ? thought : { ...thought, encrypted_content: encryptedContentOf(id) };
}

function createUsage({ usage = {} }: ScriptedTurn, { body }: ChatRequest, output: readonly JsonObject[]): JsonObject {
  const input = usage.promptTokens ?? countTokens(JSON.stringify(body));
  const answer = usage.completionTokens ?? countTokens(JSON.stringify(output));
  return {
    input_tokens: input,
    input_tokens_details: { cached_tokens: usage.cachedTokens ?? 0 },
    output_tokens: answer,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: input + answer,
  };
}

/** The events of a streamed response: each item is added, comes in pieces, and is done. */
export function createResponseEvents(response: JsonObject): readonly JsonObject[] {
  const begun = { ...response, status: 'in_progress', incomplete_details: null, output: [], usage: null };
  const output = Array.isArray(response['output']) ? response['output'].filter(isRecord) : [];
  const events = [
    { type: 'response.created', response: begun },
    { type: 'response.in_progress', response: begun },
    ...output.flatMap(itemEvents),
    { type: `response.${String(response['status'])}`, response },
  ];
  return numbered(events);
}

/** The events of a stream that ends with an error. */
export function createErrorEvents(error: JsonObject): readonly JsonObject[] {
  return numbered([{ type: 'error', code: null, param: null, ...error }]);
}

function numbered(events: readonly JsonObject[]): readonly JsonObject[] {
  return events.map((event, sequence_number) => ({ ...event, sequence_number }));
}

function itemEvents(item: JsonObject, output_index: number): readonly JsonObject[] {
  const place = { output_index, item_id: item['id'] };
  const added = { type: 'response.output_item.added', output_index, item: { ...item, ...unbegun(item) } };
  return [added, ...contentEvents(item, place), { type: 'response.output_item.done', output_index, item }];
}

function unbegun({ type }: JsonObject): JsonObject {
  if (type === 'message') return { status: 'in_progress', content: [] };
  return type === 'function_call' ? { status: 'in_progress', arguments: '' } : { encrypted_content: '' };
}

function contentEvents(item: JsonObject, place: JsonObject): readonly JsonObject[] {
  if (item['type'] === 'function_call') {
    const deltas = piecesOf(item['arguments']);
    const type = 'response.function_call_arguments';
    return [
      ...deltas.map((delta) => ({ ...place, type: `${type}.delta`, delta })),
      { ...place, type: `${type}.done`, arguments: item['arguments'] },
    ];
  }
  const parts = Array.isArray(item['content']) ? item['content'].filter(isRecord) : [];
  return parts.flatMap((part, content_index) => partEvents(part, { ...place, content_index }));
}

function partEvents(part: JsonObject, place: JsonObject): readonly JsonObject[] {
  const [type, name] = part['type'] === 'refusal' ? ['response.refusal', 'refusal'] : ['response.output_text', 'text'];
  return [
    { ...place, type: 'response.content_part.added', part: { ...part, [name]: '' } },
    ...piecesOf(part[name]).map((delta) => ({ ...place, type: `${type}.delta`, delta })),
    { ...place, type: `${type}.done`, [name]: part[name] },
    { ...place, type: 'response.content_part.done', part },
  ];
}
