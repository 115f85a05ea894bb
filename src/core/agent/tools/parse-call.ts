import { z } from 'zod';
import { closestName } from '../../../lib/closest-name.ts';
import { isRecord, parseJson } from '../../../lib/trust.ts';
import { MAX_ARGUMENT_CHARACTERS } from '../../state/conversation.ts';
import {
  readToolName,
  TOOL_NAMES,
  TOOLS,
  type ToolArguments,
  type ToolName,
  type ToolRequestOf,
} from '../../state/tools.ts';
import { quoteTruncated } from '../shared/tool-results.ts';
import { findKeys } from './json-keys.ts';

/** Parses one call. Never throws. */
export function parseCall({ name: written, arguments: rawArguments }: RawToolCall): ParsedCall {
  const name = readToolName(written);
  if (name === null) return refuseCall(unknownToolOutput(written));
  const reject = (problem: string) =>
    refuseCall(
      `Invalid arguments for ${name}: ${problem}. Nothing was executed; call ${name} again with valid arguments.`,
    );
  if (rawArguments.length > MAX_ARGUMENT_CHARACTERS)
    return reject(`they have ${rawArguments.length} characters and at most ${MAX_ARGUMENT_CHARACTERS} are read`);
  const values = parseObject(rawArguments);
  if (values.kind === 'invalid') return reject(values.problem);
  return buildRequest(name, values.record, reject);
}

function unknownToolOutput(written: string): string {
  const nearest = closestName(written.toLowerCase(), TOOL_NAMES);
  const hint = nearest === null ? '' : ` Did you mean ${nearest}?`;
  return `Unknown tool ${quoteTruncated(written)}.${hint} Available tools: ${TOOL_NAMES.join(', ')}.`;
}

/** A call as the model wrote it. */
type RawToolCall = { readonly name: string; readonly arguments: string };

/** A valid call, or an output that explains to the model how to correct it. */
type ParsedCall = ParsedCallOf<ToolName>;

type ParsedCallOf<Name extends ToolName> = { readonly kind: 'call'; readonly call: ToolRequestOf<Name> } | RefusedCall;

type RefusedCall = { readonly kind: 'refused'; readonly output: string };

/** Maximum number of JSON tokens. A valid call needs less than a tenth of it. */
const MAX_JSON_TOKENS = 1000;

/** Maximum length of a raw key. Comparing longer keys takes too long. */
const MAX_KEY_CHARACTERS = 1000;

type ParsedObject =
  | { readonly kind: 'parsed'; readonly record: Readonly<Record<string, unknown>> }
  | { readonly kind: 'invalid'; readonly problem: string };

function parseObject(rawArguments: string): ParsedObject {
  if (rawArguments.trim() === '') return { kind: 'parsed', record: {} };
  const keys = findKeys(rawArguments, MAX_JSON_TOKENS);
  if (keys === null)
    return { kind: 'invalid', problem: `they hold more than ${MAX_JSON_TOKENS} keys, values and punctuation marks` };
  const longKey = keys.flat().find((key) => key.length > MAX_KEY_CHARACTERS);
  if (longKey !== undefined)
    return {
      kind: 'invalid',
      problem: `a key has ${longKey.length} characters and at most ${MAX_KEY_CHARACTERS} are read`,
    };
  try {
    const value = parseJson(rawArguments);
    if (!isRecord(value)) return { kind: 'invalid', problem: 'they must be one JSON object' };
    const duplicate = keys.map(findDuplicateKey).find((key) => key !== null) ?? null;
    if (duplicate !== null)
      return { kind: 'invalid', problem: `the key ${quoteTruncated(duplicate)} appears twice in one object` };
    return { kind: 'parsed', record: value };
  } catch {
    return { kind: 'invalid', problem: 'they are not valid JSON' };
  }
}

/**
 * The first duplicate of an object's raw keys, or null. `JSON.parse` silently keeps the last one, so the call could do
 * something else than a reader of its text expects.
 */
