import { issueCommentPayload } from '../payloads/issue-payload.ts';
import { reactionPayload } from '../payloads/reaction-payload.ts';
import { conversationOf, conversationOfComment } from '../world/lookup.ts';
import type { Issue } from '../world/state.ts';
import type { IssueComment } from '../world/talk.ts';
import { type Answer, invalidField, listed, notFound, shown, written } from './answer.ts';
import { numberParam, type RepositoryCall, textField } from './call.ts';
import type { GitHubState } from './github-state.ts';
import { needsConversation } from './permission-need.ts';
import { reactionContent } from './reaction-content.ts';
import { type Route, repositoryRoute } from './route.ts';
import { touchedSince } from './touched-since.ts';

const LIST = '/issues/{issue_number}/comments';
const ONE = '/issues/comments/{comment_id}';
const READ = needsConversation('read');
const WRITE = needsConversation('write');

/** Comments of the conversation. */
export const ISSUE_COMMENT_ROUTES: readonly Route[] = [
  repositoryRoute(`GET ${LIST}`, READ, listComments),
  repositoryRoute(`POST ${LIST}`, WRITE, createComment),
  repositoryRoute(
    `GET ${ONE}`,
    READ,
    withComment((call, comment, issue) => shown(call.state, show(call, call.state, issue, comment))),
  ),
  repositoryRoute(`PATCH ${ONE}`, WRITE, withComment(editComment)),
  repositoryRoute(`DELETE ${ONE}`, WRITE, withComment(deleteComment)),
  repositoryRoute(`GET ${ONE}/reactions`, READ, withComment(listReactions)),
  repositoryRoute(`POST ${ONE}/reactions`, WRITE, withComment(react)),
];

type CommentHandler = (call: RepositoryCall, comment: IssueComment, issue: Issue) => Answer;

function withComment(handle: CommentHandler): (call: RepositoryCall) => Answer {
  return (call) => {
    const id = numberParam(call, 'comment_id');
    const issue = conversationOfComment(call.repository, id);
    const comment = issue?.comments.get(id);
    return issue === undefined || comment === undefined ? notFound(call.state) : handle(call, comment, issue);
  };
}

function show(call: RepositoryCall, state: GitHubState, issue: Issue, comment: IssueComment): unknown {
  return issueCommentPayload(state.world, call.repository, issue, comment);
}

function listComments(call: RepositoryCall): Answer {
  const issue = conversationOf(call.repository, numberParam(call, 'issue_number'));
  if (issue === undefined) return notFound(call.state);
  return listed(
    call.state,
    touchedSince(call, issue.comments.values()).map((comment) => show(call, call.state, issue, comment)),
  );
}

function createComment(call: RepositoryCall): Answer {
  const issue = conversationOf(call.repository, numberParam(call, 'issue_number'));
  const body = textField(call, 'body');
  if (issue === undefined) return notFound(call.state);
  if (body === undefined) return invalidField(call.state, 'IssueComment', 'body', 'missing_field');
  const input = { actor: call.actor, repositoryId: call.repository.id, number: issue.number, body };
  const outcome = call.operations.createComment(call.state.world, input, call.now);
  return written(call.state, outcome, 201, (after, comment) => show(call, after, issue, comment));
}

function onComment(call: RepositoryCall, comment: IssueComment) {
  return { actor: call.actor, repositoryId: call.repository.id, commentId: comment.id };
}

function editComment(call: RepositoryCall, comment: IssueComment, issue: Issue): Answer {
  const body = textField(call, 'body');
  if (body === undefined) return invalidField(call.state, 'IssueComment', 'body', 'missing_field');
  const outcome = call.operations.editComment(call.state.world, { ...onComment(call, comment), body }, call.now);
  return written(call.state, outcome, 200, (after, edited) => show(call, after, issue, edited));
}

function deleteComment(call: RepositoryCall, comment: IssueComment): Answer {
  const outcome = call.operations.deleteComment(call.state.world, onComment(call, comment), call.now);
  return written(call.state, outcome, 204, () => undefined);
}

function listReactions(call: RepositoryCall, comment: IssueComment): Answer {
  return listed(
    call.state,
    comment.reactions.map((reaction) => reactionPayload(call.state.world, reaction)),
  );
}

function react(call: RepositoryCall, comment: IssueComment): Answer {
  const content = reactionContent(call.body['content']);
  if (content === undefined) return invalidField(call.state, 'Reaction', 'content', 'invalid');
  const input = { ...onComment(call, comment), content };
  const outcome = call.operations.reactToComment(call.state.world, input, call.now);
  const status = comment.reactions.some((known) => outcome.ok && known.id === outcome.value.id) ? 200 : 201;
  return written(call.state, outcome, status, (after, reaction) => reactionPayload(after.world, reaction));
}
