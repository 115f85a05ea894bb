import { isRecord } from '../../../src/lib/trust.ts';
import { readGitCommit } from '../git/objects.ts';
import { hasConversationPermission } from '../http/auth.ts';
import type { ServerState } from '../http/server-state.ts';
import type { Operations } from '../operations/operations.ts';
import type {
  FakeActor,
  FakeReaction,
  FakeReactionContent,
  FakeRepository,
  FakeReviewComment,
} from '../state/github-state.ts';
import { locateThread } from '../state/lookup.ts';
import type { OperationResult, WebhookEvent } from '../state/operation.ts';
import { allocateId, formatTimestamp, succeedWith, withAuditEntry } from '../state/update.ts';
import { type GraphqlContext, requirePermission } from './access.ts';
import { type GraphqlObject, GraphqlRequestError } from './execute.ts';
import type { Values } from './parser.ts';
import {
  createRepositoryObject,
  createThreadObject,
  createUnknownNodeError,
  listAccessibleRepositories,
  requireRepository,
} from './resolvers.ts';

export type MutationResult = {
  readonly payload: GraphqlObject;
  readonly state: ServerState;
  readonly events: readonly WebhookEvent[];
};

type MutationContext = GraphqlContext & {
  readonly actor: FakeActor;
  readonly now: number;
  readonly operations: Operations;
};

export type MutationHandler = (context: MutationContext, input: Values) => MutationResult;

/** Returns the state and value of an operation. Throws its error as a `GraphqlRequestError`. */
function requireSuccess<Value>(
  { state }: MutationContext,
  outcome: OperationResult<Value>,
): { readonly state: ServerState; readonly value: Value } {
  if (!outcome.ok) throw new GraphqlRequestError(outcome.error.type, outcome.error.message);
  return { state: { ...state, github: outcome.state }, value: outcome.value };
}

/** The id that the client can add to a mutation, and that every payload repeats. */
function readClientMutationId(input: Values): string | null {
  const id = input['clientMutationId'];
  return typeof id === 'string' ? id : null;
}

/** Reaction contents of the REST API by their GraphQL names. */
const REACTION_CONTENTS_BY_NAME = {
  THUMBS_UP: '+1',
  THUMBS_DOWN: '-1',
  LAUGH: 'laugh',
  CONFUSED: 'confused',
  HEART: 'heart',
  HOORAY: 'hooray',
  ROCKET: 'rocket',
  EYES: 'eyes',
} as const;

type ReactionSubject = {
  readonly repositoryId: number;
  readonly number: number;
  readonly id: number;
  readonly kind: 'issue comment' | 'pull comment' | 'review comment' | 'review';
};

/** `addReaction` also works on reviews, which have no reactions in the REST API. */
function addReaction(context: MutationContext, input: Values): MutationResult {
  const subjectId = String(input['subjectId']);
  const subject = listAccessibleRepositories(context)
    .flatMap((repository) => listReactionSubjects(repository))
    .find(({ nodeId }) => nodeId === subjectId);
  if (subject === undefined) throw createUnknownNodeError(subjectId);
  requireReactionPermission(context, subject);
  const entry = Object.entries(REACTION_CONTENTS_BY_NAME).find(([name]) => name === input['content']);
  if (entry === undefined) throw new GraphqlRequestError('UNPROCESSABLE', 'Unknown reaction');
  const [content, restContent] = entry;
  const outcome = reactTo(context, subject, restContent);
  const { state, value } = requireSuccess(context, outcome);
  const fields = { id: `REA_${value.id}`, databaseId: value.id, content };
  const reaction = { typeName: 'Reaction', fields };
  const payload = {
    typeName: 'AddReactionPayload',
    fields: { clientMutationId: readClientMutationId(input), reaction },
  };
  return { payload, state, events: outcome.events };
}

function reactTo(
  context: MutationContext,
  subject: ReactionSubject,
  content: FakeReactionContent,
): OperationResult<FakeReaction> {
  const { actor, operations, now } = context;
  const { github } = context.state;
  const input = { actor, repositoryId: subject.repositoryId, commentId: subject.id, content };
  switch (subject.kind) {
    case 'issue comment':
    case 'pull comment':
      return operations.reactToIssueComment(github, input, now);
    case 'review comment':
      return operations.reactToReviewComment(github, input, now);
    case 'review':
      return reactToReview(context, actor, subject, content);
  }
}

