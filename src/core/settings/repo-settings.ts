import { z } from 'zod';
import type { SettingsFileLookup } from '../state/ports.ts';
import {
  type Approvers,
  DEFAULT_SETTINGS,
  type RunLimits,
  type SettingInForce,
  type Settings,
  type SettingsInForce,
  type SettingsReading,
} from '../state/settings.ts';
import { type FlatValues, flattenValues, type MergedValue, mergeSettings, nestValues } from './merge-settings.ts';
import { NO_OPERATOR_SETTINGS, type OperatorSettings } from './operator-file.ts';
import { readValues, type ValuesReading } from './read-values.ts';
import { KEYS_WITHOUT_EFFECT, parseDurationHours, SettingsFileSchema } from './settings-schema.ts';
import { findUnsupported, isUnsupported } from './unsupported.ts';

/** Path of a repository's settings, on its default branch. */
export const SETTINGS_PATH = '.github/countersign.yml';

/**
 * The settings of a file within the operator's, the operator's if there is no file (null), or every problem, one line
 * each. Never throws.
 */
export function parseSettings(
  found: SettingsFileLookup | null,
  operator: OperatorSettings = NO_OPERATOR_SETTINGS,
): SettingsReading {
  const reading = readRepositoryValues(found);
  if (reading.kind === 'broken') return { ...reading, settings: toSettings(NO_VALUES, operator) };
  return { kind: 'settings', settings: toSettings(reading.values, operator) };
}

/** Every setting in force with its source. While the file is broken, those of the operator. Never throws. */
export function listSettingsInForce(found: SettingsFileLookup | null, operator: OperatorSettings): SettingsInForce {
  const reading = readRepositoryValues(found);
  const values = reading.kind === 'broken' ? NO_VALUES : reading.values;
  return {
    settings: [...mergeLayers(values, operator)].filter(hasEffect).map(toSettingInForce),
    problems: reading.kind === 'broken' ? reading.problems : [],
    keysWithoutEffect: keysWithoutEffect(values),
  };
}

const NO_VALUES: FlatValues = new Map();

/** The keys that a repository's file sets. */
function readRepositoryValues(found: SettingsFileLookup | null): ValuesReading<FlatValues> {
  if (found === null) return { kind: 'values', values: NO_VALUES };
  const reading = readValues(found, {
    name: SETTINGS_PATH,
    schema: SettingsFileSchema,
    findProblems: (values, source) => findUnsupported(values, [], source),
  });
  return reading.kind === 'broken' ? reading : { kind: 'values', values: flattenValues(reading.values.set) };
}

const BUILT_IN: FlatValues = flattenValues(SettingsFileSchema.parse({ limits: {} }));

function mergeLayers(
  repository: FlatValues,
  { defaults, ceilings }: OperatorSettings,
): ReadonlyMap<string, MergedValue> {
  return mergeSettings({ defaults: BUILT_IN, operator: defaults, repository, ceilings });
}

function toSettings(repository: FlatValues, operator: OperatorSettings): Settings {
  const merged = [...mergeLayers(repository, operator)].map(([key, { value }]) => [key, value] as const);
  const file = MergedSchema.parse(nestValues(new Map(merged)));
  return { ...namedSettings(file), keysWithoutEffect: keysWithoutEffect(repository) };
}

/** An operator's bound and a repository's rule about approvers can both hold. */
const MergedSchema = SettingsFileSchema.extend({ approvers: z.custom<Approvers>() });

function namedSettings(file: z.infer<typeof MergedSchema>): Omit<Settings, 'keysWithoutEffect'> {
  return {
    commands: file.commands,
    approvers: file.approvers,
    requireNonAuthor: file.require_non_author,
    requireNonRequester: file.require_non_requester,
    requiredApprovals: file.required_approvals,
    rules: file.rules,
    require: file.require.map(({ paths, approvals = null, approvers = null }) => ({ paths, approvals, approvers })),
    protectedPaths: file.protected_paths,
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

function keysWithoutEffect(values: FlatValues): readonly string[] {
  return [...values.keys()].filter((key) => KEYS_WITHOUT_EFFECT.includes(key));
}

/** A default of a key that this version does not enforce is not in force. */
function hasEffect([key, { value }]: readonly [string, MergedValue]): boolean {
  return !KEYS_WITHOUT_EFFECT.includes(key) && !isUnsupported(nestValues(new Map([[key, value]])));
}

function toSettingInForce([key, { value, source }]: readonly [string, MergedValue]): SettingInForce {
  return { key, value: typeof value === 'string' ? value : JSON.stringify(value), source };
}
