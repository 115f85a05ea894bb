import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv';
import { isRecord } from '../../src/lib/trust.ts';
import type { JsonObject } from '../lib/json.ts';

/** A request whose `params` and `query` are still text. */
type CheckedApiRequest = {
  readonly route: string;
  readonly params: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string>>;
  readonly body: unknown;
};

/**
 * Validates messages against GitHub’s OpenAPI description. Each problem names the request, the JSON path and the
 * violated rule.
 */
export type OpenApiValidator = {
  readonly checkRequest: (request: CheckedApiRequest) => readonly string[];
  readonly checkResponse: (route: string, status: number, body: unknown) => readonly string[];
  /** `event` is the webhook’s name; the action comes from the payload. */
  readonly checkWebhook: (event: string, payload: unknown) => readonly string[];
};

type OpenApiDescription = {
  readonly operations: JsonObject;
  readonly events: JsonObject;
  readonly shared: JsonObject;
  readonly compileSchema: (location: string, createSchema: () => JsonObject) => ValidateFunction;
  readonly compileTextSchema: (location: string, createSchema: () => JsonObject) => ValidateFunction;
};

/**
 * Creates a validator from the reduced description of GitHub’s API, written by `scripts/reduce-openapi.ts`. Throws for an
 * invalid fixture.
 */
export function createOpenApiValidator(fixture: unknown): OpenApiValidator {
  const description = readDescription(fixture);
  return {
    checkRequest: (request) => checkRequest(description, request),
    checkResponse: (route, status, body) => checkResponse(description, route, status, body),
    checkWebhook: (event, payload) => checkWebhook(description, event, payload),
  };
}

function readDescription(fixture: unknown): OpenApiDescription {
  if (!isRecord(fixture)) throw new Error('The OpenAPI fixture is not an object.');
  const { operations, events, shared } = fixture;
  if (!isRecord(operations) || !isRecord(events) || !isRecord(shared)) {
    throw new Error('The OpenAPI fixture needs operations, events and shared.');
  }
  return {
    operations,
    events,
    shared,
    compileSchema: createSchemaCompiler(shared, false),
    compileTextSchema: createSchemaCompiler(shared, true),
  };
}

/** Compiling is slow, so each schema is compiled once, at its first use. */
function createSchemaCompiler(shared: JsonObject, coerceTypes: boolean): OpenApiDescription['compileSchema'] {
  const lenient = { strict: false, validateFormats: false } as const;
  // Each schema is used too rarely to make optimizing worthwhile.
  const quick = { inlineRefs: false, code: { optimize: false } } as const;
  const ajv = new Ajv({ ...lenient, ...quick, allErrors: true, coerceTypes });
  ajv.addSchema({ ...shared }, 'github');
  const compiled = new Map<string, ValidateFunction>();
  return (location, createSchema) => {
    const validate = compiled.get(location) ?? ajv.compile(createSchema());
    compiled.set(location, validate);
    return validate;
  };
}

function resolveReference(description: OpenApiDescription, node: unknown): JsonObject | undefined {
  if (!isRecord(node)) return undefined;
  const reference = node['$ref'];
  if (typeof reference !== 'string') return node;
  return resolveReference(description, description.shared[reference.slice(reference.lastIndexOf('/') + 1)]);
}

function checkRequest(source: OpenApiDescription, request: CheckedApiRequest): readonly string[] {
  const operation = resolveReference(source, source.operations[request.route]);
  if (operation === undefined) return [`${request.route}: GitHub's description has no such operation in the fixture`];
  return [
    ...checkParameters(source, request, operation, 'path', request.params),
    ...checkParameters(source, request, operation, 'query', request.query),
    ...checkBody(source, request, operation),
  ];
}

function checkParameters(
  description: OpenApiDescription,
  request: CheckedApiRequest,
  operation: JsonObject,
  kind: 'path' | 'query',
  values: Readonly<Record<string, string>>,
): readonly string[] {
  const location = `${request.route} ${kind}`;
  const validate = description.compileTextSchema(location, () => createParameterSchema(description, operation, kind));
  return validate({ ...values }) ? [] : formatErrors(location, validate.errors);
}

function createParameterSchema(
  description: OpenApiDescription,
  operation: JsonObject,
  kind: 'path' | 'query',
): JsonObject {
  const declared = Array.isArray(operation['parameters']) ? operation['parameters'] : [];
  const parameters = declared
    .map((node) => resolveReference(description, node) ?? {})
    .filter((parameter) => parameter['in'] === kind);
  return {
    type: 'object',
    additionalProperties: false,
    properties: Object.fromEntries(parameters.map((parameter) => [parameter['name'], parameter['schema']])),
    required: parameters.filter((parameter) => parameter['required'] === true).map((parameter) => parameter['name']),
  };
}

function checkBody(
  description: OpenApiDescription,
  request: CheckedApiRequest,
  operation: JsonObject,
): readonly string[] {
  const location = `${request.route} request body`;
  const schema = operation['body'];
  if (request.body === undefined) return operation['bodyRequired'] === true ? [`${location}: is required`] : [];
  if (!isRecord(schema)) return isEmptyObject(request.body) ? [] : [`${location}: this operation takes no body`];
  const validate = description.compileSchema(location, () => schema);
  return validate(request.body) ? [] : formatErrors(location, validate.errors);
}

function isEmptyObject(value: unknown): boolean {
  return isRecord(value) && Object.keys(value).length === 0;
}

/** Statuses that any route can return, although the description does not list them for each. */
const UNDESCRIBED_STATUSES = new Set([400, 401, 403, 404, 422, 429, 500, 502, 503]);

function checkResponse(source: OpenApiDescription, route: string, status: number, body: unknown): readonly string[] {
  const location = `${route} response ${status}`;
  const responses = resolveReference(source, resolveReference(source, source.operations[route])?.['responses']);
  if (responses === undefined) return [`${location}: GitHub's description has no such operation in the fixture`];
  if (!(status in responses))
    return UNDESCRIBED_STATUSES.has(status) ? [] : [`${location}: GitHub never answers this status`];
  const schema = responses[status];
  // Errors have a body also where their description names no form.
  if (!isRecord(schema))
    return body === undefined || UNDESCRIBED_STATUSES.has(status)
      ? []
      : [`${location}: has a body although none is described`];
  const validate = source.compileSchema(location, () => schema);
  return validate(body) ? [] : formatErrors(location, validate.errors);
}

function checkWebhook(source: OpenApiDescription, event: string, payload: unknown): readonly string[] {
  const action = isRecord(payload) && typeof payload['action'] === 'string' ? payload['action'] : undefined;
  const name = action === undefined ? event : `${event}.${action}`;
  const schema = source.events[name];
  if (!isRecord(schema)) return [`webhook ${name}: GitHub's description has no such event in the fixture`];
  const validate = source.compileSchema(`webhook ${name}`, () => schema);
  return validate(payload) ? [] : formatErrors(`webhook ${name}`, validate.errors);
}

function formatErrors(location: string, errors: readonly ErrorObject[] | null | undefined): readonly string[] {
  return (errors ?? []).map((error) => {
    const detail = error.keyword === 'enum' ? ` ${JSON.stringify(error.params['allowedValues'])}` : '';
    const extra = error.keyword === 'additionalProperties' ? ` (${String(error.params['additionalProperty'])})` : '';
    return `${location}: ${error.instancePath || '/'} ${error.message ?? 'is wrong'}${detail}${extra}`;
  });
}
