import { onChecksChanged, onChecksRead } from './actions/check-wait.ts';
import { onDeadlineReached } from './actions/expiry.ts';
import { onSideQuestionAnswered } from './actions/side-questions.ts';
import { noop } from './actions/step-builder.ts';
import { onNextTaskDue } from './commands/task.ts';
import { onMergeQueued, onPressed, onWaitingPublished, publishChanges } from './events/check-run.ts';
import { onComment, onCommentEdited } from './events/comment.ts';
import {
  onAccessLost,
  onClosed,
  onFoundClosed,
  onPushed,
  onPushRead,
  onRetargeted,
  thenClose,
} from './events/pull-request.ts';
import { onReviewDismissed, onReviewDismissRefused } from './events/review.ts';
import {
  onCommitDelayed,
  onCommitFailed,
  onCommitHeadMoved,
  onCommitMismatch,
  onCommitted,
  onCommitUnverified,
} from './outcomes/commit.ts';
import { onCommitPreflight } from './outcomes/commit-preflight.ts';
import { onDeadLettered } from './outcomes/failures.ts';
import {
  onContextRead,
  onModelAttemptFailed,
  onModelFailed,
  onModelResponded,
  onReadingsCleared,
} from './outcomes/model.ts';
import {
  onPostingFailed,
  onProposalCommentUpdated,
  onProposalsPosted,
  onQuestionPosted,
  onRunCommentPosted,
} from './outcomes/posting.ts';
import { onToolsFinished } from './outcomes/tools-finished.ts';
import type { Intent, IntentOf } from './state/intent.ts';
import { isFinal, type Proposal } from './state/proposal.ts';
import { activeRun, type PullState } from './state/pull-state.ts';
import type { Phase } from './state/run.ts';
import { countWork } from './state/spending.ts';
import type { Facts } from './step/facts.ts';
import { reportsCommit, type Signal, type SignalOf } from './step/signals.ts';
import type { Step } from './step/step.ts';

/**
 * The core: applies a signal to a pull request. Pure and total (no clock, randomness or I/O); every signal in every
 * state yields a step with exactly one reason. `facts` must have everything that `needs` asks for.
 */
export function decide(pull: PullState, signal: Signal, facts: Facts): Step {
  const applied = thenClose(applySignal(withCurrentNames(pull, signal), signal.type, signal, facts), facts);
  const step = dismissFinishedReviews(applied);
  const updated = updateEndedRunComments(pull, countTimeAtWork(pull, step, facts));
  const shown = publishChanges(pull, updated, signal, facts);
  return isUnreachable(shown.pull, signal) ? { ...shown, effects: [] } : shown;
}

/** After access was lost nothing can be written, also about a commit whose outcome comes later. */
function isUnreachable({ run }: PullState, signal: Signal): boolean {
  const isLost = run?.phase.kind === 'ended' && run.phase.reason === 'access-lost';
  return isLost && (signal.type === 'access-lost' || reportsCommit(signal));
}

/** Counts the time since the last step if the run changes. The agent is at work unless it waits for people. */
function countTimeAtWork(before: PullState, step: Step, { now }: Facts): Step {
  const { run } = step.pull;
  if (run === null || run === before.run || step.deferred) return step;
  const isAtWork = PHASES_AT_WORK.has(run.phase.kind);
  if (!isAtWork && run.spending.workingSince === null) return step;
  const spending = countWork(run.spending, isAtWork, now);
  return { ...step, pull: { ...step.pull, run: { ...run, spending } } };
}

const PHASES_AT_WORK: ReadonlySet<Phase['kind']> = new Set<Phase['kind']>([
  'reading-context',
  'awaiting-model',
  'running-tools',
]);

/**
 * The pull request with the names of its owner and repository that the webhook has: both can be renamed or transferred.
 */
export function withCurrentNames(pull: PullState, signal: Signal): PullState {
  if (signal.type !== 'intent' || !('pull' in signal.intent)) return pull;
  const { owner, repo } = signal.intent.pull;
  if (owner === pull.ref.owner && repo === pull.ref.repo) return pull;
  return { ...pull, ref: { ...pull.ref, owner, repo } };
}

function applySignal<Type extends Signal['type']>(
  pull: PullState,
  type: Type,
  signal: SignalOf<Type>,
  facts: Facts,
): Step {
  return SIGNAL_HANDLERS[type](pull, signal, facts);
}