/** No payload shows a review's reactions, so only the audit log records them. */
function reactToReview(
  { state, now }: MutationContext,
  actor: FakeActor,
  { repositoryId, number, id }: ReactionSubject,
  content: FakeReactionContent,
): OperationResult<FakeReaction> {
  const [reactionId, github] = allocateId(state.github);
  const reaction = { id: reactionId, authorId: actor.accountId, content, createdAt: formatTimestamp(now) };
  return succeedWith(withAuditEntry(github, 'reaction-added', actor, now, { repositoryId, number, id }), reaction);
}

function requireReactionPermission(context: MutationContext, subject: ReactionSubject): void {
  if (subject.kind === 'review' || subject.kind === 'review comment') {
    requirePermission(context, 'pull_requests', 'write');
    return;
  }
  const { identity } = context;
  const onPull = subject.kind === 'pull comment';
  const isPermitted =
    identity.kind === 'installation' && hasConversationPermission(identity.token.permissions, onPull, 'write');
  if (!isPermitted) throw new GraphqlRequestError('FORBIDDEN', 'Resource not accessible by integration');
}

type ReactionTarget = { readonly id: number; readonly nodeId: string };

function listReactionSubjects(repository: FakeRepository): readonly (ReactionSubject & { readonly nodeId: string })[] {
  const from = (number: number, kind: ReactionSubject['kind'], targets: ReadonlyMap<number, ReactionTarget>) =>
    [...targets.values()].map(({ id, nodeId }) => ({ repositoryId: repository.id, number, id, nodeId, kind }));
  const issues = [...repository.issues.values()];
  const pulls = [...repository.pulls.values()];
  return [
    ...issues.flatMap((issue) => from(issue.number, 'issue comment', issue.comments)),
    ...pulls.flatMap((pull) => from(pull.number, 'pull comment', pull.comments)),
    ...pulls.flatMap((pull) => from(pull.number, 'review comment', pull.reviewComments)),
    ...pulls.flatMap((pull) => from(pull.number, 'review', pull.reviews)),
  ];
}

/** Mutations by field name. Each throws a `GraphqlRequestError` before it changes anything. */
export const MUTATIONS: Readonly<Record<string, MutationHandler>> = {
  createCommitOnBranch,
  resolveReviewThread: (context, input) => setResolved(context, input, true),
  unresolveReviewThread: (context, input) => setResolved(context, input, false),
  addReaction,
  updatePullRequestReviewComment,
  updateRefs,
};

function recordOrEmpty(value: unknown): Values {
  return isRecord(value) ? value : {};
}

function recordsOrEmpty(value: unknown): readonly Values[] {
  return Array.isArray(value) ? value.map(recordOrEmpty) : [];
}

