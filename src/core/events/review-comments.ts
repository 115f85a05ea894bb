import { COMMAND_GRAMMAR, COMMANDS } from '../commands/all-commands.ts';
import type { CommentRef } from '../commands/shared/context.ts';
import { parseComment } from '../comments/parse-comment.ts';
import type { CommentIntent, ParsedComment, Targets } from '../state/intent.ts';
import { isPostedAndOpen } from '../state/proposal-lifecycle.ts';
import { beginsThread, MAX_SERVER_SKEW_MS } from '../state/published.ts';
import type { PullState } from '../state/pull-state.ts';
import type { Facts, SubmittedReviewComment } from '../step/facts.ts';

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
