import { z } from 'zod';
import { GitHubFault } from '../worker/ports.ts';

/** What GitHub asks for where it names no time itself. */
const SECONDARY_LIMIT_WAIT_MS = 60_000;

/**
 * An installation that its owner has suspended, or a repository that is archived, may come back; until then GitHub is
 * seldom asked.
 */
const AT_REST = /installation has been suspended|was archived so is read-only/i;
const AT_REST_WAIT_MS = 10 * 60_000;

/** Until when (ms) to wait, and whether that holds for all of the installation. */
type Wait = { readonly until: number; readonly limited: boolean };

/**
 * A failed request. `status` is null where no whole answer came (timeout, reset, cut), so that nobody knows
 * whether it was applied. `words` are GitHub's own, one line; `codes` the types of GraphQL errors.
 * It keeps neither the request nor its headers: nothing that could hold a token or a file reaches a log.
 */
export class RequestFault extends GitHubFault {
  readonly words: string;
  readonly codes: readonly string[];
  /** A limit of the whole installation: nothing of it may be asked before `retryAt`. */
  readonly limited: boolean;
  constructor(what: string, status: number | null, wait: Wait | null, words: string, codes: readonly string[]) {
    super(words === '' ? what : `${what}: ${words}`, status, wait?.until ?? null);
    this.name = 'RequestFault';
    this.limited = wait?.limited ?? false;
    this.words = words;
    this.codes = codes;
  }
}

/**
 * GitHub refused a comment's anchor or body (422) and wrote nothing; the only fault of a new comment with status 422.
 */
export class ReviewRefused extends GitHubFault {
  constructor(words: string) {
    super(words, 422, null);
    this.name = 'ReviewRefused';
  }
}

const Headers = z.record(z.string(), z.unknown());
const HttpFailure = z.object({
  name: z.literal('HttpError'),
  message: z.string(),
  status: z.number(),
  request: z.object({ method: z.string(), url: z.string() }),
  response: z.object({ headers: Headers, data: z.unknown() }).optional(),
});
const GraphqlFailure = z.object({
  name: z.literal('GraphqlResponseError'),
  headers: Headers,
  errors: z.array(z.object({ type: z.string().optional(), message: z.string() })),
});
const ErrorBody = z.object({ message: z.string().catch(''), errors: z.array(z.unknown()).catch([]) });
const ErrorItem = z.union([
  z.string(),
  z.object({ message: z.string() }).transform((item) => item.message),
  z.object({ field: z.string(), code: z.string() }).transform((item) => `${item.field}: ${item.code}`),
]);

/** Octokit's error as ours; what is not an answer or a failure of GitHub (a bug of ours) stays what it is. */
export function toFault(error: unknown, now: number): unknown {
  if (error instanceof GitHubFault) return error;
  const http = HttpFailure.safeParse(error);
  if (http.success) return fromHttp(http.data, now);
  const graphql = GraphqlFailure.safeParse(error);
  if (graphql.success) return fromGraphql(graphql.data, now);
  if (isAbort(error)) return new RequestFault('A request to GitHub was aborted', null, null, '', []);
  return error;
}

/** What the answer said beside its words, if the error is one of Octokit's that has an answer. */
export function headersOf(error: unknown): Readonly<Record<string, unknown>> {
  const http = HttpFailure.safeParse(error);
  if (http.success) return http.data.response?.headers ?? {};
  const graphql = GraphqlFailure.safeParse(error);
  return graphql.success ? graphql.data.headers : {};
}

/** One line of GitHub's words that a stranger may read: no line breaks, no backticks, at most 300 characters. */
export function quotableWords(words: string): string {
  const line = words
    .replace(/[\s\p{Cc}\p{Cf}]+/gu, ' ')
    .replaceAll('`', "'")
    .trim();
  return line.length > 300 ? `${line.slice(0, 299)}…` : line;
}

function fromHttp(failure: z.infer<typeof HttpFailure>, now: number): RequestFault {
  const path = URL.canParse(failure.request.url) ? new URL(failure.request.url).pathname : failure.request.url;
  const what = `${failure.request.method} ${path}`;
  if (failure.response === undefined) {
    return new RequestFault(`${what} got no answer`, null, null, quotableWords(failure.message), []);
  }
  const words = wordsOf(failure.response.data);
  const wait = waitFor(failure.status, failure.response.headers, words, now);
  return new RequestFault(`${what} answered ${failure.status}`, failure.status, wait, words, []);
}

function fromGraphql(failure: z.infer<typeof GraphqlFailure>, now: number): RequestFault {
  const codes = failure.errors.map((error) => error.type ?? '');
  const words = quotableWords(failure.errors.map((error) => error.message).join('; '));
  const limited = codes.some((code) => code === 'RATE_LIMITED' || code === 'RATE_LIMIT');
  const wait = limited ? waitFor(429, failure.headers, words, now) : null;
  return new RequestFault('GraphQL answered errors', limited ? 429 : 200, wait, words, codes);
}

function wordsOf(data: unknown): string {
  const body = ErrorBody.safeParse(data);
  if (!body.success) return '';
  const items = body.data.errors.map((item) => ErrorItem.safeParse(item)).flatMap((item) => item.data ?? []);
  return quotableWords([body.data.message, ...items].filter((part) => part !== '').join(': '));
}

/** GitHub's word for when to come back, null where it has none and no limit is meant. */
function waitFor(status: number, headers: Readonly<Record<string, unknown>>, words: string, now: number): Wait | null {
  const after = headers['retry-after'];
  if (after !== undefined) return { until: afterHeader(String(after), now), limited: true };
  if (status !== 403 && status !== 429 && status !== 422) return null;
  const reset = Number(headers['x-ratelimit-reset']);
  if (headers['x-ratelimit-remaining'] === '0' && status !== 422 && reset > 0)
    return { until: byOurClock(reset * 1000, headers, now), limited: true };
  if (status === 403 && AT_REST.test(words)) return { until: now + AT_REST_WAIT_MS, limited: false };
  const limited = status === 429 || /rate limit|abuse detection|submitted too quickly/i.test(words);
  return limited ? { until: now + SECONDARY_LIMIT_WAIT_MS, limited } : null;
}

/** GitHub's time as ours: the answer says what time it was there. */
export function byOurClock(time: number, headers: Readonly<Record<string, unknown>>, now: number): number {
  const there = Date.parse(String(headers['date']));
  return Number.isNaN(there) ? time : now + time - there;
}

function afterHeader(value: string, now: number): number {
  if (/^\d+$/.test(value)) return now + Number(value) * 1000;
  const time = Date.parse(value);
  return Number.isNaN(time) ? now + SECONDARY_LIMIT_WAIT_MS : time;
}

function isAbort(error: unknown): boolean {
  return error instanceof Error && (error.name === 'AbortError' || error.name === 'TimeoutError');
}
