import type { StoredRun } from '../../adapters/store/store.ts';
import { renderPostedProposal } from '../../core/messages/proposal/exact-page.ts';
import { renderQuestion } from '../../core/messages/question-comment.ts';
import { NOTHING_PENDING_TEXT, renderRunComment } from '../../core/messages/run-comment.ts';
import { runWarnings } from '../../core/messages/run-warnings.ts';
import { questionMarker, runMarker } from '../../core/messages/shared/markdown.ts';
import { isInForce } from '../../core/policy/standing-approvals.ts';
import type { PostedComment } from '../../core/state/posted-comment.ts';
import { isFinal, isOpen } from '../../core/state/proposal.ts';
import type { PullState } from '../../core/state/pull-state.ts';
import type { AgentQuestion } from '../../core/state/question.ts';
import type { Run } from '../../core/state/run.ts';
import { type GitHub, nullIf } from '../../core/step/ports.ts';
import { localFacts } from '../jobs/gather-facts.ts';
import { DONE, type EffectResult, type Job, loadJobPull, type WorkerContext } from '../jobs/job.ts';
import { isPermanent, isRefusedForGood, retryAfterRefusal } from '../jobs/retries.ts';

/** Updates the page of a proposal to its current state, and resolves its thread once the state is final. */
export async function updateProposalComment({
  context,
  stored,
  effect,
}: Job<'update-proposal-comment'>): Promise<EffectResult> {
  const pull = await context.store.load(stored.pullRequestKey, { ids: [effect.proposalId], commentId: null });
  const proposal = pull.proposals.find(({ id }) => id === effect.proposalId);
  if (proposal === undefined || proposal.comment === null || proposal.placement === null) return DONE;
  const github = context.githubApp.forPull(pull.ref);
  const { body } = renderPostedProposal({
    proposal,
    placement: proposal.placement,
    ...runWarnings(pull.run),
    links: context.links(pull.ref),
    replacedByUrl: pull.proposals.find(({ id }) => id === proposal.replacedBy)?.comment?.url ?? null,
  });
  const isClosing = isFinal(proposal.state) && proposal.comment.kind !== 'issue-comment';
  const closing = isClosing ? await github.closeThread(proposal.comment, body) : 'no-open-thread';
  if (closing === 'closed') return DONE;
  const updated = await updateExistingComment(github, proposal.comment, body);
  if (updated !== null && closing === 'refused')
    await github.resolveThread(proposal.comment).catch((error: unknown) => {
      // The page says what happened, also in a thread that stays open.
      if (!isPermanent(error) || !isRefusedForGood({ context, stored })) throw error;
    });
  if (proposal.state !== 'proposed' || updated === null) return DONE;
  const { bodyHash } = updated;
  return { kind: 'done', signal: { type: 'proposal-comment-updated', proposalId: proposal.id, bodyHash } };
}

/** Updates the comment of a run. Posts it if there is none yet, or if it was deleted. */
export async function updateRunComment(job: Job<'update-run-comment'>): Promise<EffectResult> {
  const { context, stored, effect, attempts } = job;
  const pull = await loadJobPull(job);
  const found = await findRun(context, stored.pullRequestKey, pull, effect.runId);
  if (found === null) return DONE;
  const { run, proposals, isPast } = found;
  const queued = isPast ? 0 : pull.queue.length;
  const { now } = localFacts(context, pull);
  const standingApprovals = isPast ? [] : pull.standingApprovals.filter((one) => isInForce(one, now));
  const body = renderRunComment({
    ...{ run, proposals, queued, standingApprovals },
    ...{ links: context.links(pull.ref), number: pull.ref.number },
  });
  const github = context.githubApp.forPull(pull.ref);
  if (run.comment !== null && (await updateExistingComment(github, run.comment, body)) !== null) return DONE;
  // The comment can exist without being stored: after a database outage its result might still be pending.
  const comment = await postRunComment(github, run, body, attempts > 1 || effect.first !== true);
  return { kind: 'done', signal: { type: 'run-comment-posted', runId: run.id, comment } };
}

/** Finds the run, which might be over: its last comment can be pending when the next run starts. */
async function findRun(
  { store }: WorkerContext,
  pullKey: string,
  { run, proposals }: PullState,
  runId: string,
): Promise<(StoredRun & { readonly isPast: boolean }) | null> {
  if (run?.id === runId)
    return { run, proposals: proposals.filter((proposal) => proposal.runId === runId), isPast: false };
  const pastRun = await store.loadRun(pullKey, runId);
  return pastRun && { ...pastRun, isPast: true };
}

async function postRunComment(
  github: GitHub,
  { id, task }: Run,
  body: string,
  mayExist: boolean,
): Promise<PostedComment> {
  const marker = runMarker(id);
  const existing = mayExist ? (await github.findCommentsByMarker([marker], task.requestedAt)).get(marker) : undefined;
  if (existing === undefined) return github.createComment(body);
  // An earlier attempt posted it, and the run might have changed since.
  if (existing.body !== body) await github.updateComment(existing, body);
  return existing;
}

/** Updates a comment; null if it was deleted. */
function updateExistingComment(
  github: GitHub,
  comment: PostedComment,
  body: string,
): Promise<Awaited<ReturnType<GitHub['updateComment']>> | null> {
  return github.updateComment(comment, body).catch(nullIf('gone'));
}

