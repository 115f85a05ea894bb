import { isRecord } from '../../trust.ts';
import type { Actor } from '../world/access.ts';
import { threadPlace } from '../world/lookup.ts';
import type { Operations } from '../world/operations.ts';
import type { Outcome, WebhookEvent } from '../world/outcome.ts';
import type { Repository } from '../world/state.ts';
import type { GitHubState } from './github-state.ts';
import type { Values } from './graphql-check.ts';
import {
  type GraphView,
  reachable,
  requirePermission,
  requireRepository,
  threadObject,
  unknownNode,
} from './graphql-graph.ts';
import { REACTION_WORDS } from './graphql-schema.ts';
import { type GraphObject, GraphRefusal } from './graphql-select.ts';
import { holdsConversation } from './permission-need.ts';

/** A mutation that was done. */
export type Mutated = {
  readonly payload: GraphObject;
  readonly state: GitHubState;
  readonly events: readonly WebhookEvent[];
};
export type Mutating = GraphView & { readonly actor: Actor; readonly now: number; readonly operations: Operations };
type Mutation = (context: Mutating, input: Values) => Mutated;

/** Mutations by field name. Each throws a `GraphRefusal` and then has changed nothing. */
export const MUTATIONS: Readonly<Record<string, Mutation>> = {
  createCommitOnBranch,
  resolveReviewThread: (context, input) => setResolved(context, input, true),
  unresolveReviewThread: (context, input) => setResolved(context, input, false),
  addReaction,
};

function record(value: unknown): Values {
  return isRecord(value) ? value : {};
}

function records(value: unknown): readonly Values[] {
  return Array.isArray(value) ? value.map(record) : [];
}

function done<Value>(
  context: Mutating,
  outcome: Outcome<Value>,
): { readonly state: GitHubState; readonly value: Value } {
  if (!outcome.ok) throw new GraphRefusal(outcome.error.type, outcome.error.message);
  return { state: { ...context.state, world: outcome.state }, value: outcome.value };
}

