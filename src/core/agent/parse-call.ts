import type { z } from 'zod';
import { isRecord, parseJson } from '../../lib/trust.ts';
import {
  isToolName,
  TOOL_NAMES,
  TOOLS,
  type ToolArguments,
  type ToolName,
  type ToolRequestOf,
} from '../state/tools.ts';
import { findTopLevelKeys } from './json-keys.ts';
import { quoteTruncated } from './tool-results.ts';

/** Parses one call. Never throws. */
export function parseCall({ name, arguments: rawArguments }: RawToolCall): ParsedCall {
  if (!isToolName(name))
    return refuseCall(`Unknown tool ${quoteTruncated(name)}. Available tools: ${TOOL_NAMES.join(', ')}.`);
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

/** A call as the model wrote it. */
export type RawToolCall = { readonly name: string; readonly arguments: string };

/** A valid call, or an output that explains to the model how to correct it. */
export type ParsedCall = ParsedCallOf<ToolName>;

type ParsedCallOf<Name extends ToolName> = { readonly kind: 'call'; readonly call: ToolRequestOf<Name> } | RefusedCall;

type RefusedCall = { readonly kind: 'refused'; readonly output: string };

/** Maximum length of the arguments. No writable file needs more. */
const MAX_ARGUMENT_CHARACTERS = 6_000_000;

/** Maximum number of JSON tokens. A valid call needs less than a tenth of it. */
const MAX_JSON_TOKENS = 1000;

/** Maximum length of a raw key. Comparing longer keys takes too long. */
const MAX_KEY_CHARACTERS = 1000;

type ParsedObject =
  | { readonly kind: 'parsed'; readonly record: Readonly<Record<string, unknown>> }
  | { readonly kind: 'invalid'; readonly problem: string };

/** A null value counts as an absent option, because some endpoints make models write every option. */
function parseObject(rawArguments: string): ParsedObject {
  if (rawArguments.trim() === '') return { kind: 'parsed', record: {} };
  const keys = findTopLevelKeys(rawArguments, MAX_JSON_TOKENS);
  if (keys === null)
    return { kind: 'invalid', problem: `they hold more than ${MAX_JSON_TOKENS} keys, values and punctuation marks` };
  const longKey = keys.find((key) => key.length > MAX_KEY_CHARACTERS);
  if (longKey !== undefined)
    return {
      kind: 'invalid',
      problem: `a key has ${longKey.length} characters and at most ${MAX_KEY_CHARACTERS} are read`,
    };
  try {
    const value = parseJson(rawArguments);
    if (!isRecord(value)) return { kind: 'invalid', problem: 'they must be one JSON object' };
    const duplicate = findDuplicateKey(keys);
    if (duplicate !== null) return { kind: 'invalid', problem: `the key ${quoteTruncated(duplicate)} appears twice` };
    return {
      kind: 'parsed',
      record: Object.fromEntries(Object.entries(value).filter(([, member]) => member !== null)),
    };
  } catch {
    return { kind: 'invalid', problem: 'they are not valid JSON' };
  }
}

/**
 * The first duplicate of these raw keys, or null. `JSON.parse` silently keeps the last one, so the call could do
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
  const parsed = SCHEMAS[name].schema.safeParse(record);
  if (!parsed.success) return reject(parsed.error.issues.map((issue) => describeIssue(issue, name, record)).join('; '));
  return { kind: 'call', call: { tool: name, ...parsed.data } };
}

function describeIssue(issue: z.core.$ZodIssue, name: ToolName, record: Readonly<Record<string, unknown>>): string {
  const key = String(issue.path[0] ?? '');
  if (issue.code === 'unrecognized_keys') {
    const allowed = Object.keys(TOOLS[name].schema.shape).join(', ');
    const unknown = issue.keys.slice(0, MAX_UNKNOWN_KEYS_NAMED).map(quoteTruncated).join(', ');
    return `unknown ${unknown} (allowed: ${allowed})`;
  }
  if (issue.code === 'invalid_type') {
    return Object.hasOwn(record, key) ? `${key} must be of type ${issue.expected}` : `${key} is missing`;
  }
  if (issue.code === 'too_big')
    return `${key} must be at most ${issue.maximum}${issue.origin === 'string' ? ' characters' : ''}`;
  if (issue.code === 'too_small')
    return `${key} must be at least ${issue.minimum}${issue.origin === 'string' ? ' character' : ''}`;
  return `${key} ${issue.message}`;
}

const MAX_UNKNOWN_KEYS_NAMED = 5;

function refuseCall(output: string): RefusedCall {
  return { kind: 'refused', output };
}
