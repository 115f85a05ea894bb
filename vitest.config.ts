import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import { SlowestFirst } from './test/support/slowest-first.ts';

export default defineConfig({
  plugins: [
    {
      // Packages are to be those that production loads: under the condition `development`, which a plain setting can
      // only add to, Markdown is parsed by a build full of assertions, several times slower.
      name: 'conditions-of-production',
      configResolved: ({ ssr }) => {
        ssr.resolve = { ...ssr.resolve, conditions: ['node'] };
      },
    },
  ],
  test: {
    testTimeout: 60_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 25_000 } },
    globalSetup: ['test/support/template-database.ts'],
    setupFiles: ['test/support/property-seed.ts'],
    // Stories wait a good part of their time: one more than there are processors keeps all of them at work.
    maxWorkers: availableParallelism() + 1,
    // Files share a worker's modules: loading the App, and GitHub's schemas, takes longer than most of the tests. So no
    // file may mock a module, and what a test changes of the process it changes back.
    isolate: false,
    sequence: { sequencer: SlowestFirst },
  },
});
