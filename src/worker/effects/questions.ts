import { renderQuestion } from '../../core/messages/question-comment.ts';
import { questionMarker } from '../../core/messages/shared/markdown.ts';
import type { PostedComment } from '../../core/state/posted-comment.ts';
import type { AgentQuestion } from '../../core/state/question.ts';
import type { GitHub } from '../../core/step/ports.ts';
import { DONE, type EffectResult, type Job, loadJobPull } from '../jobs/job.ts';
import { tryReplyInThread, updateExistingComment } from './comments.ts';

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
