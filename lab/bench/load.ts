/** Measures whether the App meets its goals under load; see `npm run bench:load -- --help`. */
import process from 'node:process';
import { runCommand } from '../../src/cli/options.ts';
import { createDatabaseOn, createEmbeddedDatabase } from '../chaos/database.ts';
import type { NamedDatabase } from './intake.ts';
import { measureGrowth, measurePendingRuns } from './load-memory.ts';
import { LOAD_HELP, type LoadOptions, readLoadOptions } from './options.ts';

async function measureAll({ server, brief }: LoadOptions): Promise<number> {
  const databases: NamedDatabase[] = [['PGlite', createEmbeddedDatabase]];
  if (server !== null) databases.push(['PostgreSQL', () => createDatabaseOn(server)]);
  const part = brief ? 0.1 : 1;
  let missed = 0;
  for (const database of databases) {
    for (const measure of [() => measurePendingRuns(database, 10_000 * part), () => measureGrowth(database, part)]) {
      for (const { label, measured, goal, isMet } of await measure()) {
        if (!isMet) missed += 1;
        process.stdout.write(`${isMet ? 'met   ' : 'MISSED'} ${label}: ${measured}; goal: ${goal}\n`);
      }
    }
  }
  return missed > 0 ? 1 : 0;
}

process.exitCode = await runCommand(
  { name: 'npm run bench:load', help: LOAD_HELP },
  readLoadOptions(process.argv.slice(2)),
  measureAll,
);
