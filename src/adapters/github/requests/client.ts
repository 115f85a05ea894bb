import { Octokit } from '@octokit/rest';
import { LRUCache } from 'lru-cache';
import { createProbotAuth } from 'octokit-auth-probot';
import type { PullRequestRef } from '../../../core/state/intent.ts';
import { GitHubError } from '../../../core/step/ports.ts';
import { guardFetch, type SendRequest } from '../../../lib/guard-fetch.ts';
import { createFault, type Logger } from '../../telemetry/log.ts';
import { dropErrorsBesideCommit, graphqlErrorOf, requestIdOf, requestName, toGitHubError } from './errors.ts';

const API_VERSION = '2022-11-28';

const REQUEST_TIMEOUT_MS = 15_000;

/** GitHub's largest answer is a blob or an archive of 100 MB. */
const MAX_RESPONSE_BYTES = 100 * 1024 * 1024;

/** Octokit's log is off, because its options can contain a signed JWT. */
const SILENT_LOG = { debug: ignoreLog, info: ignoreLog, warn: ignoreLog, error: ignoreLog };

/** Octokit without retries and throttling. */
export const CountersignOctokit = Octokit.defaults({ authStrategy: createProbotAuth, log: SILENT_LOG });

export type GitHubClient = InstanceType<typeof CountersignOctokit>;

function ignoreLog(): void {}

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

/** Starts a timer. The returned function stops it and labels the measurement; `status` is a class such as `4xx`. */
type StartTimer = () => (labels: { readonly api: 'rest' | 'graphql'; readonly status: string }) => void;

export type ClientOptions = {
  /** REST base address; see `apiBaseUrl`. */
  readonly baseUrl: string;
  /** Our version, for the user agent. */
  readonly version: string;
  /** Timeout of each request; default 15 s. */
  readonly timeoutMs?: number;
  /** Replaces the global `fetch`. */
  readonly fetch?: (address: string, options: RequestInit) => Promise<Response>;
  /** Gets a line for each request at the level `debug`, and lines about GitHub's outages. */
  readonly log?: Logger;
  /** Told after each request whether GitHub answered. */
  readonly onAvailability?: (isUp: boolean) => void;
  /** Told the requests that GitHub allows until this time (seconds since the epoch), after each one. */
  readonly onQuota?: (left: number, resetAt: number) => void;
  /** Measures each request. */
  readonly startTimer?: StartTimer;
  readonly now: () => number;
};

/** Without credentials, the requests are anonymous. */
type Credentials = { readonly appId?: number | string; readonly privateKey?: string };

/** `ref` is the pull request that a client serves, null for requests of the App. */
export type CreateClient = (credentials: Credentials, ref: PullRequestRef | null) => GitHubClient;

/**
 * Creates clients that send each request once, with a limit of time and size, to GitHub's own hosts only. Their
 * failures are `GitHubError`s; an answer that is no JSON, and a GraphQL response with errors, are failures too.
 */
export function createClientFactory(options: ClientOptions): CreateClient {
  const { baseUrl, version, timeoutMs = REQUEST_TIMEOUT_MS, now, fetch = sendGlobally } = options;
  const origins = [new URL(baseUrl).origin, downloadOrigin(baseUrl)];
  const send: SendRequest = (address, request = {}) => fetch(String(address), request);
  const guardedFetch = guardFetch(send, { origins, maxBytes: MAX_RESPONSE_BYTES });
  const observe = createObserver(options);
  const missing = createMissing(now);
  return (auth, ref) => {
    const client = new CountersignOctokit({ auth, baseUrl, userAgent: `countersign/${version}` });
    client.hook.before('request', (sent) => {
      sent.headers['x-github-api-version'] = API_VERSION;
      const maxMs: unknown = sent.request?.['maxMs'];
      const signal = AbortSignal.timeout(typeof maxMs === 'number' ? Math.min(maxMs, timeoutMs) : timeoutMs);
      sent.request = { ...sent.request, fetch: guardedFetch, signal };
    });
    const circumstances = (sent: SentRequest) => ({ now: now(), missingMs: missing.ms, ...aboutRequest(sent, now()) });
    client.hook.after('request', ({ status, headers, data, url: address }, sent) => {
      const { url, request } = sent;
      const hasBody = status !== 204 && request?.parseSuccessResponseBody !== false;
      if (hasBody && (typeof data !== 'object' || data === null || data instanceof ArrayBuffer))
        throw new GitHubError(`GitHub's response (${status}) was truncated or is not JSON`, null, null);
      const asked = askedFor(sent, address);
      const doubt = kindOf(sent) === 'read' ? { missingMs: () => missing.ms(asked) } : {};
      const about = { now: now(), ...aboutRequest(sent, now()), ...doubt };
      dropErrorsBesideCommit(data);
      const failed = url.endsWith('/graphql') ? graphqlErrorOf(data, headers, about) : null;
      if (failed !== null) throw failed;
      missing.found(asked);
    });
    client.hook.error('request', (error, sent) => {
      throw toGitHubError(error, circumstances(sent));
    });
    observe(client, ref);
    return client;
  };
}

