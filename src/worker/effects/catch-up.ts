import { activeSince, hasActiveWork } from '../../core/state/run.ts';
import { contentKey, interpretListedComment } from '../../core/webhooks/interpret.ts';
import { DONE, type EffectResult, type Job, loadJobPull } from '../jobs/job.ts';
import { retryAfterComments } from '../jobs/retries.ts';

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