function createCommitOnBranch(context: Mutating, input: Values): Mutated {
  const branch = record(input['branch']);
  const [owner = '', name = ''] = String(branch['repositoryNameWithOwner'] ?? '').split('/');
  const repository = requireRepository(context, owner, name);
  requirePermission(context, 'contents', 'write');
  const branchName = String(branch['branchName'] ?? '').replace(/^refs\/heads\//, '');
  const changes = record(input['fileChanges']);
  const message = record(input['message']);
  const outcome = context.operations.createCommitOnBranch(
    context.state.world,
    {
      actor: context.actor,
      repositoryId: repository.id,
      branch: branchName,
      expectedHeadOid: String(input['expectedHeadOid']),
      headline: String(message['headline']),
      ...(typeof message['body'] === 'string' ? { body: message['body'] } : {}),
      additions: records(changes['additions']).map((addition) => ({
        path: String(addition['path']),
        bytes: Buffer.from(String(addition['contents']), 'base64'),
      })),
      deletions: records(changes['deletions']).map((deletion) => String(deletion['path'])),
    },
    context.now,
  );
  const { state, value } = done(context, outcome);
  return { payload: commitPayload(context, repository, branchName, value, input), state, events: outcome.events };
}

function commitPayload(
  context: Mutating,
  repository: Repository,
  branch: string,
  sha: string,
  input: Values,
): GraphObject {
  const owner = context.state.world.accounts.get(repository.ownerId)?.login ?? '';
  const url = `${context.state.world.site.html}/${owner}/${repository.name}/commit/${sha}`;
  const ref = { id: `REF_${repository.id}_${branch}`, name: branch, prefix: 'refs/heads/' };
  return {
    typeName: 'CreateCommitOnBranchPayload',
    fields: {
      clientMutationId: clientMutationId(input),
      commit: { typeName: 'Commit', fields: { id: `C_${sha}`, oid: sha, url } },
      ref: { typeName: 'Ref', fields: ref },
    },
  };
}

function clientMutationId(input: Values): string | null {
  const id = input['clientMutationId'];
  return typeof id === 'string' ? id : null;
}

function setResolved(context: Mutating, input: Values, resolved: boolean): Mutated {
  const threadNodeId = String(input['threadId']);
  const place = threadPlace(context.state.world, threadNodeId);
  if (place === undefined || !reachable(context).includes(place.repository)) throw unknownNode(threadNodeId);
  // GitHub asks for contents here: a token that may only write pull requests is refused.
  requirePermission(context, 'contents', 'write');
  requirePermission(context, 'pull_requests', 'write');
  const operation = resolved ? context.operations.resolveThread : context.operations.unresolveThread;
  const outcome = operation(context.state.world, { actor: context.actor, threadNodeId }, context.now);
  const { state } = done(context, outcome);
  const after = threadPlace(state.world, threadNodeId);
  const thread = after === undefined ? null : threadObject(state, after.pull, after.thread);
  const typeName = resolved ? 'ResolveReviewThreadPayload' : 'UnresolveReviewThreadPayload';
  return {
    payload: { typeName, fields: { clientMutationId: clientMutationId(input), thread } },
    state,
    events: outcome.events,
  };
}

type Subject = {
  readonly repositoryId: number;
  readonly commentId: number;
  readonly kind: 'issue' | 'review';
  readonly onPull: boolean;
};

function addReaction(context: Mutating, input: Values): Mutated {
  const subjectId = String(input['subjectId']);
  const subject = reachable(context)
    .map((repository) => subjectIn(repository, subjectId))
    .find((found) => found !== undefined);
  if (subject === undefined) throw unknownNode(subjectId);
  requireReactable(context, subject);
  const word = Object.entries(REACTION_WORDS).find(([name]) => name === input['content']);
  if (word === undefined) throw new GraphRefusal('UNPROCESSABLE', 'Unknown reaction');
  const [content, restContent] = word;
  const { repositoryId, commentId, kind } = subject;
  const { reactToComment, reactToReviewComment } = context.operations;
  const operation = kind === 'issue' ? reactToComment : reactToReviewComment;
  const react = { actor: context.actor, repositoryId, commentId, content: restContent };
  const outcome = operation(context.state.world, react, context.now);
  const { state, value } = done(context, outcome);
  const fields = { id: `REA_${value.id}`, databaseId: value.id, content };
  const payload = {
    typeName: 'AddReactionPayload',
    fields: { clientMutationId: clientMutationId(input), reaction: { typeName: 'Reaction', fields } },
  };
  return { payload, state, events: outcome.events };
}

function requireReactable(context: Mutating, subject: Subject): void {
  if (subject.kind === 'review') {
    requirePermission(context, 'pull_requests', 'write');
    return;
  }
  const { identity } = context;
  const held =
    identity.kind === 'installation' && holdsConversation(identity.token.permissions, subject.onPull, 'write');
  if (!held) throw new GraphRefusal('FORBIDDEN', 'Resource not accessible by integration');
}

function subjectIn(repository: Repository, nodeId: string): Subject | undefined {
  const repositoryId = repository.id;
  for (const pull of repository.pulls.values()) {
    for (const { id, nodeId: other } of pull.comments.values()) {
      if (other === nodeId) return { repositoryId, commentId: id, kind: 'issue', onPull: true };
    }
    for (const { id, nodeId: other } of pull.reviewComments.values()) {
      if (other === nodeId) return { repositoryId, commentId: id, kind: 'review', onPull: true };
    }
  }
  for (const issue of repository.issues.values()) {
    for (const { id, nodeId: other } of issue.comments.values()) {
      if (other === nodeId) return { repositoryId, commentId: id, kind: 'issue', onPull: false };
    }
  }
  return undefined;
}