function findDuplicateKey(keys: readonly string[]): string | null {
  const seen = new Set<string>();
  for (const rawKey of keys) {
    const key = String(parseJson(rawKey));
    if (seen.has(key)) return key;
    seen.add(key);
  }
  return null;
}

type RejectCall = (problem: string) => RefusedCall;

/** The schema of each tool, by the type of its arguments. */
const SCHEMAS: { readonly [Name in ToolName]: { readonly schema: z.ZodType<ToolArguments[Name]> } } = TOOLS;

function buildRequest<Name extends ToolName>(
  name: Name,
  record: Readonly<Record<string, unknown>>,
  reject: RejectCall,
): ParsedCallOf<Name> {
  const parsed = SCHEMAS[name].schema.safeParse(readValue(record, JSON_SCHEMAS.get(name)));
  if (!parsed.success) return reject(parsed.error.issues.map((issue) => describeIssue(issue, name, record)).join('; '));
  return { kind: 'call', call: { tool: name, ...parsed.data } };
}

/**
 * A value as the tool's JSON schema wants it. Some models quote every number and boolean, and some endpoints make them
 * write every option, so a null member counts as absent.
 */
function readValue(value: unknown, schema: unknown): unknown {
  const node = isRecord(schema) ? schema : {};
  if (typeof value === 'string') return readString(value, node['type']);
  if (Array.isArray(value)) return value.map((item: unknown) => readValue(item, node['items']));
  if (!isRecord(value)) return value;
  const properties = isRecord(node['properties']) ? node['properties'] : {};
  const members = Object.entries(value).filter(([, member]) => member !== null);
  return Object.fromEntries(
    members.map(([key, member]) => [key, readValue(member, Object.hasOwn(properties, key) ? properties[key] : null)]),
  );
}

function readString(value: string, type: unknown): unknown {
  if (type === 'integer') return /^\s{0,9}\d{1,15}\s{0,9}$/.test(value) ? Number(value) : value;
  if (type !== 'boolean') return value;
  const word = value.slice(0, MAX_BOOLEAN_CHARACTERS).trim().toLowerCase();
  return word === 'true' || word === 'false' ? word === 'true' : value;
}

const MAX_BOOLEAN_CHARACTERS = 20;

const JSON_SCHEMAS: ReadonlyMap<ToolName, unknown> = new Map(
  TOOL_NAMES.map((name) => [name, z.toJSONSchema(TOOLS[name].schema, { io: 'input' })] as const),
);

function describeIssue(issue: z.core.$ZodIssue, name: ToolName, record: Readonly<Record<string, unknown>>): string {
  const key = issue.path.join('.');
  if (issue.code === 'unrecognized_keys') {
    const unknown = issue.keys.slice(0, MAX_UNKNOWN_KEYS_NAMED).map(quoteTruncated).join(', ');
    if (issue.path.length > 0) return `unknown ${unknown} in ${key}`;
    return `unknown ${unknown} (allowed: ${Object.keys(TOOLS[name].schema.shape).join(', ')})`;
  }
  if (issue.code === 'invalid_type') {
    return isGiven(record, issue.path) ? `${key} must be of type ${issue.expected}` : `${key} is missing`;
  }
  if (issue.code === 'too_big')
    return `${key} must be at most ${issue.maximum}${issue.origin === 'string' ? ' characters' : ''}`;
  if (issue.code === 'too_small')
    return `${key} must be at least ${issue.minimum}${issue.origin === 'string' ? ' character' : ''}`;
  return `${key} ${issue.message}`;
}

/** A null member counts as absent. */
function isGiven(value: unknown, path: readonly PropertyKey[]): boolean {
  const [key, ...rest] = path;
  if (key === undefined) return value !== undefined && value !== null;
  const members = Array.isArray(value) || isRecord(value) ? Object.entries(value) : [];
  return isGiven(members.find(([name]) => name === String(key))?.[1], rest);
}

const MAX_UNKNOWN_KEYS_NAMED = 5;

function refuseCall(output: string): RefusedCall {
  return { kind: 'refused', output };
}
