import type { EffectType } from '../../core/step/effects.ts';
import { DONE, type EffectResult, type Job, retryAfterComments } from '../jobs/job.ts';
import { askModel } from './ask-model.ts';
import { readAwaitedChecks } from './checks.ts';
import {
  dismissOwnReview,
  postQuestion,
  postReaction,
  postReply,
  updateProposalComment,
  updateQuestionComment,
  updateRunComment,
} from './comments.ts';
import { performCommit } from './commit.ts';
import { postProposals } from './post-proposals.ts';
import { publishWaiting } from './publish-waiting.ts';
import { describePush, readContext } from './read-context.ts';
import { answerSideQuestion } from './side-question.ts';
import { runTools } from './tools/run-tools.ts';

/** Performs one effect. Rejects with `GitHubError` or `ModelError`, which the caller turns into a retry. */
export function performEffect(job: Job): Promise<EffectResult> {
  return performByType(job.effect.type, job);
}

/** The type parameter ties the handler to its job. */
function performByType<Type extends EffectType>(type: Type, job: Job<Type>): Promise<EffectResult> {
  return EFFECT_HANDLERS[type](job);
}

const EFFECT_HANDLERS: { readonly [Type in EffectType]: (job: Job<Type>) => Promise<EffectResult> } = {
  'read-context': readContext,
  'read-push': describePush,
  'read-checks': readAwaitedChecks,
  'ask-model': askModel,
  'answer-side-question': answerSideQuestion,
  'run-tools': runTools,
  'post-proposals': postProposals,
  'post-question': postQuestion,
  'update-question-comment': updateQuestionComment,
  commit: performCommit,
  'update-proposal-comment': updateProposalComment,
  'update-run-comment': updateRunComment,
  react: postReaction,
  reply: postReply,
  'dismiss-review': dismissOwnReview,
  'publish-waiting': publishWaiting,
  'check-deadlines': checkDeadlines,
  'start-next-task': async () => ({ kind: 'done', signal: { type: 'next-task-due' } }),
};

/** What is overdue expires once all pending comments are handled: they could decide. */
async function checkDeadlines(job: Job<'check-deadlines'>): Promise<EffectResult> {
  const commentsDueAt = await job.pendingCommentsDueAt();
  if (commentsDueAt === null && (await job.decideNow({ type: 'deadline-reached' })) !== null) return DONE;
  return retryAfterComments(job, commentsDueAt);
}
