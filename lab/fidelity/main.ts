/** Tries the changes of a repository; see `npm run fidelity -- --help`. */
import { availableParallelism } from 'node:os';
import process from 'node:process';
import { parseArgs } from 'node:util';
import { GitError, GitNotInstalledError } from '../../src/cli/git/run-git.ts';
import { type OptionsResult, optionsProblem, parseOptions, reportProblem, runCommand } from '../../src/cli/options.ts';
import { POSITIVE_INTEGER } from '../shared/positive-integer.ts';
import { measureFidelity } from './fidelity.ts';
import { formatTotals } from './report.ts';
import type { RepositoryTrial } from './changes.ts';

const HELP = `Usage: npm run fidelity -- --repo PATH [--range RANGE] [--max N] [--threads T]

Proposes every file change of a repository's commits on a pull request that adds the files as they were before,
applies it in every way that people have, and compares the bytes with those of the commit.

  --repo PATH    the repository; it is only read
  --range RANGE  a revision range of git log; default is HEAD with all its ancestors
  --max N        stop after N file changes, newest first
  --threads T    number of threads; default is the number of processors
  --help         this text

Exit codes: 0 if all bytes are equal, 1 if any differ, 2 if it could not start.
`;

const OPTIONS = {
  repo: { type: 'string' },
  range: { type: 'string', default: 'HEAD' },
  max: { type: 'string' },
  threads: { type: 'string', default: String(availableParallelism()) },
  help: { type: 'boolean', short: 'h' },
} as const;

function readOptions(argv: readonly string[]): OptionsResult<RepositoryTrial> {
  const parse = () => parseArgs({ args: [...argv], options: OPTIONS, strict: true, allowPositionals: false });
  return parseOptions('npm run fidelity --', parse, ({ values: { repo, range, max, threads } }) => {
    if (repo === undefined) return optionsProblem('--repo PATH is missing.');
    const invalid = Object.entries({ max, threads }).find(([, value]) => !POSITIVE_INTEGER.test(value ?? '1'));
    if (invalid !== undefined) return optionsProblem(`--${invalid[0]} must be a positive whole number.`);
    const maxChanges = max === undefined ? null : Number(max);
    return { kind: 'options', options: { repo, range, maxChanges, threads: Number(threads) } };
  });
}

const PROGRESS_INTERVAL_MS = 5_000;

async function runAndReport(options: RepositoryTrial): Promise<number> {
  const startedAt = performance.now();
  let shownAt = startedAt;
  try {
    const totals = await measureFidelity(options, ({ commits, changes }) => {
      if (performance.now() - shownAt < PROGRESS_INTERVAL_MS) return;
      shownAt = performance.now();
      process.stderr.write(`${changes} changes of ${commits} commits\n`);
    });
    process.stdout.write(formatTotals(totals, (performance.now() - startedAt) / 1000));
    return totals.mismatches.length === 0 ? 0 : 1;
  } catch (error) {
    if (error instanceof GitError || error instanceof GitNotInstalledError)
      return reportProblem('fidelity', error.message);
    throw error;
  }
}

process.exitCode = await runCommand({ name: 'fidelity', help: HELP }, readOptions(process.argv.slice(2)), runAndReport);
