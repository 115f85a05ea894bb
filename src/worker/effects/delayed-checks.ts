import { isPending } from '../../core/state/proposal.ts';
import { DONE, type EffectResult, type Job, loadJobPull } from '../jobs/job.ts';
import { retryAfterComments } from '../jobs/retries.ts';

/** Reports that a deadline has passed by GitHub's clock, because ours can be wrong. */
export async function checkDeadlines(job: Job<'check-deadlines'>): Promise<EffectResult> {
  const { clock, githubApp } = job.context;
  const remainingMs = Date.parse(job.effect.at) - (clock.now() + githubApp.clockSkewMs());
  if (remainingMs > 0)
    return {
      kind: 'retry',
      retryAt: clock.now() + remainingMs,
      error: 'the deadline has not passed by GitHub’s clock',
    };
  const pull = await loadJobPull(job);
  return pull.proposals.some(isPending) ? { kind: 'done', signal: { type: 'deadline-reached' } } : DONE;
}

/** Expires overdue proposals once all pending comments are handled. */
export async function expireProposals(job: Job<'expire-proposals'>): Promise<EffectResult> {
  const commentsDueAt = await job.pendingCommentsDueAt();
  if (commentsDueAt === null && (await job.decideNow({ type: 'expiry-due' })) !== null) return DONE;
  return retryAfterComments(job, commentsDueAt);
}

/** Reports pending suggestion blocks of a run whose threads GitHub has marked as outdated. */
export async function checkOutdatedSuggestions(job: Job<'check-outdated-suggestions'>): Promise<EffectResult> {
  const { runId } = job.effect;
  const pull = await loadJobPull(job);
  const suggestions = pull.proposals.filter(
    (proposal) => proposal.runId === runId && isPending(proposal) && proposal.placement?.kind === 'suggestion',
  );
  if (suggestions.length === 0) return DONE;
  const outdated = await job.context.githubApp.forPull(pull.ref).listOutdatedThreads();
  const proposalIds = suggestions.flatMap(({ id, comment }) => (outdated.includes(comment?.nodeId ?? '') ? [id] : []));
  return proposalIds.length === 0
    ? DONE
    : { kind: 'done', signal: { type: 'suggestions-outdated', runId, proposalIds } };
}

/** Reports whether a thread that was resolved some time ago is still resolved. */
export async function checkThread({ context, stored, effect }: Job<'check-thread'>): Promise<EffectResult> {
  const { proposalId, since } = effect;
  const pull = await context.store.load(stored.pullRequestKey, { ids: [proposalId], commentId: null });
  const proposal = pull.proposals.find(({ id }) => id === proposalId);
  if (proposal === undefined || !isPending(proposal) || proposal.comment === null) return DONE;
  if (proposal.threadResolution?.since !== since) return DONE;
  const resolved = await context.githubApp.forPull(pull.ref).isThreadResolved(proposal.comment);
  return { kind: 'done', signal: { type: 'thread-checked', proposalId, since, resolved } };
}
