/**
 * `npm run bench:app [rounds] [PostgreSQL URL]`: how quick the whole App is, as a process of its own, where GitHub and
 * the model answer at once; and how many deliveries it takes a second, beside a Probot server that does nothing with
 * them.
 */
import process from 'node:process';
import { type ChaosDatabase, databaseOn, embeddedDatabase } from '../src/chaos/database.ts';
import { HOPS, measureHops } from './hops.ts';
import { intakeTable, measureIntakes } from './intake-table.ts';
import { measureLatencies, HOPS as REMOTE_HOPS } from './latency.ts';
import { quantile } from './measure.ts';

const [given = '5', server] = process.argv.slice(2);
const rounds = Number(given);
if (!Number.isSafeInteger(rounds) || rounds < 1) throw new Error('the number of rounds must be 1 or more');

const say = (line: string): void => void process.stdout.write(`${line}\n`);

function row(name: string, values: readonly number[], goal: string): void {
  say(
    `${name.padEnd(44)} ${quantile(values, 0.5).toFixed(0).padStart(6)} ms (longest ${quantile(values, 1).toFixed(0)}; ${goal})`,
  );
}

async function onDatabase(name: string, open: () => Promise<ChaosDatabase>): Promise<void> {
  say(`\n${name}`);
  const database = await open();
  try {
    const { review, commit, hops } = await measureLatencies(database.environment, rounds);
    row('task to posted review', review, 'goal 500');
    row('/approve to commit', commit, 'goal 300');
    row(`${REMOTE_HOPS} hops, with HTTP and the simulation`, hops, 'no goal');
  } finally {
    await database.drop();
  }
}

/** What is the App's own of a chain: GitHub and the model are in this process, and their own work is taken off. */
async function hopsOn(open: () => Promise<ChaosDatabase>): Promise<void> {
  const database = await open();
  const { DATABASE_URL: databaseUrl = null, DATA_DIR: dataDir = null } = database.environment;
  try {
    const chains = await measureHops({ databaseUrl, dataDir }, rounds * 4);
    const own = chains.map(({ whole, answering }) => whole - answering);
    row(`${HOPS} hops, GitHub and model at once`, own, 'goal 50');
    row(
      '  of that, time of processors in this process',
      chains.map(({ worked, answering }) => worked - answering),
      'no goal',
    );
  } finally {
    await database.drop();
  }
}

const databases = [
  ['PGlite', embeddedDatabase],
  ...(server === undefined ? [] : [['PostgreSQL', () => databaseOn(server)] as const]),
] as const;

for (const [name, open] of databases) {
  await onDatabase(name, open);
  await hopsOn(open);
}

say('\ndeliveries of 20 kB acknowledged a second (signed; stored first)');
for (const line of intakeTable(await measureIntakes(databases))) say(line);
