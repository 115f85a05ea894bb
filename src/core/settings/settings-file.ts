import {
  type Document,
  isAlias,
  isMap,
  isNode,
  isPair,
  isScalar,
  isSeq,
  LineCounter,
  type Node,
  parseDocument,
  type YAMLError,
} from 'yaml';
import type { z } from 'zod';
import { firstOf } from '../../lib/format.ts';
import { isRecord } from '../../lib/trust.ts';
import { decodeText } from '../edits/text/characters.ts';
import { APPROVER_DEMANDS, type Approvers, combineApprovers } from '../state/settings.ts';
import type { SettingsFileLookup } from '../step/ports.ts';
import { parseDurationHours } from './settings-schema.ts';

/** Maximum size of a settings file. Its parsed form takes many times as much memory. */
export const MAX_SETTINGS_BYTES = 32_768;

/** A problem at a line of the file (1-based). The message begins in lower case. */
export type SettingsProblem = { readonly line: number; readonly message: string };

/** Location of a value: keys, and 0-based list indexes. */
type ValuePath = readonly PropertyKey[];

/** The line of a value; of a missing one, that of its closest parent. */
export type LineOf = (path: ValuePath) => number;

/** A kind of settings file. */
type FileForm<Value> = {
  /** How problems name the file. */
  readonly name: string;
  readonly schema: z.ZodType<Value>;
  /** The problems of valid values, such as two that contradict each other. */
  readonly findProblems: (values: Value, lineOf: LineOf) => readonly SettingsProblem[];
};

/** The values that a file sets, also with the defaults of the schema; or all problems, one line each, in order. */
type FileReading<Value> =
  | { readonly kind: 'values'; readonly set: SetValues; readonly parsed: Value }
  /** `legible` are the values that can be read nevertheless, none of them checked. */
  | { readonly kind: 'broken'; readonly problems: readonly string[]; readonly legible: SetValues };

/** Reads and checks a file. Never throws. */
export function readSettings<Value>(found: SettingsFileLookup, form: FileForm<Value>): FileReading<Value> {
  if (found.kind === 'link') return brokenFile([problemAt1(`${form.name} is a link; only a plain file counts`)]);
  if (found.kind === 'no-file') return brokenFile([problemAt1(`${form.name} is not a file`)]);
  const size = found.kind === 'file' ? found.bytes.byteLength : found.size;
  if (found.kind !== 'file' || size > MAX_SETTINGS_BYTES)
    return brokenFile([problemAt1(`the file has ${size} bytes and at most ${MAX_SETTINGS_BYTES} are read`)]);
  const decoded = decodeText(found.bytes);
  if (decoded.kind !== 'text') return brokenFile([problemAt1('the file is not UTF-8 text')]);
  try {
    return readText(decoded.text, form);
  } catch {
    // Nothing else ends the recursion of the parser.
    return brokenFile([problemAt1(TOO_DEEP)]);
  }
}

const TOO_DEEP = 'the file is nested too deeply to be read';

function problemAt1(message: string): SettingsProblem {
  return { line: 1, message };
}

function readText<Value>(text: string, { schema, findProblems }: FileForm<Value>): FileReading<Value> {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false, stringKeys: true });
  const lineAt = (offset: number): number => Math.max(1, lines.linePos(offset).line);
  const lineOf: LineOf = (path) => lineAt(offsetOf(document, path));
  const refused: SettingsProblem[] = [];
  const value = toPlainValue(document.contents, 0, ({ range }, message) => {
    refused.push({ line: lineAt(range?.[0] ?? 0), message });
  });
  const errors = document.errors.map((error) => ({
    line: lineAt(error.pos[0]),
    message: describeYamlError(error),
  }));
  // An empty file, or one with comments only, has no value.
  const set = value ?? {};
  const [syntax] = [errors, refused].filter((list) => list.length > 0);
  if (syntax !== undefined) return brokenFile(syntax, set);
  const parsed = schema.safeParse(set, { reportInput: true });
  if (!parsed.success) {
    const issues = parsed.error.issues.flatMap((issue) => describeIssue(issue, lineOf));
    return brokenFile(issues, set);
  }
  const problems = findProblems(parsed.data, lineOf);
  return problems.length > 0 || !isRecord(set)
    ? brokenFile(problems, set)
    : { kind: 'values', set, parsed: parsed.data };
}

/** The list `rules`, a rule, its paths, one path. */
const MAX_NESTING_DEPTH = 5;

/** The plain value of a node. What can hide a value is refused, and left out. */
function toPlainValue(node: unknown, depth: number, refuse: (node: Node, message: string) => void): unknown {
  if (!isNode(node)) return null;
  if (depth > MAX_NESTING_DEPTH) return refuse(node, 'this is nested deeper than any setting');
  if (isAlias(node) || node.tag !== undefined || ('anchor' in node && node.anchor !== undefined))
    return refuse(node, INDIRECT);
  if (isScalar(node)) return node.value;
  if (isSeq(node)) return node.items.map((item) => toPlainValue(item, depth + 1, refuse));
  const pairs = isMap(node) ? node.items.filter(({ key }) => isScalar(key)) : [];
  const values = pairs.map(({ key, value }) => ({ key: String(key), value: toPlainValue(value, depth + 1, refuse) }));
  // Lists of a repeated key, which is a problem, stand one behind the other, so that all of their rules hold.
  const byKey = [...Map.groupBy(values, ({ key }) => key)].map(([key, all]): [string, unknown] => {
    const found = all.map(({ value }) => value);
    return [key, found.every(Array.isArray) ? found.flat() : found.at(-1)];
  });
  return Object.fromEntries(byKey);
}