const SIGNAL_HANDLERS: {
  readonly [Type in Signal['type']]: (pull: PullState, signal: SignalOf<Type>, facts: Facts) => Step;
} = {
  intent: (pull, { intent, deliveryId }, facts) => applyIntent(pull, intent.kind, intent, facts, deliveryId),
  'run-comment-posted': onRunCommentPosted,
  'context-read': onContextRead,
  'push-read': onPushRead,
  'checks-changed': onChecksChanged,
  'checks-read': onChecksRead,
  'model-responded': onModelResponded,
  'model-failed': onModelFailed,
  'readings-cleared': onReadingsCleared,
  'model-attempt-failed': onModelAttemptFailed,
  'side-question-answered': onSideQuestionAnswered,
  'tools-finished': onToolsFinished,
  'proposals-posted': onProposalsPosted,
  'question-posted': onQuestionPosted,
  'posting-failed': onPostingFailed,
  'commit-preflight': onCommitPreflight,
  committed: onCommitted,
  'commit-unverified': onCommitUnverified,
  'commit-mismatch': onCommitMismatch,
  'commit-failed': onCommitFailed,
  'found-closed': onFoundClosed,
  'commit-head-moved': onCommitHeadMoved,
  'commit-delayed': onCommitDelayed,
  'proposal-comment-updated': onProposalCommentUpdated,
  'review-dismiss-refused': onReviewDismissRefused,
  'waiting-published': onWaitingPublished,
  'next-task-due': (pull, _signal, facts) => onNextTaskDue(pull, facts),
  'deadline-reached': (pull, _signal, facts) => onDeadlineReached(pull, facts),
  'dead-lettered': onDeadLettered,
  'access-lost': onAccessLost,
};

function applyIntent<Kind extends Intent['kind']>(
  pull: PullState,
  kind: Kind,
  intent: IntentOf<Kind>,
  facts: Facts,
  deliveryId: string,
): Step {
  return INTENT_HANDLERS[kind](pull, intent, facts, deliveryId);
}

const INTENT_HANDLERS: {
  readonly [Kind in Intent['kind']]: (
    pull: PullState,
    intent: IntentOf<Kind>,
    facts: Facts,
    deliveryId: string,
  ) => Step;
} = {
  comment: onComment,
  edited: onCommentEdited,
  pushed: onPushed,
  retargeted: onRetargeted,
  closed: onClosed,
  dismissed: onReviewDismissed,
  pressed: onPressed,
  // It only gets its check run, which `publishChanges` requests.
  opened: (pull) => noop(pull, 'pull-opened'),
  'merge-queued': onMergeQueued,
};

/**
 * Dismisses reviews that request changes once their turn is over; otherwise they would block the pull request forever.
 */
function dismissFinishedReviews(step: Step): Step {
  const { run } = step.pull;
  if (run === null || step.deferred) return step;
  const finished = run.reviews.filter(
    (review) =>
      review.status === 'changes-requested' && (run.phase.kind === 'ended' || run.batch?.turn !== review.turn),
  );
  if (finished.length === 0) return step;
  const reviews = run.reviews.map((review) =>
    finished.includes(review) ? ({ ...review, status: 'dismissed' } as const) : review,
  );
  const effects = finished.map(({ id }) => ({ type: 'dismiss-review', runId: run.id, reviewId: id }) as const);
  return { ...step, pull: { ...step.pull, run: { ...run, reviews } }, effects: [...step.effects, ...effects] };
}

/** Updates the comments of previous runs whose commit attempts now have an outcome. */
function updateEndedRunComments(before: PullState, step: Step): Step {
  const { proposals } = step.pull;
  const active = activeRun(step.pull)?.id;
  const decided = proposals.filter(
    (one) => one.runId !== active && isListedInRunComment(one) && becameFinal(before, one),
  );
  const updated = new Set(
    step.effects.flatMap((effect) => (effect.type === 'update-run-comment' ? [effect.runId] : [])),
  );
  const missing = new Set(decided.map(({ runId }) => runId).filter((runId) => !updated.has(runId)));
  if (missing.size === 0) return step;
  const effects = [...missing].map((runId) => ({ type: 'update-run-comment', runId }) as const);
  return { ...step, effects: [...step.effects, ...effects] };
}

/** The comment of an ended run lists only committed undos. */
function isListedInRunComment({ origin, commitSha }: Proposal): boolean {
  return origin.kind === 'call' || commitSha !== null;
}

function becameFinal({ proposals }: PullState, { id, state }: Proposal): boolean {
  const before = proposals.find((one) => one.id === id);
  return before !== undefined && !isFinal(before.state) && isFinal(state);
}
