import type { CommitPlan, Countersigned, FileWrite } from '../policy/countersigned.ts';
import type { CommitOutcome } from '../worker/ports.ts';
import { readRefusal, saysHeadMoved } from './commit-refusal.ts';
import type { Connection } from './connection.ts';
import { RequestFault } from './faults.ts';
import { commitByGitData } from './git-data-commit.ts';
import { commitOnBranch } from './graphql-commit.ts';

/**
 * Commits on the branch only while `expectedHead` is its head. GraphQL's commit is one atomic call but makes every
 * file 100644 and wants all bytes; a plan with another mode or a moved file goes through git's own objects.
 * Throws a `GitHubFault` where it is unknown whether it landed (timeouts, resets, 5xx, limits).
 */
export async function writeCommit(connection: Connection, plan: Countersigned<CommitPlan>): Promise<CommitOutcome> {
  const isPlain = plan.files.every(isPlainWrite);
  try {
    return await (isPlain ? commitOnBranch(connection, plan) : commitByGitData(connection, plan));
  } catch (error) {
    if (!(error instanceof RequestFault)) throw error;
    if (saysHeadMoved(error)) return { kind: 'head-moved' };
    const refused = readRefusal(error);
    if (refused === null) throw error;
    return refused;
  }
}

function isPlainWrite({ content, mode }: FileWrite): boolean {
  return content.kind === 'gone' || (content.kind === 'bytes' && mode === '100644');
}
