import { type VoteLocation, type VoteSource, type VoteSources, voteSourceKey } from '../../../src/core/state/vote.ts';
import type { PullSnapshot } from './simulated-github.ts';

/** The comments and reviews of these votes; null for a deleted one. */
export function readVoteSources(snapshot: PullSnapshot, locations: readonly VoteLocation[]): VoteSources {
  return Object.fromEntries(
    locations.map((location) => [voteSourceKey(location), readVoteSource(snapshot, location)] as const),
  );
}

const VOTE_REVIEW_STATES = {
  APPROVED: 'approved',
  CHANGES_REQUESTED: 'changes_requested',
  DISMISSED: 'dismissed',
  COMMENTED: 'commented',
  PENDING: 'commented',
} as const;

const PLAIN_SOURCE = { authorLogin: null, viaApp: false, thread: null, reviewState: null } as const;

function readVoteSource({ pull }: PullSnapshot, { surface, commentId }: VoteLocation): VoteSource | null {
  if (surface === 'review') {
    const review = pull.reviews.get(commentId);
    if (review === undefined) return null;
    const { authorId, body, state, submittedAt: createdAt } = review;
    return { ...PLAIN_SOURCE, authorId, body, createdAt, reviewState: VOTE_REVIEW_STATES[state] };
  }
  if (surface === 'thread') {
    const comment = pull.reviewComments.get(commentId);
    if (comment === undefined) return null;
    const { id, authorId, body, createdAt, inReplyToId, reviewId } = comment;
    return { ...PLAIN_SOURCE, authorId, body, createdAt, thread: { rootId: inReplyToId ?? id, reviewId } };
  }
  const comment = pull.comments.get(commentId);
  if (comment === undefined) return null;
  const { authorId, body, createdAt, viaAppId } = comment;
  return { ...PLAIN_SOURCE, authorId, body, createdAt, viaApp: viaAppId !== null };
}

/** All comments and reviews of a pull request, as places of votes. */
export function listVoteLocations({ pull }: PullSnapshot): readonly VoteLocation[] {
  return [
    ...[...pull.comments.keys()].map((commentId) => ({ surface: 'conversation', commentId }) as const),
    ...[...pull.reviewComments.keys()].map((commentId) => ({ surface: 'thread', commentId }) as const),
    ...[...pull.reviews.keys()].map((commentId) => ({ surface: 'review', commentId }) as const),
  ];
}
