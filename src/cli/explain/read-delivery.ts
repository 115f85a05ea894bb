import { isRecord, parseJson } from '../../lib/trust.ts';

/** A recorded delivery. `id` is null if the record has none. */
export type RecordedDelivery = { readonly id: string | null; readonly event: string; readonly payload: unknown };

type Json = Readonly<Record<string, unknown>>;

/** Parses a record in our form or GitHub's, or a bare payload of the given event. */
export function parseDelivery(text: string, event: string | null): ParseResult<RecordedDelivery> {
  const json = tryParseJson(text);
  if (!isRecord(json)) return parseProblem('is not a JSON object');
  const record = isRecord(json['request']) ? json['request'] : json;
  const { headers, payload } = record;
  if (payload === undefined) return parseBarePayload(json, event);
  const eventName = event ?? headerOf(headers, 'x-github-event') ?? nonEmptyText(json['event']);
  if (eventName === null) return parseProblem('names no event: the header X-GitHub-Event is missing; use --event');
  const id = headerOf(headers, 'x-github-delivery') ?? nonEmptyText(json['guid']);
  return {
    kind: 'parsed',
    value: { id, event: eventName, payload: typeof payload === 'string' ? tryParseJson(payload) : payload },
  };
}

function parseBarePayload(payload: Json, event: string | null): ParseResult<RecordedDelivery> {
  if (event === null) return parseProblem('has no headers and payload; for a bare payload, use --event');
  return { kind: 'parsed', value: { id: null, event, payload } };
}

/** Header names are case-insensitive. */
function headerOf(headers: unknown, name: string): string | null {
  if (!isRecord(headers)) return null;
  const key = Object.keys(headers).find((header) => header.toLowerCase() === name);
  return key === undefined ? null : nonEmptyText(headers[key]);
}

function nonEmptyText(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null;
}

/** Undefined if the text is not JSON. */
export function tryParseJson(text: string): unknown {
  try {
    return parseJson(text.replace(/^\uFEFF/, ''));
  } catch {
    return undefined;
  }
}

/** The parsed content of a file, or its problem, worded to follow the file's name. */
type ParseResult<Value> =
  | { readonly kind: 'parsed'; readonly value: Value }
  | { readonly kind: 'refused'; readonly problem: string };

function parseProblem(problem: string): { readonly kind: 'refused'; readonly problem: string } {
  return { kind: 'refused', problem };
}
