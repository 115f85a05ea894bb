import { isRecord } from '../../../src/lib/trust.ts';
import { actorOfIdentity, type RequestIdentity } from '../http/auth.ts';
import { type ApiResponse, errorResponse, okResponse } from '../http/http-messages.ts';
import type { ServerState } from '../http/server-state.ts';
import type { Operations } from '../operations/operations.ts';
import type { WebhookEvent } from '../state/operation.ts';
import { executeSelections, GraphqlRequestError } from './execute.ts';
import { MUTATIONS, type MutationHandler } from './mutations.ts';
import {
  checkDocument,
  findMissingFields,
  type GraphqlError,
  type ParsedDocument,
  parseDocument,
  rootFieldOf,
  type Values,
} from './parser.ts';
import { createQueryObject } from './resolvers.ts';

type GraphqlRequest = {
  readonly state: ServerState;
  readonly identity: RequestIdentity;
  readonly body: unknown;
  readonly now: number;
  readonly operations: Operations;
};

/** Handles a GraphQL request. GraphQL errors have status 200, as on GitHub. */
export function handleGraphql(context: GraphqlRequest): ApiResponse {
  const { state, body } = context;
  if (context.identity.kind !== 'installation') {
    return errorResponse(state, 401, 'This endpoint requires you to be authenticated.');
  }
  if (!isRecord(body) || typeof body['query'] !== 'string') {
    return {
      ...errorResponse(state, 400, 'A query attribute must be specified and must be a string.'),
      violation: 'GraphQL without a query',
    };
  }
  const parsed = parseDocument(body['query']);
  if (!parsed.ok) return failedResponse(state, [{ message: parsed.message }], 'GraphQL document');
  const variables = isRecord(body['variables']) ? body['variables'] : {};
  const missing = findMissingFields(parsed, state.github.host.enterpriseServer?.missingFields ?? []);
  if (missing.length > 0) return okResponse(state, { errors: missing });
  const problems = checkDocument(parsed, variables);
  return problems.length > 0
    ? failedResponse(state, problems, rootFieldOf(parsed.operation))
    : runOperation(context, parsed, variables);
}

/** Only a faulty client sends an invalid document, so this is a violation. */
function failedResponse(state: ServerState, errors: readonly GraphqlError[], field: string): ApiResponse {
  const violation = `graphql ${field}: ${errors.map((error) => error.message).join('; ')}`;
  return { ...okResponse(state, { errors }), violation };
}

function runOperation(context: GraphqlRequest, parsed: ParsedDocument, variables: Values): ApiResponse {
  try {
    if (parsed.operation.operation === 'mutation') return runMutations(context, parsed, variables);
    return okResponse(context.state, { data: executeSelections(createQueryObject(context), parsed, variables) });
  } catch (error) {
    if (error instanceof GraphqlRequestError)
      return refusalResponse(context.state, rootFieldOf(parsed.operation), error);
    throw error;
  }
}

function refusalResponse(
  state: ServerState,
  field: string,
  error: GraphqlRequestError,
  data: Values = { [field]: null },
): ApiResponse {
  const extensions = error.type === 'FORBIDDEN' ? { extensions: { saml_failure: false } } : {};
  const errors = [{ type: error.type, path: [field], ...extensions, message: error.message }];
  const answer = okResponse(state, { data, errors });
  const isOurMistake = error.type === 'FORBIDDEN' && !error.message.startsWith('Repository rule violations');
  return isOurMistake ? { ...answer, violation: `graphql ${field}: ${error.message}` } : answer;
}

/**
 * Runs the mutations of a document one after another. As on GitHub, one that fails is null with an error, and the others
 * are applied.
 */
function runMutations(context: GraphqlRequest, parsed: ParsedDocument, variables: Values): ApiResponse {
  const actor = actorOfIdentity(context.identity);
  if (actor === undefined) throw new Error('An installation has no actor.');
  let { state } = context;
  const events: WebhookEvent[] = [];
  const failures: { readonly field: string; readonly error: GraphqlRequestError }[] = [];
  const runOne = (field: string, mutation: MutationHandler) => (args: Values) => {
    try {
      const result = mutation({ ...context, state, actor }, isRecord(args['input']) ? args['input'] : {});
      state = result.state;
      events.push(...result.events);
      return result.payload;
    } catch (error) {
      if (!(error instanceof GraphqlRequestError)) throw error;
      failures.push({ field, error });
      return null;
    }
  };
  const fields = Object.fromEntries(Object.entries(MUTATIONS).map(([field, one]) => [field, runOne(field, one)]));
  const data = executeSelections({ typeName: 'Mutation', fields }, parsed, variables);
  const [failure] = failures;
  if (failure === undefined) return { ...okResponse(state, { data }), events };
  return { ...refusalResponse(state, failure.field, failure.error, data), events };
}
