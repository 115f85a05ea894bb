import type { CommentThread } from '../../core/state/posted-comment.ts';
import { type VoteLocation, type VoteSource, type VoteSources, voteSourceKey } from '../../core/state/vote-source.ts';
import { GitHubError } from '../../core/step/ports.ts';
import { type PullConnection, pullParams, repositoryParams } from './requests/connection.ts';
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

/** The comments and reviews of these votes, each fetched by its id. Null for what GitHub does not have. */
export async function fetchVoteSources(
  connection: PullConnection,
  locations: readonly VoteLocation[],
): Promise<VoteSources> {
  const sources = new Map<string, VoteSource | null>();
  for (const location of locations) {
    const key = voteSourceKey(location);
    if (!sources.has(key)) sources.set(key, await fetchVoteSource(connection, location));
  }
  return Object.fromEntries(sources);
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
