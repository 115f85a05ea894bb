import process from 'node:process';
import { openRepository } from '../../src/cli/git/repository.ts';
import { GitError, GitNotInstalledError, gitDirectory, gitText } from '../../src/cli/git/run-git.ts';
import { reportProblem, runCommand } from '../../src/cli/options.ts';
import { formatNumber } from '../../src/lib/format.ts';
import { createThreadRunner, type JobRunner, parallelMap } from '../shared/parallel-map.ts';
import { FIDELITY_HELP, type FidelityOptions, type RepositoryTrial, readFidelityOptions } from './options.ts';
import { addTotals, createTotals, type FidelityTotals, formatTotals } from './report.ts';
import { addNamed, listRepositories } from './repositories.ts';
import { readSamples, type Sample } from './samples.ts';
import { trySample } from './try-sample.ts';

/** Returns the exit code of `npm run fidelity`: 0 if all bytes equal those of the commits, 1 if not, 2 for an error. */
export function runFidelity(argv: readonly string[]): Promise<number> {
  return runCommand(COMMAND, readFidelityOptions(argv), runAndReport);
}

const COMMAND = { name: 'fidelity', help: FIDELITY_HELP };

const SAMPLE_THREAD = new URL('./sample-thread.ts', import.meta.url);

async function runAndReport(options: FidelityOptions): Promise<number> {
  try {
    const startedAt = performance.now();
    const totals = await measureAll(options);
    process.stdout.write(formatTotals(totals, (performance.now() - startedAt) / 1000));
    return totals.mismatches.length === 0 ? 0 : 1;
  } catch (error) {
    if (error instanceof GitError || error instanceof GitNotInstalledError)
      return reportProblem(COMMAND.name, error.message);
    throw error;
  }
}

/** Tries all repositories. */
export async function measureAll({ source, ...options }: FidelityOptions): Promise<FidelityTotals> {
  let totals = createTotals();
  for (const { path, name } of await listRepositories({ source })) {
    if (name !== null) process.stderr.write(`${name}\n`);
    const more = await measureFidelity({ repo: path, ...options }, (total) =>
      createProgress(process.stderr, total, Date.now),
    );
    totals = addNamed(totals, more, name);
  }
  return totals;
}

/** Tries the changes of a range, newest first. Throws a `GitError` or a `GitNotInstalledError`. */
export async function measureFidelity(
  options: RepositoryTrial,
  showProgress: (total: number) => Progress,
): Promise<FidelityTotals> {
  const gitDir = await gitDirectory(options.repo);
  const revisionArguments = ['--no-merges', '--end-of-options', options.range, '--'];
  const progress = showProgress(
    Number(await gitText([`--git-dir=${gitDir}`, 'rev-list', '--count', ...revisionArguments])),
  );
  const totals = createTotals();
  const samples = readSamples(openRepository(gitDir), { ...options, gitDir }, totals);
  try {
    await parallelMap({
      items: samples,
      concurrency: options.threads,
      createRunner: () => createSampleRunner(options.threads),
      onResult(_sample, result) {
        if (result.kind === 'crashed') throw result.error;
        addTotals(totals, result.value);
        progress.update(totals.commits, totals.changes);
      },
    });
    return totals;
  } finally {
    progress.end();
  }
}

/** Creates a runner in a thread of its own, or in this thread if `threads` is 1. */
function createSampleRunner(threads: number): JobRunner<Sample, FidelityTotals> {
  return threads === 1 ? { run: trySample, close: async () => {} } : createThreadRunner(SAMPLE_THREAD);
}

/** Shows progress: the commits done, and their file changes so far. */
type Progress = { readonly update: (done: number, changes: number) => void; readonly end: () => void };

type OutputStream = { readonly isTTY?: boolean; readonly write: (text: string) => unknown };

const BAR_WIDTH = 30;

const TERMINAL_INTERVAL_MS = 100;

const LOG_INTERVAL_MS = 5_000;

/** A progress bar on a terminal, otherwise a line every few seconds. `now` returns ms. */
export function createProgress(stream: OutputStream, total: number, now: () => number): Progress {
  const isTerminal = stream.isTTY === true;
  let updatedAt = now();
  const format = (done: number, changes: number): string => {
    const filled = total === 0 ? BAR_WIDTH : Math.min(BAR_WIDTH, Math.round((done / total) * BAR_WIDTH));
    const text = `${formatNumber(done)} of ${formatNumber(total)} commits, ${formatNumber(changes)} file changes`;
    return isTerminal ? `\r[${'#'.repeat(filled)}${'.'.repeat(BAR_WIDTH - filled)}] ${text}` : `${text}\n`;
  };
  return {
    update: (done, changes) => {
      if (now() - updatedAt < (isTerminal ? TERMINAL_INTERVAL_MS : LOG_INTERVAL_MS)) return;
      updatedAt = now();
      stream.write(format(done, changes));
    },
    end: () => {
      if (isTerminal) stream.write('\r\u{1b}[K');
    },
  };
}
