import { type VoteLocation, type VoteSource, type VoteSources, voteSourceKey } from '../../core/state/vote.ts';
import { createDoubts } from '../../core/step/doubts.ts';
import { GitHubError } from '../../core/step/ports.ts';
import { bornAt } from './requests/client.ts';
import { type PullConnection, pullParams, repositoryParams } from './requests/connection.ts';
import { nullIfGone } from './requests/errors.ts';

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
