import { hash } from 'node:crypto';
import { z } from 'zod';
import { commentKey, MAX_SERVER_SKEW_MS, type PostedComment } from '../../core/state/posted-comment.ts';
import { type VoteLocation, type VoteSource, type VoteSources, voteSourceKey } from '../../core/state/vote.ts';
import { createDoubts } from '../../core/step/doubts.ts';
import type { SubmittedReviewComment } from '../../core/step/facts.ts';
import { type CommentText, type FoundComment, GitHubError } from '../../core/step/ports.ts';
import { DEFAULT_ROOT, DefaultRoot, keepDefaultRoot } from './repository.ts';
import { bornAt } from './requests/client.ts';
import {
  askGraphql,
  PAGE_SIZES,
  PAGES,
  type PullConnection,
  pullParams,
  repositoryParams,
  visibleNodes,
  withSmallerPages,
} from './requests/connection.ts';
import { hasErrorType, nullIfGone } from './requests/errors.ts';

/** The fields of REST's comments that are read. Only comments in threads have a path. */
type RestComment = {
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
function listInThreads({ ref, read }: PullConnection, wanted: Wanted = {}): Promise<readonly RestComment[]> {
  const params = { ...pullParams(ref), ...PAGES, ...sinceOf(wanted) };
  return read.paginate(read.rest.pulls.listReviewComments, params, untilEnough(wanted));
}

/** The comments in the conversation of the pull request, oldest first. */
function listInConversation({ ref, read }: PullConnection, wanted: Wanted): Promise<readonly RestComment[]> {
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

/** A pull request has comments in threads and in the conversation. */
const LISTS = [listInThreads, listInConversation];

/**
 * The App's own comments by marker (first line); the oldest if there are several. A pull request can have hundreds of
 * comments of earlier runs, so comments without a change since `since` are not listed.
 */
export async function findCommentsByMarker(
  connection: PullConnection,
  markers: readonly string[],
  since: string | null,
): Promise<ReadonlyMap<string, FoundComment>> {
  const wanted = new Set(markers);
  const found = new Map<string, FoundComment>();
  const botId = await connection.botId();
  const from = since === null ? null : new Date(Date.parse(since) - MAX_SERVER_SKEW_MS).toISOString();
  const collect = (comments: readonly RestComment[]): boolean => {
    for (const comment of comments) {
      const { body = '' } = comment;
      const marker = firstLineOf(body);
      if (comment.user?.id !== botId || !wanted.has(marker) || found.has(marker)) continue;
      found.set(marker, { ...toPostedComment(kindOf(comment), comment, body), body });
    }
    return found.size === wanted.size;
  };
  for (const list of LISTS) if (!collect([])) await list(connection, { since: from, isEnough: collect });
  return found;
}

function kindOf({ path, subject_type: subject }: RestComment): PostedComment['kind'] {
  if (path === undefined) return 'issue-comment';
  return subject === 'file' ? 'file-comment' : 'review-comment';
}

/** Whether the App has posted this body on the pull request at or after `since` (ISO 8601). */
export async function hasPosted(connection: PullConnection, body: string, since: string): Promise<boolean> {
  const botId = await connection.botId();
  // GitHub's timestamps have whole seconds, so a fraction would exclude comments of the same second.
  const from = `${new Date(since).toISOString().slice(0, 19)}Z`;
  const isSame = (comment: RestComment): boolean =>
    comment.user?.id === botId &&
    comment.created_at >= from &&
    normalizeBody(comment.body ?? '') === normalizeBody(body);
  for (const list of LISTS) {
    const comments = await list(connection, { since: from, isEnough: (listed) => listed.some(isSame) });
    if (comments.some(isSame)) return true;
  }
  return false;
}

/**
 * The current text by `commentKey`; null for a deleted comment. One request reads them all, with the root of the default
 * branch. A comment that it lacks is fetched alone, and so are all where GraphQL does not find one.
 */
export async function fetchCommentTexts(
  connection: PullConnection,
  comments: readonly PostedComment[],
): Promise<Readonly<Record<string, CommentText | null>>> {
  const bodies = await readBodies(connection, comments);
  const texts: Record<string, CommentText | null> = {};
  const doubts = createDoubts();
  for (const comment of comments) {
    const body = bodies.get(comment.nodeId) ?? (await doubts.ask(nullIfGone(fetchBody(connection, comment))));
    texts[commentKey(comment)] = body === null ? null : toCommentText(body);
  }
  doubts.settle();
  return texts;
}

/** By node id; none where GitHub does not find one of them. */
async function readBodies(
  connection: PullConnection,
  comments: readonly PostedComment[],
): Promise<ReadonlyMap<string, string>> {
  try {
    return await withSmallerPages(PAGE_SIZES, (size) => readBodiesInPages(connection, comments, size));
  } catch (error) {
    if (hasErrorType(error, 'NOT_FOUND')) return new Map();
    throw error;
  }
}

async function readBodiesInPages(
  connection: PullConnection,
  comments: readonly PostedComment[],
  size: number,
): Promise<ReadonlyMap<string, string>> {
  const bodies = new Map<string, string>();
  for (let at = 0; at < comments.length; at += size) {
    const variables = {
      ...repositoryParams(connection.ref),
      ids: comments.slice(at, at + size).map(({ nodeId }) => nodeId),
    };
    const readAt = connection.now();
    const { repository, nodes } = await askGraphql(connection.read, TEXTS_QUERY, variables, TextsPage);
    keepDefaultRoot(connection, repository, readAt);
    for (const { id, body } of nodes) if (body !== undefined) bodies.set(id, body);
  }
  return bodies;
}

const TEXTS_QUERY = `query commentTexts($owner: String!, $repo: String!, $ids: [ID!]!) {
  repository(owner: $owner, name: $repo) { ...defaultRoot }
  nodes(ids: $ids) { id ... on IssueComment { body } ... on PullRequestReviewComment { body } }
}
${DEFAULT_ROOT}`;

const TextsPage = z.object({
  repository: DefaultRoot,
  nodes: visibleNodes(z.object({ id: z.string(), body: z.string().optional() })),
});

async function fetchBody({ ref, read }: PullConnection, { kind, id, createdAt }: PostedComment): Promise<string> {
  const params = { ...repositoryParams(ref), comment_id: id, ...bornAt(createdAt) };
  if (kind === 'issue-comment') return (await read.rest.issues.getComment(params)).data.body ?? '';
  return (await read.rest.pulls.getReviewComment(params)).data.body;
}

/** The current comments of a review of any account; null if the pull request has no such review. */
export async function listReviewComments(
  connection: PullConnection,
  reviewId: number,
): Promise<readonly SubmittedReviewComment[] | null> {
  const { read, ref } = connection;
  const params = { ...pullParams(ref), review_id: reviewId, ...PAGES };
  const comments = await nullIfGone(read.paginate(read.rest.pulls.listCommentsForReview, params));
  if (comments !== null)
    return comments.map(({ id, in_reply_to_id: rootId = id, body, updated_at: updatedAt }) => ({
      rootId,
      body,
      updatedAt,
    }));
  // Without access to the pull request, every review looks missing.
  await read.rest.pulls.get(pullParams(ref));
  return null;
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
  const doubts = createDoubts();
  for (const location of locations) {
    const key = voteSourceKey(location);
    if (!sources.has(key)) sources.set(key, await doubts.ask(nullIfGone(fetchVoteSource(connection, location))));
  }
  doubts.settle();
  return Object.fromEntries(sources);
}

/** Null if the comment is on another pull request: GitHub serves it by its id under each one of the repository. */
async function fetchVoteSource(
  { ref, read }: PullConnection,
  { surface, commentId, writtenAt }: VoteLocation,
): Promise<VoteSource | null> {
  const byId = { ...repositoryParams(ref), comment_id: commentId, ...bornAt(writtenAt) };
  switch (surface) {
    case 'conversation': {
      const { data } = await read.rest.issues.getComment(byId);
      const source = toVoteSource(data, commentId);
      return data.issue_url.endsWith(`/issues/${ref.number}`) ? source : null;
    }
    case 'thread': {
      const { data } = await read.rest.pulls.getReviewComment(byId);
      const thread = { rootId: data.in_reply_to_id ?? data.id, reviewId: data.pull_request_review_id ?? null };
      const source = { ...toVoteSource(data, commentId), thread };
      return data.pull_request_url.endsWith(`/pulls/${ref.number}`) ? source : null;
    }
    case 'review': {
      const params = { ...pullParams(ref), review_id: commentId, ...bornAt(writtenAt) };
      const { data } = await read.rest.pulls.getReview(params);
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
