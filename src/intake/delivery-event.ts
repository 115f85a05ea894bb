import { isRecord, parseJson } from '../trust.ts';

/** A webhook delivery whose signature was checked. `name` is GitHub's event; whatever the payload says is unchecked. */
export type DeliveryEvent = {
  readonly id: string;
  readonly name: string;
  readonly payload: Readonly<Record<string, unknown>>;
};

/** The headers of a delivery, none of which is signed. */
export type DeliveryHead = { readonly id: string; readonly name: string };

type Headers = Readonly<Record<string, string | readonly string[] | undefined>>;

const ID = /^[A-Za-z0-9-]{1,64}$/;
const NAME = /^[a-z_*]{1,64}$/;
const JSON_TYPE = /^application\/json\s*(?:;|$)/i;

function matching(value: string | readonly string[] | undefined, form: RegExp): string | null {
  return typeof value === 'string' && form.test(value) ? value : null;
}

/** Reads id and event name; null where a header is missing or has another form than GitHub's. */
export function readHead(headers: Headers): DeliveryHead | null {
  const id = matching(headers['x-github-delivery'], ID);
  const name = matching(headers['x-github-event'], NAME);
  const type = matching(headers['content-type'], JSON_TYPE);
  return id === null || name === null || type === null ? null : { id, name };
}

function isEventPayload(value: unknown): value is DeliveryEvent['payload'] {
  return isRecord(value) && (value['action'] === undefined || typeof value['action'] === 'string');
}

/** Reads a body that is UTF-8, JSON, an object and has an action of text, if any; null for every other. */
export function readPayload(bytes: Uint8Array): DeliveryEvent['payload'] | null {
  try {
    const value = parseJson(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
    return isEventPayload(value) ? value : null;
  } catch {
    return null;
  }
}
