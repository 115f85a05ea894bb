import { isRecord } from '../../src/lib/trust.ts';

const TYPES: ReadonlySet<unknown> = new Set(['array', 'boolean', 'integer', 'number', 'object', 'string']);

/** The keywords that every endpoint takes. Others are refused by some of them. */
const KEYWORDS: ReadonlySet<string> = new Set([
  ...['type', 'description', 'properties', 'required', 'additionalProperties', 'items', 'enum', 'default'],
  ...['minimum', 'maximum', 'minItems', 'maxItems', 'minLength', 'maxLength', 'pattern', 'anyOf'],
]);

/** Servers of local models make a grammar of the schema, which can repeat so much. */
const MAX_REPETITIONS = 1_000;

const REPETITIONS = ['minItems', 'maxItems', 'minLength', 'maxLength'] as const;

/** The faults of a tool's parameters; endpoints refuse the whole request for it. */
export function checkToolSchema(schema: unknown, where: string): readonly string[] {
  if (!isRecord(schema) || schema['type'] !== 'object') return [`${where}: must be a JSON schema of an object`];
  return checkSchema(schema, where);
}

function checkSchema(schema: unknown, where: string): readonly string[] {
  if (!isRecord(schema)) return [`${where}: must be a JSON schema`];
  const { type, properties, items, required, anyOf } = schema;
  const unknown = Object.keys(schema).filter((keyword) => !KEYWORDS.has(keyword));
  const members = isRecord(properties) ? properties : {};
  return [
    ...unknown.map((keyword) => `${where}.${keyword}: is not a keyword this endpoint knows`),
    ...REPETITIONS.filter((keyword) => Number(schema[keyword] ?? 0) > MAX_REPETITIONS).map(
      (keyword) => `${where}.${keyword}: number of repetitions exceeds sane defaults`,
    ),
    ...(TYPES.has(type) || Array.isArray(anyOf) ? [] : [`${where}.type: is not a type`]),
    ...(properties === undefined || isRecord(properties) ? [] : [`${where}.properties: must be an object`]),
    ...(type === 'array' && items === undefined ? [`${where}.items: is required for a list`] : []),
    ...(Array.isArray(schema['enum']) && schema['enum'].length === 0 ? [`${where}.enum: is empty`] : []),
    ...checkRequired(required, members, where),
    ...Object.entries(members).flatMap(([name, member]) => checkSchema(member, `${where}.${name}`)),
    ...(items === undefined ? [] : checkSchema(items, `${where}.items`)),
    ...(Array.isArray(anyOf) ? anyOf.flatMap((one: unknown, at) => checkSchema(one, `${where}.anyOf[${at}]`)) : []),
  ];
}

function checkRequired(
  required: unknown,
  members: Readonly<Record<string, unknown>>,
  where: string,
): readonly string[] {
  if (required === undefined) return [];
  if (!Array.isArray(required)) return [`${where}.required: must be a list`];
  const missing = required.filter((name: unknown) => typeof name !== 'string' || !Object.hasOwn(members, name));
  return missing.map((name: unknown) => `${where}.required: ${String(name)} is not a property`);
}
