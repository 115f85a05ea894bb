import { z } from 'zod';
import {
  type ApprovalRequirement,
  type Approvers,
  DEFAULT_SETTINGS,
  type RunLimits,
  type SettingInForce,
  type Settings,
  type SettingsInForce,
  type SettingsReading,
} from '../state/settings.ts';
import type { SettingsFileLookup } from '../step/ports.ts';
import { type LegibleValues, NOTHING_LEGIBLE, readLegibleValues, withLegibleValues } from './legible-values.ts';
import { type FlatValues, flattenValues, type MergedValue, mergeSettings, nestValues } from './merge-settings.ts';
import { findModelProblems } from './models.ts';
import { NO_OPERATOR_SETTINGS, type OperatorSettings } from './operator-file.ts';
import { readValues, type ValuesReading } from './read-values.ts';
import { parseDurationHours, SETTING_KEYS, SettingsFileSchema } from './settings-schema.ts';

/** Path of a repository's settings, on its default branch. */
export const SETTINGS_PATH = '.github/countersign.yml';

/** A path that people write by mistake. A file there has no effect. */
export const MISNAMED_SETTINGS_PATH = '.github/countersign.yaml';

/**
 * The latest reading of a file's bytes, or without a file of the operator's settings: each decision reads them again.
 */
const READINGS = new WeakMap<object, { readonly operator: OperatorSettings; readonly reading: SettingsReading }>();

/**
 * The settings of a file within the operator's, the operator's if there is no file (null), or every problem, one line
 * each. Of a broken file, what it still restricts holds beside the operator's. Never throws.
 */
export function parseSettings(
  found: SettingsFileLookup | null,
  operator: OperatorSettings = NO_OPERATOR_SETTINGS,
): SettingsReading {
  if (found !== null && found.kind !== 'file') return readSettings(found, operator);
  const source = found === null ? operator : found.bytes;
  const known = READINGS.get(source);
  if (known?.operator === operator) return known.reading;
  const reading = readSettings(found, operator);
  READINGS.set(source, { operator, reading });
  return reading;
}

function readSettings(found: SettingsFileLookup | null, operator: OperatorSettings): SettingsReading {
  const reading = readRepositoryValues(found, operator);
  if (reading.kind === 'broken') {
    const { problems, legible } = reading;
    return {
      kind: 'broken',
      problems,
      settings: toSettings(NO_VALUES, operator, readLegibleValues(legible, operator)),
    };
  }
  return { kind: 'settings', settings: toSettings(reading.values, operator) };
}

/** Every setting in force with its source. Never throws. */
export function listSettingsInForce(found: SettingsFileLookup | null, operator: OperatorSettings): SettingsInForce {
  const reading = readRepositoryValues(found, operator);
  const isBroken = reading.kind === 'broken';
  const values = isBroken ? NO_VALUES : reading.values;
  const legible = isBroken ? readLegibleValues(reading.legible, operator) : NOTHING_LEGIBLE;
  return {
    settings: inOrder(withLegibleValues(mergeLayers(values, operator), legible))
      .flatMap((merged) => withOperatorList(merged, operator))
      .map(toSettingInForce),
    problems: isBroken ? reading.problems : [],
  };
}

const NO_VALUES: FlatValues = new Map();

/** The keys that a repository's file sets. */
export function readRepositoryValues(
  found: SettingsFileLookup | null,
  operator: OperatorSettings,
): ValuesReading<FlatValues> {
  if (found === null) return { kind: 'values', values: NO_VALUES };
  const reading = readValues(found, {
    name: SETTINGS_PATH,
    schema: SettingsFileSchema,
    findProblems: (values, source) => findModelProblems(values, source, operator),
  });
  return reading.kind === 'broken' ? reading : { kind: 'values', values: flattenValues(reading.values.set) };
}

const BUILT_IN: FlatValues = flattenValues(SettingsFileSchema.parse({ limits: {} }));

function mergeLayers(
  repository: FlatValues,
  { defaults, ceilings, defaultModel }: OperatorSettings,
): ReadonlyMap<string, MergedValue> {
  const builtIn = defaultModel === null ? BUILT_IN : new Map([['model', defaultModel], ...BUILT_IN]);
  return mergeSettings({ defaults: builtIn, operator: defaults, repository, ceilings });
}

function toSettings(
  repository: FlatValues,
  operator: OperatorSettings,
  legible: LegibleValues = NOTHING_LEGIBLE,
): Settings {
  const layers = withLegibleValues(mergeLayers(repository, operator), legible);
  const merged = [...layers].map(([key, { value }]) => [key, value] as const);
  const file = MergedSchema.parse(nestValues(new Map(merged)));
  const ownLists = new Map([...repository, ...legible.restrictions]);
  const [own, ofOperator] = [ownLists, operator.defaults].map(readAddedLists);
  return {
    ...namedSettings(file),
    rules: own?.rules ?? [],
    operatorRules: ofOperator?.rules ?? [],
    require: [...(ofOperator?.require ?? []), ...(own?.require ?? [])].map(namedRequirement),
    protectedPaths: [...new Set([...(ofOperator?.protected_paths ?? []), ...(own?.protected_paths ?? [])])],
  };
}

