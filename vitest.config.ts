import { availableParallelism } from 'node:os';
import { configDefaults, defineConfig } from 'vitest/config';

const common = { testTimeout: 30_000, hookTimeout: 60_000 };
const stories = 'test/story/**/*.test.ts';

export default defineConfig({
  test: {
    // One database for both projects: what is set up here is done once, and provided to each of them.
    globalSetup: ['test/template-database.ts'],
    // Otherwise one core of two is left to do nothing but hand out files.
    maxWorkers: availableParallelism(),
    projects: [
      // Stories share a worker's modules, so that the App and GitHub's schemas are loaded once for many of them.
      { test: { ...common, name: 'stories', include: [stories], isolate: false } },
      {
        test: {
          ...common,
          name: 'units',
          include: ['test/**/*.test.ts'],
          exclude: [...configDefaults.exclude, stories],
        },
      },
    ],
  },
});
