import { isRecord } from '../../lib/trust.ts';
import { APPROVER_DEMANDS, type Approvers, combineApprovers } from '../state/settings.ts';
import { parseDurationHours } from './settings-schema.ts';

/** The keys that a file sets itself, with their values as written. */
export type SetValues = Readonly<Record<string, unknown>>;

/** The values of each of these keys, from the loosest to the strictest. */
const LOOSEST_TO_STRICTEST: Readonly<Record<string, readonly unknown[]>> = {
  require_non_author: [false, true],
  require_non_requester: [false, true],
  standing_approvals: ['glob', 'path', 'off'],
  review_approval: ['approve-all', 'nothing'],
  sign_off: [false, true],
};

/** A value is stricter if this number is larger. Of every limit the smaller value is. */
function strictness(key: string, value: unknown): number {
  if (key === 'required_approvals') return Number(value);
  if (key === 'expiry') return -parseDurationHours(String(value));
  const values = LOOSEST_TO_STRICTEST[key];
  return values === undefined ? -Number(value) : values.indexOf(value);
}

/** The values within bounds: each as it is or, if its bound is stricter, the bound. Of two rules about approvers both hold. */
export function tighten(values: SetValues, bounds: SetValues): SetValues {
  const tightened = Object.entries(bounds).map(
    ([key, bound]) => [key, stricterValue(key, values[key], bound)] as const,
  );
  return { ...values, ...Object.fromEntries(tightened) };
}

function stricterValue(key: string, own: unknown, bound: unknown): unknown {
  if (isRecord(bound)) return tighten(isRecord(own) ? own : {}, bound);
  if (own === undefined) return bound;
  if (isApprovers(own) && isApprovers(bound)) return combineApprovers(own, bound);
  // A value that cannot be compared does not hold against a bound.
  return strictness(key, own) >= strictness(key, bound) ? own : bound;
}

function isApprovers(value: unknown): value is Approvers {
  return typeof value === 'string' && Object.hasOwn(APPROVER_DEMANDS, value);
}

/** The values of several layers; a later one replaces what earlier ones set, each of `limits` by itself. */
export function layerValues(...layers: readonly SetValues[]): SetValues {
  const limits = layers.map((layer) => (isRecord(layer['limits']) ? layer['limits'] : {}));
  return { ...Object.assign({}, ...layers), limits: Object.assign({}, ...limits) };
}
