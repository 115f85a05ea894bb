import type { ApiFieldError, OperationResult, WebhookEvent } from '../state/operation.ts';
import type { ServerState } from './server-state.ts';

/** A received request. `target` is the raw path with its query; header names are in lower case. */
export type RawHttpRequest = {
  readonly method: string;
  readonly target: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
};

export type RawHttpResponse = {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
};

/** The path without the Enterprise prefix, still percent-encoded, and the decoded query. */
export type RequestTarget = { readonly path: string; readonly query: Readonly<Record<string, string>> };

/** Splits a target; `/api/v3/x` becomes `/x` and `/api/graphql` becomes `/graphql`. */
export function parseTarget(target: string): RequestTarget {
  const [path = '/', search = ''] = target.split('?', 2);
  const withoutPrefix = path.replace(/^\/api\/v3(?=\/|$)/, '').replace(/^\/api\/graphql$/, '/graphql');
  return { path: withoutPrefix === '' ? '/' : withoutPrefix, query: Object.fromEntries(new URLSearchParams(search)) };
}

const JSON_CONTENT_TYPE = 'application/json; charset=utf-8';

export function jsonResponse(
  status: number,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): RawHttpResponse {
  return {
    status,
    headers: { 'content-type': JSON_CONTENT_TYPE, ...headers },
    body: Buffer.from(JSON.stringify(body)),
  };
}

/** The result of a handler: the response, the state after the request and the webhooks. */
export type ApiResponse = {
  readonly status: number;
  readonly body: ApiResponseBody;
  readonly headers?: Readonly<Record<string, string>>;
  readonly state: ServerState;
  readonly events: readonly WebhookEvent[];
  /** Set when the client broke a rule of GitHub. */
  readonly violation?: string;
};

type ApiResponseBody =
  | { readonly kind: 'json'; readonly value: unknown }
  /** The complete list; only the requested page is sent. */
  | { readonly kind: 'list'; readonly items: readonly unknown[]; readonly wrap?: (page: readonly unknown[]) => object }
  | { readonly kind: 'bytes'; readonly type: string; readonly bytes: Uint8Array }
  | { readonly kind: 'none' };

const DOCUMENTATION_URL = 'https://docs.github.com/rest';

/** 200 with JSON and an unchanged state. */
export function okResponse(state: ServerState, value: unknown): ApiResponse {
  return { status: 200, body: { kind: 'json', value }, state, events: [] };
}

/** 200 with one page of a list and an unchanged state. */
export function listResponse(state: ServerState, items: readonly unknown[]): ApiResponse {
  return { status: 200, body: { kind: 'list', items }, state, events: [] };
}

/** 200 with one page of a list inside an object. */
export function wrappedListResponse(
  state: ServerState,
  items: readonly unknown[],
  wrap: (page: readonly unknown[]) => object,
): ApiResponse {
  return { status: 200, body: { kind: 'list', items, wrap }, state, events: [] };
}

/** 200 with the bytes of a file and an unchanged state. */
export function rawResponse(state: ServerState, bytes: Uint8Array): ApiResponse {
  const type = 'application/vnd.github.raw; charset=utf-8';
  return { status: 200, body: { kind: 'bytes', type, bytes }, state, events: [] };
}

/** An error of the REST API with an unchanged state. */
export function errorResponse(
  state: ServerState,
  status: number,
  message: string,
  errors?: readonly (string | ApiFieldError)[],
): ApiResponse {
  const value = {
    message,
    ...(errors === undefined ? {} : { errors }),
    documentation_url: DOCUMENTATION_URL,
    status: String(status),
  };
  return { status, body: { kind: 'json', value }, state, events: [] };
}

/** 404, also for resources that the caller cannot see. */
export function notFoundResponse(state: ServerState): ApiResponse {
  return errorResponse(state, 404, 'Not Found');
}

/** 422 for one missing or invalid field. */
export function invalidFieldResponse(state: ServerState, resource: string, field: string, code: string): ApiResponse {
  return errorResponse(state, 422, 'Validation Failed', [{ resource, field, code }]);
}

/** Converts the result of an operation: its error, or `status` with the payload that `toPayload` creates. */
export function operationResponse<Value>(
  state: ServerState,
  outcome: OperationResult<Value>,
  status: number,
  toPayload: (after: ServerState, value: Value) => unknown,
): ApiResponse {
  if (!outcome.ok) {
    const { error } = outcome;
    return errorResponse(state, error.status, error.message, error.errors);
  }
  const after = { ...state, github: outcome.state };
  const body: ApiResponseBody =
    status === 204 ? { kind: 'none' } : { kind: 'json', value: toPayload(after, outcome.value) };
  return { status, body, state: after, events: outcome.events };
}

export const DEFAULT_PAGE_SIZE = 30;

export const MAX_PAGE_SIZE = 100;

/** One page of a list with its `link` header, if there are more pages. */
type ResultPage<Item> = { readonly items: readonly Item[]; readonly link: string | undefined };

/**
 * Selects a page by `per_page` (at most 100) and `page`. `address` is the absolute URL without its query; page links
 * keep the other parameters.
 */
export function paginate<Item>(
  items: readonly Item[],
  query: Readonly<Record<string, string>>,
  address: string,
): ResultPage<Item> {
  const size = Math.min(parsePositiveInteger(query['per_page'], DEFAULT_PAGE_SIZE), MAX_PAGE_SIZE);
  const page = parsePositiveInteger(query['page'], 1);
  const last = Math.max(1, Math.ceil(items.length / size));
  const targets: readonly (readonly [string, number])[] = [
    ...(page > 1 ? ([['prev', page - 1]] as const) : []),
    ...(page < last
      ? ([
          ['next', page + 1],
          ['last', last],
        ] as const)
      : []),
    ...(page > 1 ? ([['first', 1]] as const) : []),
  ];
  const links = targets.map(([relation, number]) => {
    const search = new URLSearchParams({ ...query, page: String(number) });
    return `<${address}?${search}>; rel="${relation}"`;
  });
  const link = links.length === 0 ? undefined : links.join(', ');
  return { items: items.slice((page - 1) * size, page * size), link };
}

function parsePositiveInteger(text: string | undefined, otherwise: number): number {
  const number = Number(text);
  return Number.isInteger(number) && number > 0 ? number : otherwise;
}
