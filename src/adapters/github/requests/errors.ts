import { z } from 'zod';
import { type ErrorRow, errorRowOf, type FailedRequest, type Remedy } from '../../../core/step/github-errors.ts';
import { GitHubError, nullIf } from '../../../core/step/ports.ts';
import { isRecord } from '../../../lib/trust.ts';

/** A failed request for people and the log, besides what tells its meaning. */
type Failure = FailedRequest & {
  /** The request and its outcome, in a few words. */
  readonly summary: string;
  readonly requestId: string | null;
};

/** A failed request. The error has neither request nor headers, so that no token or file reaches a log. */
export class GitHubRequestError extends GitHubError {
  readonly remedy: Remedy | null;
  readonly failure: Failure;
  override readonly requestId: string | null;
  constructor(failure: Failure, row: Pick<ErrorRow, 'meaning' | 'remedy'>, retryAt: number | null) {
    const { summary, status, detail, requestId } = failure;
    const { meaning, remedy = null } = row;
    const isLimit = remedy === 'pause-installation';
    const message = detail === '' ? summary : `${summary}: ${detail}`;
    super(message, isLimit && status === 200 ? 429 : status, retryAt, { meaning, detail, isLimit });
    this.name = 'GitHubRequestError';
    this.remedy = remedy;
    this.failure = failure;
    this.requestId = requestId;
  }
}

/** Null for a rejection because the thing is gone, which also means that the App has no access. */
export function nullIfGone<Result>(request: Promise<Result>): Promise<Result | null> {
  return request.catch(nullIf('gone'));
}

/** Whether an error has this remedy. */
export function hasRemedy(error: unknown, remedy: Remedy): error is GitHubRequestError {
  return error instanceof GitHubRequestError && error.remedy === remedy;
}

/** Whether GraphQL answered with an error of this type. */
export function hasErrorType(error: unknown, type: string): error is GitHubRequestError {
  return error instanceof GitHubRequestError && error.failure.types?.includes(type) === true;
}

/** A sentence about a refused commit, with GitHub's own words. */
export function explainRefusal({ failure }: GitHubRequestError): string {
  const { sentence = 'GitHub refuses the commit' } = errorRowOf(failure);
  return failure.detail === '' ? `${sentence}.` : `${sentence}: \`${failure.detail}\``;
}

type ResponseHeaders = Readonly<Record<string, unknown>>;

const HttpFailure = z.object({
  name: z.literal('HttpError'),
  message: z.string(),
  status: z.number(),
  request: z.object({ method: z.string(), url: z.string() }),
  response: z.object({ headers: z.record(z.string(), z.unknown()), data: z.unknown() }).optional(),
});

/** What the client knows about a failed request, besides its response. */
type Circumstances = Pick<FailedRequest, 'isCommit' | 'thingAgeMs'> & {
  /** Ms since the epoch. */
  readonly now: number;
  /** For how long (ms) GitHub has not found what this request names. */
  readonly missingMs: (request: string) => number;
};

/** Converts an error of Octokit. Other errors (bugs of ours) are returned unchanged. */
export function toGitHubError(error: unknown, { now, missingMs, ...known }: Circumstances): unknown {
  if (error instanceof GitHubError) return error;
  const { data: http } = HttpFailure.safeParse(error);
  if (http === undefined) {
    const isAbort = error instanceof Error && (error.name === 'AbortError' || error.name === 'TimeoutError');
    return isAbort ? unanswered('A request to GitHub was aborted', '') : error;
  }
  const { status, request, response, message } = http;
  const name = requestName(request.method, request.url);
  if (response === undefined) return unanswered(`${name} got no response`, toQuotableText(message));
  const outcome = { summary: `${name} failed with status ${status}`, status, detail: detailOf(response.data) };
  const failed = status === 404 ? { ...outcome, missingMs: missingMs(name) } : outcome;
  return createError({ ...failed, ...known }, response.headers, now);
}

function unanswered(summary: string, detail: string): GitHubRequestError {
  return new GitHubRequestError({ summary, status: null, detail, requestId: null }, { meaning: 'try-again' }, null);
}

/** The method and path of a request. */
export function requestName(method: string, url: string): string {
  return `${method} ${URL.canParse(url) ? new URL(url).pathname : url}`;
}

const GraphqlErrors = z.object({
  errors: z
    .array(
      z.object({
        type: z.string().optional(),
        message: z.string(),
        extensions: z
          .object({ code: z.string().optional().catch(undefined) })
          .optional()
          .catch(undefined),
      }),
    )
    .min(1),
});

/**
 * The error of a GraphQL response, which has status 200; null if it is none. `missingMs` is for how long GitHub has not
 * found what a query asks for; absent for a mutation, whose first answer counts.
 */