const INDIRECT =
  'anchors (&), aliases (*) and tags (!) are not allowed: write the value itself, and a glob that begins with * in quotes';

/** The library's words, but for those that are about itself. */
function describeYamlError({ code, message }: YAMLError): string {
  if (code === 'MULTIPLE_DOCS') return 'multiple documents in one file; remove the line --- or ...';
  if (code === 'DUPLICATE_KEY') return 'this key appears twice';
  if (code === 'NON_STRING_KEY') return 'a key must be a plain word';
  return /stack size|stack overflow/i.test(message) ? TOO_DEEP : `not valid YAML: ${message}`;
}

/** Where the closest value on this path begins, with its key. */
function offsetOf({ contents }: Document, path: ValuePath): number {
  let node: unknown = contents;
  let offset = 0;
  for (const step of path) {
    const item: unknown = isMap(node)
      ? node.items.find(({ key }) => String(key) === step)
      : isSeq(node) && node.items[Number(step)];
    const at = isPair(item) ? item.key : item;
    if (!isRecord(at) || !Array.isArray(at['range'])) break;
    offset = Number(at['range'][0]);
    node = isPair(item) ? item.value : item;
  }
  return offset;
}

function describeIssue(issue: z.core.$ZodIssue, lineOf: LineOf): readonly SettingsProblem[] {
  const { path, input, message } = issue;
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => ({
      line: lineOf([...path, key]),
      message: `${formatSettingPath([...path, key])} is not a setting; the settings are ${message}`,
    }));
  }
  const actual = input == null ? 'and has no value' : `not ${formatValue(input)}`;
  return [{ line: lineOf(path), message: `${formatSettingPath(path) || 'the file'} must be ${message}, ${actual}` }];
}

/** A place in a file for people, such as `rules[1].paths`. */
function formatSettingPath(path: ValuePath): string {
  return path
    .map((step) => (typeof step === 'number' ? `[${step + 1}]` : `.${String(step).slice(0, 60)}`))
    .join('')
    .slice(1);
}

function formatValue(value: unknown): string {
  const text = typeof value === 'number' ? String(value) : JSON.stringify(value);
  return text.length > 60 ? `${text.slice(0, 59)}…` : text;
}

/** Maximum number of problems in one reply; the others are counted. */
const MAX_PROBLEMS_LISTED = 20;

const MAX_PROBLEM_CHARACTERS = 500;

/** The problems of a broken file, in the order of their lines. */
function brokenFile(problems: readonly SettingsProblem[], legible: unknown = null): FileReading<never> {
  const sorted = [...problems].sort((left, right) => left.line - right.line);
  // A value can break two rules that have the same message.
  const lines = [...new Set(sorted.map(({ line, message }) => `line ${line}: ${toSingleLine(message)}`))];
  return {
    kind: 'broken',
    problems: firstOf(lines, MAX_PROBLEMS_LISTED, (line) => line, 'and '),
    legible: isRecord(legible) ? legible : {},
  };
}

/** A problem quotes the file, so invisible characters are replaced. */
function toSingleLine(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\p{Cs}\u{2028}\u{2029}]+/gu, ' ').slice(0, MAX_PROBLEM_CHARACTERS);
}

/** The keys that a file sets itself, with their values as written. */
export type SetValues = Readonly<Record<string, unknown>>;

/** The values of each of these keys, from the loosest to the strictest. */
const LOOSEST_TO_STRICTEST: Readonly<Record<string, readonly unknown[]>> = {
  require_non_author: [false, true],
  require_non_requester: [false, true],
  standing_approvals: ['glob', 'path', 'off'],
  review_approval: ['approve-all', 'nothing'],
  sign_off: [false, true],
};

/** A value is stricter if this number is larger. Of every limit the smaller value is. */
function strictness(key: string, value: unknown): number {
  if (key === 'required_approvals') return Number(value);
  if (key === 'expiry') return -parseDurationHours(String(value));
  const values = LOOSEST_TO_STRICTEST[key];
  return values === undefined ? -Number(value) : values.indexOf(value);
}

/** The values within bounds: each as it is or, if its bound is stricter, the bound. Of two rules about approvers both hold. */
export function tighten(values: SetValues, bounds: SetValues): SetValues {
  const tightened = Object.entries(bounds).map(
    ([key, bound]) => [key, stricterValue(key, values[key], bound)] as const,
  );
  return { ...values, ...Object.fromEntries(tightened) };
}

function stricterValue(key: string, own: unknown, bound: unknown): unknown {
  if (isRecord(bound)) return tighten(isRecord(own) ? own : {}, bound);
  if (own === undefined) return bound;
  if (isApprovers(own) && isApprovers(bound)) return combineApprovers(own, bound);
  // A value that cannot be compared does not hold against a bound.
  return strictness(key, own) >= strictness(key, bound) ? own : bound;
}

function isApprovers(value: unknown): value is Approvers {
  return typeof value === 'string' && Object.hasOwn(APPROVER_DEMANDS, value);
}

/** The values of several layers; a later one replaces what earlier ones set, each of `limits` by itself. */
export function layerValues(...layers: readonly SetValues[]): SetValues {
  const limits = layers.map((layer) => (isRecord(layer['limits']) ? layer['limits'] : {}));
  return { ...Object.assign({}, ...layers), limits: Object.assign({}, ...limits) };
}
