import type { PostedComment } from '../run/proposal.ts';
import type { GitHub } from '../worker/ports.ts';
import { type Anchor, type Connection, cacheKey, repositoryOf } from './connection.ts';
import { hashOf, postedComment } from './posted-comment.ts';
import { refusalOf } from './refusal.ts';

/** A comment in the conversation. */
export async function createComment({ ref, write }: Connection, body: string): Promise<PostedComment> {
  const { data } = await write((client) =>
    client.request('POST /repos/{owner}/{repo}/issues/{issue_number}/comments', {
      ...repositoryOf(ref),
      issue_number: ref.number,
      body,
    }),
  );
  return postedComment('issue-comment', data, body);
}

/** A comment on a file as a whole; `ReviewRefused` where the file is not part of the diff. */
export async function createFileComment(
  connection: Connection,
  head: string,
  path: string,
  body: string,
): Promise<PostedComment> {
  const { ref, write, caches } = connection;
  try {
    const { data } = await write((client) =>
      client.request('POST /repos/{owner}/{repo}/pulls/{pull_number}/comments', {
        ...repositoryOf(ref),
        pull_number: ref.number,
        commit_id: head,
        path,
        body,
        subject_type: 'file',
      }),
    );
    caches.anchors.set(cacheKey(ref, Number(data.id)), { path, commit: head });
    return postedComment('file-comment', data, body);
  } catch (error) {
    throw await refusalOf(connection, error);
  }
}

/**
 * A reply in the thread whose first comment is `rootId`. The endpoint for replies is not open to Apps, and this one
 * asks for the thread's path and commit too; they are remembered from when we posted, or asked for.
 */
export async function createReply(connection: Connection, rootId: number, body: string): Promise<PostedComment> {
  const { ref, write } = connection;
  const { path, commit } = await anchorOf(connection, rootId);
  try {
    const { data } = await write((client) =>
      client.request('POST /repos/{owner}/{repo}/pulls/{pull_number}/comments', {
        ...repositoryOf(ref),
        pull_number: ref.number,
        in_reply_to: rootId,
        commit_id: commit,
        path,
        body,
      }),
    );
    return postedComment('review-comment', data, body);
  } catch (error) {
    throw await refusalOf(connection, error);
  }
}

/** Replaces the whole body. */
export async function updateComment(
  { ref, write }: Connection,
  comment: PostedComment,
  body: string,
): ReturnType<GitHub['updateComment']> {
  const target = { ...repositoryOf(ref), comment_id: comment.id, body };
  const { data } = await write(async (client) =>
    comment.kind === 'issue-comment'
      ? client.request('PATCH /repos/{owner}/{repo}/issues/comments/{comment_id}', target)
      : client.request('PATCH /repos/{owner}/{repo}/pulls/comments/{comment_id}', target),
  );
  return { bodyHash: hashOf(body), at: data.updated_at };
}

async function anchorOf({ ref, read, caches }: Connection, commentId: number): Promise<Anchor> {
  const key = cacheKey(ref, commentId);
  const cached = caches.anchors.get(key);
  if (cached !== undefined) return cached;
  const { data } = await read((client) =>
    client.request('GET /repos/{owner}/{repo}/pulls/comments/{comment_id}', {
      ...repositoryOf(ref),
      comment_id: commentId,
    }),
  );
  const anchor = { path: data.path, commit: data.commit_id };
  caches.anchors.set(key, anchor);
  return anchor;
}
