import { isRecord } from '../../lib/trust.ts';
import { APPROVER_DEMANDS, type Approvers, combineApprovers } from '../state/settings.ts';
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

/**
 * How strict a value is; of two values of a key, the one with the larger number restricts more. Keys that are not here
 * have no stricter value, so there is no ceiling for them.
 */
const STRICTNESS: ReadonlyMap<string, (value: unknown) => number> = new Map(
  Object.entries({
    require_non_author: inOrder(false, true),
    require_non_requester: inOrder(false, true),
    required_approvals: Number,
    standing_approvals: inOrder('glob', 'path', 'off'),
    expiry: (value: unknown) => -parseDurationHours(String(value)),
    review_approval: inOrder('approve-all', 'nothing'),
    sign_off: inOrder(false, true),
    'limits.turns': smaller,
    'limits.tokens': smaller,
    'limits.cost_usd': smaller,
    'limits.minutes': smaller,
    'limits.proposals_per_turn': smaller,
    'limits.runs_per_day': smaller,
    'limits.runs_per_person_per_day': smaller,
  } satisfies Readonly<Record<string, (value: unknown) => number>>),
);

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
export function mergeSettings({ defaults, operator, repository, ceilings }: SettingsLayers): FlatValues {
  return tightenValues(new Map([...defaults, ...operator, ...repository]), ceilings);
}

/** The values within bounds. */
export function tightenValues(values: FlatValues, bounds: FlatValues): FlatValues {
  const bounded = [...bounds].map(([key, bound]) => [key, stricterValue(key, values.get(key), bound)] as const);
  return new Map([...values, ...bounded]);
}

function stricterValue(key: string, own: unknown, bound: unknown): unknown {
  if (key === 'approvers' && isApprovers(own) && isApprovers(bound)) return combineApprovers(own, bound);
  const strictness = STRICTNESS.get(key);
  if (strictness === undefined) return own;
  // A value that cannot be compared does not hold against a bound.
  return strictness(own) >= strictness(bound) ? own : bound;
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
