/**
 * Creates the fixture with which tests validate the fake GitHub: the operations and events below as plain JSON Schema,
 * from `generated/api.github.com.json` of `@octokit/openapi` (REST) and of `@octokit/openapi-webhooks`.
 * Usage: node scripts/reduce-openapi.ts <rest.json> <webhooks.json> <output.json>
 */
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { isRecord, parseJson } from '../src/lib/trust.ts';

type Json = Readonly<Record<string, unknown>>;

const REPOSITORY = '/repos/{owner}/{repo}';
const PULL = `${REPOSITORY}/pulls/{pull_number}`;
const ISSUE_COMMENT = `${REPOSITORY}/issues/comments/{comment_id}`;
const REVIEW_COMMENT = `${REPOSITORY}/pulls/comments/{comment_id}`;

/** Methods of the fake GitHub, by path. */
const OPERATIONS: Readonly<Record<string, readonly string[]>> = {
  '/app': ['get'],
  '/app/hook/config': ['get'],
  '/app/hook/deliveries': ['get'],
  '/app/hook/deliveries/{delivery_id}': ['get'],
  '/app/hook/deliveries/{delivery_id}/attempts': ['post'],
  '/app/installations': ['get'],
  '/app/installations/{installation_id}/access_tokens': ['post'],
  '/orgs/{org}/teams/{team_slug}/memberships/{username}': ['get'],
  '/rate_limit': ['get'],
  '/users/{username}': ['get'],
  [REPOSITORY]: ['get'],
  [`${REPOSITORY}/installation`]: ['get'],
  [`${REPOSITORY}/pulls`]: ['get'],
  [PULL]: ['get'],
  [`${PULL}/files`]: ['get'],
  [`${PULL}/commits`]: ['get'],
  [`${PULL}/reviews`]: ['get', 'post'],
  [`${PULL}/reviews/{review_id}`]: ['get', 'put', 'delete'],
  [`${PULL}/reviews/{review_id}/dismissals`]: ['put'],
  [`${PULL}/reviews/{review_id}/comments`]: ['get'],
  [`${PULL}/comments`]: ['get', 'post'],
  [REVIEW_COMMENT]: ['get', 'patch', 'delete'],
  [`${REVIEW_COMMENT}/reactions`]: ['get', 'post'],
  [`${REPOSITORY}/issues/{issue_number}/comments`]: ['get', 'post'],
  [`${REPOSITORY}/issues/{issue_number}/labels`]: ['get', 'post'],
  [`${REPOSITORY}/issues/{issue_number}/labels/{name}`]: ['delete'],
  [`${REPOSITORY}/labels`]: ['post'],
  [`${REPOSITORY}/labels/{name}`]: ['get'],
  [ISSUE_COMMENT]: ['get', 'patch', 'delete'],
  [`${ISSUE_COMMENT}/reactions`]: ['get', 'post'],
  [`${REPOSITORY}/actions/jobs/{job_id}/logs`]: ['get'],
  [`${REPOSITORY}/check-runs`]: ['post'],
  [`${REPOSITORY}/check-runs/{check_run_id}`]: ['get', 'patch'],
  [`${REPOSITORY}/check-runs/{check_run_id}/annotations`]: ['get'],
  [`${REPOSITORY}/check-suites/{check_suite_id}/check-runs`]: ['get'],
  [`${REPOSITORY}/collaborators/{username}/permission`]: ['get'],
  [`${REPOSITORY}/commits`]: ['get'],
  [`${REPOSITORY}/commits/{ref}`]: ['get'],
  [`${REPOSITORY}/commits/{ref}/check-runs`]: ['get'],
  [`${REPOSITORY}/commits/{ref}/check-suites`]: ['get'],
  [`${REPOSITORY}/commits/{ref}/status`]: ['get'],
  [`${REPOSITORY}/commits/{ref}/statuses`]: ['get'],
  [`${REPOSITORY}/compare/{basehead}`]: ['get'],
  [`${REPOSITORY}/git/blobs`]: ['post'],
  [`${REPOSITORY}/git/blobs/{file_sha}`]: ['get'],
  [`${REPOSITORY}/git/commits`]: ['post'],
  [`${REPOSITORY}/git/commits/{commit_sha}`]: ['get'],
  [`${REPOSITORY}/git/ref/{ref}`]: ['get'],
  [`${REPOSITORY}/git/refs`]: ['post'],
  [`${REPOSITORY}/git/refs/{ref}`]: ['patch'],
  [`${REPOSITORY}/git/trees`]: ['post'],
  [`${REPOSITORY}/git/trees/{tree_sha}`]: ['get'],
  [`${REPOSITORY}/rules/branches/{branch}`]: ['get'],
  [`${REPOSITORY}/tarball/{ref}`]: ['get'],
};

