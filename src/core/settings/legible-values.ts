import { isRecord } from '../../lib/trust.ts';
import { type FlatValues, flattenValues, type MergedValue, tightenValues } from './merge-settings.ts';
import { type ModelOffer, modelInForce } from './models.ts';
import type { SetValues } from './read-values.ts';
import { limitsSchema, RULE_PARTS } from './settings-schema.ts';

/**
 * The restrictions of a broken file that still apply: the paths that it keeps from tools, its limits and its model. A
 * slip in one line must not show the agent what another line denies. Nothing of a broken file allows anything.
 */
export type LegibleValues = { readonly restrictions: FlatValues; readonly limits: FlatValues };

export const NOTHING_LEGIBLE: LegibleValues = { restrictions: new Map(), limits: new Map() };

type Operator = ModelOffer & { readonly prices: ReadonlyMap<string, unknown> };

/** Reads each value by itself, and leaves out those that are not valid. Never throws. */
export function readLegibleValues({ rules, limits, model }: SetValues, operator: Operator): LegibleValues {
  const denials = Array.isArray(rules) ? rules.flatMap(readRestriction) : [];
  const bounds = isRecord(limits) ? flattenValues({ limits: validLimits(limits) }) : new Map();
  const isOffered =
    typeof model === 'string' && operator.defaultModel !== null && modelInForce(operator, model) === model;
  // A model without a price cannot begin under a limit of cost, and the operator's might.
  const isUsable = isOffered && (!bounds.has('limits.cost_usd') || operator.prices.has(model));
  return {
    restrictions: new Map<string, unknown>([
      ...(denials.length > 0 ? ([['rules', denials.slice(0, MAX_RESTRICTIONS)]] as const) : []),
      ...(isUsable ? ([['model', model]] as const) : []),
    ]),
    limits: bounds,
  };
}

/** The merged values of the operator, within what is legible. */
export function withLegibleValues(
  merged: ReadonlyMap<string, MergedValue>,
  { restrictions, limits }: LegibleValues,
): ReadonlyMap<string, MergedValue> {
  const own = [...restrictions].map(([key, value]) => [key, { value, source: 'repository' }] as const);
  return new Map([...tightenValues(merged, limits, 'repository'), ...own]);
}

/** More would be no valid file. */
const MAX_RESTRICTIONS = 100;

/**
 * A rule with those of its tools and globs that are valid; none if it allows. One that decides nothing known denies.
 */
function readRestriction(rule: unknown): readonly object[] {
  if (!isRecord(rule) || rule['decide'] === 'allow') return [];
  const tools = validItems(rule['tools'], RULE_PARTS.tool);
  const paths = validItems(rule['paths'], RULE_PARTS.glob);
  if (tools.length === 0 || paths.length === 0) return [];
  const isAsked = rule['decide'] === 'ask' && tools.every((tool) => tool === 'read_file');
  return [{ tools, paths, decide: isAsked ? 'ask' : 'deny' }];
}

type Check<Value> = {
  readonly safeParse: (value: unknown) => { readonly success: boolean; readonly data?: Value | undefined };
};

function validItems<Value>(list: unknown, check: Check<Value>): readonly Value[] {
  if (!Array.isArray(list)) return [];
  return list.slice(0, MAX_RESTRICTIONS).flatMap((item) => {
    const { data } = check.safeParse(item);
    return data === undefined ? [] : [data];
  });
}

function validLimits(limits: SetValues): SetValues {
  const checks = Object.entries(limitsSchema.shape);
  return Object.fromEntries(
    checks.flatMap(([key, check]) => {
      const value = limits[key];
      return value !== undefined && check.safeParse(value).success ? [[key, value]] : [];
    }),
  );
}
