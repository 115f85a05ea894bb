import type { z } from 'zod';
import { isRecord, parseJson } from '../trust.ts';
import { type GatedTool, isToolName, TOOL_NAMES, TOOLS, type ToolName } from './definitions.ts';
import { echo } from './echo.ts';
import { outermostKeys } from './outermost-keys.ts';

/** A call whose arguments fit its tool's schema. Absent options are null; lines are 1-based, both ends included. */
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

/** A call that can be served, or the result that tells the model how to mend it. */
export type ParsedCall =
  | { readonly kind: 'call'; readonly call: ToolRequest }
  | { readonly kind: 'refused'; readonly output: string };

/** Arguments longer than this are not read: no file that may be written needs so many letters. */
const LONGEST_ARGUMENTS = 6_000_000;
/** Keys, values, and what stands between them: no call needs a tenth of it. */
const MOST_MARKS = 1000;
/** Letters of a key, as it is written, beyond which it is no argument's: to tell long ones apart takes as long as to read them. */
const LONGEST_KEY = 1000;
/** Keys that are no arguments, as far as they are named. */
const MOST_UNKNOWN = 5;

/** A call as a model wrote it. */
export type WrittenCall = { readonly name: string; readonly arguments: string };

/** Reads what a model wrote for one call. Never throws. */
export function parseCall({ name, arguments: written }: WrittenCall): ParsedCall {
  if (!isToolName(name)) return refused(`Unknown tool ${echo(name)}. Available tools: ${TOOL_NAMES.join(', ')}.`);
  const problem = (what: string) =>
    refused(`Invalid arguments for ${name}: ${what}. Nothing was executed; call ${name} again with valid arguments.`);
  if (written.length > LONGEST_ARGUMENTS)
    return problem(`they have ${written.length} characters and at most ${LONGEST_ARGUMENTS} are read`);
  const values = readObject(written);
  if (values.kind === 'unread') return problem(values.problem);
  return requestFrom(name, values.record, problem);
}

type Read =
  | { readonly kind: 'read'; readonly record: Readonly<Record<string, unknown>> }
  | { readonly kind: 'unread'; readonly problem: string };

/** A null stands for an absent option; some endpoints make models write all of them. */
function readObject(written: string): Read {
  if (written.trim() === '') return { kind: 'read', record: {} };
  const keys = outermostKeys(written, MOST_MARKS);
  if (keys === null)
    return { kind: 'unread', problem: `they hold more than ${MOST_MARKS} keys, values and marks between them` };
  const long = keys.find((key) => key.length > LONGEST_KEY);
  if (long !== undefined)
    return { kind: 'unread', problem: `a key has ${long.length} characters and at most ${LONGEST_KEY} are read` };
  try {
    const value = parseJson(written);
    if (!isRecord(value)) return { kind: 'unread', problem: 'they must be one JSON object' };
    const repeated = repeatedOf(keys);
    if (repeated !== null) return { kind: 'unread', problem: `the key ${echo(repeated)} stands twice` };
    return { kind: 'read', record: Object.fromEntries(Object.entries(value).filter(([, member]) => member !== null)) };
  } catch {
    return { kind: 'unread', problem: 'they are not valid JSON' };
  }
}

/**
 * The first key that stands twice, or null; keys as they are written in valid JSON. `JSON.parse` keeps the last one
 * silently, so what a person reads in the text could differ from what is done.
 */
function repeatedOf(keys: readonly string[]): string | null {
  const seen = new Set<string>();
  for (const written of keys) {
    const key = String(parseJson(written));
    if (seen.has(key)) return key;
    seen.add(key);
  }
  return null;
}

type Problem = (what: string) => ParsedCall;

function requestFrom(name: ToolName, record: Readonly<Record<string, unknown>>, problem: Problem): ParsedCall {
  switch (name) {
    case 'edit_file':
    case 'write_file':
    case 'delete_file':
    case 'move_file':
      return changeFrom(name, record, problem);
    case 'read_file':
      return requestOf(name, TOOLS.read_file.schema, record, problem, (read) => ({
        tool: 'read_file',
        path: read.path,
        start: read.start ?? null,
        end: read.end ?? null,
      }));
    case 'list_files':
      return requestOf(name, TOOLS.list_files.schema, record, problem, (read) => ({
        tool: 'list_files',
        glob: read.glob ?? null,
      }));
    case 'search':
      return requestOf(name, TOOLS.search.schema, record, problem, (read) => ({
        tool: 'search',
        pattern: read.pattern,
        glob: read.glob ?? null,
      }));
  }
}

function changeFrom(name: GatedTool, record: Readonly<Record<string, unknown>>, problem: Problem): ParsedCall {
  switch (name) {
    case 'edit_file':
      return requestOf(name, TOOLS.edit_file.schema, record, problem, (read) => ({
        tool: 'edit_file',
        path: read.path,
        oldString: read.old_string,
        newString: read.new_string,
        replaceAll: read.replace_all ?? false,
        reason: reasonOf(read.reason),
      }));
    case 'write_file':
      return requestOf(name, TOOLS.write_file.schema, record, problem, (read) => ({
        tool: 'write_file',
        path: read.path,
        content: read.content,
        reason: reasonOf(read.reason),
      }));
    case 'delete_file':
      return requestOf(name, TOOLS.delete_file.schema, record, problem, (read) => ({
        tool: 'delete_file',
        path: read.path,
        reason: reasonOf(read.reason),
      }));
    case 'move_file':
      return requestOf(name, TOOLS.move_file.schema, record, problem, (read) => ({
        tool: 'move_file',
        from: read.from,
        to: read.to,
        reason: reasonOf(read.reason),
      }));
  }
}

function requestOf<Shape>(
  name: ToolName,
  schema: z.ZodType<Shape>,
  record: Readonly<Record<string, unknown>>,
  problem: Problem,
  make: (read: Shape) => ToolRequest,
): ParsedCall {
  const read = schema.safeParse(record);
  if (read.success) return { kind: 'call', call: make(read.data) };
  return problem(read.error.issues.map((issue) => wordIssue(issue, name, record)).join('; '));
}

function wordIssue(issue: z.core.$ZodIssue, name: ToolName, record: Readonly<Record<string, unknown>>): string {
  const key = String(issue.path[0] ?? '');
  if (issue.code === 'unrecognized_keys') {
    const allowed = Object.keys(TOOLS[name].schema.shape).join(', ');
    const unknown = issue.keys.slice(0, MOST_UNKNOWN).map(echo).join(', ');
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

function reasonOf(reason: string | undefined): string | null {
  const trimmed = reason?.trim() ?? '';
  return trimmed === '' ? null : trimmed;
}

function refused(output: string): ParsedCall {
  return { kind: 'refused', output };
}