/** Webhooks of the fake GitHub. A schema has the event's name and action. */
const EVENTS: readonly string[] = [
  'check-run-completed',
  'check-run-created',
  'check-run-requested-action',
  'check-suite-completed',
  'merge-group-checks-requested',
  'merge-group-destroyed',
  'installation-created',
  'installation-deleted',
  'installation-new-permissions-accepted',
  'installation-suspend',
  'installation-unsuspend',
  'installation-repositories-added',
  'installation-repositories-removed',
  'issue-comment-created',
  'issue-comment-deleted',
  'issue-comment-edited',
  'pull-request-closed',
  'pull-request-converted-to-draft',
  'pull-request-edited',
  'pull-request-labeled',
  'pull-request-locked',
  'pull-request-opened',
  'pull-request-ready-for-review',
  'pull-request-reopened',
  'pull-request-synchronize',
  'pull-request-unlabeled',
  'pull-request-unlocked',
  'pull-request-review-dismissed',
  'pull-request-review-edited',
  'pull-request-review-submitted',
  'pull-request-review-comment-created',
  'pull-request-review-comment-deleted',
  'pull-request-review-comment-edited',
  'pull-request-review-thread-resolved',
  'pull-request-review-thread-unresolved',
  'push',
  'status',
];

/**
 * Corrected success schemas. In GitHub's description, each account in the list of installations must be a user and an
 * enterprise at once; in a single installation it is one of them.
 */
const CORRECTED: Readonly<Record<string, Json>> = {
  'GET /app/installations': { type: 'array', items: { $ref: '#/components/schemas/installation' } },
};

/** Keywords that don't affect validation. */
const DROPPED = new Set(['description', 'title', 'example', 'examples', 'default', 'deprecated', 'externalDocs']);
/** Keywords whose value maps names to schemas. Such a name can equal a keyword. */
const NAME_MAPS = new Set(['properties', 'patternProperties']);
/** Keywords whose value is a list of schemas. */
const SCHEMA_LISTS = new Set(['allOf', 'anyOf', 'oneOf']);
/** In characters of JSON. A reference to a shorter subtree would take more space than the subtree. */
const MIN_SHARED_LENGTH = 36;

function record(value: unknown, where: string): Json {
  if (!isRecord(value)) throw new Error(`Expected an object at ${where}`);
  return value;
}

function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function resolvePointer(document: Json, pointer: string): Json {
  let found: unknown = document;
  for (const segment of pointer.replace('#/', '').split('/')) {
    found = record(found, pointer)[segment.replaceAll('~1', '/').replaceAll('~0', '~')];
  }
  return record(found, pointer);
}

/** Converts to plain JSON Schema. `open` has the references that are being expanded, so that a cycle ends in `{}`. */
function plainSchema(document: Json, schema: Json, open: readonly string[] = []): Json {
  const reference = schema['$ref'];
  if (typeof reference === 'string') {
    if (open.includes(reference)) return {};
    return plainSchema(document, resolvePointer(document, reference), [...open, reference]);
  }
  const plain: Record<string, unknown> = {};
  for (const [keyword, value] of Object.entries(schema)) {
    if (DROPPED.has(keyword) || keyword.startsWith('x-') || keyword === 'nullable' || keyword === 'format') continue;
    plain[keyword] = plainKeyword(document, keyword, value, open);
  }
  const corrected = withNullablePositions(plain);
  return schema['nullable'] === true ? nullable(corrected) : corrected;
}

/** GitHub returns null for the position of an outdated review comment, which its description does not allow. */
function withNullablePositions(schema: Json): Json {
  const { properties } = schema;
  if (!isRecord(properties) || properties['diff_hunk'] === undefined) return schema;
  const positions = ['line', 'position'].flatMap((name) => {
    const position = properties[name];
    return isRecord(position) && position['type'] === 'integer' ? [[name, nullable(position)] as const] : [];
  });
  return { ...schema, properties: { ...properties, ...Object.fromEntries(positions) } };
}

function plainKeyword(document: Json, keyword: string, value: unknown, open: readonly string[]): unknown {
  if (SCHEMA_LISTS.has(keyword)) return list(value).map((part) => plainSchema(document, record(part, keyword), open));
  if (NAME_MAPS.has(keyword)) {
    const entries = Object.entries(record(value, keyword));
    return Object.fromEntries(entries.map(([name, part]) => [name, plainSchema(document, record(part, name), open)]));
  }
  if (isRecord(value)) return plainSchema(document, value, open);
  return value;
}

function nullable(schema: Json): Json {
  const { type, enum: allowed } = schema;
  if (typeof type !== 'string') return { anyOf: [schema, { type: 'null' }] };
  const widened = { ...schema, type: [type, 'null'] };
  return Array.isArray(allowed) ? { ...widened, enum: [...new Set([...allowed, null])] } : widened;
}

