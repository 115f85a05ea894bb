import { SETTINGS_PATH } from '../../src/core/settings/repo-settings.ts';

/** A settings file for a fake repository that gets more tasks than a repository may have in a day by default. */
export const SETTINGS_FOR_MANY_RUNS = [
  SETTINGS_PATH,
  { mode: '100644', bytes: Buffer.from('limits:\n  runs_per_day: 100000\n') },
] as const;
