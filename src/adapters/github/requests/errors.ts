import { z } from 'zod';
import { GitHubError } from '../../../core/step/ports.ts';

/** What a failed request means. Whether GitHub applied it is unknown for `try-again` alone. */
type ErrorMeaning =
  | 'try-again'
  | 'rate-limit'
  | 'refused-for-now'
  | 'not-granted'
  | 'pending-review'
  | 'branch-moved'
  | 'refused-by-rule'
  | 'not-allowed'
  | 'gone'
  | 'our-mistake';

/** Errors with one of these statuses or GraphQL types, and with these words. What a row does not name may be anything. */
type ErrorRow = {
  readonly statuses?: readonly number[];
  readonly types?: readonly string[];
  readonly words?: RegExp;
  readonly meaning: ErrorMeaning;
  /** The wait (ms) before the next attempt, where GitHub names no time. */
  readonly waitMs?: number;
  /** Our explanation in front of GitHub's own words, where a commit is refused. */
  readonly sentence?: string;
};

/** GitHub's recommendation for a secondary rate limit without `retry-after`. */
const RATE_LIMIT = { meaning: 'rate-limit', waitMs: 60_000 } as const;

/** A suspension, an archiving or a lock can be reverted, so the requests are retried, but rarely. */
const FOR_NOW = { meaning: 'refused-for-now', waitMs: 10 * 60_000 } as const;

const BY_RULE = { meaning: 'refused-by-rule', sentence: 'The rules of this branch refuse the commit' } as const;

