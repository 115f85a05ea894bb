import { hash } from 'node:crypto';
import type { PostedComment } from '../../core/state/posted-comment.ts';
import type { CommentText } from '../../core/step/ports.ts';

/** The fields of a REST comment that a `PostedComment` needs. */
export type RestComment = {
  readonly id: number | bigint;
  readonly node_id: string;
  readonly created_at: string;
  readonly html_url: string;
};

/** A comment by the App; `body` is the text that the App sent. */
export function toPostedComment(kind: PostedComment['kind'], comment: RestComment, body: string): PostedComment {
  return {
    kind,
    id: Number(comment.id),
    nodeId: comment.node_id,
    createdAt: comment.created_at,
    bodyHash: hashBody(body),
    url: comment.html_url,
  };
}

export function toCommentText(body: string): CommentText {
  return { body: normalizeBody(body), bodyHash: hashBody(body) };
}

/** SHA-256 of the normalized body, in hex. */
export function hashBody(body: string): string {
  return hash('sha256', normalizeBody(body), 'hex');
}

/** Reverts GitHub's changes to a body: line endings, and whitespace at both ends. */
export function normalizeBody(body: string): string {
  return body.replaceAll('\r\n', '\n').trim();
}

/** The first line, which contains the App's marker. Line endings can be CRLF. */
export function firstLineOf(body: string): string {
  return body.split(/\r?\n/, 1)[0] ?? '';
}
