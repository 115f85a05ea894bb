import { Octokit } from '@octokit/rest';
import { createProbotAuth } from 'octokit-auth-probot';
import { GitHubError } from '../../../core/step/ports.ts';
import { guardFetch, ResponseTooLargeError, type SendRequest } from '../../../lib/guard-fetch.ts';
import { toGitHubError } from './errors.ts';

const API_VERSION = '2022-11-28';

const REQUEST_TIMEOUT_MS = 15_000;

const MEGABYTE = 1024 * 1024;

const MAX_RESPONSE_BYTES = 16 * MEGABYTE;

/**
 * A tree has up to 100,000 entries, a page 100 comments of 262,144 bytes or 100 diffs, and a webhook's payload 25 MB.
 */
const MAX_LARGE_RESPONSE_BYTES = 64 * MEGABYTE;

const LARGE_RESPONSES = /\/git\/trees\/|\/compare\/|\/(?:comments|files|reviews)(?:\?|$)|\/app\/hook\/deliveries\/./;

/** Octokit's log is off, because its options can contain a signed JWT. */
const SILENT_LOG = { debug: ignoreLog, info: ignoreLog, warn: ignoreLog, error: ignoreLog };

type OctokitOptions = NonNullable<ConstructorParameters<typeof Octokit>[0]>;

/**
 * Octokit without retries and throttling, with a limit of time and size for each request (`guard-fetch.ts`). It calls
 * GitHub's own origin only. Truncated JSON is an error. Integers above 2^53 (delivery ids) are `bigint`.
 */
export const CountersignOctokit = Octokit.plugin(guardRequests).defaults((options: OctokitOptions) => ({
  authStrategy: createProbotAuth,
  ...options,
  log: SILENT_LOG,
}));

export type GitHubClient = InstanceType<typeof CountersignOctokit>;

/**
 * Octokit for Probot. Probot requests a new instance for each event, which takes a sixth of the time of a delivery. Our
 * handlers send no requests through it, so all events share one instance.
 */
export const EventOctokit = CountersignOctokit.defaults({ authStrategy: sharedAuth });

function sharedAuth(options: Parameters<typeof createProbotAuth>[0]) {
  const auth = createProbotAuth(options);
  const authenticate = async (request: Parameters<typeof auth>[0]): Promise<unknown> =>
    request.type === 'event-octokit' ? options.octokit : auth(request);
  return Object.assign(authenticate, { hook: auth.hook });
}

/** REST base address of github.com (`host` null or `github.com`), of a subdomain of ghe.com or of another server. */
export function apiBaseUrl(host: string | null, protocol: 'http' | 'https'): string {
  if (host === null || host === 'github.com') return 'https://api.github.com';
  if (host.endsWith('.ghe.com')) return `https://api.${host}`;
  return `${protocol}://${host}/api/v3`;
}

/** Whether this is github.com or ghe.com, which limit Apps, and no Enterprise Server. */
export function isGitHubCloud(baseUrl: string): boolean {
  return /^https:\/\/api\.(?:github\.com|[\w-]+\.ghe\.com)$/.test(baseUrl);
}

function guardRequests(octokit: Pick<Octokit, 'hook'>, options: OctokitOptions): Record<string, never> {
  const configured: unknown = options.request?.['timeout'];
  const clientTimeoutMs = typeof configured === 'number' ? configured : REQUEST_TIMEOUT_MS;
  octokit.hook.wrap('request', async (request, requestOptions) => {
    // Other hooks receive this same object, so it must be changed in place.
    requestOptions.headers = { ...requestOptions.headers, 'x-github-api-version': API_VERSION };
    const maxMs: unknown = requestOptions.request?.['maxMs'];
    const timeoutMs = typeof maxMs === 'number' ? Math.min(maxMs, clientTimeoutMs) : clientTimeoutMs;
    const parsesBody = requestOptions.request?.parseSuccessResponseBody !== false;
    const signal = requestOptions.request?.signal ?? AbortSignal.timeout(timeoutMs);
    const fetch = guardedFetchFor(requestOptions);
    requestOptions.request = { ...requestOptions.request, fetch, signal, parseSuccessResponseBody: false };
    const response = await request(requestOptions);
    if (parsesBody) response.data = await readResponse(response);
    return response;
  });
  return {};
}

