import type { ListedComment } from '../../command/read-listed.ts';
import { simpleUser } from '../../simulator/payloads/account-payload.ts';
import type { World } from '../../simulator/world/state.ts';
import type { IssueComment, ReviewComment } from '../../simulator/world/talk.ts';
import type { Standing } from './reading.ts';

/** What GitHub lists of everybody's comments, as far as it is read. */
export function saidSince({ world, pull }: Standing, since: string): readonly ListedComment[] {
  const from = `${new Date(since).toISOString().slice(0, 19)}Z`;
  const inConversation = [...pull.comments.values()].map((comment) => ({
    event: 'issue_comment' as const,
    comment: { ...listed(world, comment), performed_via_github_app: comment.viaAppId === null ? null : {} },
  }));
  const inThreads = [...pull.reviewComments.values()]
    .filter(({ reviewId }) => pull.reviews.get(reviewId)?.state !== 'PENDING')
    .map((comment) => ({
      event: 'pull_request_review_comment' as const,
      comment: {
        ...listed(world, comment),
        in_reply_to_id: comment.inReplyToId ?? undefined,
        pull_request_review_id: comment.reviewId,
        path: '',
      },
    }));
  return [...inConversation, ...inThreads]
    .filter(({ comment }) => comment.created_at >= from)
    .toSorted((left, right) => (left.comment.created_at < right.comment.created_at ? -1 : 1));
}

function listed(world: World, { id, authorId, body, createdAt, updatedAt }: IssueComment | ReviewComment) {
  return { id, user: simpleUser(world, authorId), body, created_at: createdAt, updated_at: updatedAt };
}
