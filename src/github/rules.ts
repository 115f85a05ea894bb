import type { BranchRule } from '../policy/branch-rules.ts';
import { isRecord } from '../trust.ts';
import { allPages, PAGE_SIZE } from './all-pages.ts';
import { type Connection, repositoryOf } from './connection.ts';
import { RequestFault } from './faults.ts';
import { listReviews } from './list-reviews.ts';

/** The active rules of a branch, whoever may bypass them; none where the server knows no rulesets. */
export async function fetchRules({ ref, read }: Connection, branch: string): Promise<readonly BranchRule[]> {
  try {
    const rules = await read((client) =>
      allPages((page) =>
        client.request('GET /repos/{owner}/{repo}/rules/branches/{branch}', {
          ...repositoryOf(ref),
          branch,
          per_page: PAGE_SIZE,
          page,
        }),
      ),
    );
    return rules.map(branchRule);
  } catch (error) {
    if (error instanceof RequestFault && (error.status === 404 || error.status === 403) && error.retryAt === null)
      return [];
    throw error;
  }
}

function branchRule(rule: object): BranchRule {
  const read: unknown = rule;
  if (!isRecord(read)) return { type: '', dismissesReviews: false };
  const parameters = isRecord(read['parameters']) ? read['parameters'] : {};
  return { type: String(read['type']), dismissesReviews: parameters['dismiss_stale_reviews_on_push'] === true };
}

/** People whose newest review with a verdict approves. */
export async function countApprovals(connection: Connection): Promise<number> {
  const verdicts = new Map<number, string>();
  for (const { user, state } of await listReviews(connection)) {
    if (user && (state === 'APPROVED' || state === 'CHANGES_REQUESTED' || state === 'DISMISSED'))
      verdicts.set(Number(user.id), state);
  }
  return [...verdicts.values()].filter((state) => state === 'APPROVED').length;
}
