/** Measures whether the App meets its goals under load; see `npm run bench:load -- --help`. */
import process from 'node:process';
import { runCommand } from '../../src/cli/options.ts';
import { createDatabaseOn, createEmbeddedDatabase } from '../chaos/database.ts';
import type { NamedDatabase } from './intake.ts';
import {
  measureRestartAfterKill,
  measureShutdownWhileStalled,
  measureStalledIntake,
  measureTakeover,
} from './load-failures.ts';
import { measureGrowth, measurePendingRuns } from './load-memory.ts';
import { type LoadFinding, type LoadNames, type LoadOptions, loadHelp, readLoadOptions } from './load-setup.ts';

const PGLITE: NamedDatabase = ['PGlite', createEmbeddedDatabase];

/** The databases to measure on, a line for the help, and the measurement of a `part` (0 to 1) of the full load. */
type LoadBenchmark = readonly [
  on: 'embedded' | 'server' | 'both',
  summary: string,
  (database: NamedDatabase, part: number) => Promise<readonly LoadFinding[]>,
];

const LOAD_BENCHMARKS: Readonly<Record<string, LoadBenchmark>> = {
  kill: [
    'embedded',
    'time until the App is ready again after SIGKILL',
    async (database) => [await measureRestartAfterKill(database)],
  ],
  takeover: ['server', 'time until another process continues the run of a crashed or hanging one', measureTakeover],
  end: [
    'both',
    'time that SIGTERM takes while GitHub and the model hang',
    async (database) => [await measureShutdownWhileStalled(database)],
  ],
  stalled: [
    'both',
    'lost deliveries, and the time to acknowledge one, while GitHub and the model hang',
    (database, part) => measureStalledIntake(database, 60 * part),
  ],
  waiting: [
    'both',
    'memory and requests with 10,000 pending runs',
    (database, part) => measurePendingRuns(database, 10_000 * part),
  ],
  growth: ['both', 'memory and CPU time over 100,000 deliveries and 1,000 runs', measureGrowth],
};

const NAMES: LoadNames = {
  all: Object.keys(LOAD_BENCHMARKS),
  onServer: Object.keys(LOAD_BENCHMARKS).filter((name) => LOAD_BENCHMARKS[name]?.[0] === 'server'),
};

const SUMMARIES = Object.entries(LOAD_BENCHMARKS).map(([name, [, summary]]) => `${name.padEnd(8)}  ${summary}`);

async function measureAll(options: LoadOptions): Promise<number> {
  const { server, only, brief } = options;
  const onServer: readonly NamedDatabase[] = server === null ? [] : [['PostgreSQL', () => createDatabaseOn(server)]];
  const databases = { embedded: [PGLITE], server: onServer, both: [PGLITE, ...onServer] };
  let missed = 0;
  for (const [name, [on, , measure]] of Object.entries(LOAD_BENCHMARKS)) {
    if (only !== null && only !== name) continue;
    for (const database of databases[on]) {
      for (const { label, measured, goal, isMet } of await measure(database, brief ? 0.1 : 1)) {
        if (!isMet) missed += 1;
        process.stdout.write(`${isMet ? 'met   ' : 'MISSED'} ${label}: ${measured}; goal: ${goal}\n`);
      }
    }
  }
  return missed > 0 ? 1 : 0;
}

process.exitCode = await runCommand(
  { name: 'npm run bench:load', help: loadHelp(NAMES, SUMMARIES) },
  readLoadOptions(process.argv.slice(2), NAMES),
  measureAll,
);
