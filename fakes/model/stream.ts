import type { ServerResponse } from 'node:http';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { isRecord } from '../../src/lib/trust.ts';
import type { JsonObject } from '../lib/json.ts';

/** How the fake model sends a stream; by default all events at once, because each write takes time. */
export type Delivery = {
  /** Splits the bytes anywhere: one at a time, or after every third one, within lines and characters. */
  readonly bytes?: 'one' | 'three';
  readonly newline?: '\n' | '\r\n' | '\r';
  /** A keep-alive comment before each event. */
  readonly comments?: boolean;
  /** Sends nothing more after this many events, and leaves the connection open. */
  readonly stallAfter?: number;
  /** Ends the response after this many events, without `[DONE]`. */
  readonly cutAfter?: number;
  /** Ends with the last chunk, without `[DONE]`. */
  readonly omitDone?: boolean;
  /** Ignores `stream`, and answers with plain JSON. */
  readonly plain?: boolean;
};

/** Characters of a text that one chunk carries, and the chunks of a longer text. */
const [PIECE_CHARACTERS, MAX_PIECES] = [7, 100];

type Completion = {
  readonly envelope: JsonObject;
  readonly message: JsonObject;
  readonly finishReason: string;
  readonly usage: unknown;
};

/** The chunks of a completion: role, texts in pieces, calls in pieces, the finish reason, and the usage if asked for. */
export function createChunks(completion: Completion, includeUsage: boolean): readonly JsonObject[] {
  const { envelope, message, finishReason, usage } = completion;
  const { role, tool_calls: calls, ...members } = message;
  const chunk = (choices: readonly unknown[], more: JsonObject = {}): JsonObject => ({
    ...envelope,
    object: 'chat.completion.chunk',
    choices,
    ...(includeUsage ? { usage: null } : {}),
    ...more,
  });
  const withDelta = (delta: unknown): JsonObject => chunk([{ index: 0, delta, finish_reason: null }]);
  return [
    withDelta({ role, content: '' }),
    ...Object.entries(members).flatMap(([name, value]) => piecesOf(value).map((piece) => withDelta({ [name]: piece }))),
    ...(Array.isArray(calls) ? calls.flatMap(callDeltas) : []).map((call) => withDelta({ tool_calls: [call] })),
    chunk([{ index: 0, delta: {}, finish_reason: finishReason }]),
    ...(includeUsage ? [chunk([], { usage })] : []),
  ];
}

function callDeltas({ function: target, ...call }: JsonObject & { readonly function: JsonObject }, index: number) {
  const { arguments: text, ...named } = target;
  const first = { index, ...call, function: { ...named, arguments: '' } };
  return [first, ...piecesOf(text).map((piece) => ({ index, function: { arguments: piece } }))];
}

/** A text in pieces; any other value whole, and null in none. */
export function piecesOf(value: unknown): readonly unknown[] {
  if (typeof value !== 'string') return value === null ? [] : [value];
  const characters = [...value];
  const size = Math.max(PIECE_CHARACTERS, Math.ceil(characters.length / MAX_PIECES));
  return Array.from({ length: Math.ceil(characters.length / size) }, (_, at) =>
    characters.slice(at * size, (at + 1) * size).join(''),
  );
}

/** Sends chunks as server-sent events, as hostile as the delivery says. */
export async function sendStream(
  response: ServerResponse,
  chunks: readonly unknown[],
  delivery: Delivery = {},
): Promise<void> {
  const { newline = '\n', stallAfter, cutAfter, omitDone = false, comments = false } = delivery;
  response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-cache' });
  response.flushHeaders();
  const events = [...chunks.map((chunk) => toEvent(chunk, newline)), ...(omitDone ? [] : ['data: [DONE]'])];
  const comment = comments ? `: keep-alive${newline}${newline}` : '';
  const sent = events.slice(0, stallAfter ?? cutAfter ?? events.length);
  const text = sent.map((event) => `${comment}${event}${newline}${newline}`).join('');
  await writePieces(response, Buffer.from(text), delivery);
  if (stallAfter === undefined) response.end();
}

/** A chunk with a type is an event of that name. */
function toEvent(chunk: unknown, newline: string): string {
  const data = `data: ${JSON.stringify(chunk)}`;
  return isRecord(chunk) && typeof chunk['type'] === 'string' ? `event: ${chunk['type']}${newline}${data}` : data;
}

const PIECE_BYTES = { one: 1, three: 3 } as const;

async function writePieces(response: ServerResponse, bytes: Buffer, { bytes: pieces }: Delivery): Promise<void> {
  const size = pieces === undefined ? bytes.length : PIECE_BYTES[pieces];
  for (let at = 0; at < bytes.length && !response.destroyed; at += size) {
    response.write(bytes.subarray(at, at + size));
    if (pieces !== undefined) await nextTurn();
  }
}
