/** Measures the product's computations; see `npm run bench -- --help`. */
import process from 'node:process';
import { runCommand } from '../../src/cli/options.ts';
import { formatTable, measureRows } from './measure.ts';
import { BENCH_HELP, readBenchOptions } from './options.ts';
import { ROWS } from './rows.ts';

process.exitCode = await runCommand(
  { name: 'npm run bench', help: BENCH_HELP },
  readBenchOptions('bench', process.argv.slice(2)),
  async ({ rounds }) => {
    process.stdout.write(`${formatTable(await measureRows(ROWS, rounds)).join('\n')}\n`);
    return 0;
  },
);
