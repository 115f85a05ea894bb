/**
 * The trials that are too long for every change: many simulated cases, also with a hostile model and on PGlite, every
 * mutant, the task suite, and real kills, also on the PostgreSQL server whose URL it gets. Ends with 1 if one of them
 * fails.
 */
import { spawnSync } from 'node:child_process';
import process from 'node:process';

const [server] = process.argv.slice(2);

const TRIALS: readonly (readonly [script: string, ...args: readonly string[]])[] = [
  ['simulation/main.ts', '--cases', '20000', '--seed', '100001'],
  ['simulation/main.ts', '--hostile', '--cases', '2000'],
  ['simulation/main.ts', '--pglite', '--cases', '300'],
  ['simulation/main.ts', '--mutants', '--cases', '4000'],
  ['eval/main.ts'],
  ['eval/mistakes.ts'],
  ['../node_modules/vitest/vitest.mjs', 'run', '--mode', 'nightly', 'test/lab/eval/tasks.test.ts'],
  ['chaos/main.ts', '--seconds', '180'],
  ...(server === undefined ? [] : [['chaos/main.ts', '--seconds', '180', '--database', server] as const]),
];

const failed = TRIALS.filter(([script, ...args]) => {
  process.stdout.write(`\n--- ${script} ${args.join(' ')}\n`);
  const file = new URL(script, import.meta.url).pathname;
  return spawnSync(process.execPath, [file, ...args], { stdio: 'inherit' }).status !== 0;
});
for (const trial of failed) process.stdout.write(`failed: ${trial.join(' ')}\n`);
process.exitCode = failed.length === 0 ? 0 : 1;