/** A request as Octokit's hooks see it. */
type SentRequest = {
  readonly method: string;
  readonly url: string;
  readonly request?: object;
  readonly [option: string]: unknown;
};

export type RequestKind = 'read' | 'comment' | 'commit';

export function kindOf({ method, url, query }: SentRequest): RequestKind {
  if (url.endsWith('/graphql') && typeof query === 'string') {
    if (!query.trimStart().startsWith('mutation')) return 'read';
    return /createCommitOnBranch|updateRefs/.test(query) ? 'commit' : 'comment';
  }
  if (method === 'GET' || method === 'HEAD') return 'read';
  return url.includes('/git/') ? 'commit' : 'comment';
}

/** A request for something that was made at this time (ISO 8601), as an option of Octokit. */
export function bornAt(time: string | null = null): { readonly request?: { readonly bornAt: number } } {
  return time === null ? {} : { request: { bornAt: Date.parse(time) } };
}

/** What a request asks for: its address, and the variables of a GraphQL request. */
function askedFor(sent: SentRequest, address: string): string {
  const name = requestName(sent.method, address);
  return typeof sent['query'] === 'string' ? `${name} ${JSON.stringify(sent['variables'])}` : name;
}

function aboutRequest(sent: SentRequest, now: number) {
  const born = sent.request !== undefined && 'bornAt' in sent.request ? sent.request.bornAt : undefined;
  return { isCommit: kindOf(sent) === 'commit', ...(typeof born === 'number' ? { thingAgeMs: now - born } : {}) };
}

/** A thing that is missing is doubted again if nobody has asked for it for this time (ms). */
const MISSING_TTL_MS = 10 * 60_000;

/** Remembers since when GitHub does not find what a request names. */
function createMissing(now: () => number) {
  // A resolution above 0 would cache the time with a real timer, which breaks virtual clocks.
  const since = new LRUCache<string, number>({
    ...{ max: 10_000, ttl: MISSING_TTL_MS, updateAgeOnGet: true, ttlResolution: 0, perf: { now } },
  });
  return {
    /** The time (ms) since the first answer without it, which can be this one. */
    ms: (name: string): number => {
      const first = since.get(name) ?? now();
      if (!since.has(name)) since.set(name, first);
      return now() - first;
    },
    found: (name: string): void => void since.delete(name),
  };
}

/** Found at each request, because tests replace it. */
export const sendGlobally = (address: string, request: RequestInit): Promise<Response> =>
  globalThis.fetch(address, request);

/** The host of GitHub's archives: `codeload.github.com`, or `codeload.` before the host of another server. */
function downloadOrigin(baseUrl: string): string {
  const { protocol, host } = new URL(baseUrl);
  return `${protocol}//codeload.${host.replace(/^api\./, '')}`;
}

/** Measures and logs the requests of clients, and logs when GitHub stops and starts to answer. */
function createObserver({ log, startTimer, onAvailability = () => {}, onQuota = () => {} }: ClientOptions) {
  const fault = createFault({ level: 'warn', message: 'GitHub unavailable', endMessage: 'GitHub available again' });
  return (client: GitHubClient, ref: PullRequestRef | null): void => {
    const pull = ref === null ? {} : { repo: `${ref.owner}/${ref.repo}`, pr: ref.number };
    client.hook.wrap('request', async (request, sent) => {
      const fields = { ...pull, method: sent.method, route: routeOf(sent) };
      const [stop, begunAt] = [startTimer?.(), performance.now()];
      const report = (status: number | null, more: object): void => {
        // `4xx` for 404; `none` without a complete response.
        const statusClass = status === null ? 'none' : `${String(status).charAt(0)}xx`;
        stop?.({ api: sent.url.endsWith('/graphql') ? 'graphql' : 'rest', status: statusClass });
        if (log === undefined) return;
        log.debug({ ...fields, status, ms: Math.round(performance.now() - begunAt), ...more }, 'GitHub request');
      };
      try {
        const response = await request(sent);
        const quota = response.headers['x-ratelimit-remaining'];
        const requestId = requestIdOf(response.headers);
        if (quota !== undefined) onQuota(Number(quota), Number(response.headers['x-ratelimit-reset']));
        report(response.status, {
          ...(quota === undefined ? {} : { quotaLeft: Number(quota) }),
          ...(requestId === null ? {} : { requestId }),
        });
        onAvailability(true);
        if (log !== undefined) fault.ended(log);
        return response;
      } catch (error) {
        const { status = null, requestId = null } = error instanceof GitHubError ? error : {};
        report(status, requestId === null ? {} : { requestId });
        if (log === undefined || !(error instanceof GitHubError)) throw error;
        onAvailability(!error.isOutage);
        if (error.isOutage) fault.failed(log, error, fields);
        else fault.ended(log);
        throw error;
      }
    });
  };
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
