import type { ListedComment } from '../command/read-listed.ts';
import type { Connection } from './connection.ts';
import { listIssueComments, listReviewComments } from './own-comments.ts';

/** Comments that anybody began to write at or after this time (ISO 8601, by GitHub's clock), oldest first. */
export async function saidSince(connection: Connection, since: string): Promise<readonly ListedComment[]> {
  // GitHub keeps whole seconds, and lists by the time of the last change.
  const from = `${new Date(since).toISOString().slice(0, 19)}Z`;
  const inConversation = await listIssueComments(connection, from, () => false);
  const inThreads = await listReviewComments(connection, from, () => false);
  const all = [
    ...inConversation.map((comment) => ({ event: 'issue_comment' as const, comment })),
    ...inThreads.map((comment) => ({ event: 'pull_request_review_comment' as const, comment })),
  ];
  const told = all.filter(({ comment }) => Date.parse(comment.created_at) >= Date.parse(from));
  return told.toSorted((left, right) => Date.parse(left.comment.created_at) - Date.parse(right.comment.created_at));
}
