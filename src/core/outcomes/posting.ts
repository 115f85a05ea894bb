import { queueQuestionUpdate, withQuestion } from '../actions/close-question.ts';
import { endRun } from '../actions/end-run.ts';
import { scheduleDeadlineCheck } from '../actions/expiry.ts';
import { applyHeadMove } from '../actions/head-moved.ts';
import { useStandingApprovals } from '../actions/standing-approvals.ts';
import {
  endStep,
  noop,
  queueCommentUpdate,
  type StepBuilder,
  startStep,
  withEffects,
  withProposal,
  withReply,
  withRun,
  withTransition,
} from '../actions/step-builder.ts';
import { advanceBatch, answerProposalCalls } from '../actions/tool-batch.ts';
import { undoRefused } from '../messages/replies.ts';
import { isFinal, type Proposal } from '../state/proposal.ts';
import { activeRun, type PullState } from '../state/pull-state.ts';
import type { Facts } from '../step/facts.ts';
import type { PostedProposal, SignalOf } from '../step/signals.ts';
import type { Step } from '../step/step.ts';

/** Records the comments of posted proposals, and drops proposals that could not be posted. */
export function recordPostedProposals(
  pull: PullState,
  signal: SignalOf<'proposals-posted'>,
  facts: Facts,
): StepBuilder {
  const posted = signal.proposals.reduce(recordPosted, startStep(pull));
  const dropped = signal.unpostable.reduce((builder, { proposalId, output }) => {
    const proposal = builder.pull.proposals.find(({ id }) => id === proposalId);
    const why = { output, message: 'its diff is too long to be shown' };
    return proposal === undefined ? builder : dropUnposted(builder, proposal, why, facts.now);
  }, posted);
  return recordReviews(scheduleDeadlineCheck(dropped, facts.now), signal);
}

/** The head could have moved while the proposals were being posted. */
export function recordAtHead(pull: PullState, signal: SignalOf<'proposals-posted'>, facts: Facts): StepBuilder {
  const recorded = recordPostedProposals(pull, signal, facts);
  if (facts.pullRequest === undefined || isOutdated(recorded.pull, signal)) return recorded;
  return applyHeadMove(recorded, facts.pullRequest.headSha, facts, null);
}

/** Whether the run of the proposals ended while they were being posted. */
function isOutdated(pull: PullState, { runId, turn }: SignalOf<'proposals-posted'>): boolean {
  return turn !== null && activeRun(pull)?.id !== runId;
}

/** Standing approvals approve only what is posted first: people can see, and deny, every change that they reach. */
export function onProposalsPosted(pull: PullState, signal: SignalOf<'proposals-posted'>, facts: Facts): Step {
  const assessed = recordAtHead(pull, signal, facts);
  if (isOutdated(assessed.pull, signal)) return endStep(assessed, 'outdated-result');
  const approved = useStandingApprovals(assessed, signal, facts);
  const reason = approved.votes.length > assessed.votes.length ? 'approved' : 'proposals-posted';
  return endStep(advanceBatch(approved, facts.now), reason);
}

/**
 * If a new run has replaced that of the review, the review is not tracked, so it is dismissed now if it blocks merging.
 */
function recordReviews(builder: StepBuilder, { runId, turn, reviews }: SignalOf<'proposals-posted'>): StepBuilder {
  const { run } = builder.pull;
  if (turn === null || reviews.length === 0) return builder;
  if (run?.id === runId)
    return withRun(builder, { reviews: [...run.reviews, ...reviews.map((review) => ({ ...review, turn }))] });
  const blocking = reviews.filter(({ status }) => status === 'changes-requested');
  return withEffects(builder, ...blocking.map(({ id }) => ({ type: 'dismiss-review', runId, reviewId: id }) as const));
}

