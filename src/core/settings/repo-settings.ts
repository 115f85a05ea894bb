import { stringify } from 'yaml';
import { z } from 'zod';
import { isRecord } from '../../lib/trust.ts';
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
import { findModelProblems, NO_OPERATOR_SETTINGS, type OperatorSettings } from './operator-file.ts';
import { layerValues, readSettings, type SetValues, tighten } from './settings-file.ts';
import {
  limitsSchema,
  MAX_LIST_ITEMS,
  parseDurationHours,
  parseWaitMinutes,
  RULE_PARTS,
  SettingsFileSchema,
} from './settings-schema.ts';

/** Path of a repository's settings, on its default branch. */
export const SETTINGS_PATH = '.github/countersign.yml';

/**
 * The settings of a file within the operator's, the operator's if there is no file (null), or every problem, one line
 * each. Of a broken file, the rules that it still shows restrict beside the operator's. Never throws.
 */
export function parseSettings(
  found: SettingsFileLookup | null,
  operator: OperatorSettings = NO_OPERATOR_SETTINGS,
): SettingsReading {
  const { problems, single, own, ofOperator } = readValuesInForce(found, operator);
  const settings = {
    ...namedSettings(MergedSchema.parse(single)),
    rules: own.rules,
    operatorRules: ofOperator.rules,
    require: [...ofOperator.require, ...own.require].map(namedRequirement),
    protectedPaths: [...new Set([...ofOperator.protected_paths, ...own.protected_paths])],
  };
  return problems.length > 0 ? { kind: 'broken', problems, settings } : { kind: 'settings', settings };
}

/** Every setting in force. Never throws. */
export function listSettingsInForce(found: SettingsFileLookup | null, operator: OperatorSettings): SettingsInForce {
  const { problems, single, own, ofOperator } = readValuesInForce(found, operator);
  const inForce = {
    ...single,
    rules: [...ofOperator.rules, ...own.rules],
    require: [...ofOperator.require, ...own.require],
    protected_paths: [...ofOperator.protected_paths, ...own.protected_paths],
    limits: listInOrder(limitsSchema.shape, isRecord(single['limits']) ? single['limits'] : {}),
  };
  return { text: stringify(listInOrder(SettingsFileSchema.shape, inForce), { lineWidth: 0 }), problems };
}

function listInOrder(shape: object, values: SetValues): SetValues {
  return Object.fromEntries(Object.keys(shape).map((key) => [key, values[key] ?? 'none']));
}

/** The values in force. The lists of both files hold beside each other, so that neither can loosen the other's. */
function readValuesInForce(found: SettingsFileLookup | null, operator: OperatorSettings) {
  const { problems, set, lists } = readRepositoryFile(found, operator);
  const model = operator.defaultModel === null ? {} : { model: operator.defaultModel };
  return {
    problems,
    single: tighten(layerValues(BUILT_IN, model, operator.defaults, set), operator.ceilings),
    own: AddedLists.parse(lists),
    ofOperator: AddedLists.parse(operator.defaults),
  };
}

const BUILT_IN: SetValues = SettingsFileSchema.parse({ limits: {} });

/** The restrictions that one file adds to those of the other. */
const AddedLists = z.object(SettingsFileSchema.pick({ rules: true, require: true, protected_paths: true }).shape);

/** The values that a repository's file sets, none of a broken one; and its lists. */
function readRepositoryFile(
  found: SettingsFileLookup | null,
  operator: OperatorSettings,
): { readonly problems: readonly string[]; readonly set: SetValues; readonly lists: SetValues } {
  if (found === null) return { problems: [], set: {}, lists: {} };
  const { defaultModel, defaults } = operator;
  const reading = readSettings(found, {
    name: SETTINGS_PATH,
    schema: SettingsFileSchema,
    findProblems: (values, lineOf) => {
      const usable = [values.model ?? defaults['model'] ?? defaultModel].filter((model) => typeof model === 'string');
      return findModelProblems(values, lineOf, { ...operator, usable });
    },
  });
  if (reading.kind === 'values') return { problems: [], set: reading.set, lists: reading.set };
  return { problems: reading.problems, set: {}, lists: { rules: legibleRules(reading.legible) } };
}

/**
 * The rules of a broken file that still restrict the agent, each with the tools and globs that are valid: a slip in one
 * line must not show the agent what another line denies. One that decides nothing known denies.
 */
function legibleRules({ rules }: SetValues): readonly object[] {
  return listOf(rules).flatMap((rule) => {
    if (!isRecord(rule) || rule['decide'] === 'allow') return [];
    const tools = listOf(rule['tools']).filter((tool) => RULE_PARTS.tool.safeParse(tool).success);
    const paths = listOf(rule['paths']).filter((glob) => RULE_PARTS.glob.safeParse(glob).success);
    if (tools.length === 0 || paths.length === 0) return [];
    const isAsked = rule['decide'] === 'ask' && tools.every((tool) => tool === 'read_file');
    return [{ tools, paths, decide: isAsked ? 'ask' : 'deny' }];
  });
}

/** At most as many entries as a valid list has. */
function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value.slice(0, MAX_LIST_ITEMS) : [];
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
    checkWaitMinutes: parseWaitMinutes(file.wait_for_checks),
    reviewEvent: file.review_event,
    checkRun: file.check_run,
    label: file.label,
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
