import type { RequestLogEntry } from '../../../fakes/github/api-server.ts';
import { isRecord } from '../../../src/lib/trust.ts';
import type { Stage } from './stage.ts';
import type { Story } from './story.ts';

/** The search for lost webhooks and the probes, which start by the clock and not because of a story. */
const REQUESTS_BY_CLOCK: readonly string[] = [
  ...['GET /app', 'GET /app/installations', 'GET /app/hook/config', 'GET /app/hook/deliveries'],
];

/**
 * The App's requests to GitHub for this story, after the first `before` requests. The search for lost webhooks, probes and
 * requests for other stories' repositories are left out, because they can happen at any time.
 */
export function requestsSince(
  { github }: Stage,
  { pr }: Pick<Story, 'pr'>,
  before: number,
): readonly RequestLogEntry[] {
  return github.requests.slice(before).filter((request) => {
    const isElsewhere = repositoriesOf(request)?.includes(pr.repositoryId) === false;
    return !REQUESTS_BY_CLOCK.includes(request.name) && (!isElsewhere || request.target.includes(pr.fullName));
  });
}

/** The repositories of its token, or of the token that it requests; null if it names none. */
function repositoriesOf({ caller, body }: RequestLogEntry): readonly unknown[] | null {
  const named = caller.kind === 'installation' ? caller.repositoryIds : isRecord(body) ? body['repository_ids'] : null;
  return Array.isArray(named) ? named : null;
}

export function namesOf(requests: readonly RequestLogEntry[]): readonly string[] {
  return requests.map(({ name }) => name);
}