function createCommitOnBranch(context: MutationContext, input: Values): MutationResult {
  const branch = recordOrEmpty(input['branch']);
  const [owner = '', name = ''] = String(branch['repositoryNameWithOwner'] ?? '').split('/');
  const repository = requireRepository(context, owner, name);
  requirePermission(context, 'contents', 'write');
  const branchName = String(branch['branchName'] ?? '').replace(/^refs\/heads\//, '');
  const changes = recordOrEmpty(input['fileChanges']);
  const message = recordOrEmpty(input['message']);
  const outcome = context.operations.createCommitOnBranch(
    context.state.github,
    {
      actor: context.actor,
      repositoryId: repository.id,
      branch: branchName,
      expectedHeadOid: String(input['expectedHeadOid']),
      headline: String(message['headline']),
      ...(typeof message['body'] === 'string' ? { body: message['body'] } : {}),
      additions: recordsOrEmpty(changes['additions']).map((addition) => ({
        path: String(addition['path']),
        bytes: Buffer.from(String(addition['contents']), 'base64'),
      })),
      deletions: recordsOrEmpty(changes['deletions']).map((deletion) => String(deletion['path'])),
    },
    context.now,
  );
  const { state, value } = requireSuccess(context, outcome);
  const after = { ...context, state };
  return { payload: createCommitPayload(after, repository, branchName, value, input), state, events: outcome.events };
}

function createCommitPayload(
  context: MutationContext,
  repository: FakeRepository,
  branch: string,
  sha: string,
  input: Values,
): GraphqlObject {
  const owner = context.state.github.accounts.get(repository.ownerId)?.login ?? '';
  const url = `${context.state.github.host.webUrl}/${owner}/${repository.name}/commit/${sha}`;
  const ref = { id: `REF_${repository.id}_${branch}`, name: branch, prefix: 'refs/heads/' };
  const tree = createTreeObject(context, sha);
  const committed = createRepositoryObject(context, context.state.github.repositories.get(repository.id) ?? repository);
  return {
    typeName: 'CreateCommitOnBranchPayload',
    fields: {
      clientMutationId: readClientMutationId(input),
      commit: { typeName: 'Commit', fields: { id: `C_${sha}`, oid: sha, tree, url, repository: committed } },
      ref: { typeName: 'Ref', fields: ref },
    },
  };
}

function createTreeObject({ state }: MutationContext, commit: string): GraphqlObject {
  const oid = readGitCommit(state.github.store, commit)?.tree ?? '';
  return { typeName: 'Tree', fields: { id: `T_${oid}`, oid } };
}

function setResolved(context: MutationContext, input: Values, resolved: boolean): MutationResult {
  const threadNodeId = String(input['threadId']);
  const located = locateThread(context.state.github, threadNodeId);
  if (located === undefined || !listAccessibleRepositories(context).includes(located.repository))
    throw createUnknownNodeError(threadNodeId);
  // GitHub also requires `contents`: `pull_requests: write` alone is not enough.
  requirePermission(context, 'contents', 'write');
  requirePermission(context, 'pull_requests', 'write');
  const operation = resolved ? context.operations.resolveReviewThread : context.operations.unresolveReviewThread;
  const outcome = operation(context.state.github, { actor: context.actor, threadNodeId }, context.now);
  const { state } = requireSuccess(context, outcome);
  const after = locateThread(state.github, threadNodeId);
  const thread = after === undefined ? null : createThreadObject(state, after.pull, after.thread);
  const typeName = resolved ? 'ResolveReviewThreadPayload' : 'UnresolveReviewThreadPayload';
  return {
    payload: { typeName, fields: { clientMutationId: readClientMutationId(input), thread } },
    state,
    events: outcome.events,
  };
}

function updatePullRequestReviewComment(context: MutationContext, input: Values): MutationResult {
  const nodeId = String(input['pullRequestReviewCommentId']);
  const repository = listAccessibleRepositories(context).find((one) => findReviewComment(one, nodeId) !== undefined);
  const comment = repository && findReviewComment(repository, nodeId);
  if (repository === undefined || comment === undefined) throw createUnknownNodeError(nodeId);
  requirePermission(context, 'pull_requests', 'write');
  const target = { actor: context.actor, repositoryId: repository.id, commentId: comment.id };
  const edit = { ...target, body: String(input['body']) };
  const outcome = context.operations.editReviewComment(context.state.github, edit, context.now);
  const { state } = requireSuccess(context, outcome);
  const fields = { clientMutationId: readClientMutationId(input) };
  return { payload: { typeName: 'UpdatePullRequestReviewCommentPayload', fields }, state, events: outcome.events };
}

function findReviewComment({ pulls }: FakeRepository, nodeId: string): FakeReviewComment | undefined {
  const comments = [...pulls.values()].flatMap((pull) => [...pull.reviewComments.values()]);
  return comments.find((comment) => comment.nodeId === nodeId);
}

/** Moves one ref. The product never moves several at once, so that is not supported. */
function updateRefs(context: MutationContext, input: Values): MutationResult {
  const id = String(input['repositoryId']);
  const repository = listAccessibleRepositories(context).find(({ nodeId }) => nodeId === id);
  if (repository === undefined) throw createUnknownNodeError(id);
  requirePermission(context, 'contents', 'write');
  const [{ name, beforeOid, afterOid, force } = {}] = recordsOrEmpty(input['refUpdates']);
  const move = { actor: context.actor, repositoryId: repository.id, ref: String(name), sha: String(afterOid) };
  const expected = typeof beforeOid === 'string' ? { expected: beforeOid } : {};
  const update = { ...move, ...expected, force: force === true };
  const outcome = context.operations.updateGitRef(context.state.github, update, context.now);
  const { state } = requireSuccess(context, outcome);
  const fields = { clientMutationId: readClientMutationId(input) };
  return { payload: { typeName: 'UpdateRefsPayload', fields }, state, events: outcome.events };
}
