import { hash } from 'node:crypto';
import type { PostedComment } from '../../core/state/posted-comment.ts';
import { type VoteLocation, type VoteSource, type VoteSources, voteSourceKey } from '../../core/state/vote.ts';
import type { SubmittedReviewComment } from '../../core/step/facts.ts';
import { type CommentText, GitHubError } from '../../core/step/ports.ts';
import { PAGES, type PullConnection, pullParams, repositoryParams } from './requests/connection.ts';
import { nullIfNotFound } from './requests/errors.ts';

/** The fields of REST's comments that are read. Only comments in threads have a path. */
export type RestComment = {
  readonly id: number;
  readonly node_id: string;
  readonly html_url: string;
  /** Null for a deleted account. */
  readonly user: { readonly id: number } | null;
  readonly body?: string;
  readonly created_at: string;
  readonly updated_at: string;
  readonly in_reply_to_id?: number;
  readonly path?: string;
  readonly subject_type?: string;
};

/** Which comments are listed: those that changed at or after a time (ISO 8601, GitHub's clock), or until enough are. */
type Wanted = {
  readonly since?: string | null;
  readonly isEnough?: (comments: readonly RestComment[]) => boolean;
};

/** The comments in all threads of the pull request, oldest first. */
export function listInThreads({ ref, read }: PullConnection, wanted: Wanted = {}): Promise<readonly RestComment[]> {
  const params = { ...pullParams(ref), ...PAGES, ...sinceOf(wanted) };
  return read.paginate(read.rest.pulls.listReviewComments, params, untilEnough(wanted));
}

/** The comments in the conversation of the pull request, oldest first. */
export function listInConversation({ ref, read }: PullConnection, wanted: Wanted): Promise<readonly RestComment[]> {
  const params = { ...repositoryParams(ref), issue_number: ref.number, ...PAGES, ...sinceOf(wanted) };
  return read.paginate(read.rest.issues.listComments, params, untilEnough(wanted));
}

function sinceOf({ since = null }: Wanted): { readonly since?: string } {
  return since === null ? {} : { since };
}

function untilEnough({ isEnough }: Wanted) {
  const listed: RestComment[] = [];
  return ({ data }: { readonly data: RestComment[] }, done: () => void): RestComment[] => {
    listed.push(...data);
    if (isEnough?.(listed) === true) done();
    return data;
  };
}

/** The current comments of a review of any account; null if the pull request has no such review. */
export async function listReviewComments(
  connection: PullConnection,
  reviewId: number,
): Promise<readonly SubmittedReviewComment[] | null> {
  const comments = await nullIfNotFound(listCommentsOfReview(connection, reviewId));
  if (comments !== null)
    return comments.map(({ id, in_reply_to_id: rootId = id, body, updated_at: updatedAt }) => ({
      rootId,
      body,
      updatedAt,
    }));
  // Without access to the pull request, every review looks missing.
  await connection.read.rest.pulls.get(pullParams(connection.ref));
  return null;
}

export function listCommentsOfReview(
  { ref, read }: PullConnection,
  reviewId: number,
): Promise<readonly (RestComment & { readonly path: string; readonly body: string })[]> {
  return read.paginate(read.rest.pulls.listCommentsForReview, { ...pullParams(ref), review_id: reviewId, ...PAGES });
}

type PostedRestComment = Pick<RestComment, 'id' | 'node_id' | 'created_at' | 'html_url'>;

/** A comment by the App; `body` is the text that the App sent. */
export function toPostedComment(
  kind: PostedComment['kind'],
  { id, node_id: nodeId, created_at: createdAt, html_url: url }: PostedRestComment,
  body: string,
): PostedComment {
  return { kind, id, nodeId, createdAt, bodyHash: hashBody(body), url };
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

/** The comments and reviews of these votes, each fetched by its id. Null for what GitHub does not have. */
export async function fetchVoteSources(
  connection: PullConnection,
  locations: readonly VoteLocation[],
): Promise<VoteSources> {
  const sources = new Map<string, VoteSource | null>();
  for (const location of locations) {
    const key = voteSourceKey(location);
    if (!sources.has(key)) sources.set(key, await nullIfNotFound(fetchVoteSource(connection, location)));
  }
  return Object.fromEntries(sources);
}

/** Null if the comment is on another pull request: GitHub serves it by its id under each one of the repository. */
async function fetchVoteSource(
  { ref, read }: PullConnection,
  { surface, commentId }: VoteLocation,
): Promise<VoteSource | null> {
  switch (surface) {
    case 'conversation': {
      const { data } = await read.rest.issues.getComment({ ...repositoryParams(ref), comment_id: commentId });
      const source = toVoteSource(data, commentId);
      return data.issue_url.endsWith(`/issues/${ref.number}`) ? source : null;
    }
    case 'thread': {
      const { data } = await read.rest.pulls.getReviewComment({ ...repositoryParams(ref), comment_id: commentId });
      const thread = { rootId: data.in_reply_to_id ?? data.id, reviewId: data.pull_request_review_id ?? null };
      const source = { ...toVoteSource(data, commentId), thread };
      return data.pull_request_url.endsWith(`/pulls/${ref.number}`) ? source : null;
    }
    case 'review': {
      const { data } = await read.rest.pulls.getReview({ ...pullParams(ref), review_id: commentId });
      const reviewState = REVIEW_STATES.get(data.state) ?? 'commented';
      return { ...toVoteSource(data, commentId), createdAt: data.submitted_at ?? null, reviewState };
    }
  }
}

const REVIEW_STATES: ReadonlyMap<string, NonNullable<VoteSource['reviewState']>> = new Map([
  ['APPROVED', 'approved'],
  ['CHANGES_REQUESTED', 'changes_requested'],
  ['DISMISSED', 'dismissed'],
]);

type RestVoteComment = {
  readonly id: number;
  readonly body?: string;
  readonly created_at?: string;
  readonly user: { readonly id: number; readonly login: string } | null;
  readonly performed_via_github_app?: unknown;
};

function toVoteSource(comment: RestVoteComment, id: number): VoteSource {
  // Anything else in its place says nothing about the vote.
  if (comment.id !== id) throw new GitHubError('GitHub returned a comment in an unknown form', null, null);
  const { user, body = '', created_at: createdAt = null } = comment;
  return {
    authorId: user?.id ?? null,
    authorLogin: user?.login ?? null,
    body,
    createdAt,
    viaApp: (comment.performed_via_github_app ?? null) !== null,
    thread: null,
    reviewState: null,
  };
}
