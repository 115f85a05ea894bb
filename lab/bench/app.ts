/** Measures the latency of the App; see `npm run bench -- --help`. */
import process from 'node:process';
import { runCommand } from '../../src/cli/options.ts';
import { type ChaosDatabase, createDatabaseOn, createEmbeddedDatabase } from '../chaos/database.ts';
import { measureLatencies } from './latency.ts';
import { BENCH_COMMAND, type BenchOptions } from './options.ts';

const printLine = (line: string): void => void process.stdout.write(`${line}\n`);

function printRow(name: string, values: readonly number[], goal: string): void {
  const sorted = values.toSorted((left, right) => left - right);
  const [median = 0, longest = 0] = [sorted[Math.floor(sorted.length / 2)], sorted.at(-1)];
  printLine(`${name.padEnd(24)} ${median.toFixed(0).padStart(6)} ms (longest ${longest.toFixed(0)}; ${goal})`);
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

async function measureAll({ rounds, server }: BenchOptions): Promise<number> {
  const databases = [
    ['PGlite', createEmbeddedDatabase],
    ...(server === null ? [] : [['PostgreSQL', () => createDatabaseOn(server)] as const]),
  ] as const;
  for (const [name, open] of databases) await printLatencies(name, open, rounds);
  return 0;
}

process.exitCode = await runCommand(BENCH_COMMAND, process.argv.slice(2), measureAll);
