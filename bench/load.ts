/**
 * Whether the whole App, as processes of its own, keeps what it promises under load; `npm run bench:load -- --help` says
 * how.
 */
import process from 'node:process';
import { databaseOn, embeddedDatabase } from '../src/chaos/database.ts';
import { runCommand } from '../src/options/run-command.ts';
import type { NamedDatabase } from './intake-table.ts';
import { endFinding, killFinding, takeoverFindings } from './load-death.ts';
import { growthFindings } from './load-growth.ts';
import { type LoadNames, type LoadOptions, loadHelp, readLoadOptions } from './load-options.ts';
import type { Finding } from './load-scene.ts';
import { stalledFindings } from './load-stalled.ts';
import { waitingFindings } from './load-waiting.ts';

const PGLITE: NamedDatabase = ['PGlite', embeddedDatabase];

/** On which databases, and what; `part` of the whole load. */
type Load = readonly [
  on: 'embedded' | 'server' | 'both',
  (database: NamedDatabase, part: number) => Promise<readonly Finding[]>,
];
const LOADS: Readonly<Record<string, Load>> = {
  kill: ['embedded', async (database) => [await killFinding(database)]],
  takeover: ['server', takeoverFindings],
  end: ['both', async (database) => [await endFinding(database)]],
  stalled: ['both', (database, part) => stalledFindings(database, 60 * part)],
  waiting: ['both', (database, part) => waitingFindings(database, 10_000 * part)],
  growth: ['both', growthFindings],
};
const NAMES: LoadNames = {
  all: Object.keys(LOADS),
  onServer: Object.keys(LOADS).filter((name) => LOADS[name]?.[0] === 'server'),
};

async function measureAll({ server, only, brief }: LoadOptions): Promise<number> {
  const onServer: readonly NamedDatabase[] = server === null ? [] : [['PostgreSQL', () => databaseOn(server)]];
  const databases = { embedded: [PGLITE], server: onServer, both: [PGLITE, ...onServer] };
  let missed = 0;
  for (const [name, [on, measure]] of Object.entries(LOADS)) {
    if (only !== null && only !== name) continue;
    for (const database of databases[on]) {
      for (const { what, measured, goal, met } of await measure(database, brief ? 0.1 : 1)) {
        if (!met) missed += 1;
        process.stdout.write(`${met ? 'met   ' : 'MISSED'} ${what}: ${measured}; goal: ${goal}\n`);
      }
    }
  }
  return missed > 0 ? 1 : 0;
}

process.exitCode = await runCommand(
  { name: 'npm run bench:load', help: loadHelp(NAMES) },
  readLoadOptions(process.argv.slice(2), NAMES),
  measureAll,
);
