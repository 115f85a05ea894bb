import { stringify } from 'yaml';
import { z } from 'zod';
import {
  type ApprovalRequirement,
  type Approvers,
  DEFAULT_SETTINGS,
  type RunLimits,
  type Settings,
  type SettingsInForce,
  type SettingsReading,
} from '../state/settings.ts';
import type { SettingsFileLookup } from '../step/ports.ts';
import { readLegibleValues } from './legible-values.ts';
import { type FlatValues, flattenValues, mergeSettings, nestValues, tightenValues } from './strictness.ts';
import { findModelProblems } from './models.ts';
import { NO_OPERATOR_SETTINGS, type OperatorSettings } from './operator-file.ts';
import { readValues, type ValuesReading } from './read-values.ts';
import { parseDurationHours, SETTING_KEYS, SettingsFileSchema } from './settings-schema.ts';

/** Path of a repository's settings, on its default branch. */
export const SETTINGS_PATH = '.github/countersign.yml';

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
  const { problems, values } = readValuesInForce(found, operator);
  const settings = toSettings(values);
  return problems.length > 0 ? { kind: 'broken', problems, settings } : { kind: 'settings', settings };
}

/** Every setting in force. Never throws. */
export function listSettingsInForce(found: SettingsFileLookup | null, operator: OperatorSettings): SettingsInForce {
  const { problems, values } = readValuesInForce(found, operator);
  const { single, own, ofOperator } = values;
  const joined = Object.keys(AddedLists.shape).map(
    (key) => [key, [ofOperator.get(key) ?? [], own.get(key) ?? []].flat()] as const,
  );
  const inForce = new Map<string, unknown>([...single, ...joined]);
  const ordered = SETTING_KEYS.map((key) => [key, inForce.get(key) ?? 'none'] as const);
  return { text: stringify(nestValues(new Map(ordered)), { lineWidth: 0 }), problems };
}

/** The values in force: `own` and `ofOperator` hold beside each other, so that neither can loosen the other's. */
type ValuesInForce = {
  readonly single: FlatValues;
  readonly own: FlatValues;
  readonly ofOperator: FlatValues;
};

function readValuesInForce(
  found: SettingsFileLookup | null,
  operator: OperatorSettings,
): { readonly problems: readonly string[]; readonly values: ValuesInForce } {
  const { defaults, ceilings, defaultModel } = operator;
  const builtIn = defaultModel === null ? BUILT_IN : new Map([['model', defaultModel], ...BUILT_IN]);
  const merge = (repository: FlatValues) =>
    mergeSettings({ defaults: builtIn, operator: defaults, repository, ceilings });
  const reading = readRepositoryValues(found, operator);
  if (reading.kind === 'values') {
    const { values } = reading;
    return { problems: [], values: { single: merge(values), own: values, ofOperator: defaults } };
  }
  const { rules, limits } = readLegibleValues(reading.legible);
  const values = { single: tightenValues(merge(new Map()), limits), own: new Map([['rules', rules]]) };
  return { problems: reading.problems, values: { ...values, ofOperator: defaults } };
}

function readRepositoryValues(found: SettingsFileLookup | null, operator: OperatorSettings): ValuesReading<FlatValues> {
  if (found === null) return { kind: 'values', values: new Map() };
  const reading = readValues(found, {
    name: SETTINGS_PATH,
    schema: SettingsFileSchema,
    findProblems: (values, source) => findModelProblems(values, source, operator),
  });
  return reading.kind === 'broken' ? reading : { kind: 'values', values: flattenValues(reading.values.set) };
}

const BUILT_IN: FlatValues = flattenValues(SettingsFileSchema.parse({ limits: {} }));

function toSettings({ single, ...lists }: ValuesInForce): Settings {
  const file = MergedSchema.parse(nestValues(single));
  const [own, ofOperator] = [readAddedLists(lists.own), readAddedLists(lists.ofOperator)];
  return {
    ...namedSettings(file),
    rules: own.rules,
    operatorRules: ofOperator.rules,
    require: [...ofOperator.require, ...own.require].map(namedRequirement),
    protectedPaths: [...new Set([...ofOperator.protected_paths, ...own.protected_paths])],
  };
}

const AddedLists = SettingsFileSchema.pick({ rules: true, require: true, protected_paths: true });

/** The restrictions of one file. */
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
