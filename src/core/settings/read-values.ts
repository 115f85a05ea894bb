import { z } from 'zod';
import { isRecord } from '../../lib/trust.ts';
import type { SettingsFileLookup } from '../step/ports.ts';
import { type ParsedYaml, parseYaml, type SettingsProblem, type ValuePath } from './settings-file.ts';

/** Maximum size of a settings file. Its parsed form takes many times as much memory. */
export const MAX_SETTINGS_BYTES = 32_768;

/** Maximum number of problems in one reply; the others are counted. */
const MAX_PROBLEMS_LISTED = 20;

const MAX_PROBLEM_CHARACTERS = 500;

export type YamlValues = Extract<ParsedYaml, { kind: 'values' }>;

/** The values that a file sets, or all problems, one line each in the order of their lines. */
export type ValuesReading<Value> =
  | { readonly kind: 'values'; readonly values: Value }
  /** `legible` are the values that can be read nevertheless, none of them checked. */
  | { readonly kind: 'broken'; readonly problems: readonly string[]; readonly legible: SetValues };

/** A kind of settings file. */
type FileForm<Value> = {
  /** How problems name the file. */
  readonly name: string;
  readonly schema: z.ZodType<Value>;
  /** The problems of valid values, such as two that contradict each other. */
  readonly findProblems: (values: SetValues, source: YamlValues) => readonly SettingsProblem[];
};

/** The keys that a file sets itself, with their values as written. */
export type SetValues = Readonly<Record<string, unknown>>;

/** A file's values: `set` as written, `parsed` with the defaults of the schema. */
type FileValues<Value> = { readonly set: SetValues; readonly parsed: Value };

/** Reads and checks a file. Never throws. */
export function readValues<Value>(found: SettingsFileLookup, form: FileForm<Value>): ValuesReading<FileValues<Value>> {
  switch (found.kind) {
    case 'file':
      return found.bytes.byteLength > MAX_SETTINGS_BYTES
        ? fileTooLarge(found.bytes.byteLength)
        : readBytes(found.bytes, form);
    case 'too-large':
      return fileTooLarge(found.size);
    case 'link':
      return brokenFile([{ line: 1, message: `${form.name} is a link; only a plain file counts` }]);
    case 'no-file':
      return brokenFile([{ line: 1, message: `${form.name} is not a file` }]);
  }
}

function fileTooLarge(size: number): ValuesReading<never> {
  return brokenFile([{ line: 1, message: `the file has ${size} bytes and at most ${MAX_SETTINGS_BYTES} are read` }]);
}

function readBytes<Value>(bytes: Uint8Array, form: FileForm<Value>): ValuesReading<FileValues<Value>> {
  const source = parseYaml(bytes);
  if (source.kind === 'invalid') return brokenFile(source.problems, source.legible);
  // An empty file, or one with comments only, has no value.
  const set = source.value ?? {};
  if (!isRecord(set))
    return brokenFile([{ line: 1, message: 'the file must consist of lines like "approvers: write"' }]);
  const parsed = form.schema.safeParse(set);
  const problems = parsed.success
    ? form.findProblems(set, source)
    : parsed.error.issues.flatMap(issueToProblems(set, source, form.schema));
  return problems.length > 0 || !parsed.success
    ? brokenFile(problems, set)
    : { kind: 'values', values: { set, parsed: parsed.data } };
}

/** The problems of a broken file, in the order of their lines. */
function brokenFile(problems: readonly SettingsProblem[], legible: unknown = null): ValuesReading<never> {
  const sorted = [...problems].sort((left, right) => left.line - right.line);
  // A value can break two rules that have the same message.
  const lines = [...new Set(sorted.map(({ line, message }) => `line ${line}: ${toSingleLine(message)}`))];
  const shown = lines.slice(0, MAX_PROBLEMS_LISTED);
  const remaining = lines.length - shown.length;
  return {
    kind: 'broken',
    problems: remaining > 0 ? [...shown, `and ${remaining} more`] : shown,
    legible: isRecord(legible) ? legible : {},
  };
}

function issueToProblems(
  values: unknown,
  { lineOf }: YamlValues,
  schema: z.ZodType,
): (issue: z.core.$ZodIssue) => readonly SettingsProblem[] {
  return (issue) => {
    const path = issue.path.map((step) => (typeof step === 'number' ? step : String(step)));
    if (issue.code === 'unrecognized_keys') {
      const known = knownKeysAt(schema, path);
      return issue.keys.map((key) => ({
        line: lineOf([...path, key]),
        message: `${formatSettingPath([...path, key])} is not a setting; the settings are ${known.join(', ')}`,
      }));
    }
    const value = valueAt(values, path);
    const actual = value == null ? 'and has no value' : `not ${formatValue(value)}`;
    return [{ line: lineOf(path), message: `${formatSettingPath(path)} must be ${issue.message}, ${actual}` }];
  };
}

/** The names that fit at a place of the file. */
function knownKeysAt(schema: z.ZodType, path: ValuePath): readonly string[] {
  const root: SchemaNode = z.toJSONSchema(schema, { io: 'input' });
  const node = path.reduce<SchemaNode | undefined>((parent, step) => {
    if (parent === undefined) return undefined;
    const below = typeof step === 'number' ? parent.items : (parent.properties?.[step] ?? parent.additionalProperties);
    return typeof below === 'object' && !Array.isArray(below) ? below : undefined;
  }, root);
  return Object.keys(node?.properties ?? {});
}

type SchemaNode = z.core.JSONSchema.BaseSchema;

function valueAt(value: unknown, path: ValuePath): unknown {
  return path.reduce<unknown>((parent, step) => {
    if (Array.isArray(parent)) return parent[Number(step)];
    return isRecord(parent) && Object.hasOwn(parent, step) ? parent[step] : undefined;
  }, value);
}

/** A place in a file for people, such as `rules[1].paths`. */
function formatSettingPath(path: ValuePath): string {
  return path
    .map((step) => (typeof step === 'number' ? `[${step + 1}]` : `.${step.slice(0, 60)}`))
    .join('')
    .slice(1);
}

/** A problem quotes the file, so invisible characters are replaced. */
function toSingleLine(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\p{Cs}\u{2028}\u{2029}]+/gu, ' ').slice(0, MAX_PROBLEM_CHARACTERS);
}

function formatValue(value: unknown): string {
  const text = typeof value === 'number' ? String(value) : JSON.stringify(value);
  return text.length > 60 ? `${text.slice(0, 59)}…` : text;
}
