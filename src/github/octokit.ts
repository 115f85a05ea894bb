import { Octokit } from '@octokit/rest';
import { createProbotAuth } from 'octokit-auth-probot';
import { readAnswer } from './read-answer.ts';

const API_VERSION = '2022-11-28';
const REQUEST_TIMEOUT_MS = 15_000;

/** Requests are neither logged by the SDK nor warned about: its options can hold a signed JWT. */
const SILENT = { debug: silence, info: silence, warn: silence, error: silence };

type Options = NonNullable<ConstructorParameters<typeof Octokit>[0]>;

/**
 * The Octokit of the product, also what Probot is given as its own. Every request leaves once (no retry or throttling
 * plugin), has a timeout (`request.timeout` in ms, 15 s unless told; `request.mostMs` bounds a request further),
 * names the API version, and fails where the answer was cut off in the middle of its JSON. Integers above 2^53
 * (delivery ids) arrive as `bigint`: never put them into `JSON.stringify`.
 */
export const CountersignOctokit = Octokit.plugin(guardRequests).defaults((options: Options) => ({
  authStrategy: createProbotAuth,
  ...options,
  log: SILENT,
}));

/**
 * For Probot, which asks its Octokit for one of its own for each event, and making one costs a sixth of taking a
 * delivery. Our handlers ask nothing of GitHub, so each event has this very one.
 */
export const ProbotsOctokit = CountersignOctokit.defaults({ authStrategy: sharedAuth });

function sharedAuth(options: Parameters<typeof createProbotAuth>[0]) {
  const auth = createProbotAuth(options);
  const answer = async (asked: Parameters<typeof auth>[0]): Promise<unknown> =>
    asked.type === 'event-octokit' ? options.octokit : auth(asked);
  return Object.assign(answer, { hook: auth.hook });
}

export type GitHubClient = InstanceType<typeof CountersignOctokit>;

/** REST base of github.com (host null), or of an Enterprise Server or simulator; GraphQL's address follows from it. */
export function apiUrl(host: string | null, protocol: 'http' | 'https'): string {
  if (host === null || host === 'github.com') return 'https://api.github.com';
  return `${protocol}://${host}/api/v3`;
}

function guardRequests(octokit: Pick<Octokit, 'hook'>, options: Options): Record<string, never> {
  const asked: unknown = options.request?.['timeout'];
  const timeout = typeof asked === 'number' ? asked : REQUEST_TIMEOUT_MS;
  octokit.hook.wrap('request', async (request, given) => {
    // The hooks below this one get the very same object: what is not written into it never reaches them.
    given.headers = { ...given.headers, 'x-github-api-version': API_VERSION };
    const most: unknown = given.request?.['mostMs'];
    const ms = typeof most === 'number' ? Math.min(most, timeout) : timeout;
    const isRead = given.request?.parseSuccessResponseBody !== false;
    const signal = given.request?.signal ?? AbortSignal.timeout(ms);
    given.request = { ...given.request, signal, parseSuccessResponseBody: false };
    const response = await request(given);
    if (isRead) response.data = await readAnswer(response);
    return response;
  });
  return {};
}

function silence(): void {}
