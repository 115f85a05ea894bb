import type { z } from 'zod';
import { isRecord } from '../../lib/trust.ts';
import { type FlatValues, flattenValues } from './strictness.ts';
import type { SetValues } from './read-values.ts';
import { limitsSchema, RULE_PARTS } from './settings-schema.ts';

/**
 * The restrictions of a broken file that still apply: the paths that it keeps from tools, and its limits. A slip in one
 * line must not show the agent what another line denies. Nothing of a broken file allows anything.
 */
type LegibleValues = { readonly rules: readonly object[]; readonly limits: FlatValues };

/** More would be no valid file. */
const MAX_RULES = 100;

/** Reads each value by itself, and leaves out those that are not valid. Never throws. */
export function readLegibleValues({ rules, limits }: SetValues): LegibleValues {
  return {
    rules: Array.isArray(rules) ? rules.flatMap(readRestriction).slice(0, MAX_RULES) : [],
    limits: isRecord(limits) ? flattenValues({ limits: validLimits(limits) }) : new Map(),
  };
}

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

function validItems(list: unknown, schema: z.ZodType): readonly unknown[] {
  if (!Array.isArray(list)) return [];
  return list.slice(0, MAX_RULES).filter((item) => schema.safeParse(item).success);
}

function validLimits(limits: SetValues): SetValues {
  const valid = Object.entries(limitsSchema.shape).filter(
    ([key, schema]) => limits[key] !== undefined && schema.safeParse(limits[key]).success,
  );
  return Object.fromEntries(valid.map(([key]) => [key, limits[key]]));
}
