import { listCommitsBetween } from '../../fakes/github/git/ancestry.ts';
import { listAuditEntries } from '../../fakes/github/state/audit-log.ts';
import type {
  FakeIssueComment,
  FakePullRequest,
  FakeReview,
  FakeReviewComment,
  FakeReviewThread,
  GitHubState,
} from '../../fakes/github/state/github-state.ts';
import { listThreadComments } from '../../fakes/github/state/lookup.ts';
import type { Play } from './session.ts';

export type Thread = { readonly thread: FakeReviewThread; readonly comments: readonly FakeReviewComment[] };

/** What happened on the pull request, as its conversation shows it. */
export type TimelineEntry =
  | { readonly kind: 'comment'; readonly comment: FakeIssueComment }
  | { readonly kind: 'review'; readonly review: FakeReview; readonly threads: readonly Thread[] }
  | { readonly kind: 'commits'; readonly shas: readonly string[]; readonly actorId: number | null };

export function listThreads(pull: FakePullRequest): readonly Thread[] {
  return [...pull.threads.values()].map((thread) => ({ thread, comments: listThreadComments(pull, thread) }));
}

/** Lists what happened, in the order in which it happened. */
export function listTimeline(github: GitHubState, play: Play, pull: FakePullRequest): readonly TimelineEntry[] {
  const threads = listThreads(pull);
  const ref = `refs/heads/${play.branch}`;
  return listAuditEntries(github.auditLog).flatMap((entry): readonly TimelineEntry[] => {
    if (entry.repositoryId !== play.repositoryId) return [];
    if (entry.action === 'ref-updated' && entry.ref === ref && entry.before !== null && entry.after !== null)
      return [
        { kind: 'commits', shas: listCommitsBetween(github.store, entry.before, entry.after), actorId: entry.actorId },
      ];
    if (entry.number !== play.number || entry.id === null) return [];
    const comment = entry.action === 'comment-created' ? pull.comments.get(entry.id) : undefined;
    if (comment !== undefined) return [{ kind: 'comment', comment }];
    if (entry.action === 'review-created') return reviewEntry(pull.reviews.get(entry.id), threads);
    // GitHub puts a comment on a line into a review of its own.
    const onLine = entry.action === 'review-comment-created' ? pull.reviewComments.get(entry.id) : undefined;
    return reviewEntry(pull.reviews.get(onLine?.reviewId ?? 0), threads);
  });
}

/** A review that only replies in a thread shows nothing of its own. */
function reviewEntry(review: FakeReview | undefined, threads: readonly Thread[]): readonly TimelineEntry[] {
  if (review === undefined || review.state === 'PENDING') return [];
  const own = threads.filter(({ comments }) => comments[0]?.reviewId === review.id);
  const isEmpty = review.body === '' && own.length === 0 && review.state === 'COMMENTED';
  return isEmpty ? [] : [{ kind: 'review', review, threads: own }];
}
