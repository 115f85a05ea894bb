import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv';
import { isRecord } from '../../trust.ts';

/** One call as it went over the wire; `params` and `query` are still text. */
export type RefereedRequest = {
  readonly route: string;
  readonly params: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string>>;
  readonly body: unknown;
};

/** What a referee has to say: each sentence names the call, the JSON path and the rule that is broken. */
export type Referee = {
  readonly request: (request: RefereedRequest) => readonly string[];
  readonly response: (route: string, status: number, body: unknown) => readonly string[];
  /** `event` is the webhook's name, the action is read from the payload. */
  readonly webhook: (event: string, payload: unknown) => readonly string[];
};

type Json = Readonly<Record<string, unknown>>;
type Source = {
  readonly operations: Json;
  readonly events: Json;
  readonly shared: Json;
  readonly validator: (place: string, schema: Json) => ValidateFunction;
  readonly textValidator: (place: string, schema: Json) => ValidateFunction;
};

/**
 * A referee over the reduced description of GitHub's API (the fixture that
 * `scripts/reduce-openapi.ts` writes). Throws when the fixture has another shape.
 */
export function createReferee(fixture: unknown): Referee {
  const source = readSource(fixture);
  return {
    request: (request) => requestProblems(source, request),
    response: (route, status, body) => responseProblems(source, route, status, body),
    webhook: (event, payload) => webhookProblems(source, event, payload),
  };
}

function readSource(fixture: unknown): Source {
  if (!isRecord(fixture)) throw new Error('The OpenAPI fixture is not an object.');
  const { operations, events, shared } = fixture;
  if (!isRecord(operations) || !isRecord(events) || !isRecord(shared)) {
    throw new Error('The OpenAPI fixture needs operations, events and shared.');
  }
  return {
    operations,
    events,
    shared,
    validator: cachedValidator(shared, false),
    textValidator: cachedValidator(shared, true),
  };
}

/** Compiling is dear and most calls repeat, so each place is compiled at its first use only. */
function cachedValidator(shared: Json, coerceTypes: boolean): Source['validator'] {
  const lenient = { strict: false, validateFormats: false } as const;
  // A validator runs a few times only: to optimize it would take as long again as to make it.
  const quick = { inlineRefs: false, code: { optimize: false } } as const;
  const ajv = new Ajv({ ...lenient, ...quick, allErrors: true, coerceTypes });
  ajv.addSchema({ ...shared }, 'github');
  const compiled = new Map<string, ValidateFunction>();
  return (place, schema) => {
    const validate = compiled.get(place) ?? ajv.compile(schema);
    compiled.set(place, validate);
    return validate;
  };
}

function resolved(source: Source, node: unknown): Json | undefined {
  if (!isRecord(node)) return undefined;
  const reference = node['$ref'];
  if (typeof reference !== 'string') return node;
  return resolved(source, source.shared[reference.slice(reference.lastIndexOf('/') + 1)]);
}

function requestProblems(source: Source, request: RefereedRequest): readonly string[] {
  const operation = resolved(source, source.operations[request.route]);
  if (operation === undefined) return [`${request.route}: GitHub's description has no such operation in the fixture`];
  return [
    ...parameterProblems(source, request, operation, 'path', request.params),
    ...parameterProblems(source, request, operation, 'query', request.query),
    ...bodyProblems(source, request, operation),
  ];
}

function parameterProblems(
  source: Source,
  request: RefereedRequest,
  operation: Json,
  kind: 'path' | 'query',
  values: Readonly<Record<string, string>>,
): readonly string[] {
  const place = `${request.route} ${kind}`;
  const validate = source.textValidator(place, parameterSchema(source, operation, kind));
  return validate({ ...values }) ? [] : sentences(place, validate.errors);
}

function parameterSchema(source: Source, operation: Json, kind: 'path' | 'query'): Json {
  const declared = Array.isArray(operation['parameters']) ? operation['parameters'] : [];
  const ours = declared.map((node) => resolved(source, node) ?? {}).filter((parameter) => parameter['in'] === kind);
  return {
    type: 'object',
    additionalProperties: false,
    properties: Object.fromEntries(ours.map((parameter) => [parameter['name'], parameter['schema']])),
    required: ours.filter((parameter) => parameter['required'] === true).map((parameter) => parameter['name']),
  };
}

function bodyProblems(source: Source, request: RefereedRequest, operation: Json): readonly string[] {
  const place = `${request.route} request body`;
  const schema = operation['body'];
  if (request.body === undefined) return operation['bodyRequired'] === true ? [`${place}: is required`] : [];
  if (!isRecord(schema)) return isEmptyObject(request.body) ? [] : [`${place}: this operation takes no body`];
  const validate = source.validator(place, schema);
  return validate(request.body) ? [] : sentences(place, validate.errors);
}

function isEmptyObject(value: unknown): boolean {
  return isRecord(value) && Object.keys(value).length === 0;
}

/** Statuses that any call may answer although the description does not list them for each. */
const EVERYWHERE = new Set([400, 401, 403, 404, 422, 429, 500, 502, 503]);

function responseProblems(source: Source, route: string, status: number, body: unknown): readonly string[] {
  const place = `${route} response ${status}`;
  const responses = resolved(source, resolved(source, source.operations[route])?.['responses']);
  if (responses === undefined) return [`${place}: GitHub's description has no such operation in the fixture`];
  if (!(status in responses)) return EVERYWHERE.has(status) ? [] : [`${place}: GitHub never answers this status`];
  const schema = responses[status];
  if (!isRecord(schema)) return body === undefined ? [] : [`${place}: has a body although none is described`];
  const validate = source.validator(place, schema);
  return validate(body) ? [] : sentences(place, validate.errors);
}

function webhookProblems(source: Source, event: string, payload: unknown): readonly string[] {
  const action = isRecord(payload) && typeof payload['action'] === 'string' ? payload['action'] : undefined;
  const name = action === undefined ? event : `${event}.${action}`;
  const schema = source.events[name];
  if (!isRecord(schema)) return [`webhook ${name}: GitHub's description has no such event in the fixture`];
  const validate = source.validator(`webhook ${name}`, schema);
  return validate(payload) ? [] : sentences(`webhook ${name}`, validate.errors);
}

function sentences(place: string, errors: readonly ErrorObject[] | null | undefined): readonly string[] {
  return (errors ?? []).map((error) => {
    const detail = error.keyword === 'enum' ? ` ${JSON.stringify(error.params['allowedValues'])}` : '';
    const extra = error.keyword === 'additionalProperties' ? ` (${String(error.params['additionalProperty'])})` : '';
    return `${place}: ${error.instancePath || '/'} ${error.message ?? 'is wrong'}${detail}${extra}`;
  });
}