/** Dismisses one of the App's reviews. Reports a refusal by GitHub, because people then have to do it. */
export async function dismissOwnReview(job: Job<'dismiss-review'>): Promise<EffectResult> {
  const { runId, reviewId } = job.effect;
  const { ref } = await loadJobPull(job);
  const dismissed = await job.context.githubApp.forPull(ref).dismissReview(reviewId, NOTHING_PENDING_TEXT);
  if (dismissed) return DONE;
  if (!isRefusedForGood(job)) return retryAfterRefusal(job, 'GitHub refused to dismiss a review');
  return { kind: 'done', signal: { type: 'review-dismiss-refused', runId, reviewId } };
}

/** Posts a reply where the comment is. A retry skips one that exists already. */
export async function postReply(job: Job<'reply'>): Promise<EffectResult> {
  const { context, stored, effect, attempts } = job;
  // The reply might report that the rest of the pull request's state cannot be loaded.
  const ref = await context.store.loadRef(stored.pullRequestKey);
  const github = context.githubApp.forPull(ref);
  const { to, reply } = effect;
  if (attempts === 1 || !(await github.hasPosted(reply, stored.requestedAt))) await postPage(github, to, reply);
  if (to.at === 'answered-thread' && !(await isStillAnswered(job, to.rootId)))
    await github.resolveThread({ kind: 'review-comment', nodeId: to.nodeId });
  return DONE;
}

async function postPage(github: GitHub, to: Job<'reply'>['effect']['to'], body: string): Promise<void> {
  const isInThread = to.at === 'thread' || to.at === 'answered-thread';
  if (isInThread && (await tryReplyInThread(github, to.rootId, body)) !== null) return;
  // Nobody waits for the answer to a thread that is gone.
  if (to.at !== 'answered-thread') await github.createComment(body);
}

/** Whether another open change answers the thread, so that its people wait for that one, too. */
async function isStillAnswered(job: Job<'reply'>, rootId: number): Promise<boolean> {
  const { proposals } = await loadJobPull(job);
  return proposals.some((one) => isOpen(one) && one.answers?.rootId === rootId);
}

/** Null if GitHub refuses the reply, because the first comment of the thread was deleted. */
function tryReplyInThread(github: GitHub, rootId: number, body: string): Promise<PostedComment | null> {
  return github.createReply(rootId, body).catch(nullIf('gone', 'our-mistake'));
}

export async function postReaction(job: Job<'react'>): Promise<EffectResult> {
  const { context, effect } = job;
  const { ref } = await loadJobPull(job);
  await context.githubApp.forPull(ref).react(effect.location, effect.content);
  return DONE;
}

/** Posts a question where the task was given. A retry adopts the comment of an earlier attempt. */
export async function postQuestion(job: Job<'post-question'>): Promise<EffectResult> {
  const { context, effect, attempts } = job;
  const { runId, questionId } = effect;
  const found = await loadQuestion(job, effect);
  if (found === null || found.question.comment !== null) return DONE;
  const { ref, run, question, proposals } = found;
  const github = context.githubApp.forPull(ref);
  const marker = questionMarker(questionId);
  const earlier =
    attempts > 1 ? (await github.findCommentsByMarker([marker], run.task.requestedAt)).get(marker) : undefined;
  if (earlier === undefined && question.state !== 'asked') return DONE;
  const body = renderQuestion(question, run.task.by, proposals);
  // The run could have ended since, and another one begun, so that nothing else would update this comment.
  if (earlier !== undefined && earlier.body !== body) await updateExistingComment(github, earlier, body);
  const comment = earlier ?? (await postAt(github, question, body));
  return { kind: 'done', signal: { type: 'question-posted', runId, questionId, comment } };
}

/** Shows the state of a question on its comment. A deleted comment stays deleted. */
export async function updateQuestionComment(job: Job<'update-question-comment'>): Promise<EffectResult> {
  const found = await loadQuestion(job, job.effect);
  const comment = found?.question.comment ?? null;
  if (found === null || comment === null) return DONE;
  const body = renderQuestion(found.question, found.run.task.by, found.proposals);
  await updateExistingComment(job.context.githubApp.forPull(found.ref), comment, body);
  return DONE;
}

/** The question with its run, which might be over: a new one can have started. */
async function loadQuestion(
  job: Pick<Job, 'context' | 'stored'>,
  effect: { readonly runId: string; readonly questionId: string },
) {
  const { context, stored } = job;
  const { run: current, ref, proposals } = await loadJobPull(job);
  const isCurrent = current?.id === effect.runId;
  const run = isCurrent ? current : ((await context.store.loadRun(stored.pullRequestKey, effect.runId))?.run ?? null);
  const question = run?.questions.find(({ id }) => id === effect.questionId);
  return run === null || question === undefined ? null : { ref, run, question, proposals };
}

/** In the conversation if GitHub refuses a reply. */
async function postAt(github: GitHub, { place }: AgentQuestion, body: string): Promise<PostedComment> {
  const reply = place.at === 'thread' ? await tryReplyInThread(github, place.rootId, body) : null;
  return reply ?? github.createComment(body);
}
