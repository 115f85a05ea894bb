import type { EnterpriseServer } from '../world/state.ts';
import { type Answer, notFound, refused } from './answer.ts';
import type { GitHubState } from './github-state.ts';
import type { WireRequest } from './wire.ts';

/** A request to an Enterprise Server: as it came, the name of its route, and whether it named anybody. */
export type EnterpriseCall = {
  readonly request: Pick<WireRequest, 'method' | 'target'>;
  readonly route: string | null;
  readonly anonymous: boolean;
};

/** What is served: REST, GraphQL, and the archives that REST links to. */
const SERVED = /^\/(?:api\/v3(?:[/?]|$)|api\/graphql$|codeload\/)/;
const ARCHIVE = /^\/codeload\//;

/**
 * What an Enterprise Server answers otherwise than github.com: nothing outside of its own paths, nothing to strangers
 * (private mode), nothing of what its version has not, and no limits. Null where it does as github.com.
 */
export function enterpriseRefusal(state: GitHubState, server: EnterpriseServer, call: EnterpriseCall): Answer | null {
  const { request, route, anonymous } = call;
  if (!SERVED.test(request.target))
    return { ...notFound(state), violation: `${request.method} ${request.target} is not below /api on this server` };
  if (ARCHIVE.test(request.target)) return null;
  if (anonymous) return refused(state, 401, 'Must authenticate to access this API.');
  if (route === 'GET /rate_limit') return refused(state, 404, 'Rate limiting is not enabled.');
  return route !== null && server.lacks.includes(route) ? notFound(state) : null;
}
