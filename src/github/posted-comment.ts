import { hash } from 'node:crypto';
import type { PostedComment } from '../run/proposal.ts';

/** What REST says of any comment, as far as we keep it. */
export type RestComment = {
  readonly id: number | bigint;
  readonly node_id: string;
  readonly created_at: string;
  readonly html_url: string;
};

/** A comment of ours as it is kept; `body` as we sent it. */
export function postedComment(kind: PostedComment['kind'], comment: RestComment, body: string): PostedComment {
  return {
    kind,
    id: Number(comment.id),
    nodeId: comment.node_id,
    createdAt: comment.created_at,
    bodyHash: hashOf(body),
    url: comment.html_url,
  };
}

/** SHA-256 in hex of a body, without what GitHub does to it on its way. */
export function hashOf(body: string): string {
  return hash('sha256', plainBody(body), 'hex');
}

/** Where our markers stand. Browsers and GitHub may turn a body's line ends into CRLF. */
export function firstLine(body: string): string {
  return body.split(/\r?\n/, 1)[0] ?? '';
}

/** A body without what GitHub does to one on its way: line ends, and blanks at both ends. */
export function plainBody(body: string): string {
  return body.replaceAll('\r\n', '\n').trim();
}
