import { differencesFrom } from '../policy/as-approved.ts';
import type { Signed } from '../policy/countersign.ts';
import { retryTime, wordsOf } from './backoff.ts';
import type { Job, Outcome } from './job.ts';
import type { GitHub } from './ports.ts';

/**
 * Compares the tree of a new commit of ours with its parent's and what was approved. Where it cannot be read the
 * attempt comes again and finds the commit by its trailers, which holds it against what was approved as well. Until then
 * the ledger has it as it was asked for.
 */
export async function readBack(job: Job<'commit'>, github: GitHub, sha: string, signed: Signed): Promise<Outcome> {
  const { plan, made, files } = signed;
  const { runId } = job.effect;
  const { proposalIds, expectedHead: parent } = plan;
  try {
    const trees = { before: await github.tree(parent), after: await github.tree(sha) };
    const differences = differencesFrom(plan.files, trees);
    if (differences.length === 0)
      return { kind: 'done', signal: { type: 'committed', runId, sha, parent, proposalIds, made, files } };
    job.context.log.error(
      { effect: job.stored.id, sha, differences },
      'a commit holds something else than was approved',
    );
    return { kind: 'done', signal: { type: 'commit-differs', runId, sha, parent, proposalIds, made, differences } };
  } catch (error) {
    const { context, attempts } = job;
    const signal = { type: 'commit-unread', runId, sha, parent, proposalIds, made } as const;
    context.log.warn({ err: error, effect: job.stored.id, sha }, 'a commit could not be read back yet');
    return { kind: 'again', at: retryTime(context.clock.now(), attempts, error), error: wordsOf(error), signal };
  }
}
