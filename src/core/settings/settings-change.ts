import type { ChangedSetting, SettingInForce, SettingsChange } from '../state/settings.ts';
import type { SettingsFileLookup } from '../step/ports.ts';
import { compareStrictness, type FlatValues } from './merge-settings.ts';
import type { OperatorSettings } from './operator-file.ts';
import { formatSettingValue, listSettingsInForce, readRepositoryValues } from './repo-settings.ts';

/** Three versions of the settings file; null where there is none. */
type SettingsFiles = {
  /** On the default branch. */
  readonly current: SettingsFileLookup | null;
  /** Where the pull request branched off. */
  readonly base: SettingsFileLookup | null;
  /** At the head of the pull request. */
  readonly head: SettingsFileLookup | null;
};

/**
 * The changes that merging the pull request would make to the settings in force. A setting that only the default branch
 * has changed since stays as it is there. Never throws.
 */
export function compareSettings({ current, base, head }: SettingsFiles, operator: OperatorSettings): SettingsChange {
  const before = listSettingsInForce(current, operator);
  const proposed = listSettingsInForce(head, operator);
  const [now, branchedOff, then] = [before, listSettingsInForce(base, operator), proposed].map(byKey);
  const keys = new Set([...(then?.keys() ?? []), ...(now?.keys() ?? [])]);
  return {
    isDeleted: head === null,
    isNew: current === null,
    problems: proposed.problems,
    isBrokenNow: before.problems.length > 0,
    isCombined: !hasSameContent(current, base),
    changed: [...keys].flatMap((key) => {
      const isOwnChange = then?.get(key)?.value !== branchedOff?.get(key)?.value;
      return compareSetting(key, now?.get(key), isOwnChange ? then?.get(key) : now?.get(key)) ?? [];
    }),
    bounded: findBounded({ base, head }, proposed.settings, operator),
  };
}

/** Lists of a key that several files add to count as one. */
function byKey({ settings }: { readonly settings: readonly SettingInForce[] }): ReadonlyMap<string, SettingInForce> {
  const merged = new Map<string, SettingInForce>();
  for (const setting of settings) {
    const earlier = merged.get(setting.key);
    const value = earlier === undefined ? setting.value : joinLists(earlier.value, setting.value);
    merged.set(setting.key, { ...setting, value });
  }
  return merged;
}

function joinLists(one: string, other: string): string {
  return formatSettingValue([one, other].flatMap((text) => parseValue(text)));
}

/** Whether two versions of the file are the same; two that are too large to be read count as such. */
export function hasSameContent(one: SettingsFileLookup | null, other: SettingsFileLookup | null): boolean {
  if (one?.kind !== 'file' || other?.kind !== 'file') return one?.kind === other?.kind;
  return Buffer.compare(one.bytes, other.bytes) === 0;
}

/** Null if the value in force stays the same, wherever it comes from. */
function compareSetting(
  key: string,
  before: SettingInForce | undefined,
  after: SettingInForce | undefined,
): ChangedSetting | null {
  if (before?.value === after?.value) return null;
  const source = after?.source ?? 'default';
  const [left, right] = [listOf(before), listOf(after)];
  if (left !== null && right !== null) return { kind: 'list', key, source, ...compareLists(left, right) };
  const values = { before: before?.value ?? null, after: after?.value ?? null };
  const parsed = [before, after].map((one) => (one === undefined ? undefined : parseValue(one.value)));
  return { kind: 'value', key, source, ...values, direction: compareStrictness(key, parsed[0], parsed[1]) };
}

/** The entries of a list; none for a setting without a value; null for any other value. */
function listOf(setting: SettingInForce | undefined): readonly string[] | null {
  return setting === undefined ? [] : listEntries(setting.value);
}

/** The entries of a list in one line each; null for any other value. */
export function listEntries(text: string): readonly string[] | null {
  const value = parseValue(text);
  return Array.isArray(value) ? value.map((entry) => formatSettingValue(entry)) : null;
}

/** The entries that only one list has; an entry can occur several times. */
function compareLists(before: readonly string[], after: readonly string[]) {
  const [added, removed] = [entriesBeyond(after, before), entriesBeyond(before, after)];
  const [staying, stayed] = [entriesBeyond(before, removed), entriesBeyond(after, added)];
  return { added, removed, isReordered: staying.some((entry, index) => entry !== stayed[index]) };
}

function entriesBeyond(entries: readonly string[], known: readonly string[]): readonly string[] {
  const counts = new Map<string, number>();
  for (const entry of known) counts.set(entry, (counts.get(entry) ?? 0) + 1);
  return entries.filter((entry) => {
    const count = counts.get(entry) ?? 0;
    if (count > 0) counts.set(entry, count - 1);
    return count === 0;
  });
}

/** The reverse of `formatSettingValue`. */
function parseValue(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** The values that the pull request sets anew and that the operator's bound replaces. */
function findBounded(
  { base, head }: Pick<SettingsFiles, 'base' | 'head'>,
  inForce: readonly SettingInForce[],
  operator: OperatorSettings,
): SettingsChange['bounded'] {
  const [before, after] = [ownValues(base, operator), ownValues(head, operator)];
  return inForce.flatMap(({ key, value, source }) => {
    if (source !== 'ceiling' || !after.has(key)) return [];
    const wanted = formatSettingValue(after.get(key));
    return before.has(key) && formatSettingValue(before.get(key)) === wanted ? [] : [{ key, wanted, inForce: value }];
  });
}

function ownValues(file: SettingsFileLookup | null, operator: OperatorSettings): FlatValues {
  const reading = readRepositoryValues(file, operator);
  return reading.kind === 'broken' ? new Map() : reading.values;
}
