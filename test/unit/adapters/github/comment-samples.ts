import type { PostedComment } from '../../../../src/core/state/posted-comment.ts';
import { BOT_ID, HEAD } from './http-mock.ts';

export const COMMENT_TIME = '2026-11-21T12:00:00Z';

/** A comment by the App as GitHub's REST API returns it. */
export function restComment(id: number, body: string, path = 'a.ts') {
  const rest = { node_id: `N${id}`, created_at: COMMENT_TIME, html_url: `https://x/${id}`, commit_id: HEAD };
  return { id, body, path, user: { id: BOT_ID }, subject_type: 'line', ...rest };
}

export function postedComment(id: number, kind: PostedComment['kind'] = 'review-comment'): PostedComment {
  return { kind, id, nodeId: `N${id}`, createdAt: COMMENT_TIME, bodyHash: 'x', url: '' };
}
