import type { CommentThread } from '../../core/state/posted-comment.ts';
import { type VoteLocation, type VoteSource, type VoteSources, voteSourceKey } from '../../core/state/vote-source.ts';
import { type GitHub, GitHubError } from '../../core/step/ports.ts';
import { allItems, PAGES, type PullConnection, pullParams, repositoryParams } from './requests/connection.ts';
import { isNotFound } from './requests/errors.ts';

/** A comment as REST returns it, with the URL of its issue or of its pull request. */
type RestVoteComment = {
  readonly id: number | bigint;
  readonly body?: string;
  readonly created_at?: string;
  readonly user: { readonly id: number | bigint; readonly login?: string } | null;
  readonly performed_via_github_app?: unknown;
  readonly in_reply_to_id?: number | bigint;
  readonly pull_request_review_id?: number | bigint | null;
  readonly issue_url?: string;
  readonly pull_request_url?: string;
};

/**
 * The comments and reviews of these votes, each by its id: one request for one, and a list for several of one kind. A
 * comment that the list lacks is still asked for by its id, so only GitHub's 404 makes it count as deleted.
 */
export async function fetchVoteSources(
  connection: PullConnection,
  ...[locations, since]: Parameters<GitHub['fetchVoteSources']>
): Promise<VoteSources> {
  const sources = new Map<string, VoteSource | null>();
  for (const surface of ['conversation', 'thread'] as const) {
    const wanted = new Set(locations.filter((one) => one.surface === surface).map(({ commentId }) => commentId));
    if (wanted.size < 2) continue;
    for (const comment of await LIST_COMMENTS[surface](connection, since, wanted)) {
      const commentId = Number(comment.id);
      if (wanted.has(commentId)) sources.set(voteSourceKey({ surface, commentId }), toVoteSource(comment, surface));
    }
  }
  for (const location of locations) {
    const key = voteSourceKey(location);
    if (!sources.has(key)) sources.set(key, await fetchVoteSource(connection, location));
  }
  return Object.fromEntries(sources);
}

/** Lists comments that changed at or after `since`, until all of the wanted ones are found. */
type ListVoteComments = (
  connection: PullConnection,
  since: string | null,
  wanted: ReadonlySet<number>,
) => Promise<readonly RestVoteComment[]>;

const LIST_COMMENTS: Readonly<Record<'conversation' | 'thread', ListVoteComments>> = {
  conversation: ({ ref, read }, since, wanted) =>
    read((client) =>
      client.paginate(
        client.rest.issues.listComments,
        { ...repositoryParams(ref), issue_number: ref.number, ...PAGES, ...sinceParam(since) },
        allItems<RestVoteComment>(hasAll(wanted)),
      ),
    ),
  thread: ({ ref, read }, since, wanted) =>
    read((client) =>
      client.paginate(
        client.rest.pulls.listReviewComments,
        { ...pullParams(ref), ...PAGES, ...sinceParam(since) },
        allItems<RestVoteComment>(hasAll(wanted)),
      ),
    ),
};

function sinceParam(since: string | null): { readonly since?: string } {
  return since === null ? {} : { since };
}

function hasAll(wanted: ReadonlySet<number>): (comments: readonly RestVoteComment[]) => boolean {
  return (comments) => comments.filter(({ id }) => wanted.has(Number(id))).length >= wanted.size;
}

/** Null if GitHub has no such comment or review on this pull request. */
async function fetchVoteSource(connection: PullConnection, location: VoteLocation): Promise<VoteSource | null> {
  try {
    return await FETCH_SOURCE[location.surface](connection, location.commentId);
  } catch (error) {
    if (isNotFound(error)) return null;
    throw error;
  }
}

const FETCH_SOURCE: Readonly<
  Record<VoteLocation['surface'], (connection: PullConnection, id: number) => Promise<VoteSource | null>>
> = {
  conversation: async ({ ref, read }, comment_id) => {
    const { data } = await read((client) => client.rest.issues.getComment({ ...repositoryParams(ref), comment_id }));
    requireId(data, comment_id);
    return isUnder(data.issue_url, `/issues/${ref.number}`) ? toVoteSource(data, 'conversation') : null;
  },
  thread: async ({ ref, read }, comment_id) => {
    const { data } = await read((client) =>
      client.rest.pulls.getReviewComment({ ...repositoryParams(ref), comment_id }),
    );
    requireId(data, comment_id);
    return isUnder(data.pull_request_url, `/pulls/${ref.number}`) ? toVoteSource(data, 'thread') : null;
  },
  review: async ({ ref, read }, review_id) => {
    const { data } = await read((client) => client.rest.pulls.getReview({ ...pullParams(ref), review_id }));
    requireId(data, review_id);
    const reviewState = REVIEW_STATES.get(data.state) ?? 'commented';
    return { ...toVoteSource(data, 'review'), createdAt: data.submitted_at ?? null, reviewState };
  },
};

/** Anything else in its place says nothing about the vote. */
function requireId(data: { readonly id: number | bigint }, id: number): void {
  if (Number(data.id) !== id) throw new GitHubError('GitHub returned a comment in an unknown form', null, null);
}

/** GitHub serves a comment by its id under every pull request of the repository. */
function isUnder(url: string | undefined, path: string): boolean {
  return url?.endsWith(path) === true;
}

const REVIEW_STATES: ReadonlyMap<string, NonNullable<VoteSource['reviewState']>> = new Map([
  ['APPROVED', 'approved'],
  ['CHANGES_REQUESTED', 'changes_requested'],
  ['DISMISSED', 'dismissed'],
]);

function toVoteSource(comment: RestVoteComment, surface: VoteLocation['surface']): VoteSource {
  const { user, body, created_at: createdAt = null } = comment;
  return {
    authorId: user === null ? null : Number(user.id),
    authorLogin: user?.login ?? null,
    body: body ?? '',
    createdAt,
    viaApp: (comment.performed_via_github_app ?? null) !== null,
    thread: surface === 'thread' ? toThread(comment) : null,
    reviewState: null,
  };
}

function toThread({ id, in_reply_to_id: root, pull_request_review_id: review = null }: RestVoteComment): CommentThread {
  return { rootId: Number(root ?? id), reviewId: review === null ? null : Number(review) };
}
