/** Measures the latency of the App; see `npm run bench -- --help`. */
import process from 'node:process';
import { runCommand } from '../../src/cli/options.ts';
import { type ChaosDatabase, createDatabaseOn, createEmbeddedDatabase } from '../chaos/database.ts';
import { HOPS_PER_CHAIN, measureHops } from './hops.ts';
import { measureLatencies } from './latency.ts';
import { quantile } from './measure.ts';
import { BENCH_COMMAND, type BenchOptions } from './options.ts';

const printLine = (line: string): void => void process.stdout.write(`${line}\n`);

function printRow(name: string, values: readonly number[], goal: string): void {
  printLine(
    `${name.padEnd(44)} ${quantile(values, 0.5).toFixed(0).padStart(6)} ms (longest ${quantile(values, 1).toFixed(0)}; ${goal})`,
  );
}

async function printLatencies(name: string, open: () => Promise<ChaosDatabase>, rounds: number): Promise<void> {
  printLine(`\n${name}`);
  const database = await open();
  try {
    const { review, commit } = await measureLatencies(database.environment, rounds);
    printRow('task to posted review', review, 'goal 500');
    printRow('/approve to commit', commit, 'goal 300');
  } finally {
    await database.drop();
  }
}

/** The App's share of a chain of hops. GitHub and the model run in this process, and their time is subtracted. */
async function printHops(open: () => Promise<ChaosDatabase>, rounds: number): Promise<void> {
  const database = await open();
  const { DATABASE_URL: databaseUrl = null, DATA_DIR: dataDir = null } = database.environment;
  try {
    const chains = await measureHops({ databaseUrl, dataDir }, rounds * 4);
    const totals = chains.map(({ totalMs, fakesMs }) => totalMs - fakesMs);
    printRow(`${HOPS_PER_CHAIN} hops, without HTTP and the fakes`, totals, 'goal 50');
    printRow(
      '  CPU time of this process in these hops',
      chains.map(({ cpuMs, fakesMs }) => cpuMs - fakesMs),
      'no goal',
    );
  } finally {
    await database.drop();
  }
}

async function measureAll({ rounds, server }: BenchOptions): Promise<number> {
  const databases = [
    ['PGlite', createEmbeddedDatabase],
    ...(server === null ? [] : [['PostgreSQL', () => createDatabaseOn(server)] as const]),
  ] as const;
  for (const [name, open] of databases) {
    await printLatencies(name, open, rounds);
    await printHops(open, rounds);
  }
  return 0;
}

process.exitCode = await runCommand(BENCH_COMMAND, process.argv.slice(2), measureAll);
