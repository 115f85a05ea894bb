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

/** Parses one call. Never throws. */
export function parseCall({ name: written, arguments: rawArguments }: RawToolCall): ParsedCallOf<ToolName> {
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

type ParsedCallOf<Name extends ToolName> = { readonly kind: 'call'; readonly call: ToolRequestOf<Name> } | RefusedCall;

type RefusedCall = { readonly kind: 'refused'; readonly output: string };

type ParsedObject =
  | { readonly kind: 'parsed'; readonly record: Readonly<Record<string, unknown>> }
  | { readonly kind: 'invalid'; readonly problem: string };

function parseObject(rawArguments: string): ParsedObject {
  if (rawArguments.trim() === '') return { kind: 'parsed', record: {} };
  try {
    const value = parseJson(rawArguments);
    return isRecord(value)
      ? { kind: 'parsed', record: value }
      : { kind: 'invalid', problem: 'they must be one JSON object' };
  } catch {
    return { kind: 'invalid', problem: 'they are not valid JSON' };
  }
}

/** The schema of each tool, by the type of its arguments. */
const SCHEMAS: { readonly [Name in ToolName]: { readonly schema: z.ZodType<ToolArguments[Name]> } } = TOOLS;

function buildRequest<Name extends ToolName>(
  name: Name,
  record: Readonly<Record<string, unknown>>,
  reject: (problem: string) => RefusedCall,
): ParsedCallOf<Name> {
  const parsed = SCHEMAS[name].schema.safeParse(readValue(record, JSON_SCHEMAS.get(name)), { reportInput: true });
  if (!parsed.success) {
    const issues = parsed.error.issues.slice(0, MAX_ISSUES_NAMED);
    return reject(issues.map((issue) => describeIssue(issue, name)).join('; '));
  }
  return { kind: 'call', call: { tool: name, ...parsed.data } };
}

/**
 * A value as the tool's JSON schema wants it. Some models quote every number and boolean, and some endpoints make them
 * write every option, so a null member counts as absent. What the schema does not know stays unread, however deep.
 */
function readValue(value: unknown, schema: unknown): unknown {
  const node = isRecord(schema) ? schema : {};
  const { type, items, properties } = node;
  if (typeof value === 'string') return readString(value, type);
  if (type === 'array' && Array.isArray(value))
    return value.slice(0, MAX_ITEMS).map((item: unknown) => readValue(item, items));
  if (!isRecord(properties) || !isRecord(value)) return value;
  const members = Object.entries(value).filter(([, member]) => member !== null);
  return Object.fromEntries(
    members.map(([key, member]) => [key, readValue(member, Object.hasOwn(properties, key) ? properties[key] : null)]),
  );
}

/** More items than any tool takes. */
const MAX_ITEMS = 100;

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

function describeIssue(issue: z.core.$ZodIssue, name: ToolName): string {
  const key = issue.path.join('.');
  if (issue.code === 'unrecognized_keys') {
    const unknown = issue.keys.slice(0, MAX_UNKNOWN_KEYS_NAMED).map(quoteTruncated).join(', ');
    if (issue.path.length > 0) return `unknown ${unknown} in ${key}`;
    return `unknown ${unknown} (allowed: ${Object.keys(TOOLS[name].schema.shape).join(', ')})`;
  }
  if (issue.code === 'invalid_type')
    return issue.input === undefined ? `${key} is missing` : `${key} must be of type ${issue.expected}`;
  if (issue.code === 'too_big')
    return `${key} must be at most ${issue.maximum}${issue.origin === 'string' ? ' characters' : ''}`;
  if (issue.code === 'too_small')
    return `${key} must be at least ${issue.minimum}${issue.origin === 'string' ? ' character' : ''}`;
  return `${key} ${issue.message}`;
}

const MAX_ISSUES_NAMED = 5;

const MAX_UNKNOWN_KEYS_NAMED = 5;

function refuseCall(output: string): RefusedCall {
  return { kind: 'refused', output };
}
