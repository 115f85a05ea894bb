import type { z } from 'zod';
import { isOneSlip } from '../command/one-slip.ts';
import { DEFAULT_SETTINGS, type Settings, type SettingsReading } from '../policy/settings.ts';
import { isRecord } from '../trust.ts';
import { NOT_YET, SettingsFile, type SettingsKey } from './keys.ts';
import { hoursOf } from './values.ts';
import { type Problem, readYaml, type ValuePath, type YamlSource } from './yaml-source.ts';

/** Where a repository keeps its settings, on its default branch. */
export const SETTINGS_PATH = '.github/countersign.yml';

/** No file of settings is larger, and what is read takes memory many times its size. */
export const MOST_BYTES = 32_768;
/** What one answer lists; more is counted. */
const MOST_PROBLEMS = 20;
const LONGEST_PROBLEM = 500;

type Values = Extract<YamlSource, { kind: 'values' }>;

/** What stands at `SETTINGS_PATH`; a directory or a link that leads nowhere is no file. */
export type FoundFile =
  | { readonly kind: 'file'; readonly bytes: Uint8Array }
  | { readonly kind: 'too-large'; readonly size: number }
  | { readonly kind: 'no-file' };

/** The settings that a file says, null where there is none; or everything that is wrong with it, a line each. Never throws. */
export function readSettings(found: FoundFile | null): SettingsReading {
  if (found === null) return { kind: 'settings', settings: DEFAULT_SETTINGS };
  switch (found.kind) {
    case 'file':
      return found.bytes.byteLength > MOST_BYTES ? tooLarge(found.bytes.byteLength) : readBytes(found.bytes);
    case 'too-large':
      return tooLarge(found.size);
    case 'no-file':
      return brokenSettings([{ line: 1, what: `${SETTINGS_PATH} is not a file` }]);
  }
}

function tooLarge(size: number): SettingsReading {
  return brokenSettings([{ line: 1, what: `the file has ${size} bytes and at most ${MOST_BYTES} are read` }]);
}

function readBytes(bytes: Uint8Array): SettingsReading {
  const source = readYaml(bytes);
  if (source.kind === 'unread') return brokenSettings(source.problems);
  // An empty file, or one of comments only, says nothing.
  const said = source.value ?? {};
  if (!isRecord(said))
    return brokenSettings([{ line: 1, what: 'the file must consist of lines like "approvers: write"' }]);
  const parsed = SettingsFile.safeParse(said);
  const problems = parsed.success ? notYet(said, source) : parsed.error.issues.flatMap(worded(said, source));
  return problems.length > 0 || !parsed.success
    ? brokenSettings(problems)
    : { kind: 'settings', settings: settingsOf(parsed.data) };
}

/** The reading of a file that cannot be used, its problems in the order of their lines. */
function brokenSettings(problems: readonly Problem[]): SettingsReading {
  const sorted = [...problems].sort((left, right) => left.line - right.line);
  const shown = sorted.slice(0, MOST_PROBLEMS).map(({ line, what }) => `line ${line}: ${inOneLine(what)}`);
  const left = sorted.length - shown.length;
  return { kind: 'broken', problems: left > 0 ? [...shown, `and ${left} more`] : shown };
}

function settingsOf(file: z.infer<typeof SettingsFile>): Settings {
  return {
    commands: file.commands,
    approvers: file.approvers,
    requireNonAuthor: file.require_non_author,
    requireNonRequester: file.require_non_requester,
    requiredApprovals: file.required_approvals,
    expiryHours: hoursOf(file.expiry),
    reviewEvent: file.review_event,
    reviewApproval: file.review_approval,
  };
}

/** What the file itself sets and this version lacks; a default sets nothing. */
function notYet(said: Readonly<Record<string, unknown>>, { lineOf }: Values): readonly Problem[] {
  const names = Object.keys(NOT_YET).filter(isKey);
  return names.flatMap((name) => {
    const value = said[name];
    if (NOT_YET[name]?.isSet(value) !== true) return [];
    const set = typeof value === 'string' ? `${name}: ${value}` : name;
    return [{ line: lineOf([name]), what: `${set} is not in this version of Countersign; take it out until it is` }];
  });
}

function isKey(name: string): name is SettingsKey {
  return Object.hasOwn(SettingsFile.shape, name);
}

function worded(said: unknown, { lineOf }: Values): (issue: z.core.$ZodIssue) => readonly Problem[] {
  return (issue) => {
    const path = issue.path.map((step) => (typeof step === 'number' ? step : String(step)));
    if (issue.code === 'unrecognized_keys') {
      return issue.keys.map((key) => ({ line: lineOf([...path, key]), what: unknownKey(path, key) }));
    }
    const value = valueAt(said, path);
    const got = value == null ? 'and has no value' : `not ${echo(value)}`;
    return [{ line: lineOf(path), what: `${nameOf(path)} must be ${issue.message}, ${got}` }];
  };
}

function unknownKey(path: ValuePath, key: string): string {
  const known = keysBelow(path);
  const meant = known.find((name) => isOneSlip(key.toLowerCase().replaceAll('-', '_'), name) || sameBut(key, name));
  const hint = meant === undefined ? `there are ${known.join(', ')}` : `did you mean ${meant}?`;
  return `${nameOf([...path, key])} is not a setting; ${hint}`;
}

function sameBut(key: string, name: string): boolean {
  return key.toLowerCase().replaceAll('-', '_') === name;
}

/** The names that fit at a place of the file: of the file itself, of `limits`, or of one rule. */
function keysBelow([first]: ValuePath): readonly string[] {
  if (first === 'limits') return Object.keys(SettingsFile.shape.limits.unwrap().shape);
  if (first === 'rules') return ['tools', 'paths', 'decide'];
  return Object.keys(SettingsFile.shape);
}

function valueAt(value: unknown, path: ValuePath): unknown {
  return path.reduce<unknown>((at, step) => {
    if (Array.isArray(at)) return at[Number(step)];
    return isRecord(at) && Object.hasOwn(at, step) ? at[step] : undefined;
  }, value);
}

function nameOf(path: ValuePath): string {
  return path
    .map((step) => (typeof step === 'number' ? `[${step + 1}]` : `.${step.slice(0, 60)}`))
    .join('')
    .slice(1);
}

/** What was read may hold anything; a problem is one line that is seen as it is. */
function inOneLine(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\p{Cs}\u{2028}\u{2029}]+/gu, ' ').slice(0, LONGEST_PROBLEM);
}

function echo(value: unknown): string {
  const text = typeof value === 'number' ? String(value) : JSON.stringify(value);
  return text.length > 60 ? `${text.slice(0, 59)}…` : text;
}
