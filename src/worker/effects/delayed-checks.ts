import { isPending } from '../../core/state/proposal-lifecycle.ts';
import { activeSince, hasActiveWork } from '../../core/state/pull-state.ts';
import { isAnswerable } from '../../core/state/question.ts';
import { contentKey, interpretListedComment } from '../../core/webhooks/interpret.ts';
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

/**
 * Catches up with comments of at most this age (ms). The ids of older deliveries are deleted, so their comments would
 * count twice. With `expiry: 30d` the first day of a proposal is not covered.
 */
export const MAX_CATCH_UP_AGE_MS = 29 * 86_400_000;

/**
 * Fetches the recent comments of a pull request, because their webhooks might be lost, and stores them as if the
 * webhooks arrived now. The content key skips known comments. Review bodies are left out: GitHub does not show whether
 * they were edited.
 */
export async function catchUp(job: Job<'catch-up'>): Promise<EffectResult> {
  const { context, effect } = job;
  const { clock, githubApp, self, store } = context;
  // A pending task can start a run, which changes the start of the period to read.
  const commentsDueAt = await job.pendingCommentsDueAt();
  if (commentsDueAt !== null) return retryAfterComments(job, commentsDueAt);
  const pull = await loadJobPull(job);
  // With `since`, comments are read even after the run has ended, because they still need a reply.
  const requestedSince = effect.since ?? activeSince(pull);
  if (requestedSince === null && !hasActiveWork(pull)) return DONE;
  const since = Math.max(
    requestedSince === null ? 0 : Date.parse(requestedSince),
    clock.now() + githubApp.clockSkewMs() - MAX_CATCH_UP_AGE_MS,
  );
  const listed = await githubApp.forPull(pull.ref).listCommentsSince(new Date(since).toISOString());
  const comments = listed.flatMap((comment) => interpretListedComment(pull.ref, comment, self) ?? []);
  const deliveries = comments.map(({ id, intent }) => ({ id, intent, contentKey: contentKey(intent) }));
  if (deliveries.length > 0) await store.receive(deliveries, clock.now());
  return { kind: 'done', signal: { type: 'caught-up', read: true, expiresAfter: effect.expiresAfter } };
}
