import { type Mutant, overridePulls } from './mutant.ts';

/** Mistakes in results. */
export const TURN_MUTANTS: readonly Mutant[] = [
  {
    name: 'results-before-pushes',
    brokenPromise: 'the results of a run come with the note about each push before them',
    createOverrides: () => overridePulls((pull) => ({ ...pull, run: pull.run && { ...pull.run, unreadPushes: [] } })),
  },
];
