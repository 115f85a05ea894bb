import { z } from 'zod';
import { GitHubError } from '../../../core/step/ports.ts';

/**
 * A failed request. `status` is null without a complete response (timeout, reset), so it is unknown whether GitHub
 * applied it. The error has neither request nor headers, so that no token or file reaches a log.
 */
export class GitHubRequestError extends GitHubError {
  /** GitHub's message, in one line. */
  readonly detail: string;
  /** The types of GraphQL errors. */
  readonly graphqlCodes: readonly string[];
  /** The limit covers the whole installation until `retryAt`. */
  readonly isRateLimit: boolean;
  override readonly requestId: string | null;
  constructor(
    summary: string,
    status: number | null,
    wait: RetryWait | null,
    detail: string,
    graphqlCodes: readonly string[],
    requestId: string | null = null,
  ) {
    super(detail === '' ? summary : `${summary}: ${detail}`, status, wait?.until ?? null);
    this.name = 'GitHubRequestError';
    this.isRateLimit = wait?.isRateLimit ?? false;
    this.detail = detail;
    this.graphqlCodes = graphqlCodes;
    this.requestId = requestId;
  }
}

/** GitHub rejected the position or the body of a new comment with status 422. It posted nothing. */
export class ReviewRefusedError extends GitHubError {
  constructor(detail: string) {
    super(detail, 422, null);
    this.name = 'ReviewRefusedError';
  }
}

/** Converts an error of Octokit; `now` is ms since the epoch. Other errors (bugs of ours) are returned unchanged. */
export function toGitHubError(error: unknown, now: number): unknown {
  if (error instanceof GitHubError) return error;
  const http = HttpFailure.safeParse(error);
  if (http.success) return fromHttpFailure(http.data, now);
  const graphql = GraphqlFailure.safeParse(error);
  if (graphql.success) return fromGraphqlFailure(graphql.data, now);
  if (isAbort(error)) return new GitHubRequestError('A request to GitHub was aborted', null, null, '', []);
  return error;
}

/** Whether GitHub answered with status 404, which also means that the App has no access. */
export function isNotFound(error: unknown): boolean {
  return error instanceof GitHubRequestError && error.status === 404;
}

/** What a failed request means. Whether GitHub applied it is unknown for `try-again` alone. */
type ErrorMeaning = 'try-again' | 'branch-moved' | 'refused-by-rule' | 'not-allowed' | 'gone' | 'our-mistake';

/** Errors with one of these statuses or GraphQL types, and with these words. What a row does not name may be anything. */
type ErrorRow = {
  readonly statuses?: readonly number[];
  readonly types?: readonly string[];
  readonly words?: RegExp;
  readonly meaning: ErrorMeaning;
  /** Our explanation in front of GitHub's own words. */
  readonly sentence?: string;
};

const RULES = 'The rules of this branch refuse the commit';

/** The first row that fits counts. A rule can name a workflow, such as a required check. */
const ERROR_TABLE: readonly ErrorRow[] = [
  { types: ['STALE_DATA'], meaning: 'branch-moved' },
  { types: ['FORBIDDEN'], words: /is at \S+ but expected/i, meaning: 'branch-moved' },
  { types: ['NOT_FOUND'], words: /expectedHeadOid/i, meaning: 'branch-moved' },
  { types: ['BRANCH_PROTECTION_RULE_VIOLATION'], meaning: 'refused-by-rule', sentence: RULES },
  {
    words: /GH006|GH013|rule violation|protected branch|protected ref|required status|signed commits/i,
    meaning: 'refused-by-rule',
    sentence: RULES,
  },
  { statuses: [409], meaning: 'branch-moved' },
  {
    words: /workflow/i,
    meaning: 'not-allowed',
    sentence: 'GitHub requires the `workflows` permission for changes to workflow files',
  },
  {
    words: /not accessible by integration|permission|forbidden|denied/i,
    meaning: 'not-allowed',
    sentence: 'GitHub refuses because the App lacks the permission to commit here',
  },
  {
    words: /archived|read-only|locked/i,
    meaning: 'not-allowed',
    sentence: 'GitHub refuses because the repository is read-only',
  },
  {
    words: /does not exist|could not resolve|not found|no such/i,
    meaning: 'gone',
    sentence: 'GitHub does not find the branch, or the App cannot write to it',
  },
  { statuses: [404, 410], meaning: 'gone' },
  { types: ['NOT_FOUND'], meaning: 'gone' },
  { statuses: [403, 451], meaning: 'not-allowed' },
  { types: ['FORBIDDEN'], meaning: 'not-allowed' },
  { types: ['UNPROCESSABLE'], meaning: 'our-mistake' },
];