/** Forbids unknown fields in every schema that lists its properties. */
function closed(schema: Json): Json {
  const result: Record<string, unknown> = { ...schema };
  for (const keyword of SCHEMA_LISTS) {
    if (keyword in schema) result[keyword] = list(schema[keyword]).map((part) => closed(record(part, keyword)));
  }
  if (isRecord(schema['items'])) result['items'] = closed(schema['items']);
  if (!isRecord(schema['properties'])) return result;
  const entries = Object.entries(schema['properties']);
  result['properties'] = Object.fromEntries(entries.map(([name, part]) => [name, closed(record(part, name))]));
  return { additionalProperties: false, ...result };
}

function jsonContent(holder: Json): Json | undefined {
  const content = holder['content'];
  const json = isRecord(content) ? content['application/json'] : undefined;
  return isRecord(json) && isRecord(json['schema']) ? json['schema'] : undefined;
}

function reducedParameter(document: Json, parameter: Json): Json {
  const full = typeof parameter['$ref'] === 'string' ? resolvePointer(document, parameter['$ref']) : parameter;
  const schema = plainSchema(document, record(full['schema'], 'parameter'));
  return { name: full['name'], in: full['in'], required: full['required'] === true, schema };
}

function reducedOperation(document: Json, name: string, operation: Json): Json {
  const body = operation['requestBody'];
  const bodySchema = isRecord(body) ? jsonContent(body) : undefined;
  const responses: Record<string, unknown> = {};
  for (const [status, answer] of Object.entries(record(operation['responses'], 'responses'))) {
    const response = record(answer, status);
    const full = typeof response['$ref'] === 'string' ? resolvePointer(document, response['$ref']) : response;
    const schema = (status === '200' ? CORRECTED[name] : undefined) ?? jsonContent(full);
    responses[status] = schema === undefined ? null : plainSchema(document, schema);
  }
  return {
    parameters: list(operation['parameters']).map((part) => reducedParameter(document, record(part, 'parameters'))),
    ...(bodySchema === undefined
      ? {}
      : { body: closed(plainSchema(document, bodySchema)), bodyRequired: isRecord(body) && body['required'] === true }),
    responses,
  };
}

function reducedOperations(document: Json): Json {
  const operations: Record<string, unknown> = {};
  for (const [path, methods] of Object.entries(OPERATIONS)) {
    const pathItem = record(record(document['paths'], 'paths')[path], path);
    for (const method of methods) {
      const name = `${method.toUpperCase()} ${path}`;
      operations[name] = reducedOperation(document, name, record(pathItem[method], method));
    }
  }
  return operations;
}

function reducedEvents(document: Json): Json {
  const events: Record<string, unknown> = {};
  for (const name of EVENTS) {
    const entry = record(record(record(document['webhooks'], 'webhooks')[name], name)['post'], name);
    const schema = jsonContent(record(entry['requestBody'], name));
    if (schema === undefined) throw new Error(`No JSON payload for ${name}`);
    events[String(entry['operationId']).replace('/', '.').replaceAll('-', '_')] = plainSchema(document, schema);
  }
  return events;
}

/** Stores each repeated subtree once under `shared`. References name the document, so that a part works on its own. */
function shareSubtrees(root: Json): Json {
  const counts = new Map<string, number>();
  const keyOf = (value: unknown): string => createHash('sha1').update(JSON.stringify(value)).digest('hex');
  const count = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return;
    const key = keyOf(value);
    counts.set(key, (counts.get(key) ?? 0) + 1);
    if (counts.get(key) === 1) for (const part of Object.values(value)) count(part);
  };
  count(root);
  const names = new Map<string, string>();
  const shared: Record<string, unknown> = {};
  const shareParts = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(share);
    if (!isRecord(value)) return value;
    return Object.fromEntries(
      Object.entries(value).map(([name, part]) => [name, NAME_MAPS.has(name) ? shareParts(part) : share(part)]),
    );
  };
  const share = (value: unknown): unknown => {
    if (!isRecord(value) || JSON.stringify(value).length < MIN_SHARED_LENGTH) return shareParts(value);
    const key = keyOf(value);
    if ((counts.get(key) ?? 0) < 2) return shareParts(value);
    const name = names.get(key) ?? names.size.toString(36);
    if (!names.has(key)) {
      names.set(key, name);
      shared[name] = shareParts(value);
    }
    return { $ref: `github#/${name}` };
  };
  return { ...record(shareParts(root), 'root'), shared };
}

function readDocument(path: string): Json {
  return record(parseJson(readFileSync(path, 'utf8')), path);
}

function reduce(restPath: string, webhooksPath: string, outputPath: string): void {
  const operations = reducedOperations(readDocument(restPath));
  const events = reducedEvents(readDocument(webhooksPath));
  writeFileSync(outputPath, `${JSON.stringify(shareSubtrees({ operations, events }))}\n`);
}

const [restPath, webhooksPath, outputPath] = process.argv.slice(2);
if (restPath === undefined || webhooksPath === undefined || outputPath === undefined) {
  throw new Error('Usage: node scripts/reduce-openapi.ts <rest.json> <webhooks.json> <output.json>');
}
reduce(restPath, webhooksPath, outputPath);
