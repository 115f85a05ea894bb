import { Octokit } from '@octokit/rest';
import { createProbotAuth } from 'octokit-auth-probot';
import type { PullRequestRef } from '../../../core/state/intent.ts';
import { GitHubError } from '../../../core/step/ports.ts';
import { guardFetch, ResponseTooLargeError, type SendRequest } from '../../../lib/guard-fetch.ts';
import { createFault, type Fault } from '../../telemetry/fault.ts';
import type { LogFields, Logger } from '../../telemetry/log.ts';
import { requestIdOf, responseHeadersOf, toGitHubError } from './errors.ts';

const API_VERSION = '2022-11-28';

const REQUEST_TIMEOUT_MS = 15_000;

/** GitHub's largest answer is a blob or an archive of 100 MB. */
const MAX_RESPONSE_BYTES = 100 * 1024 * 1024;

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
  readonly baseUrl: string;
  readonly request?: { readonly [option: string]: unknown };
};

function guardedFetchFor({ baseUrl, request = {} }: RequestOptions): SendRequest {
  const { fetch, isDownload } = request;
  return guardFetch(isSendRequest(fetch) ? fetch : globalThis.fetch, {
    origins: [new URL(baseUrl).origin, ...(isDownload === true ? [downloadOrigin(baseUrl)] : [])],
    maxBytes: MAX_RESPONSE_BYTES,
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

type ObserverOptions = { readonly log: Logger | null; readonly startTimer: StartTimer };

/** Measures and logs the requests of a client, and logs when GitHub stops and starts to answer. */
type Observer = {
  /** `ref` is the pull request that the client serves, null for requests of the App. */
  attach(client: GitHubClient, ref: Pick<PullRequestRef, 'owner' | 'repo' | 'number'> | null): GitHubClient;
};

export function createObserver({ log, startTimer }: ObserverOptions): Observer {
  const fault = createFault({ level: 'warn', message: 'GitHub unavailable', endMessage: 'GitHub available again' });
  return {
    attach(client, ref) {
      const pull = ref === null ? {} : { repo: `${ref.owner}/${ref.repo}`, pr: ref.number };
      client.hook.wrap('request', async (request, requestOptions) => {
        const fields = { ...pull, method: requestOptions.method, route: routeOf(requestOptions) };
        const api = requestOptions.url.endsWith('/graphql') ? 'graphql' : 'rest';
        const [stop, begunAt] = [startTimer(), performance.now()];
        try {
          const response = await request(requestOptions);
          stop({ api, status: statusClassOf(response.status) });
          if (log === null) return response;
          logRequest(log, fields, begunAt, response.status, response.headers);
          fault.ended(log);
          return response;
        } catch (error) {
          const failure = toGitHubError(error, 0);
          const status = failure instanceof GitHubError ? failure.status : null;
          stop({ api, status: statusClassOf(status) });
          if (log === null) throw error;
          logRequest(log, fields, begunAt, status, responseHeadersOf(error));
          noteFailure(log, fault, failure, fields);
          throw error;
        }
      });
      return client;
    },
  };
}

/** `4xx` for 404; `none` without a complete response. */
function statusClassOf(status: number | null): string {
  return status === null ? 'none' : `${String(status).charAt(0)}xx`;
}

function logRequest(
  log: Logger,
  fields: LogFields,
  begunAt: number,
  status: number | null,
  headers: Readonly<Record<string, unknown>>,
): void {
  const remaining = Number(headers['x-ratelimit-remaining'] ?? Number.NaN);
  const ms = Math.round(performance.now() - begunAt);
  const quota = Number.isNaN(remaining) ? {} : { quotaLeft: remaining };
  const requestId = requestIdOf(headers);
  log.debug({ ...fields, status, ms, ...quota, ...(requestId === null ? {} : { requestId }) }, 'GitHub request');
}

/** No response, or a status from 500 on, means that GitHub is away; any other response ends that. */
function noteFailure(log: Logger, fault: Fault, failure: unknown, fields: LogFields): void {
  if (!(failure instanceof GitHubError)) return;
  if (failure.status === null || failure.status >= 500) fault.failed(log, failure, fields);
  else fault.ended(log);
}

/** The template of the route, as in GitHub's documentation. The name of a GraphQL operation is our own constant. */
function routeOf({ url, query }: { readonly url: string; readonly [option: string]: unknown }): string {
  if (url.endsWith('/graphql') && typeof query === 'string') {
    const name = /^\s*(?:query|mutation)\s+(\w+)/.exec(query)?.[1];
    return name === undefined ? '/graphql' : `/graphql ${name}`;
  }
  if (!URL.canParse(url)) return url;
  // Later pages of a list have a full address with ids.
  return new URL(url).pathname.replace(/\/repos\/[^/]+\/[^/]+/, '/repos/{owner}/{repo}').replace(/\/\d+/g, '/{number}');
}