const AddedLists = SettingsFileSchema.pick({ rules: true, require: true, protected_paths: true });

/** The restrictions of one file. Those of the other file hold beside them, so that neither can loosen the other's. */
function readAddedLists(values: FlatValues): z.infer<typeof AddedLists> {
  const set = [...values].filter(([key]) => Object.hasOwn(AddedLists.shape, key));
  return AddedLists.parse(Object.fromEntries(set));
}

/** All settings but the lists of `AddedLists`. */
type NamedSettings = Omit<Settings, 'rules' | 'operatorRules' | 'require' | 'protectedPaths'>;

/** An operator's bound and a repository's rule about approvers can both hold. */
const MergedSchema = SettingsFileSchema.extend({ approvers: z.custom<Approvers>() });

function namedSettings(file: z.infer<typeof MergedSchema>): NamedSettings {
  return {
    commands: file.commands,
    approvers: file.approvers,
    requireNonAuthor: file.require_non_author,
    requireNonRequester: file.require_non_requester,
    requiredApprovals: file.required_approvals,
    standingApprovals: file.standing_approvals,
    expiryHours: parseDurationHours(file.expiry),
    reviewEvent: file.review_event,
    decideIn: file.decide_in,
    reviewApproval: file.review_approval,
    commitMessage: file.commit_message,
    signOff: file.sign_off,
    model: file.model ?? null,
    limits: namedLimits(file.limits),
    contextFiles: file.context_files,
  };
}

type FileRequirement = z.infer<typeof AddedLists>['require'][number];

function namedRequirement({ paths, approvals, approvers }: FileRequirement): ApprovalRequirement {
  return { paths, approvals: approvals ?? null, approvers: approvers ?? null };
}

function namedLimits(limits: z.infer<typeof SettingsFileSchema>['limits']): RunLimits {
  if (limits === undefined) return DEFAULT_SETTINGS.limits;
  return {
    turns: limits.turns,
    tokens: limits.tokens,
    costUsd: limits.cost_usd ?? null,
    minutes: limits.minutes ?? null,
    proposalsPerTurn: limits.proposals_per_turn,
    runsPerDay: limits.runs_per_day,
    runsPerPersonPerDay: limits.runs_per_person_per_day ?? null,
  };
}

const NO_LIMIT: MergedValue = { value: 'none', source: 'default' };

/** In the order of the documentation, with the limits that exist only where a file sets them. */
function inOrder(merged: ReadonlyMap<string, MergedValue>): readonly (readonly [string, MergedValue])[] {
  return SETTING_KEYS.flatMap((key) => {
    const value = merged.get(key) ?? (key.startsWith('limits.') ? NO_LIMIT : undefined);
    return value === undefined ? [] : [[key, value] as const];
  });
}

/** Both lists of a key to which both files add, the operator's first. */
function withOperatorList(
  [key, merged]: readonly [string, MergedValue],
  { defaults }: OperatorSettings,
): readonly (readonly [string, MergedValue])[] {
  if (merged.source !== 'repository' || !Object.hasOwn(AddedLists.shape, key) || !defaults.has(key))
    return [[key, merged]];
  return [
    [key, { value: defaults.get(key), source: 'operator' }],
    [key, merged],
  ];
}

function toSettingInForce([key, { value, source }]: readonly [string, MergedValue]): SettingInForce {
  return { key, value: formatSettingValue(value), source };
}

/** A value as it can be written in the file, in one line. */
export function formatSettingValue(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** Settings that people read together. */
export type SettingGroup = { readonly title: string; readonly settings: readonly SettingInForce[] };

/** The settings as people read them, in this order. `limits` stands for all keys of this group. */
const SETTING_GROUPS: readonly { readonly title: string; readonly keys: readonly string[] }[] = [
  {
    title: 'Who may approve',
    keys: ['approvers', 'required_approvals', 'require_non_author', 'require_non_requester', 'require'],
  },
  { title: 'Which files', keys: ['rules', 'protected_paths', 'standing_approvals'] },
  {
    title: 'How it is decided',
    keys: ['commands', 'decide_in', 'review_approval', 'review_event', 'expiry'],
  },
  { title: 'The agent and its commits', keys: ['model', 'context_files', 'commit_message', 'sign_off'] },
  { title: 'Limits', keys: ['limits'] },
];

const OTHER_SETTINGS = 'Other';

/** Settings in groups with a title; groups without a setting are left out, and no setting is. */
export function groupSettings(settings: readonly SettingInForce[]): readonly SettingGroup[] {
  const places = new Map(SETTING_GROUPS.flatMap(({ keys }) => keys).map((key, index) => [key, index]));
  const titles = new Map(SETTING_GROUPS.flatMap(({ title, keys }) => keys.map((key) => [key, title])));
  const nameOf = ({ key }: SettingInForce): string => key.split('.')[0] ?? key;
  const placeOf = (setting: SettingInForce): number => places.get(nameOf(setting)) ?? places.size;
  const sorted = settings.toSorted((left, right) => placeOf(left) - placeOf(right));
  const groups = Map.groupBy(sorted, (setting) => titles.get(nameOf(setting)) ?? OTHER_SETTINGS);
  return [...groups].map(([title, members]) => ({ title, settings: members }));
}