export function graphqlErrorOf(
  data: unknown,
  headers: ResponseHeaders,
  { now, isCommit = false, missingMs }: GraphqlCircumstances,
): GitHubRequestError | null {
  const { data: failed } = GraphqlErrors.safeParse(data);
  if (failed === undefined) return null;
  const types = failed.errors.flatMap(({ type, extensions }) => [type ?? [], extensions?.code ?? []].flat());
  const detail = toQuotableText(failed.errors.map(({ message }) => message).join('; '));
  const failure = { summary: 'A GraphQL request failed', status: 200, detail, types, isCommit };
  const isDoubtful = missingMs !== undefined && types.includes('NOT_FOUND');
  return createError(isDoubtful ? { ...failure, missingMs: missingMs() } : failure, headers, now);
}

const MadeCommit = z.object({ data: z.object({ createCommitOnBranch: z.object({}) }) });

/**
 * A commit that GitHub made counts, also where the rest of the answer failed. An answer that lacks the commit itself
 * leaves open whether it exists.
 */
export function dropErrorsBesideCommit(answer: unknown): void {
  if (isRecord(answer) && MadeCommit.safeParse(answer).success) Reflect.deleteProperty(answer, 'errors');
}

type GraphqlCircumstances = Pick<Circumstances, 'now' | 'isCommit'> & { readonly missingMs?: () => number };

/** The longest of GitHub's own limits. A slip of a proxy or of a clock must not park an installation for years. */
const MAX_WAIT_MS = 60 * 60_000;

function createError(sent: Omit<Failure, 'requestId'>, headers: ResponseHeaders, now: number): GitHubRequestError {
  const failure = { ...sent, requestId: requestIdOf(headers) };
  const row = errorRowOf(failure);
  const named = namedWait(failure, row, headers, now);
  // The store needs whole ms.
  if (named !== null) return new GitHubRequestError(failure, NAMED_WAIT, Math.ceil(Math.min(named, now + MAX_WAIT_MS)));
  return withRow(failure, row, now);
}

/** GitHub names a time for all requests of the installation. */
const NAMED_WAIT = { meaning: 'try-again', remedy: 'pause-installation' } as const;

function withRow(failure: Failure, row: ErrorRow, now: number): GitHubRequestError {
  return new GitHubRequestError(failure, row, row.waitMs === undefined ? null : now + row.waitMs);
}

/** The time (ms) that GitHub names for the next attempt; null if it names none. */
function namedWait({ status }: Failure, { remedy }: ErrorRow, headers: ResponseHeaders, now: number): number | null {
  const isLimit = remedy === 'pause-installation';
  const after = headers['retry-after'];
  if (typeof after === 'string') {
    const seconds = Number(after);
    const time = Number.isNaN(seconds) ? Date.parse(after) : now + seconds * 1000;
    return Number.isNaN(time) ? now + 60_000 : time;
  }
  const reset = Number(headers['x-ratelimit-reset']);
  const isUsedUp = headers['x-ratelimit-remaining'] === '0' && reset > 0;
  return isUsedUp && (isLimit || status === 403) ? reset * 1000 : null;
}

/** The error of a request that was sent with a token of this age (ms), which can give it another meaning. */
export function withTokenAge(error: unknown, tokenAgeMs: number, now: number): unknown {
  if (!(error instanceof GitHubRequestError) || error.retryAt !== null) return error;
  const failure = { ...error.failure, tokenAgeMs };
  return withRow(failure, errorRowOf(failure), now);
}

/** GitHub's id of a request, in the form that it documents; null if the response has none. */
export function requestIdOf(headers: ResponseHeaders): string | null {
  const id = headers['x-github-request-id'];
  return typeof id === 'string' && /^[\w:-]{1,80}$/.test(id) ? id : null;
}

const ErrorItem = z.union([
  z.string(),
  z.object({ message: z.string() }).transform((item) => item.message),
  z.object({ field: z.string(), code: z.string() }).transform((item) => `${item.field}: ${item.code}`),
]);

/** `errors` is a list, or one string. */
const ErrorBody = z.object({
  message: z.string().catch(''),
  errors: z.union([z.string().transform((one): unknown[] => [one]), z.array(z.unknown())]).catch([]),
});

/** Words in front of the errors that say nothing. */
const NO_NEWS = /^(?:validation failed|unprocessable entity)\W*$/i;

function detailOf(data: unknown): string {
  const { data: body } = ErrorBody.safeParse(data);
  if (body === undefined) return '';
  const items = body.errors.flatMap((item) => ErrorItem.safeParse(item).data ?? []);
  const parts = items.length > 0 && NO_NEWS.test(body.message) ? items : [body.message, ...items];
  return toQuotableText(parts.filter((part) => part !== '').join(': '));
}

/** A message of GitHub that is safe to publish: one line, no backticks, at most 300 characters. */
function toQuotableText(text: string): string {
  const line = text
    .replace(/[\s\p{Cc}\p{Cf}]+/gu, ' ')
    .replaceAll('`', "'")
    .trim();
  return line.length > 300 ? `${line.slice(0, 299)}…` : line;
}
