import { isRecord } from '../../trust.ts';
import { threadPlace } from '../world/lookup.ts';
import type { Repository } from '../world/state.ts';
import type { Values } from './graphql-check.ts';
import { reachable, requirePermission, requireRepository, threadObject, unknownNode } from './graphql-graph.ts';
import { addReaction } from './graphql-reaction.ts';
import type { GraphObject } from './graphql-select.ts';
import { clientMutationId, type Mutated, type Mutating, type Mutation, settled } from './mutation.ts';

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
  const { state, value } = settled(context, outcome);
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

function setResolved(context: Mutating, input: Values, resolved: boolean): Mutated {
  const threadNodeId = String(input['threadId']);
  const place = threadPlace(context.state.world, threadNodeId);
  if (place === undefined || !reachable(context).includes(place.repository)) throw unknownNode(threadNodeId);
  // GitHub asks for contents here: a token that may only write pull requests is refused.
  requirePermission(context, 'contents', 'write');
  requirePermission(context, 'pull_requests', 'write');
  const operation = resolved ? context.operations.resolveThread : context.operations.unresolveThread;
  const outcome = operation(context.state.world, { actor: context.actor, threadNodeId }, context.now);
  const { state } = settled(context, outcome);
  const after = threadPlace(state.world, threadNodeId);
  const thread = after === undefined ? null : threadObject(state, after.pull, after.thread);
  const typeName = resolved ? 'ResolveReviewThreadPayload' : 'UnresolveReviewThreadPayload';
  return {
    payload: { typeName, fields: { clientMutationId: clientMutationId(input), thread } },
    state,
    events: outcome.events,
  };
}