/** The meaning of an error, and a sentence with GitHub's own words. */
export function explainError(error: GitHubRequestError): { readonly meaning: ErrorMeaning; readonly message: string } {
  const isUnclear = error.retryAt !== null || error.status === null || error.status >= 500;
  const row = isUnclear ? undefined : ERROR_TABLE.find((one) => fits(one, error));
  const { meaning = 'try-again', sentence = 'GitHub refuses the commit' } = row ?? {};
  const quote = toQuotableText(error.detail);
  return { meaning, message: quote === '' ? `${sentence}.` : `${sentence}: \`${quote}\`` };
}

function fits({ statuses, types, words }: ErrorRow, { status, graphqlCodes, detail }: GitHubRequestError): boolean {
  const hasStatus = statuses === undefined || (status !== null && statuses.includes(status));
  const hasType = types === undefined || graphqlCodes.some((type) => types.includes(type));
  return hasStatus && hasType && (words === undefined || words.test(detail));
}

/** GitHub refuses a new token for some seconds, until all of its servers know it. */
const YOUNG_TOKEN_MS = 15_000;

const YOUNG_TOKEN_WAIT_MS = 3_000;

/** The refusal of a token as an error that waits, if the token is so new that GitHub may not know it yet. */
export function waitForYoungToken(failure: unknown, mintedAt: number, now: number): unknown {
  const age = now - mintedAt;
  if (!(failure instanceof GitHubRequestError) || age < 0 || age >= YOUNG_TOKEN_MS) return failure;
  const isRefusal =
    failure.status === 401 || (failure.retryAt === null && /not accessible by integration/i.test(failure.detail));
  if (!isRefusal) return failure;
  const { status, detail, graphqlCodes, requestId } = failure;
  const wait = { until: now + YOUNG_TOKEN_WAIT_MS, isRateLimit: false };
  return new GitHubRequestError('GitHub refused a new token', status, wait, detail, graphqlCodes, requestId);
}

const SUSPENDED = /installation has been suspended/i;

/** The headers of the response behind an error of Octokit; empty without a response. */
export function responseHeadersOf(error: unknown): Readonly<Record<string, unknown>> {
  const http = HttpFailure.safeParse(error);
  if (http.success) return http.data.response?.headers ?? {};
  const graphql = GraphqlFailure.safeParse(error);
  return graphql.success ? graphql.data.headers : {};
}

/** GitHub's id of a request, in the form that it documents; null if the response has none. */
export function requestIdOf(headers: Readonly<Record<string, unknown>>): string | null {
  const id = headers['x-github-request-id'];
  return typeof id === 'string' && /^[\w:-]{1,80}$/.test(id) ? id : null;
}

/** A message of GitHub that is safe to publish: one line, no backticks, at most 300 characters. */
function toQuotableText(detail: string): string {
  const line = detail
    .replace(/[\s\p{Cc}\p{Cf}]+/gu, ' ')
    .replaceAll('`', "'")
    .trim();
  return line.length > 300 ? `${line.slice(0, 299)}…` : line;
}

const ResponseHeaders = z.record(z.string(), z.unknown());

const HttpFailure = z.object({
  name: z.literal('HttpError'),
  message: z.string(),
  status: z.number(),
  request: z.object({ method: z.string(), url: z.string() }),
  response: z.object({ headers: ResponseHeaders, data: z.unknown() }).optional(),
});

const GraphqlFailure = z.object({
  name: z.literal('GraphqlResponseError'),
  headers: ResponseHeaders,
  errors: z.array(z.object({ type: z.string().optional(), message: z.string() })),
});

const ErrorBody = z.object({ message: z.string().catch(''), errors: z.array(z.unknown()).catch([]) });

const ErrorItem = z.union([
  z.string(),
  z.object({ message: z.string() }).transform((item) => item.message),
  z.object({ field: z.string(), code: z.string() }).transform((item) => `${item.field}: ${item.code}`),
]);