/** The first row that fits counts. A rule can name a workflow, such as a required check. */
const ERROR_TABLE: readonly ErrorRow[] = [
  { types: ['RATE_LIMITED', 'RATE_LIMIT'], ...RATE_LIMIT },
  { statuses: [429], ...RATE_LIMIT },
  { statuses: [403, 422], words: /rate limit|abuse detection|submitted too quickly/i, ...RATE_LIMIT },
  { statuses: [403], words: /has been suspended|was archived so is read-only|issue is locked/i, ...FOR_NOW },
  { statuses: [403, 422], words: /lock prevents review/i, ...FOR_NOW },
  { statuses: [422], words: /permissions requested are not granted/i, meaning: 'not-granted' },
  { statuses: [422], words: /pending review/i, meaning: 'pending-review' },
  { types: ['STALE_DATA'], meaning: 'branch-moved' },
  { types: ['FORBIDDEN'], words: /is at \S+ but expected/i, meaning: 'branch-moved' },
  { types: ['NOT_FOUND'], words: /expectedHeadOid/i, meaning: 'branch-moved' },
  { types: ['BRANCH_PROTECTION_RULE_VIOLATION'], ...BY_RULE },
  {
    words: /GH006|GH013|rule violation|protected branch|protected ref|required status|signed commits/i,
    ...BY_RULE,
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

type Failure = {
  /** The request and its outcome, in a few words. */
  readonly summary: string;
  /** Null without a complete response, so that it is unknown whether GitHub applied the request. */
  readonly status: number | null;
  /** GitHub's message, in one line. */
  readonly detail: string;
  /** The types of GraphQL errors. */
  readonly types?: readonly string[];
  readonly requestId?: string | null;
};

/** A failed request. The error has neither request nor headers, so that no token or file reaches a log. */
export class GitHubRequestError extends GitHubError {
  readonly meaning: ErrorMeaning;
  readonly failure: Failure;
  override readonly requestId: string | null;
  constructor(failure: Failure, row: Pick<ErrorRow, 'meaning'>, retryAt: number | null) {
    super(failure.detail === '' ? failure.summary : `${failure.summary}: ${failure.detail}`, failure.status, retryAt);
    this.name = 'GitHubRequestError';
    this.meaning = row.meaning;
    this.failure = failure;
    this.requestId = failure.requestId ?? null;
  }
}

/** Whether GitHub answered with status 404, which also means that the App has no access. */
export function isNotFound(error: unknown): boolean {
  return error instanceof GitHubRequestError && error.status === 404;
}

/** Null for a rejection with status 404. */
export async function nullIfNotFound<Result>(request: Promise<Result>): Promise<Result | null> {
  try {
    return await request;
  } catch (error) {
    if (isNotFound(error)) return null;
    throw error;
  }
}

/** A sentence about a refused commit, with GitHub's own words. */
export function explainRefusal({ failure }: GitHubRequestError): string {
  const sentence = rowOf(failure)?.sentence ?? 'GitHub refuses the commit';
  return failure.detail === '' ? `${sentence}.` : `${sentence}: \`${failure.detail}\``;
}

function rowOf({ status, types = [], detail }: Failure): ErrorRow | undefined {
  if (status === null || status >= 500) return undefined;
  return ERROR_TABLE.find(
    (row) =>
      (row.statuses === undefined || row.statuses.includes(status)) &&
      (row.types === undefined || types.some((type) => row.types?.includes(type))) &&
      (row.words === undefined || row.words.test(detail)),
  );
}

type ResponseHeaders = Readonly<Record<string, unknown>>;

const HttpFailure = z.object({
  name: z.literal('HttpError'),
  message: z.string(),
  status: z.number(),
  request: z.object({ method: z.string(), url: z.string() }),
  response: z.object({ headers: z.record(z.string(), z.unknown()), data: z.unknown() }).optional(),
});

/** Converts an error of Octokit; `now` is ms since the epoch. Other errors (bugs of ours) are returned unchanged. */
export function toGitHubError(error: unknown, now: number): unknown {
  if (error instanceof GitHubError) return error;
  const { data: http } = HttpFailure.safeParse(error);
  if (http === undefined) {
    const isAbort = error instanceof Error && (error.name === 'AbortError' || error.name === 'TimeoutError');
    const failure = { summary: 'A request to GitHub was aborted', status: null, detail: '' };
    return isAbort ? new GitHubRequestError(failure, TRY_AGAIN, null) : error;
  }
  const { status, request, response, message } = http;
  const path = URL.canParse(request.url) ? new URL(request.url).pathname : request.url;
  const summary = `${request.method} ${path}`;
  if (response === undefined) {
    const failure = { summary: `${summary} got no response`, status: null, detail: toQuotableText(message) };
    return new GitHubRequestError(failure, TRY_AGAIN, null);
  }
  const outcome = { summary: `${summary} failed with status ${status}`, status, detail: detailOf(response.data) };
  return createError(outcome, response.headers, now);
}

const GraphqlErrors = z.object({
  errors: z.array(z.object({ type: z.string().optional(), message: z.string() })).min(1),
});

/** The error of a GraphQL response, which has status 200; null if it is none. */
export function graphqlErrorOf(data: unknown, headers: ResponseHeaders, now: number): GitHubRequestError | null {
  const { data: failed } = GraphqlErrors.safeParse(data);
  if (failed === undefined) return null;
  const types = failed.errors.map(({ type }) => type ?? '');
  const detail = toQuotableText(failed.errors.map(({ message }) => message).join('; '));
  return createError({ summary: 'A GraphQL request failed', status: 200, detail, types }, headers, now);
}

const TRY_AGAIN = { meaning: 'try-again' } as const;

/** The longest of GitHub's own limits. A slip of a proxy or of a clock must not park an installation for years. */
const MAX_WAIT_MS = 60 * 60_000;

function createError(failure: Omit<Failure, 'requestId'>, headers: ResponseHeaders, now: number): GitHubRequestError {
  const requestId = requestIdOf(headers);
  const row: ErrorRow = rowOf(failure) ?? TRY_AGAIN;
  const until = namedWait(failure, row, headers, now) ?? (row.waitMs === undefined ? null : now + row.waitMs);
  const status = row.meaning === 'rate-limit' && failure.status === 200 ? 429 : failure.status;
  if (until === null) return new GitHubRequestError({ ...failure, status, requestId }, row, null);
  // The store needs whole ms.
  const retryAt = Math.ceil(Math.min(until, now + MAX_WAIT_MS));
  const meaning = row.meaning === 'refused-for-now' ? row.meaning : 'rate-limit';
  return new GitHubRequestError({ ...failure, status, requestId }, { meaning }, retryAt);
}

/** The time (ms) that GitHub names for the next attempt; null if it names none. */
function namedWait({ status }: Failure, { meaning }: ErrorRow, headers: ResponseHeaders, now: number): number | null {
  const after = headers['retry-after'];
  if (typeof after === 'string') {
    const seconds = Number(after);
    const time = Number.isNaN(seconds) ? Date.parse(after) : now + seconds * 1000;
    return Number.isNaN(time) ? now + RATE_LIMIT.waitMs : time;
  }
  const isLimit = status === 403 || meaning === 'rate-limit';
  const reset = Number(headers['x-ratelimit-reset']);
  return isLimit && headers['x-ratelimit-remaining'] === '0' && reset > 0 ? reset * 1000 : null;
}

/** GitHub refuses a new token for some seconds, until all of its servers know it. */
const YOUNG_TOKEN_MS = 15_000;

const YOUNG_TOKEN_WAIT_MS = 3_000;

/** The refusal of a token as an error that waits, if the token is so new that GitHub may not know it yet. */
export function waitForYoungToken(error: unknown, mintedAt: number, now: number): unknown {
  const age = now - mintedAt;
  if (!(error instanceof GitHubRequestError) || error.retryAt !== null || age < 0 || age >= YOUNG_TOKEN_MS)
    return error;
  const { failure } = error;
  if (failure.status !== 401 && !/not accessible by integration/i.test(failure.detail)) return error;
  return new GitHubRequestError(
    { ...failure, summary: 'GitHub refused a new token' },
    TRY_AGAIN,
    now + YOUNG_TOKEN_WAIT_MS,
  );
}

/** GitHub's id of a request, in the form that it documents; null if the response has none. */
export function requestIdOf(headers: ResponseHeaders): string | null {
  const id = headers['x-github-request-id'];
  return typeof id === 'string' && /^[\w:-]{1,80}$/.test(id) ? id : null;
}

const ErrorBody = z.object({ message: z.string().catch(''), errors: z.array(z.unknown()).catch([]) });

const ErrorItem = z.union([
  z.string(),
  z.object({ message: z.string() }).transform((item) => item.message),
  z.object({ field: z.string(), code: z.string() }).transform((item) => `${item.field}: ${item.code}`),
]);

function detailOf(data: unknown): string {
  const { data: body } = ErrorBody.safeParse(data);
  if (body === undefined) return '';
  const items = body.errors.flatMap((item) => ErrorItem.safeParse(item).data ?? []);
  return toQuotableText([body.message, ...items].filter((part) => part !== '').join(': '));
}

/** A message of GitHub that is safe to publish: one line, no backticks, at most 300 characters. */
function toQuotableText(text: string): string {
  const line = text
    .replace(/[\s\p{Cc}\p{Cf}]+/gu, ' ')
    .replaceAll('`', "'")
    .trim();
  return line.length > 300 ? `${line.slice(0, 299)}…` : line;
}
