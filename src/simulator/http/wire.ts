/** A request as it came: `target` is the raw path with its query, header names are lower case. */
export type WireRequest = {
  readonly method: string;
  readonly target: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
};

/** A response as it leaves. */
export type WireResponse = {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
};

/** Path without GitHub Enterprise's API prefix, still percent-encoded, and the query decoded. */
export type Target = { readonly path: string; readonly query: Readonly<Record<string, string>> };

/** Splits a request's target; `/api/v3/x` and `/api/graphql` are `/x` and `/graphql`. */
export function readTarget(target: string): Target {
  const [path = '/', search = ''] = target.split('?', 2);
  const short = path.replace(/^\/api\/v3(?=\/|$)/, '').replace(/^\/api\/graphql$/, '/graphql');
  return { path: short === '' ? '/' : short, query: Object.fromEntries(new URLSearchParams(search)) };
}

const CONTENT_TYPE = 'application/json; charset=utf-8';

/** The response with a JSON body. */
export function jsonResponse(
  status: number,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): WireResponse {
  return { status, headers: { 'content-type': CONTENT_TYPE, ...headers }, body: Buffer.from(JSON.stringify(body)) };
}
