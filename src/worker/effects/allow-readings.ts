import { DONE, type EffectResult, type Job, retryAfterComments } from '../jobs/job.ts';
import { preflightCommit, toPreflight } from './commit-checks.ts';

/**
 * Lets the agent read files that people allowed. All approvals of the effect are read again at once, and the decision
 * core allows those readings alone whose approvals still count.
 */
export async function allowReadings(job: Job<'allow-readings'>): Promise<EffectResult> {
  // Pending comments could deny the reading, so send no requests until they are handled.
  const commentsDueAt = await job.pendingCommentsDueAt();
  if (commentsDueAt !== null) return retryAfterComments(job, commentsDueAt);
  const { context, stored, effect } = job;
  const pull = await context.store.load(stored.pullRequestKey, { ids: effect.proposalIds, commentId: null });
  const approved = pull.proposals.filter(({ id, state }) => effect.proposalIds.includes(id) && state === 'approved');
  if (approved.length === 0) return DONE;
  const github = context.githubApp.forPull(pull.ref);
  const { headSha: head, headRef: branch, baseRef } = await github.fetchPull();
  const preconditions = await preflightCommit({ ...context, github }, pull, approved, { head, branch });
  const preflight = toPreflight(effect.runId, baseRef, preconditions);
  const decided = await job.decideNow({ type: 'reading-preflight', ...preflight });
  return decided === null ? retryAfterComments(job, null) : DONE;
}
