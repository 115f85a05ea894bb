import { readFileSync, statSync } from 'node:fs';
import type { Logger } from '../../adapters/telemetry/log.ts';
import { NO_OPERATOR_SETTINGS, type OperatorSettings, parseOperatorFile } from '../../core/settings/operator-file.ts';
import { MAX_SETTINGS_BYTES, type SetValues } from '../../core/settings/settings-file.ts';
import type { SettingsFileLookup } from '../../core/step/ports.ts';
import { errorCodeOf } from '../../lib/outage.ts';

/** The operator's `CONFIG_FILE`. Without one, `path` is null, and only the default model is known. */
export type OperatorConfig = { readonly path: string | null; readonly settings: OperatorSettings };

type OperatorConfigResult =
  | { readonly kind: 'config'; readonly config: OperatorConfig }
  /** One line per problem. */
  | { readonly kind: 'problems'; readonly problems: readonly string[] };

/** Reads `CONFIG_FILE`, or returns all its problems; `defaultModel` is `OPENAI_MODEL`. */
export function loadOperatorConfig(path: string | undefined, defaultModel: string | null): OperatorConfigResult {
  if (path === undefined)
    return { kind: 'config', config: { path: null, settings: { ...NO_OPERATOR_SETTINGS, defaultModel } } };
  try {
    const reading = parseOperatorFile(readSettingsFile(path), defaultModel);
    if (reading.kind === 'values') return { kind: 'config', config: { path, settings: reading.values } };
    return { kind: 'problems', problems: reading.problems.map((problem) => `CONFIG_FILE ${path}, ${problem}`) };
  } catch (error) {
    const cause = error instanceof Error ? errorCodeOf(error) : '';
    return { kind: 'problems', problems: [`CONFIG_FILE ${path} cannot be read (${cause}): correct its path or mode.`] };
  }
}

/** A settings file on disk. Larger files are not read. Throws if there is none, or if it cannot be read. */
export function readSettingsFile(path: string): SettingsFileLookup {
  const found = statSync(path);
  if (!found.isFile()) return { kind: 'no-file' };
  if (found.size > MAX_SETTINGS_BYTES) return { kind: 'too-large', size: found.size };
  return { kind: 'file', bytes: readFileSync(path) };
}

/** The keys of the file whose values differ. */
function changedKeys(before: OperatorSettings, after: OperatorSettings): readonly string[] {
  const [left = {}, right = {}] = [before, after].map(({ defaults, ceilings, models, prices }): SetValues => {
    return { ...defaults, ceilings, models, prices: [...prices] };
  });
  const keys = new Set([...Object.keys(left), ...Object.keys(right)]);
  return [...keys].filter((key) => JSON.stringify(left[key]) !== JSON.stringify(right[key]));
}

/** The operator's settings in force, which `reload` reads again. */
export type OperatorSettingsHolder = { readonly current: () => OperatorSettings; readonly reload: () => void };

/** Holds the settings of the start. A file that is broken when it is read again changes nothing. */
export function holdOperatorSettings(
  { path, settings }: OperatorConfig,
  log: Pick<Logger, 'info' | 'error'>,
): OperatorSettingsHolder {
  let current = settings;
  const reload = (): void => {
    const loaded = loadOperatorConfig(path ?? undefined, settings.defaultModel);
    if (loaded.kind === 'problems') {
      log.error({ problems: loaded.problems }, 'CONFIG_FILE is broken, the previous settings stay in force');
      return;
    }
    const changed = changedKeys(current, loaded.config.settings);
    current = loaded.config.settings;
    log.info({ path, changed }, 'CONFIG_FILE was read again');
  };
  return { current: () => current, reload };
}
