import { isRecord } from '../../lib/trust.ts';
import { formatSettingPath, type SetValues, type YamlValues } from './read-values.ts';
import { SettingsFileSchema, type SettingsKey, UNSUPPORTED_SETTINGS } from './settings-schema.ts';
import type { SettingsProblem, ValuePath } from './yaml.ts';

/** The restrictions below `path` that this version does not enforce. They are refused, so that nobody relies on them. */
export function findUnsupported(values: unknown, path: ValuePath, { lineOf }: YamlValues): readonly SettingsProblem[] {
  if (!isRecord(values)) return [];
  const names = Object.keys(UNSUPPORTED_SETTINGS).filter(isKey);
  return names.flatMap((name) => {
    const value = values[name];
    if (UNSUPPORTED_SETTINGS[name]?.isSet(value) !== true) return [];
    const key = formatSettingPath([...path, name]);
    const setting = typeof value === 'string' ? `${key}: ${value}` : key;
    const message = `${setting} is not in this version of Countersign; remove it for now`;
    return [{ line: lineOf([...path, name]), message }];
  });
}

/** Whether one of these values is a restriction that this version does not enforce. */
export function isUnsupported(values: SetValues): boolean {
  return Object.keys(UNSUPPORTED_SETTINGS)
    .filter(isKey)
    .some((name) => UNSUPPORTED_SETTINGS[name]?.isSet(values[name]) === true);
}

function isKey(name: string): name is SettingsKey {
  return Object.hasOwn(SettingsFileSchema.shape, name);
}
