/**
 * `npm run bench:app [rounds] [PostgreSQL URL]`: how quick the whole App is, as a process of its own, where GitHub and
 * the model answer at once; and how many deliveries it takes a second, beside a Probot server that does nothing with
 * them.
 */
import process from 'node:process';
import { type ChaosDatabase, createDatabaseOn, createEmbeddedDatabase } from '../chaos/database.ts';
import { CHAIN_HOPS, measureHops } from './hops.ts';
import { compareIntakes, formatIntakeTable } from './intake.ts';
import { measureLatencies, REMOTE_HOPS } from './latency.ts';
import { quantile } from './measure.ts';

const [given = '5', server] = process.argv.slice(2);

const rounds = Number(given);

if (!Number.isSafeInteger(rounds) || rounds < 1) throw new Error('the number of rounds must be 1 or more');

const printLine = (line: string): void => void process.stdout.write(`${line}\n`);

function printRow(name: string, values: readonly number[], goal: string): void {
  printLine(
    `${name.padEnd(44)} ${quantile(values, 0.5).toFixed(0).padStart(6)} ms (longest ${quantile(values, 1).toFixed(0)}; ${goal})`,
  );
}

async function measureOnDatabase(name: string, open: () => Promise<ChaosDatabase>): Promise<void> {
  printLine(`\n${name}`);
  const database = await open();
  try {
    const { review, commit, hops } = await measureLatencies(database.environment, rounds);
    printRow('task to posted review', review, 'goal 500');
    printRow('/approve to commit', commit, 'goal 300');
    printRow(`${REMOTE_HOPS} hops, with HTTP and the simulation`, hops, 'no goal');
  } finally {
    await database.drop();
  }
}

/** What is the App's own of a chain: GitHub and the model are in this process, and their own work is taken off. */
async function measureHopsOn(open: () => Promise<ChaosDatabase>): Promise<void> {
  const database = await open();
  const { DATABASE_URL: databaseUrl = null, DATA_DIR: dataDir = null } = database.environment;
  try {
    const chains = await measureHops({ databaseUrl, dataDir }, rounds * 4);
    const own = chains.map(({ totalMs, answeringMs }) => totalMs - answeringMs);
    printRow(`${CHAIN_HOPS} hops, GitHub and model at once`, own, 'goal 50');
    printRow(
      '  of that, time of processors in this process',
      chains.map(({ cpuMs, answeringMs }) => cpuMs - answeringMs),
      'no goal',
    );
  } finally {
    await database.drop();
  }
}

const databases = [
  ['PGlite', createEmbeddedDatabase],
  ...(server === undefined ? [] : [['PostgreSQL', () => createDatabaseOn(server)] as const]),
] as const;

for (const [name, open] of databases) {
  await measureOnDatabase(name, open);
  await measureHopsOn(open);
}

printLine('\ndeliveries of 20 kB acknowledged a second (signed; stored first)');

for (const line of formatIntakeTable(await compareIntakes(databases))) printLine(line);
