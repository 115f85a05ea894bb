/**
 * `npm run bench:load [PostgreSQL URL] [--brief]`: whether the whole App, as processes of its own, keeps what it
 * promises under load; `--brief` takes a tenth of each load, to see that all of it runs. Ends with 1 where a goal is
 * missed.
 */
import process from 'node:process';
import { databaseOn, embeddedDatabase } from '../src/chaos/database.ts';
import type { NamedDatabase } from './intake-table.ts';
import { endFinding, killFinding, takeoverFindings } from './load-death.ts';
import { growthFindings } from './load-growth.ts';
import type { Finding } from './load-scene.ts';
import { stalledFindings } from './load-stalled.ts';
import { waitingFindings } from './load-waiting.ts';

const words = process.argv.slice(2);
const part = words.includes('--brief') ? 0.1 : 1;
const server = words.find((word) => word.startsWith('postgres'));
const only = words.find((word) => /^[a-z]+$/.test(word));

const PGLITE: NamedDatabase = ['PGlite', embeddedDatabase];
const POSTGRES: readonly NamedDatabase[] = server === undefined ? [] : [['PostgreSQL', () => databaseOn(server)]];
const ALL = [PGLITE, ...POSTGRES];

type Measure = (database: NamedDatabase) => Promise<readonly Finding[]>;
const LOADS: Readonly<Record<string, readonly [on: readonly NamedDatabase[], Measure]>> = {
  kill: [[PGLITE], async (database) => [await killFinding(database)]],
  takeover: [POSTGRES, takeoverFindings],
  end: [ALL, async (database) => [await endFinding(database)]],
  stalled: [ALL, (database) => stalledFindings(database, 60 * part)],
  waiting: [ALL, (database) => waitingFindings(database, 10_000 * part)],
  growth: [ALL, (database) => growthFindings(database, part)],
};

let missed = 0;
for (const [name, [databases, measure]] of Object.entries(LOADS)) {
  if (only !== undefined && only !== name) continue;
  for (const database of databases) {
    for (const { what, measured, goal, met } of await measure(database)) {
      if (!met) missed += 1;
      process.stdout.write(`${met ? 'met   ' : 'MISSED'} ${what}: ${measured}; goal: ${goal}\n`);
    }
  }
}
process.exitCode = missed > 0 ? 1 : 0;