function recordPosted(builder: StepBuilder, posted: PostedProposal): StepBuilder {
  const proposal = builder.pull.proposals.find((one) => one.id === posted.proposalId);
  if (proposal === undefined) return builder;
  const { placement, comment, index = proposal.index } = posted;
  const recorded = withProposal(builder, { ...proposal, index, placement, comment, proposedAt: comment.createdAt });
  // If it was decided while it was being posted, its comment still has a button and commands.
  const updated = isFinal(proposal.state) ? queueCommentUpdate(recorded, { ...proposal, comment }) : recorded;
  const replaced = updated.pull.proposals.filter((one) => one.replacedBy === proposal.id);
  return replaced.reduce(queueCommentUpdate, updated);
}

/** A proposal that can't be posted can't be decided. The model gets the reason; of an undo, people. */
function dropUnposted(
  builder: StepBuilder,
  proposal: Proposal,
  { output, message }: { readonly output: string; readonly message: string },
  now: string,
): StepBuilder {
  if (proposal.state !== 'proposed' || proposal.comment !== null) return builder;
  const superseded = withTransition(builder, proposal, 'superseded', now, 'it could not be posted');
  const dropped = answerProposalCalls(superseded, proposal, output);
  if (proposal.origin.kind !== 'undo') return dropped;
  const refusal = { kind: 'refused', message: `It could not be posted: ${message}.` } as const;
  return withReply(dropped, { at: 'pull-request' }, undoRefused(proposal.origin.undoneProposalId, refusal));
}

export function onPostingFailed(pull: PullState, signal: SignalOf<'posting-failed'>, facts: Facts): Step {
  // An undo belongs to no turn, so its failure does not end the run.
  if (signal.turn === null) {
    const unposted = pull.proposals.filter(({ id }) => signal.proposalIds.includes(id));
    const why = { output: '', message: signal.message };
    const dropped = unposted.reduce((next, one) => dropUnposted(next, one, why, facts.now), startStep(pull));
    return endStep(dropped, 'posting-failed');
  }
  const run = activeRun(pull);
  if (run === null || run.id !== signal.runId) return noop(pull, 'outdated-result');
  return endStep(
    endRun(startStep(pull), { reason: 'posting-failed', by: null, note: signal.message }, facts.now),
    'posting-failed',
  );
}

/** Records the comment of a question, which people can answer from now on. */
export function onQuestionPosted(
  pull: PullState,
  { runId, questionId, comment }: SignalOf<'question-posted'>,
  facts: Facts,
): Step {
  const question = pull.run?.id === runId ? pull.run.questions.find(({ id }) => id === questionId) : undefined;
  if (question === undefined) return noop(pull, 'outdated-result');
  const posted = { ...question, comment };
  const recorded = withQuestion(startStep(pull), posted);
  // If the run ended while it was being posted, its comment still asks.
  if (posted.state !== 'asked') return endStep(queueQuestionUpdate(recorded, posted), 'comment-posted');
  const shown = withEffects(recorded, { type: 'update-run-comment', runId });
  return endStep(scheduleDeadlineCheck(shown, facts.now), 'comment-posted');
}

export function onRunCommentPosted(pull: PullState, signal: SignalOf<'run-comment-posted'>): Step {
  if (pull.run === null || pull.run.id !== signal.runId) return noop(pull, 'outdated-result');
  return endStep(withRun(startStep(pull), { comment: signal.comment }), 'comment-posted');
}

/** Stores the hashes of the App's own comments: an approval counts only for a page that still has it. */
export function onProposalCommentUpdated(
  pull: PullState,
  { proposalId, bodyHash }: SignalOf<'proposal-comment-updated'>,
): Step {
  const proposal = pull.proposals.find((one) => one.id === proposalId);
  if (proposal === undefined || proposal.comment === null) return noop(pull, 'outdated-result');
  const comment = { ...proposal.comment, bodyHash };
  return endStep(withProposal(startStep(pull), { ...proposal, comment }), 'comment-posted');
}
