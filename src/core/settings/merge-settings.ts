import { isRecord } from '../../lib/trust.ts';
import { APPROVER_DEMANDS, type Approvers, combineApprovers, type SettingSource } from '../state/settings.ts';
import type { SetValues } from './read-values.ts';
import { parseDurationHours } from './settings-schema.ts';

/** Setting values by flat key, such as `limits.turns`, as a file writes them. */
export type FlatValues = ReadonlyMap<string, unknown>;

/** Where values come from; each layer only has the keys that it sets. */
type SettingsLayers = {
  readonly defaults: FlatValues;
  /** The operator's file, and below it the repository's. */
  readonly operator: FlatValues;
  readonly repository: FlatValues;
  /** The operator's bounds, which the other layers can only tighten. */
  readonly ceilings: FlatValues;
};

/** A value in force, and the layer that it comes from. */
export type MergedValue = { readonly value: unknown; readonly source: SettingSource };

/**
 * How strict a value is; of two values of a key, the one with the larger number restricts more. Keys that are not here
 * have no stricter value, so there is no ceiling for them.
 */
const STRICTNESS = {
  require_non_author: inOrder(false, true),
  require_non_requester: inOrder(false, true),
  required_approvals: Number,
  standing_approvals: inOrder('glob', 'path', 'off'),
  expiry: (value) => -parseDurationHours(String(value)),
  decide_in: inOrder('anywhere', 'conversation'),
  review_approval: inOrder('approve-all', 'nothing'),
  sign_off: inOrder(false, true),
  'limits.turns': smaller,
  'limits.tokens': smaller,
  'limits.cost_usd': smaller,
  'limits.minutes': smaller,
  'limits.proposals_per_turn': smaller,
  'limits.runs_per_day': smaller,
  'limits.runs_per_person_per_day': smaller,
} as const satisfies Readonly<Record<string, (value: unknown) => number>>;

const STRICTNESS_BY_KEY: ReadonlyMap<string, (value: unknown) => number> = new Map(Object.entries(STRICTNESS));

/** Whether the later of two values of a key is stricter or looser; null for equal values and those without an order. */
export function compareStrictness(key: string, before: unknown, after: unknown): 'stricter' | 'looser' | null {
  if (key === 'approvers' && isApprovers(before) && isApprovers(after)) {
    const both = combineApprovers(before, after);
    if (before === after || (both !== before && both !== after)) return null;
    return both === after ? 'stricter' : 'looser';
  }
  const strictness = STRICTNESS_BY_KEY.get(key);
  if (strictness === undefined || strictness(before) === strictness(after)) return null;
  return strictness(after) > strictness(before) ? 'stricter' : 'looser';
}

/** A larger number is stricter if the value is later in this list. */
function inOrder(...values: readonly unknown[]): (value: unknown) => number {
  return (value) => values.indexOf(value);
}

/** Without a value there is no limit. */
function smaller(value: unknown): number {
  return typeof value === 'number' ? -value : Number.NEGATIVE_INFINITY;
}

/**
 * The value in force of every key that has one. The repository's value replaces the operator's, which replaces the
 * default; a ceiling replaces each of them that is looser. Of two rules about approvers both hold.
 */
export function mergeSettings({
  defaults,
  operator,
  repository,
  ceilings,
}: SettingsLayers): ReadonlyMap<string, MergedValue> {
  const keys = new Set([...defaults.keys(), ...operator.keys(), ...repository.keys(), ...ceilings.keys()]);
  const layers = [
    ['repository', repository],
    ['operator', operator],
    ['default', defaults],
  ] as const;
  return new Map(
    [...keys].map((key) => {
      const [source, values] = layers.find(([, layer]) => layer.has(key)) ?? ['default', defaults];
      return [key, withCeiling(key, { value: values.get(key), source }, ceilings)];
    }),
  );
}

/** The values within further bounds, which come from `source`. */
export function tightenValues(
  merged: ReadonlyMap<string, MergedValue>,
  bounds: FlatValues,
  source: SettingSource,
): ReadonlyMap<string, MergedValue> {
  const keys = new Set([...merged.keys(), ...bounds.keys()]);
  const none: MergedValue = { value: undefined, source: 'default' };
  return new Map([...keys].map((key) => [key, withCeiling(key, merged.get(key) ?? none, bounds, source)]));
}

function withCeiling(
  key: string,
  own: MergedValue,
  ceilings: FlatValues,
  source: SettingSource = 'ceiling',
): MergedValue {
  if (!ceilings.has(key)) return own;
  const ceiling = ceilings.get(key);
  if (key === 'approvers' && isApprovers(own.value) && isApprovers(ceiling)) {
    const value = combineApprovers(own.value, ceiling);
    return value === own.value ? own : { value, source };
  }
  const strictness = STRICTNESS_BY_KEY.get(key);
  if (strictness === undefined) return own;
  // A value that cannot be compared does not hold against a ceiling.
  const isWithin = strictness(own.value) >= strictness(ceiling);
  return isWithin ? own : { value: ceiling, source };
}

function isApprovers(value: unknown): value is Approvers {
  return typeof value === 'string' && Object.hasOwn(APPROVER_DEMANDS, value);
}

/** Values with the groups' keys written as `limits.turns`. */
export function flattenValues(values: SetValues): FlatValues {
  return new Map(
    Object.entries(values).flatMap(([key, value]) =>
      isRecord(value)
        ? Object.entries(value).map(([below, leaf]) => [`${key}.${below}`, leaf] as const)
        : [[key, value] as const],
    ),
  );
}

/** The reverse of `flattenValues`. */
export function nestValues(values: FlatValues): SetValues {
  const groups = Map.groupBy(values, ([key]) => key.split('.')[0] ?? key);
  return Object.fromEntries(
    [...groups].map(([name, entries]) => {
      const own = entries.find(([key]) => key === name);
      if (own !== undefined) return [name, own[1]];
      return [name, Object.fromEntries(entries.map(([key, value]) => [key.slice(name.length + 1), value]))];
    }),
  );
}
