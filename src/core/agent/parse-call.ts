import type { z } from 'zod';
import { isRecord, parseJson } from '../../lib/trust.ts';
import { isToolName, TOOL_NAMES, TOOLS, type ToolName } from '../state/tools.ts';
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
export type ParsedCall =
  | { readonly kind: 'call'; readonly call: ToolRequest }
  | { readonly kind: 'refused'; readonly output: string };

/** A call whose arguments fit its tool's schema. Absent options are null; line numbers are 1-based and inclusive. */
export type ToolRequest =
  | {
      readonly tool: 'edit_file';
      readonly path: string;
      readonly oldString: string;
      readonly newString: string;
      readonly replaceAll: boolean;
      readonly reason: string | null;
    }
  | { readonly tool: 'write_file'; readonly path: string; readonly content: string; readonly reason: string | null }
  | { readonly tool: 'delete_file'; readonly path: string; readonly reason: string | null }
  | { readonly tool: 'move_file'; readonly from: string; readonly to: string; readonly reason: string | null }
  | { readonly tool: 'read_file'; readonly path: string; readonly start: number | null; readonly end: number | null }
  | { readonly tool: 'list_files'; readonly glob: string | null }
  | { readonly tool: 'search'; readonly pattern: string; readonly glob: string | null };

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

type RejectCall = (problem: string) => ParsedCall;

function buildRequest(name: ToolName, record: Readonly<Record<string, unknown>>, reject: RejectCall): ParsedCall {
  switch (name) {
    case 'edit_file':
      return validateRequest(name, TOOLS.edit_file.schema, record, reject, (parsed) => ({
        tool: 'edit_file',
        path: parsed.path,
        oldString: parsed.old_string,
        newString: parsed.new_string,
        replaceAll: parsed.replace_all ?? false,
        reason: normalizeReason(parsed.reason),
      }));
    case 'write_file':
      return validateRequest(name, TOOLS.write_file.schema, record, reject, (parsed) => ({
        tool: 'write_file',
        path: parsed.path,
        content: parsed.content,
        reason: normalizeReason(parsed.reason),
      }));
    case 'delete_file':
      return validateRequest(name, TOOLS.delete_file.schema, record, reject, (parsed) => ({
        tool: 'delete_file',
        path: parsed.path,
        reason: normalizeReason(parsed.reason),
      }));
    case 'move_file':
      return validateRequest(name, TOOLS.move_file.schema, record, reject, (parsed) => ({
        tool: 'move_file',
        from: parsed.from,
        to: parsed.to,
        reason: normalizeReason(parsed.reason),
      }));
    case 'read_file':
      return validateRequest(name, TOOLS.read_file.schema, record, reject, (parsed) => ({
        tool: 'read_file',
        path: parsed.path,
        start: parsed.start ?? null,
        end: parsed.end ?? null,
      }));
    case 'list_files':
      return validateRequest(name, TOOLS.list_files.schema, record, reject, (parsed) => ({
        tool: 'list_files',
        glob: parsed.glob ?? null,
      }));
    case 'search':
      return validateRequest(name, TOOLS.search.schema, record, reject, (parsed) => ({
        tool: 'search',
        pattern: parsed.pattern,
        glob: parsed.glob ?? null,
      }));
  }
}

function validateRequest<Arguments>(
  name: ToolName,
  schema: z.ZodType<Arguments>,
  record: Readonly<Record<string, unknown>>,
  reject: RejectCall,
  build: (parsed: Arguments) => ToolRequest,
): ParsedCall {
  const parsed = schema.safeParse(record);
  if (parsed.success) return { kind: 'call', call: build(parsed.data) };
  return reject(parsed.error.issues.map((issue) => describeIssue(issue, name, record)).join('; '));
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

function normalizeReason(reason: string | undefined): string | null {
  const trimmed = reason?.trim() ?? '';
  return trimmed === '' ? null : trimmed;
}

function refuseCall(output: string): ParsedCall {
  return { kind: 'refused', output };
}
