import { queueQuestionUpdate, withQuestion } from '../actions/close-question.ts';
import { findCommentDamage, MAX_COMMENT_REPAIRS, repairComment } from '../actions/comment-repair.ts';
import { endSideQuestion, findSideQuestionAt } from '../actions/side-questions.ts';
import {
  endStep,
  noop,
  queueCommentUpdate,
  startStep,
  withEffects,
  withProposal,
  withReply,
  withRun,
} from '../actions/step-builder.ts';
import type { CommentLocation, Intent } from '../state/intent.ts';
import { isCommentAt, type PostedComment } from '../state/posted-comment.ts';
import type { Proposal } from '../state/proposal.ts';
import { canStillBeDenied } from '../state/proposal-lifecycle.ts';
import { activeRun, type PullState } from '../state/pull-state.ts';
import type { AgentQuestion } from '../state/question.ts';
import type { Run } from '../state/run.ts';
import { canApprove, isApprovalVote, type Vote } from '../state/vote.ts';
import type { Facts } from '../step/facts.ts';
import { proposalOutcome } from '../step/reply-links.ts';
import type { Signal } from '../step/signals.ts';
import type { Step } from '../step/step.ts';
import { isReadAsCommand } from './comment-relevance.ts';

/** A comment that is edited into a command has no effect. A person with write access gets one reply saying so. */
export function onCommentEdited(
  pull: PullState,
  { parsed, location }: Extract<Intent, { kind: 'edited' }>,
  facts: Facts,
): Step {
  if (!isReadAsCommand(pull, parsed) || !facts.ownerAllowed || !canApprove(facts.permission))
    return noop(pull, 'edited-into-command');
  const id = location.at === 'review' ? `review:${location.reviewId}` : `comment:${location.commentId}`;
  const replied = withReply(
    startStep(pull),
    location,
    { kind: 'edited-into-command', isTask: isTaskAt(pull, location) },
    `edited:${id}`,
  );
  return endStep(replied, 'edited-into-command');
}

function isTaskAt(pull: PullState, location: CommentLocation): boolean {
  const run = activeRun(pull);
  const tasks = [...(run === null ? [] : [run.task]), ...pull.queue];
  return tasks.some((task) => task.location.at === location.at && commentIdOf(task.location) === commentIdOf(location));
}

/**
 * A decision stays in force after its comment is deleted, but an approval only once its commit has begun: until then
 * the check before the commit finds no comment, and says so. A question without an answer is withdrawn.
 */
export function onCommentDeleted(pull: PullState, { location }: Extract<Intent, { kind: 'deleted' }>): Step {
  const question = findSideQuestionAt(pull, location);
  if (question !== null) return endStep(endSideQuestion(startStep(pull), question, null), 'side-question-withdrawn');
  const isFromComment = ({ surface, commentId }: Vote): boolean =>
    surface === location.at && commentId === commentIdOf(location);
  const decided = pull.proposals.filter((proposal) =>
    proposal.votes.some((vote) => isFromComment(vote) && !(isApprovalVote(vote) && canStillBeDenied(proposal))),
  );
  if (decided.length === 0) return noop(pull, 'not-for-us');
  const reply = { kind: 'deleted-after-decision', proposals: decided.map(proposalOutcome) } as const;
  const once = `deleted:${location.at}:${commentIdOf(location)}`;
  return endStep(withReply(startStep(pull), location, reply, once), 'deleted-after-decision');
}

function commentIdOf(location: CommentLocation): number {
  return location.at === 'review' ? location.reviewId : location.commentId;
}

type OwnCommentIntent = Extract<Intent, { kind: 'own-comment' }>;

/** Repairs a comment of the App that another account edited or deleted. */
export function onOwnComment(pull: PullState, intent: OwnCommentIntent, facts: Facts): Step {
  const proposal = proposalShownBy(pull, intent.location);
  if (proposal?.state === 'proposed') return repairUndecidedProposal(pull, proposal, intent, facts);
  if (proposal !== null) return repairDecidedProposal(pull, proposal, intent);
  if (intent.location.at === 'review') return repairReview(pull, intent.location.reviewId);
  const question = pull.run?.questions.find(({ comment }) => isShownAt(comment, intent.location));
  if (question !== undefined) return repairQuestion(pull, question, intent);
  return pull.run !== null && isShownAt(pull.run.comment, intent.location)
    ? repairRunComment(pull, pull.run, intent)
    : noop(pull, 'comment-repair-limit');
}

