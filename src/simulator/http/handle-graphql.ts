import { isRecord } from '../../trust.ts';
import type { Operations } from '../world/operations.ts';
import { type Answer, refused, shown } from './answer.ts';
import type { GitHubState } from './github-state.ts';
import { checkOperation, type GraphqlError, type Values } from './graphql-check.ts';
import { type OperationNode, rootField } from './graphql-document.ts';
import { queryObject } from './graphql-graph.ts';
import { MUTATIONS } from './graphql-mutations.ts';
import { parseDocument } from './graphql-parser.ts';
import { argumentsOf, GraphRefusal, select, withDefaults } from './graphql-select.ts';
import { actorOf, type Identity } from './identity.ts';

export type GraphqlCall = {
  readonly state: GitHubState;
  readonly identity: Identity;
  readonly body: unknown;
  readonly now: number;
  readonly operations: Operations;
};

/** Answers one GraphQL request. Errors of the graph come with status 200, as GitHub sends them. */
export function handleGraphql(call: GraphqlCall): Answer {
  const { state, body } = call;
  if (call.identity.kind !== 'installation') {
    return refused(state, 401, 'This endpoint requires you to be authenticated.');
  }
  if (!isRecord(body) || typeof body['query'] !== 'string') {
    return {
      ...refused(state, 400, 'A query attribute must be specified and must be a string.'),
      violation: 'GraphQL without a query',
    };
  }
  const parsed = parseDocument(body['query']);
  if (!parsed.ok) return failed(state, [{ message: parsed.message }], 'GraphQL document');
  const given = isRecord(body['variables']) ? body['variables'] : {};
  const problems = checkOperation(parsed.operation, given);
  if (problems.length > 0) return failed(state, problems, rootField(parsed.operation));
  return run(call, parsed.operation, withDefaults(parsed.operation, given));
}

/** A document that is wrong in itself is a mistake of the client's author, so it is a violation too. */
function failed(state: GitHubState, errors: readonly GraphqlError[], about: string): Answer {
  const violation = `graphql ${about}: ${errors.map((error) => error.message).join('; ')}`;
  return { ...shown(state, { errors }), violation };
}

function run(call: GraphqlCall, operation: OperationNode, variables: Values): Answer {
  try {
    if (operation.kind === 'mutation') return mutate(call, operation, variables);
    return shown(call.state, { data: select(queryObject(call), operation.selections, variables) });
  } catch (error) {
    if (error instanceof GraphRefusal) return refusal(call.state, operation, error);
    throw error;
  }
}

function refusal(state: GitHubState, operation: OperationNode, error: GraphRefusal): Answer {
  const field = rootField(operation);
  const extensions = error.type === 'FORBIDDEN' ? { extensions: { saml_failure: false } } : {};
  const errors = [{ type: error.type, path: [field], ...extensions, message: error.message }];
  const answer = shown(state, { data: { [field]: null }, errors });
  return error.type === 'FORBIDDEN' ? { ...answer, violation: `graphql ${field}: ${error.message}` } : answer;
}

/** Mutations run one after the other; the product sends one at a time, so more than one is refused. */
function mutate(call: GraphqlCall, operation: OperationNode, variables: Values): Answer {
  const [field, ...others] = operation.selections;
  const actor = actorOf(call.identity);
  const mutation = field?.kind === 'field' ? MUTATIONS[field.name] : undefined;
  if (field?.kind !== 'field' || mutation === undefined || actor === undefined || others.length > 0) {
    return failed(
      call.state,
      [{ message: 'The simulator takes exactly one mutation in a document' }],
      rootField(operation),
    );
  }
  const input = argumentsOf(field, variables)['input'];
  const mutated = mutation({ ...call, actor }, isRecord(input) ? input : {});
  const data = { [field.alias]: select(mutated.payload, field.selections, variables) };
  return { ...shown(mutated.state, { data }), events: mutated.events };
}
