import type { PullRequest, Repository, World } from '../world/state.ts';
import type { Anchor, Review, ReviewComment, Thread } from '../world/talk.ts';
import { simpleUser } from './account-payload.ts';
import { authorAssociation } from './author-association.ts';
import type { Json } from './json.ts';
import { pullPage } from './pull-payload.ts';
import { reactionRollup } from './reaction-payload.ts';
import { apiUrl } from './urls.ts';

/** A review as REST shows it, state in capitals. While pending it has no `submitted_at`. */
export function reviewPayload(world: World, repository: Repository, pull: PullRequest, review: Review): Json {
  const page = `${pullPage(world, repository, pull)}#pullrequestreview-${review.id}`;
  const url = `${apiUrl(world, repository)}/pulls/${pull.number}`;
  return {
    id: review.id,
    node_id: review.nodeId,
    user: simpleUser(world, review.authorId),
    body: review.body,
    state: review.state,
    html_url: page,
    pull_request_url: url,
    author_association: authorAssociation(world, repository, review.authorId),
    _links: { html: { href: page }, pull_request: { href: url } },
    ...(review.submittedAt === null ? {} : { submitted_at: review.submittedAt }),
    commit_id: review.commitSha,
  };
}

/** A review as webhooks show it: state in small letters, an empty body as null. */
export function reviewInEvent(world: World, repository: Repository, pull: PullRequest, review: Review): Json {
  return {
    ...reviewPayload(world, repository, pull, review),
    state: review.state.toLowerCase(),
    body: review.body === '' ? null : review.body,
    submitted_at: review.submittedAt,
    updated_at: review.updatedAt,
  };
}

/** A comment of a review thread, as REST and webhooks show it. */
export function reviewCommentPayload(
  world: World,
  repository: Repository,
  pull: PullRequest,
  comment: ReviewComment,
): Json {
  const url = `${apiUrl(world, repository)}/pulls/comments/${comment.id}`;
  const page = `${pullPage(world, repository, pull)}#discussion_r${comment.id}`;
  const pullUrl = `${apiUrl(world, repository)}/pulls/${pull.number}`;
  return {
    url,
    pull_request_review_id: comment.reviewId,
    id: comment.id,
    node_id: comment.nodeId,
    user: simpleUser(world, comment.authorId),
    body: comment.body,
    created_at: comment.createdAt,
    updated_at: comment.updatedAt,
    html_url: page,
    pull_request_url: pullUrl,
    author_association: authorAssociation(world, repository, comment.authorId),
    _links: { self: { href: url }, html: { href: page }, pull_request: { href: pullUrl } },
    ...placeFields(pull.threads.get(comment.threadId)),
    reactions: reactionRollup(`${url}/reactions`, comment.reactions),
    ...(comment.inReplyToId === null ? {} : { in_reply_to_id: comment.inReplyToId }),
  };
}

function placeFields(thread: Thread | undefined): Json {
  if (thread === undefined) return {};
  const common = {
    path: thread.path,
    commit_id: thread.commitSha,
    original_commit_id: thread.originalCommitSha,
    diff_hunk: thread.diffHunk,
  };
  return thread.place.kind === 'file'
    ? { ...common, ...FILE_LINES, subject_type: 'file' }
    : { ...common, ...lineFields(thread.place.original, thread.place.current), subject_type: 'line' };
}

function lineFields(original: Anchor, current: Anchor | null): Json {
  return {
    side: original.side,
    start_side: original.startSide,
    line: current?.line ?? null,
    start_line: current?.startLine ?? null,
    position: current?.position ?? null,
    original_line: original.line,
    original_start_line: original.startLine,
    original_position: original.position,
  };
}

/** A comment on a whole file counts as on its first line, as GitHub answers. */
const FILE_LINES = {
  side: 'RIGHT',
  start_side: null,
  line: 1,
  start_line: null,
  position: 1,
  original_line: 1,
  original_start_line: null,
  original_position: 1,
} as const;