/** The proposal that a comment of the App shows. */
export function proposalShownBy(pull: PullState, location: CommentLocation): Proposal | null {
  return pull.proposals.find((one) => one.comment !== null && isShownAt(one.comment, location)) ?? null;
}

function isShownAt(comment: PostedComment | null, location: CommentLocation): boolean {
  return location.at !== 'review' && isCommentAt(comment, location);
}

/** Trusts the fetched comment rather than the webhook, which can arrive after the repair. */
function repairUndecidedProposal(pull: PullState, proposal: Proposal, intent: OwnCommentIntent, facts: Facts): Step {
  const damage = findCommentDamage(proposal, facts);
  if (damage === null) return noop(pull, 'comment-intact');
  const repaired = repairComment(startStep(pull), proposal, damage, facts.now);
  const canInstruct = intent.actor.type === 'User' && facts.ownerAllowed && canApprove(facts.permission);
  if (damage === 'deleted' || !canInstruct) return endStep(repaired, 'comment-repaired');
  const reply = { kind: 'comment-repaired', id: proposal.id } as const;
  const once = `restored:${intent.actor.id}`;
  return endStep(withReply(repaired, intent.location, reply, once), 'comment-repaired');
}

/** A deleted comment of a decided proposal is not posted again. */
function repairDecidedProposal(pull: PullState, proposal: Proposal, { action }: OwnCommentIntent): Step {
  if (action === 'deleted' || proposal.repairCount >= MAX_COMMENT_REPAIRS) return noop(pull, 'comment-repair-limit');
  const counted = { ...proposal, repairCount: proposal.repairCount + 1 };
  return endStep(queueCommentUpdate(withProposal(startStep(pull), counted), counted), 'comment-repaired');
}

/** A deleted run comment is posted again with the next update of the run. */
function repairRunComment(pull: PullState, run: Run, { action }: OwnCommentIntent): Step {
  if (action === 'deleted') return endStep(withRun(startStep(pull), { comment: null }), 'comment-repair-limit');
  if (run.repairCount >= MAX_COMMENT_REPAIRS) return noop(pull, 'comment-repair-limit');
  const counted = withRun(startStep(pull), { repairCount: run.repairCount + 1 });
  return endStep(withEffects(counted, { type: 'update-run-comment', runId: run.id }), 'comment-repaired');
}

/** A deleted question stays open, and can be answered by its id. */
function repairQuestion(pull: PullState, question: AgentQuestion, { action }: OwnCommentIntent): Step {
  if (action === 'deleted' || question.repairCount >= MAX_COMMENT_REPAIRS) return noop(pull, 'comment-repair-limit');
  const counted = { ...question, repairCount: question.repairCount + 1 };
  return endStep(queueQuestionUpdate(withQuestion(startStep(pull), counted), counted), 'comment-repaired');
}

function repairReview(pull: PullState, reviewId: number): Step {
  const { run } = pull;
  const isOwn = run?.reviews.some(({ id }) => id === reviewId) === true;
  if (run === null || !isOwn || run.repairCount >= MAX_COMMENT_REPAIRS) return noop(pull, 'comment-repair-limit');
  const counted = withRun(startStep(pull), { repairCount: run.repairCount + 1 });
  return endStep(withEffects(counted, { type: 'restore-review-body', runId: run.id, reviewId }), 'comment-repaired');
}

/** An update failed because the comment does not exist. */
export function onCommentMissing(
  pull: PullState,
  { proposalId, commentId }: Extract<Signal, { type: 'comment-missing' }>,
  facts: Facts,
): Step {
  const proposal = pull.proposals.find((one) => one.id === proposalId);
  const isShown = proposal?.state === 'proposed' && proposal.comment?.id === commentId;
  if (!isShown) return noop(pull, 'outdated-result');
  return endStep(repairComment(startStep(pull), proposal, 'deleted', facts.now), 'comment-repaired');
}
