import { reactionPayload } from '../payloads/reaction-payload.ts';
import { reviewCommentPayload } from '../payloads/review-payload.ts';
import { pullOfReviewComment } from '../world/lookup.ts';
import type { PullRequest } from '../world/state.ts';
import type { ReviewComment } from '../world/talk.ts';
import { type Answer, invalidField, listed, notFound, shown, written } from './answer.ts';
import { numberField, numberParam, type RepositoryCall, textField } from './call.ts';
import { isVisible, publishedComments } from './find.ts';
import type { GitHubState } from './github-state.ts';
import { needs } from './permission-need.ts';
import { withPull } from './pull-routes.ts';
import { reactionContent } from './reaction-content.ts';
import { readPlace } from './review-routes.ts';
import { type Route, repositoryRoute } from './route.ts';
import { touchedSince } from './touched-since.ts';

const LIST = '/pulls/{pull_number}/comments';
const ONE = '/pulls/comments/{comment_id}';
const READ = needs('pull_requests', 'read');
const WRITE = needs('pull_requests', 'write');

/** Comments in review threads. */
export const REVIEW_COMMENT_ROUTES: readonly Route[] = [
  repositoryRoute(`GET ${LIST}`, READ, withPull(listComments)),
  repositoryRoute(`POST ${LIST}`, WRITE, withPull(createComment)),
  repositoryRoute(
    `GET ${ONE}`,
    READ,
    withComment((call, pull, comment) => shown(call.state, show(call, call.state, pull, comment))),
  ),
  repositoryRoute(`PATCH ${ONE}`, WRITE, withComment(editComment)),
  repositoryRoute(`DELETE ${ONE}`, WRITE, withComment(deleteComment)),
  repositoryRoute(`GET ${ONE}/reactions`, READ, withComment(listReactions)),
  repositoryRoute(`POST ${ONE}/reactions`, WRITE, withComment(react)),
];

type CommentHandler = (call: RepositoryCall, pull: PullRequest, comment: ReviewComment) => Answer;

function withComment(handle: CommentHandler): (call: RepositoryCall) => Answer {
  return (call) => {
    const id = numberParam(call, 'comment_id');
    const pull = pullOfReviewComment(call.repository, id);
    const comment = pull?.reviewComments.get(id);
    if (pull === undefined || comment === undefined) return notFound(call.state);
    const seen = isVisible(pull.reviews.get(comment.reviewId), call.actor.accountId);
    return seen ? handle(call, pull, comment) : notFound(call.state);
  };
}

/** The comment as the state after a write has it: its thread may be new. */
function show(call: RepositoryCall, state: GitHubState, pull: PullRequest, comment: ReviewComment): unknown {
  const repository = state.world.repositories.get(call.repository.id) ?? call.repository;
  return reviewCommentPayload(state.world, repository, repository.pulls.get(pull.number) ?? pull, comment);
}

function listComments(call: RepositoryCall, pull: PullRequest): Answer {
  return listed(
    call.state,
    touchedSince(call, publishedComments(pull)).map((comment) => show(call, call.state, pull, comment)),
  );
}

function createComment(call: RepositoryCall, pull: PullRequest): Answer {
  const body = textField(call, 'body');
  if (body === undefined) return invalidField(call.state, 'PullRequestReviewComment', 'body', 'missing_field');
  const onPull = { actor: call.actor, repositoryId: call.repository.id, number: pull.number, body };
  const inReplyTo = numberField(call, 'in_reply_to');
  const { operations, state, now } = call;
  if (inReplyTo !== undefined) {
    const reply = operations.replyToReviewComment(state.world, { ...onPull, inReplyTo }, now);
    return written(state, reply, 201, (after, comment) => show(call, after, pull, comment));
  }
  const commitSha = textField(call, 'commit_id');
  if (commitSha === undefined) return invalidField(state, 'PullRequestReviewComment', 'commit_id', 'missing_field');
  const subjectType = call.body['subject_type'] === 'file' ? 'file' : 'line';
  const input = { ...onPull, ...readPlace(call.body), commitSha, subjectType } as const;
  const outcome = operations.createReviewComment(state.world, input, now);
  return written(state, outcome, 201, (after, comment) => show(call, after, pull, comment));
}

function onComment(call: RepositoryCall, comment: ReviewComment) {
  return { actor: call.actor, repositoryId: call.repository.id, commentId: comment.id };
}

function editComment(call: RepositoryCall, pull: PullRequest, comment: ReviewComment): Answer {
  const body = textField(call, 'body');
  if (body === undefined) return invalidField(call.state, 'PullRequestReviewComment', 'body', 'missing_field');
  const outcome = call.operations.editReviewComment(call.state.world, { ...onComment(call, comment), body }, call.now);
  return written(call.state, outcome, 200, (after, edited) => show(call, after, pull, edited));
}

function deleteComment(call: RepositoryCall, _pull: PullRequest, comment: ReviewComment): Answer {
  const outcome = call.operations.deleteReviewComment(call.state.world, onComment(call, comment), call.now);
  return written(call.state, outcome, 204, () => undefined);
}

function listReactions(call: RepositoryCall, _pull: PullRequest, comment: ReviewComment): Answer {
  return listed(
    call.state,
    comment.reactions.map((reaction) => reactionPayload(call.state.world, reaction)),
  );
}

function react(call: RepositoryCall, _pull: PullRequest, comment: ReviewComment): Answer {
  const content = reactionContent(call.body['content']);
  if (content === undefined) return invalidField(call.state, 'Reaction', 'content', 'invalid');
  const input = { ...onComment(call, comment), content };
  const outcome = call.operations.reactToReviewComment(call.state.world, input, call.now);
  const status = comment.reactions.some((known) => outcome.ok && known.id === outcome.value.id) ? 200 : 201;
  return written(call.state, outcome, status, (after, reaction) => reactionPayload(after.world, reaction));
}
