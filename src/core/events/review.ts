import {
  createEventVote,
  endStep,
  noop,
  recordVote,
  type StepBuilder,
  startStep,
  withEffects,
  withRun,
} from '../actions/step-builder.ts';
import { advanceBatch } from '../actions/tool-batch.ts';
import { COMMAND_GRAMMAR, COMMANDS } from '../commands/all-commands.ts';
import { deny, rejectWithVote } from '../commands/deny.ts';
import type { CommentRef } from '../commands/shared/context.ts';
import { parseComment } from '../comments/parse-comment.ts';
import { isAllowed, roleOf } from '../policy/may-approve.ts';
import type { CommentIntent, IntentOf, ParsedComment, Targets } from '../state/intent.ts';
import { beginsThread, MAX_SERVER_SKEW_MS, type PostedReview } from '../state/posted-comment.ts';
import { isOpen, isPostedAndOpen, type Proposal, postedChange, turnOf } from '../state/proposal.ts';
import { activeRun, type PullState } from '../state/pull-state.ts';
import type { Facts, SubmittedReviewComment } from '../step/facts.ts';
import type { SignalOf } from '../step/signals.ts';
import type { Step } from '../step/step.ts';

/**
 * The position of a comment, with the proposals that other comments of its review decide on: these take precedence over
 * the review's body and over a comment of the review that is about all proposals.
 */
export function commentRefOf(
  pull: PullState,
  { location, quotedIds, quote, createdAt }: CommentIntent,
  { app, reviewComments }: Facts,
): CommentRef {
  const comments = reviewComments ?? [];
  const others = location.at === 'thread' ? comments.filter(({ rootId }) => rootId !== location.rootId) : comments;
  // If two comments of a review are both about all proposals, neither takes precedence.
  const allIds = location.at === 'thread' ? [] : pull.proposals.map(({ id }) => id);
  const review = { slug: app.slug, submittedAt: createdAt, allIds };
  return {
    location,
    quotedIds,
    quote,
    createdAt,
    decidedInThreads: others.flatMap((comment) => proposalIdsDecidedBy(pull, comment, review)),
  };
}

type SubmittedReview = {
  readonly slug: string;
  readonly submittedAt: string;
  /** Ids that `all` stands for. */
  readonly allIds: readonly string[];
};

/** A comment without a clear decision keeps the review's body from deciding on its thread's proposal. */
function proposalIdsDecidedBy(
  pull: PullState,
  { rootId, body, updatedAt }: SubmittedReviewComment,
  { slug, submittedAt, allIds }: SubmittedReview,
): readonly string[] {
  const threadIds = pull.proposals.filter((one) => beginsThread(one.comment, rootId)).map(({ id }) => id);
  // An edit after the submission decides nothing, so the text that we received is unknown.
  if (Date.parse(updatedAt) > Date.parse(submittedAt) + MAX_SERVER_SKEW_MS) return threadIds;
  const { parsed } = parseComment(COMMAND_GRAMMAR, body, slug);
  const targets = decisionTargets(parsed);
  if (targets === null) return isWithoutDecision(parsed) ? [] : threadIds;
  switch (targets.by) {
    case 'location':
    case 'paths':
      return threadIds;
    case 'all':
      return allIds;
    case 'list':
    case 'ids':
      return [...targets.ids, ...threadIds];
  }
}

/** A conversation between people, an empty reply, or a command that decides on no proposal. */
function isWithoutDecision(comment: ParsedComment): boolean {
  if (comment.kind === 'command') return true;
  if (comment.kind !== 'text' || comment.addressedToApp) return false;
  return comment.suggestion === null && (comment.addressedToSomeoneElse || comment.text === '');
}

/** The review whose comments must be known before this comment can decide on proposals; null if it needs none. */
export function reviewToFetch(pull: PullState, { location, parsed }: CommentIntent): number | null {
  if (!('reviewId' in location) || !pull.proposals.some(isPostedAndOpen)) return null;
  if (location.at === 'review') return parsed.kind === 'text' || isDecision(parsed) ? location.reviewId : null;
  return decisionTargets(parsed)?.by === 'all' ? location.reviewId : null;
}

/** Whether a comment is a command that decides on proposals. */
export function isDecision(comment: ParsedComment): boolean {
  return comment.kind === 'command' && COMMANDS[comment.command.name].decidesOn !== undefined;
}

/** What a decision is about; null for any other comment. */
export function decisionTargets(comment: ParsedComment): Targets | null {
  if (comment.kind !== 'command' || !isDecision(comment)) return null;
  // `/continue` has no targets: it is about all pending proposals.
  return 'targets' in comment.command ? comment.command.targets : { by: 'all' };
}

/** Dismissing a review of the App denies the open proposals of its turn, without a reason: GitHub sends none. */
export function onReviewDismissed(
  pull: PullState,
  intent: IntentOf<'dismissed'>,
  facts: Facts,
  deliveryId: string,
): Step {
  const open = openProposalsOfReview(pull, intent.reviewId);
  const dismissed = setReviewStatus(startStep(pull), intent.reviewId, 'dismissed');
  if (open.length === 0) return endStep(dismissed, 'not-for-us');
  const { actor: by } = intent;
  const permission = facts.permission ?? 'none';
  if (!facts.ownerAllowed || !isAllowed(roleOf(permission, by, pull.run?.pullAuthor ?? null), deny.allowedTo))
    return endStep(dismissed, 'not-allowed');
  const event = { action: 'deny', surface: 'review', commentId: intent.reviewId, at: facts.now } as const;
  const denied = open.reduce((builder, one) => {
    const { digest } = postedChange(one);
    const vote = createEventVote(one, { ...event, digest, by, permission, deliveryId });
    // A commit attempt can't be stopped, but the vote prevents its retry.
    return one.state === 'executing' ? recordVote(builder, vote) : rejectWithVote(builder, one, vote, facts.now);
  }, dismissed);
  return endStep(advanceBatch(denied, facts.now), 'review-dismissed');
}

/** The open proposals of the turn that a review of the App belongs to, also those posted outside the review. */
export function openProposalsOfReview(pull: PullState, reviewId: number): readonly Proposal[] {
  const run = activeRun(pull);
  const turn = run?.reviews.find((review) => review.id === reviewId)?.turn ?? null;
  if (turn === null) return [];
  return pull.proposals.filter(
    (one) => one.runId === run?.id && turnOf(one) === turn && isOpen(one) && one.comment !== null,
  );
}

/** GitHub refused to dismiss the App's own review, so it still requests changes. */
export function onReviewDismissRefused(pull: PullState, { runId, reviewId }: SignalOf<'review-dismiss-refused'>): Step {
  if (pull.run?.id !== runId) return noop(pull, 'outdated-result');
  const updated = setReviewStatus(startStep(pull), reviewId, 'dismiss-refused');
  return endStep(withEffects(updated, { type: 'update-run-comment', runId }), 'review-dismiss-refused');
}

function setReviewStatus(builder: StepBuilder, reviewId: number, status: PostedReview['status']): StepBuilder {
  const reviews = builder.pull.run?.reviews ?? [];
  if (!reviews.some((review) => review.id === reviewId && review.status !== status)) return builder;
  return withRun(builder, { reviews: reviews.map((one) => (one.id === reviewId ? { ...one, status } : one)) });
}
