import type { Intent } from '../command/intent.ts';
import { withCurrentNames } from './current-names.ts';
import type { Facts } from './facts.ts';
import { onQuestionAnswered } from './on-ask.ts';
import { onCaughtUp } from './on-caught-up.ts';
import { onCommitDelayed, onCommitFailed, onCommitMissed, onCommitted, onCommitUnread } from './on-commit.ts';
import { onCommitDiffers } from './on-commit-differs.ts';
import { onCommitStarting } from './on-commit-starting.ts';
import { onDeadline, onExpiring } from './on-deadline.ts';
import { onAccessLost, onClosed, onEdited, onPushed } from './on-event.ts';
import { onModelFailed, onModelReplied } from './on-model.ts';
import { onThreadsOutdated } from './on-outdated.ts';
import { onCommentGone, onDeleted, onOwnComment } from './on-own-comment.ts';
import { onPostingFailed, onProposalShown, onReviewPosted, onRunShown } from './on-posted.ts';
import { onPutAside } from './on-put-aside.ts';
import { onRetargeted } from './on-retargeted.ts';
import { onDismissed, onReviewKept } from './on-review.ts';
import { onSaid } from './on-said.ts';
import { onTaskDue } from './on-task.ts';
import { onThread, onThreadSeen } from './on-thread.ts';
import { onToolsUsed } from './on-tools.ts';
import { releaseReviews } from './release-reviews.ts';
import type { Pull } from './run.ts';
import { showEndedRuns } from './show-ended-runs.ts';
import type { Signal } from './signal.ts';
import type { Step } from './step.ts';

/**
 * The product's heart: what a signal does to a pull request. Pure and total: no clock, no chance, no I/O;
 * every signal in every state gives a step with exactly one reason.
 * `facts` must hold whatever `needs` asked for.
 */
export function decide(pull: Pull, signal: Signal, facts: Facts): Step {
  return showEndedRuns(pull, releaseReviews(decided(pull, signal, facts)));
}

function decided(pull: Pull, signal: Signal, facts: Facts): Step {
  switch (signal.type) {
    case 'intent':
      // Repositories and owners are renamed; the newest delivery has their names of today.
      return onIntent(withCurrentNames(pull, signal), signal.intent, signal.deliveryId, facts);
    case 'run-shown':
      return onRunShown(pull, signal);
    case 'model-replied':
      return onModelReplied(pull, signal, facts);
    case 'model-failed':
      return onModelFailed(pull, signal, facts);
    case 'question-answered':
      return onQuestionAnswered(pull, signal);
    case 'tools-used':
      return onToolsUsed(pull, signal, facts);
    case 'review-posted':
      return onReviewPosted(pull, signal, facts);
    case 'posting-failed':
      return onPostingFailed(pull, signal, facts);
    case 'commit-starting':
    case 'committed':
    case 'commit-unread':
    case 'commit-differs':
    case 'commit-failed':
    case 'commit-missed':
    case 'commit-delayed':
      return onAttempt(pull, signal, facts);
    case 'access-lost':
      return onAccessLost(pull, signal, facts);
    case 'put-aside':
      return onPutAside(pull, signal, facts);
    case 'deadline-reached':
    case 'caught-up':
    case 'expiring':
      return onTime(pull, signal, facts);
    case 'task-due':
      return onTaskDue(pull, facts);
    case 'proposal-shown':
    case 'comment-gone':
    case 'thread-seen':
    case 'threads-outdated':
    case 'review-kept':
      return onPage(pull, signal, facts);
  }
}

type OfAttempt = Extract<
  Signal,
  {
    type:
      | 'commit-starting'
      | 'committed'
      | 'commit-unread'
      | 'commit-differs'
      | 'commit-failed'
      | 'commit-missed'
      | 'commit-delayed';
  }
>;

/** What becomes of an attempt to commit. */
function onAttempt(pull: Pull, signal: OfAttempt, facts: Facts): Step {
  switch (signal.type) {
    case 'commit-starting':
      return onCommitStarting(pull, signal, facts);
    case 'committed':
      return onCommitted(pull, signal, facts);
    case 'commit-unread':
      return onCommitUnread(pull, signal);
    case 'commit-differs':
      return onCommitDiffers(pull, signal, facts);
    case 'commit-failed':
      return onCommitFailed(pull, signal, facts);
    case 'commit-missed':
      return onCommitMissed(pull, signal, facts);
    case 'commit-delayed':
      return onCommitDelayed(pull, signal);
  }
}

type OfPage = Extract<
  Signal,
  { type: 'proposal-shown' | 'comment-gone' | 'thread-seen' | 'threads-outdated' | 'review-kept' }
>;

/** How things stand on the page now. */
function onPage(pull: Pull, signal: OfPage, facts: Facts): Step {
  switch (signal.type) {
    case 'proposal-shown':
      return onProposalShown(pull, signal);
    case 'comment-gone':
      return onCommentGone(pull, signal, facts);
    case 'thread-seen':
      return onThreadSeen(pull, signal, facts);
    case 'threads-outdated':
      return onThreadsOutdated(pull, signal);
    case 'review-kept':
      return onReviewKept(pull, signal);
  }
}

type OfTime = Extract<Signal, { type: 'deadline-reached' | 'caught-up' | 'expiring' }>;

/** What comes of itself with time, in this order. */
function onTime(pull: Pull, signal: OfTime, facts: Facts): Step {
  switch (signal.type) {
    case 'deadline-reached':
      return onDeadline(pull, facts);
    case 'caught-up':
      return onCaughtUp(pull, signal, facts);
    case 'expiring':
      return onExpiring(pull, facts);
  }
}

function onIntent(pull: Pull, intent: Intent, deliveryId: string, facts: Facts): Step {
  switch (intent.kind) {
    case 'said':
      return onSaid(pull, intent, deliveryId, facts);
    case 'edited':
      return onEdited(pull, intent, facts);
    case 'own-comment':
      return onOwnComment(pull, intent, facts);
    case 'deleted':
      return onDeleted(pull, intent);
    case 'pushed':
      return onPushed(pull, intent, deliveryId, facts);
    case 'retargeted':
      return onRetargeted(pull, intent, facts);
    case 'closed':
      return onClosed(pull, intent, facts);
    case 'dismissed':
      return onDismissed(pull, intent, deliveryId, facts);
    case 'thread':
      return onThread(pull, intent, facts);
  }
}
