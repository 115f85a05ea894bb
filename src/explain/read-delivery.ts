import { isRecord, parseJson } from '../trust.ts';
import { type Reading, refused } from './reading.ts';

/** A delivery as it was recorded. `id` is null where the record does not have it. */
export type RecordedDelivery = { readonly id: string | null; readonly event: string; readonly payload: unknown };

type Json = Readonly<Record<string, unknown>>;

/** Reads a record of a delivery: ours, GitHub's own, or a bare payload whose event is told beside it. */
export function readDelivery(text: string, event: string | null): Reading<RecordedDelivery> {
  const json = jsonIn(text);
  if (!isRecord(json)) return refused('does not hold a JSON object');
  const record = isRecord(json['request']) ? json['request'] : json;
  const { headers, payload } = record;
  if (payload === undefined) return barePayload(json, event);
  const found = event ?? headerOf(headers, 'x-github-event') ?? textOf(json['event']);
  if (found === null)
    return refused('does not name its event: X-GitHub-Event is missing among its headers; give --event');
  const id = headerOf(headers, 'x-github-delivery') ?? textOf(json['guid']);
  return {
    kind: 'read',
    value: { id, event: found, payload: typeof payload === 'string' ? jsonIn(payload) : payload },
  };
}

function barePayload(payload: Json, event: string | null): Reading<RecordedDelivery> {
  if (event === null) return refused('holds neither headers and payload nor, with --event, a bare payload');
  return { kind: 'read', value: { id: null, event, payload } };
}

/** The value of a header, whatever the case of its name. */
function headerOf(headers: unknown, name: string): string | null {
  if (!isRecord(headers)) return null;
  const key = Object.keys(headers).find((one) => one.toLowerCase() === name);
  return key === undefined ? null : textOf(headers[key]);
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null;
}

/** Undefined where the text is no JSON. */
export function jsonIn(text: string): unknown {
  try {
    return parseJson(text.replace(/^\uFEFF/, ''));
  } catch {
    return undefined;
  }
}