function fromHttpFailure(failure: z.infer<typeof HttpFailure>, now: number): GitHubRequestError {
  const path = URL.canParse(failure.request.url) ? new URL(failure.request.url).pathname : failure.request.url;
  const summary = `${failure.request.method} ${path}`;
  if (failure.response === undefined) {
    return new GitHubRequestError(`${summary} got no response`, null, null, toQuotableText(failure.message), []);
  }
  const detail = errorMessageOf(failure.response.data);
  const wait = retryWaitFor(failure.status, failure.response.headers, detail, now);
  const requestId = requestIdOf(failure.response.headers);
  const outcome = `${summary} failed with status ${failure.status}`;
  return new GitHubRequestError(outcome, failure.status, wait, detail, [], requestId);
}

function fromGraphqlFailure(failure: z.infer<typeof GraphqlFailure>, now: number): GitHubRequestError {
  const graphqlCodes = failure.errors.map((error) => error.type ?? '');
  const detail = toQuotableText(failure.errors.map((error) => error.message).join('; '));
  const isRateLimit = graphqlCodes.some((code) => code === 'RATE_LIMITED' || code === 'RATE_LIMIT');
  const wait = isRateLimit ? retryWaitFor(429, failure.headers, detail, now) : null;
  const [status, requestId] = [isRateLimit ? 429 : 200, requestIdOf(failure.headers)];
  return new GitHubRequestError('A GraphQL request failed', status, wait, detail, graphqlCodes, requestId);
}

function errorMessageOf(data: unknown): string {
  const body = ErrorBody.safeParse(data);
  if (!body.success) return '';
  const items = body.data.errors.map((item) => ErrorItem.safeParse(item)).flatMap((item) => item.data ?? []);
  return toQuotableText([body.data.message, ...items].filter((part) => part !== '').join(': '));
}

function isAbort(error: unknown): boolean {
  return error instanceof Error && (error.name === 'AbortError' || error.name === 'TimeoutError');
}

/** The time of the next attempt (ms), and whether it applies to the whole installation. */
type RetryWait = { readonly until: number; readonly isRateLimit: boolean };

/** GitHub's recommendation for a secondary rate limit without `retry-after`. */
const SECONDARY_LIMIT_WAIT_MS = 60_000;

/** A suspension, an archiving or a lock can be reverted, so the requests are retried, but rarely. */
const REVERSIBLE_REFUSALS: readonly { readonly statuses: readonly number[]; readonly detail: RegExp }[] = [
  { statuses: [403], detail: SUSPENDED },
  { statuses: [403], detail: /was archived so is read-only|issue is locked/i },
  // Reviews and their comments in a locked conversation.
  { statuses: [403, 422], detail: /lock prevents review/i },
];

const REFUSED_WAIT_MS = 10 * 60_000;

/** The longest of GitHub's own limits. A slip of a proxy or of a clock must not park an installation for years. */
const MAX_WAIT_MS = 60 * 60_000;

/** A time (ms) to which GitHub puts off requests, or one hour from now if that is earlier. The store needs whole ms. */
function limitWait(until: number, now: number): number {
  return Math.ceil(Math.min(until, now + MAX_WAIT_MS));
}

/** Null if the response neither names a time nor reports a limit. */
function retryWaitFor(
  status: number,
  headers: Readonly<Record<string, unknown>>,
  detail: string,
  now: number,
): RetryWait | null {
  const wait = namedWait(status, headers, detail, now);
  return wait === null ? null : { ...wait, until: limitWait(wait.until, now) };
}

function namedWait(
  status: number,
  headers: Readonly<Record<string, unknown>>,
  detail: string,
  now: number,
): RetryWait | null {
  const after = headers['retry-after'];
  if (after !== undefined) return { until: parseRetryAfter(String(after), now), isRateLimit: true };
  if (status !== 403 && status !== 429 && status !== 422) return null;
  const reset = Number(headers['x-ratelimit-reset']);
  if (headers['x-ratelimit-remaining'] === '0' && status !== 422 && reset > 0)
    return { until: reset * 1000, isRateLimit: true };
  if (REVERSIBLE_REFUSALS.some((refusal) => refusal.statuses.includes(status) && refusal.detail.test(detail)))
    return { until: now + REFUSED_WAIT_MS, isRateLimit: false };
  const isRateLimit = status === 429 || /rate limit|abuse detection|submitted too quickly/i.test(detail);
  return isRateLimit ? { until: now + SECONDARY_LIMIT_WAIT_MS, isRateLimit } : null;
}

function parseRetryAfter(value: string, now: number): number {
  if (/^\d+(?:\.\d+)?$/.test(value)) return now + Number(value) * 1000;
  const time = Date.parse(value);
  return Number.isNaN(time) ? now + SECONDARY_LIMIT_WAIT_MS : time;
}
