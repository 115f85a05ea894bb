import { configDefaults, defineConfig } from 'vitest/config';

const common = { testTimeout: 30_000, hookTimeout: 60_000, globalSetup: ['test/template-database.ts'] };
const stories = 'test/story/**/*.test.ts';

export default defineConfig({
  test: {
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
