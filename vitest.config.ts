import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import { FileOrder } from './test/support/file-order.ts';

export default defineConfig({
  plugins: [
    {
      // Packages are to be those that production loads: under the condition `development`, which a plain setting can
      // only add to, Markdown is parsed by a build full of assertions, several times slower.
      name: 'conditions-of-production',
      configResolved: ({ environments, ssr }) => {
        for (const { resolve } of [ssr, ...Object.values(environments)])
          if (resolve !== undefined) resolve.conditions = ['node'];
      },
    },
  ],
  test: {
    testTimeout: 60_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 25_000 } },
    globalSetup: ['test/support/template-database.ts'],
    setupFiles: ['test/support/property-seed.ts'],
    // Stories often wait, so one worker more than processors keeps all processors busy.
    maxWorkers: availableParallelism() + 1,
    // Files share a worker's modules, because loading the App takes longer than most tests. So no file mocks a module,
    // and each test restores every global that it changes.
    isolate: false,
    // PGlite is compiled once, quickly: most files end before better code of it would have paid for itself.
    execArgv: ['--liftoff-only'],
    sequence: { sequencer: FileOrder },
  },
});
