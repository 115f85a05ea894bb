import type { z } from 'zod';
import { isWithinOneEdit } from '../../lib/closest-name.ts';
import { isRecord } from '../../lib/trust.ts';
import type { SettingsFileLookup } from '../state/ports.ts';
import { DEFAULT_SETTINGS, type Settings, type SettingsReading } from '../state/settings.ts';
import {
  KEYS_WITHOUT_EFFECT,
  knownKeysAt,
  parseDurationHours,
  SettingsFileSchema,
  type SettingsKey,
  UNSUPPORTED_SETTINGS,
} from './settings-schema.ts';
import { type ParsedYaml, parseYaml, type SettingsProblem, type ValuePath } from './yaml.ts';

/** Path of a repository's settings, on its default branch. */
export const SETTINGS_PATH = '.github/countersign.yml';

/** Maximum size of the file. Its parsed form takes many times as much memory. */
export const MAX_SETTINGS_BYTES = 32_768;

/** Maximum number of problems in one reply; the others are counted. */
const MAX_PROBLEMS_LISTED = 20;

const MAX_PROBLEM_CHARACTERS = 500;

type YamlValues = Extract<ParsedYaml, { kind: 'values' }>;

/** The settings of a file, the defaults if there is no file (null), or every problem, one line each. Never throws. */
export function parseSettings(found: SettingsFileLookup | null): SettingsReading {
  if (found === null) return { kind: 'settings', settings: DEFAULT_SETTINGS };
  switch (found.kind) {
    case 'file':
      return found.bytes.byteLength > MAX_SETTINGS_BYTES
        ? settingsTooLarge(found.bytes.byteLength)
        : parseSettingsBytes(found.bytes);
    case 'too-large':
      return settingsTooLarge(found.size);
    case 'no-file':
      return brokenSettings([{ line: 1, message: `${SETTINGS_PATH} is not a file` }]);
  }
}

function settingsTooLarge(size: number): SettingsReading {
  return brokenSettings([
    { line: 1, message: `the file has ${size} bytes and at most ${MAX_SETTINGS_BYTES} are read` },
  ]);
}

function parseSettingsBytes(bytes: Uint8Array): SettingsReading {
  const source = parseYaml(bytes);
  if (source.kind === 'invalid') return brokenSettings(source.problems);
  // An empty file, or one with comments only, has no value.
  const values = source.value ?? {};
  if (!isRecord(values))
    return brokenSettings([{ line: 1, message: 'the file must consist of lines like "approvers: write"' }]);
  const parsed = SettingsFileSchema.safeParse(values);
  const problems = parsed.success
    ? findUnsupported(values, source)
    : parsed.error.issues.flatMap(issueToProblems(values, source));
  return problems.length > 0 || !parsed.success
    ? brokenSettings(problems)
    : { kind: 'settings', settings: toSettings(parsed.data, values) };
}

/** The problems of a broken file, in the order of their lines. */
function brokenSettings(problems: readonly SettingsProblem[]): SettingsReading {
  const sorted = [...problems].sort((left, right) => left.line - right.line);
  const shown = sorted
    .slice(0, MAX_PROBLEMS_LISTED)
    .map(({ line, message }) => `line ${line}: ${toSingleLine(message)}`);
  const remaining = sorted.length - shown.length;
  return { kind: 'broken', problems: remaining > 0 ? [...shown, `and ${remaining} more`] : shown };
}

function toSettings(file: z.infer<typeof SettingsFileSchema>, values: Readonly<Record<string, unknown>>): Settings {
  return {
    commands: file.commands,
    approvers: file.approvers,
    requireNonAuthor: file.require_non_author,
    requireNonRequester: file.require_non_requester,
    requiredApprovals: file.required_approvals,
    expiryHours: parseDurationHours(file.expiry),
    reviewEvent: file.review_event,
    decideIn: file.decide_in,
    reviewApproval: file.review_approval,
    contextFiles: file.context_files,
    keysWithoutEffect: Object.keys(values).filter((key) => KEYS_WITHOUT_EFFECT.includes(key)),
  };
}

/** Unsupported values that the file itself sets. */
function findUnsupported(
  values: Readonly<Record<string, unknown>>,
  { lineOf }: YamlValues,
): readonly SettingsProblem[] {
  const names = Object.keys(UNSUPPORTED_SETTINGS).filter(isKey);
  return names.flatMap((name) => {
    const value = values[name];
    if (UNSUPPORTED_SETTINGS[name]?.isSet(value) !== true) return [];
    const setting = typeof value === 'string' ? `${name}: ${value}` : name;
    return [{ line: lineOf([name]), message: `${setting} is not in this version of Countersign; remove it for now` }];
  });
}

function isKey(name: string): name is SettingsKey {
  return Object.hasOwn(SettingsFileSchema.shape, name);
}

function issueToProblems(
  values: unknown,
  { lineOf }: YamlValues,
): (issue: z.core.$ZodIssue) => readonly SettingsProblem[] {
  return (issue) => {
    const path = issue.path.map((step) => (typeof step === 'number' ? step : String(step)));
    if (issue.code === 'unrecognized_keys') {
      return issue.keys.map((key) => ({ line: lineOf([...path, key]), message: describeUnknownKey(path, key) }));
    }
    const value = valueAt(values, path);
    const actual = value == null ? 'and has no value' : `not ${formatValue(value)}`;
    return [{ line: lineOf(path), message: `${formatSettingPath(path)} must be ${issue.message}, ${actual}` }];
  };
}

function describeUnknownKey(path: ValuePath, key: string): string {
  const known = knownKeysAt(path);
  const normalized = key.toLowerCase().replaceAll('-', '_');
  const suggestion = known.find((name) => normalized === name || isWithinOneEdit(normalized, name));
  const hint = suggestion === undefined ? `the settings are ${known.join(', ')}` : `did you mean ${suggestion}?`;
  return `${formatSettingPath([...path, key])} is not a setting; ${hint}`;
}

function valueAt(value: unknown, path: ValuePath): unknown {
  return path.reduce<unknown>((parent, step) => {
    if (Array.isArray(parent)) return parent[Number(step)];
    return isRecord(parent) && Object.hasOwn(parent, step) ? parent[step] : undefined;
  }, value);
}

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