type RequestOptions = {
  readonly url: string;
  readonly baseUrl: string;
  readonly request?: { readonly [option: string]: unknown };
};

function guardedFetchFor({ url, baseUrl, request = {} }: RequestOptions): SendRequest {
  const { fetch, isDownload, maxBytes } = request;
  const defaultMaxBytes = LARGE_RESPONSES.test(url) ? MAX_LARGE_RESPONSE_BYTES : MAX_RESPONSE_BYTES;
  return guardFetch(isSendRequest(fetch) ? fetch : globalThis.fetch, {
    origins: [new URL(baseUrl).origin, ...(isDownload === true ? [downloadOrigin(baseUrl)] : [])],
    maxBytes: typeof maxBytes === 'number' ? maxBytes : defaultMaxBytes,
  });
}

function isSendRequest(value: unknown): value is SendRequest {
  return typeof value === 'function';
}

/** The host of GitHub's archives: `codeload.github.com`, or `codeload.` before the host of another server. */
function downloadOrigin(baseUrl: string): string {
  const { protocol, host } = new URL(baseUrl);
  return `${protocol}//codeload.${host.replace(/^api\./, '')}`;
}

function ignoreLog(): void {}

/** A response whose body Octokit has not read. */
type UnreadResponse = {
  readonly status: number;
  readonly headers: { readonly 'content-type'?: string | undefined };
  readonly data: unknown;
};

/**
 * Parses a JSON body. Octokit's own reader is slower and accepts truncated JSON, and bytes in place of data: without
 * their fields, the page of a proxy would read as an account without access or as a deleted comment.
 */
async function readResponse({ status, headers, data }: UnreadResponse): Promise<unknown> {
  if (!(data instanceof ReadableStream)) return data;
  const type = headers['content-type'];
  try {
    if (type?.includes('json') === false) {
      await data.cancel();
      throw new TypeError(`its type is ${type}`);
    }
    return parseJsonBody(await new Response(data).text());
  } catch (error) {
    const problem = error instanceof ResponseTooLargeError ? 'is too large' : 'was truncated or is not JSON';
    throw new GitHubError(`GitHub's response (${status}) ${problem}`, null, null, { cause: error });
  }
}

/** A number with so many digits that it can exceed 2^53. */
const LONG_NUMBER = /[:,[]\s*-?\d{16}/;

function parseJsonBody(json: string): unknown {
  return LONG_NUMBER.test(json) ? JSON.parse(json, reviveBigInt) : JSON.parse(json);
}

/** TypeScript does not declare the third parameter yet. */
function reviveBigInt(_key: string, value: unknown, context?: { readonly source?: string }): unknown {
  const digits = context?.source ?? '';
  return typeof value === 'number' && !Number.isSafeInteger(value) && /^-?\d+$/.test(digits) ? BigInt(digits) : value;
}

/** Starts a timer. The returned function stops it and labels the measurement; `status` is a class such as `4xx`. */
export type StartTimer = () => (labels: { readonly api: 'rest' | 'graphql'; readonly status: string }) => void;

/** Measures the time of each request of this client. */
export function withTimer(client: GitHubClient, startTimer: StartTimer): GitHubClient {
  client.hook.wrap('request', async (request, requestOptions) => {
    const stop = startTimer();
    const api = requestOptions.url.endsWith('/graphql') ? 'graphql' : 'rest';
    try {
      const response = await request(requestOptions);
      stop({ api, status: statusClassOf(response.status) });
      return response;
    } catch (error) {
      const failure = toGitHubError(error, 0);
      stop({ api, status: statusClassOf(failure instanceof GitHubError ? failure.status : null) });
      throw error;
    }
  });
  return client;
}

/** `4xx` for 404; `none` without a complete response. */
function statusClassOf(status: number | null): string {
  return status === null ? 'none' : `${String(status).charAt(0)}xx`;
}
