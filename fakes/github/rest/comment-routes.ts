import type { RequiredPermission } from '../http/auth.ts';
import {
  type ApiResponse,
  invalidFieldResponse,
  listResponse,
  notFoundResponse,
  okResponse,
  operationResponse,
} from '../http/http-messages.ts';
import type { ServerState } from '../http/server-state.ts';
import type { AddReactionInput, CommentTarget, EditCommentInput } from '../operations/inputs.ts';
import type { Operations } from '../operations/operations.ts';
import { reactionPayload } from '../payloads/issues.ts';
import type { FakeReaction } from '../state/github-state.ts';
import type { Operation } from '../state/operation.ts';
import {
  type ApiRoute,
  createRepositoryRoute,
  parseReactionContent,
  type RepositoryRouteContext,
  readNumberParam,
  readTextField,
} from './router.ts';

type ReactableComment = { readonly id: number; readonly reactions: readonly FakeReaction[] };

type CommentOperations<Comment> = {
  readonly edit: Operation<EditCommentInput, Comment>;
  readonly remove: Operation<CommentTarget, null>;
  readonly react: Operation<AddReactionInput, FakeReaction>;
};

/** The differences between issue comments and review comments. */
type CommentResource<Comment extends ReactableComment> = {
  /** The name in error responses. */
  readonly name: string;
  /** The path of one comment, with `{comment_id}`. */
  readonly path: string;
  readonly read: RequiredPermission;
  readonly write: RequiredPermission;
  /** Returns undefined for a comment that is missing or invisible to the caller. */
  readonly find: (context: RepositoryRouteContext, id: number) => Comment | undefined;
  /** Creates the payload from the state after the request. */
  readonly toPayload: (context: RepositoryRouteContext, state: ServerState, comment: Comment) => unknown;
  readonly operations: (operations: Operations) => CommentOperations<Comment>;
};

/** Creates the routes that issue comments and review comments share: read, edit, delete, list reactions, react. */
export function createCommentRoutes<Comment extends ReactableComment>(
  resource: CommentResource<Comment>,
): readonly ApiRoute[] {
  const { path, read, write, toPayload } = resource;
  const onComment =
    (handle: (context: RepositoryRouteContext, comment: Comment) => ApiResponse) =>
    (context: RepositoryRouteContext): ApiResponse => {
      const comment = resource.find(context, readNumberParam(context, 'comment_id'));
      return comment === undefined ? notFoundResponse(context.state) : handle(context, comment);
    };
  return [
    createRepositoryRoute(
      `GET ${path}`,
      read,
      onComment((context, comment) => okResponse(context.state, toPayload(context, context.state, comment))),
    ),
    createRepositoryRoute(
      `PATCH ${path}`,
      write,
      onComment((context, comment) => editComment(resource, context, comment)),
    ),
    createRepositoryRoute(
      `DELETE ${path}`,
      write,
      onComment((context, comment) => {
        const { remove } = resource.operations(context.operations);
        const outcome = remove(context.state.github, commentTarget(context, comment), context.now);
        return operationResponse(context.state, outcome, 204, () => undefined);
      }),
    ),
    createRepositoryRoute(`GET ${path}/reactions`, read, onComment(listReactions)),
    createRepositoryRoute(
      `POST ${path}/reactions`,
      write,
      onComment((context, comment) => addReaction(resource, context, comment)),
    ),
  ];
}

function commentTarget(context: RepositoryRouteContext, { id }: ReactableComment): CommentTarget {
  return { actor: context.actor, repositoryId: context.repository.id, commentId: id };
}

function editComment<Comment extends ReactableComment>(
  { name, toPayload, operations }: CommentResource<Comment>,
  context: RepositoryRouteContext,
  comment: Comment,
): ApiResponse {
  const { state, now } = context;
  const body = readTextField(context, 'body');
  if (body === undefined) return invalidFieldResponse(state, name, 'body', 'missing_field');
  const { edit } = operations(context.operations);
  const outcome = edit(state.github, { ...commentTarget(context, comment), body }, now);
  return operationResponse(state, outcome, 200, (after, edited) => toPayload(context, after, edited));
}

function listReactions({ state }: RepositoryRouteContext, comment: ReactableComment): ApiResponse {
  return listResponse(
    state,
    comment.reactions.map((reaction) => reactionPayload(state.github, reaction)),
  );
}

/** Responds with 200 for a reaction that exists already. */
function addReaction<Comment extends ReactableComment>(
  { operations }: CommentResource<Comment>,
  context: RepositoryRouteContext,
  comment: Comment,
): ApiResponse {
  const { state, now } = context;
  const content = parseReactionContent(context.body['content']);
  if (content === undefined) return invalidFieldResponse(state, 'Reaction', 'content', 'invalid');
  const { react } = operations(context.operations);
  const outcome = react(state.github, { ...commentTarget(context, comment), content }, now);
  const exists = comment.reactions.some(({ id }) => outcome.ok && id === outcome.value.id);
  return operationResponse(state, outcome, exists ? 200 : 201, (after, reaction) =>
    reactionPayload(after.github, reaction),
  );
}
