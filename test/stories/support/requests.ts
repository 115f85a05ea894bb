import type { RequestLogEntry } from '../../../fakes/github/api-server.ts';
import { isRecord } from '../../../src/lib/trust.ts';
import type { Stage } from './stage.ts';
import type { Story } from './story.ts';

/** Only the clock begins it, whatever people do: the look for lost webhooks. */
const OF_ITSELF = 'GET /app/hook/deliveries';

/**
 * What the App has asked of GitHub since there were `before` requests: but for what comes of itself, and for what is about
 * the repositories of other stories alone, to which earlier ones may lead at any time.
 */
export function requestsSince(
  { github }: Stage,
  { pr }: Pick<Story, 'pr'>,
  before: number,
): readonly RequestLogEntry[] {
  return github.requests.slice(before).filter((request) => {
    const isElsewhere = repositoriesOf(request)?.includes(pr.repositoryId) === false;
    return request.name !== OF_ITSELF && (!isElsewhere || request.target.includes(pr.fullName));
  });
}

/** The repositories that its token is for, or that a token is asked for; null where none are named. */
function repositoriesOf({ caller, body }: RequestLogEntry): readonly unknown[] | null {
  const named = caller.kind === 'installation' ? caller.repositoryIds : isRecord(body) ? body['repository_ids'] : null;
  return Array.isArray(named) ? named : null;
}

export function namesOf(requests: readonly RequestLogEntry[]): readonly string[] {
  return requests.map(({ name }) => name);
}
