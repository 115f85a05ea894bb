import { isRecord } from '../../lib/trust.ts';

/** Members that name or label something. Endpoints repeat them in each delta, so they replace instead of adding up. */
const LABELS: ReadonlySet<string> = new Set(['format', 'id', 'index', 'name', 'object', 'role', 'type']);

/**
 * The value after a delta: texts are concatenated, objects are merged by member, and elements of lists by their
 * `index`. Null adds nothing. The package's own merging knows only its own members, and loses thoughts.
 */
export function mergeDelta(whole: unknown, delta: unknown): unknown {
  if (delta === null || delta === undefined) return whole;
  if (typeof whole === 'string' && typeof delta === 'string') return whole + delta;
  if (Array.isArray(delta)) return delta.reduce(mergeElement, Array.isArray(whole) ? whole : []);
  if (!isRecord(whole) || !isRecord(delta)) return delta;
  const members = new Map(Object.entries(whole));
  for (const [name, value] of Object.entries(delta)) {
    const before = members.get(name);
    // Some endpoints send an empty or null id or name in every delta but the first.
    const relabeled = isUnset(value) ? (before ?? value) : value;
    members.set(name, LABELS.has(name) ? relabeled : mergeDelta(before, value));
  }
  return Object.fromEntries(members);
}

function mergeElement(list: readonly unknown[], element: unknown): readonly unknown[] {
  const at = list.findLastIndex((one) => isSameElement(one, element));
  return at === -1 ? [...list, element] : list.with(at, mergeDelta(list[at], element));
}

/** Some endpoints count several calls or kinds of thoughts with one index; their ids or types tell them apart. */
function isSameElement(one: unknown, other: unknown): boolean {
  if (!isRecord(one) || !isRecord(other) || typeof other['index'] !== 'number') return false;
  const isSameLabel = (name: string): boolean =>
    isUnset(one[name]) || isUnset(other[name]) || one[name] === other[name];
  return one['index'] === other['index'] && isSameLabel('id') && isSameLabel('type');
}

/** Whether a label says nothing: some endpoints send an empty or null one in place of none. */
export function isUnset(label: unknown): boolean {
  return label === undefined || label === null || label === '';
}
