import type { PullRequestRef } from '../../../core/state/intent.ts';
import { GitHubError } from '../../../core/step/ports.ts';
import { createFault, type Fault } from '../../telemetry/fault.ts';
import type { LogFields, Logger } from '../../telemetry/log.ts';
import type { GitHubClient } from './client.ts';
import { requestIdOf, responseHeadersOf, toGitHubError } from './errors.ts';

/** Logs the requests of all clients, and when GitHub stops and starts to answer. */
export type RequestLog = {
  /** Logs each request of this client; `ref` is the pull request that it serves, null for requests of the App. */
  attach(client: GitHubClient, ref: Pick<PullRequestRef, 'owner' | 'repo' | 'number'> | null): GitHubClient;
};

export function createRequestLog(log: Logger): RequestLog {
  const fault = createFault({ level: 'warn', message: 'GitHub unavailable', endMessage: 'GitHub available again' });
  return {
    attach(client, ref) {
      const pull = ref === null ? {} : { repo: `${ref.owner}/${ref.repo}`, pr: ref.number };
      client.hook.wrap('request', async (request, requestOptions) => {
        const fields = { ...pull, method: requestOptions.method, route: routeOf(requestOptions) };
        const begunAt = performance.now();
        try {
          const response = await request(requestOptions);
          logRequest(log, fields, begunAt, response.status, response.headers);
          fault.ended(log);
          return response;
        } catch (error) {
          const failure = toGitHubError(error, 0);
          const status = failure instanceof GitHubError ? failure.status : null;
          logRequest(log, fields, begunAt, status, responseHeadersOf(error));
          noteFailure(log, fault, failure, fields);
          throw error;
        }
      });
      return client;
    },
  };
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
