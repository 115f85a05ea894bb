import { isPending } from '../../core/state/proposal-lifecycle.ts';
import { isAnswerable } from '../../core/state/question.ts';
import { DONE, type EffectResult, type Job, loadJobPull, retryAfterComments } from '../jobs/job.ts';

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
  const isWaiting = pull.proposals.some(isPending) || pull.run?.questions.some(isAnswerable) === true;
  return isWaiting ? { kind: 'done', signal: { type: 'deadline-reached' } } : DONE;
}

/** Expires overdue proposals once all pending comments are handled. */
export async function expireProposals(job: Job<'expire-proposals'>): Promise<EffectResult> {
  const commentsDueAt = await job.pendingCommentsDueAt();
  if (commentsDueAt === null && (await job.decideNow({ type: 'expiry-due' })) !== null) return DONE;
  return retryAfterComments(job, commentsDueAt);
}
