import process from 'node:process';
import { Worker } from 'node:worker_threads';
import { openGitObjects } from '../../src/cli/git/objects.ts';
import { GitError, GitNotInstalledError, gitDirectory, gitText } from '../../src/cli/git/run-git.ts';
import { reportProblem, runCommand } from '../../src/cli/options.ts';
import { formatNumber } from '../../src/lib/format.ts';
import { FIDELITY_HELP, type FidelityOptions, readFidelityOptions } from './options.ts';
import { addTotals, createTotals, type FidelityTotals, formatTotals } from './report.ts';
import { readSamples, type Sample } from './samples.ts';
import { trySample } from './try-sample.ts';

/** `npm run fidelity`. Ends with 0 where all bytes are those of the commits, 1 where any are not, 2 where it could not begin. */
export function runFidelity(argv: readonly string[]): Promise<number> {
  return runCommand(COMMAND, readFidelityOptions(argv), runOnRepository);
}

const COMMAND = { name: 'fidelity', help: FIDELITY_HELP };

async function runOnRepository(options: FidelityOptions): Promise<number> {
  const began = performance.now();
  try {
    const totals = await measureFidelity(options, (total) => createProgress(process.stderr, total, Date.now));
    process.stdout.write(formatTotals(totals, (performance.now() - began) / 1000));
    return totals.mismatches.length === 0 ? 0 : 1;
  } catch (error) {
    if (error instanceof GitError || error instanceof GitNotInstalledError)
      return reportProblem(COMMAND.name, error.message);
    throw error;
  }
}

/** Tries the changes of a range, newest first. Throws a `GitError` or a `GitNotInstalledError`. */
export async function measureFidelity(
  options: FidelityOptions,
  progressOf: (total: number) => Progress,
): Promise<FidelityTotals> {
  const gitDir = await gitDirectory(options.repo);
  const listing = ['--no-merges', '--end-of-options', options.range, '--'];
  const progress = progressOf(Number(await gitText([`--git-dir=${gitDir}`, 'rev-list', '--count', ...listing])));
  const objects = openGitObjects(gitDir);
  const workers = startSampleWorkers(options.threads);
  const totals = createTotals();
  const samples = readSamples(objects, { ...options, gitDir }, totals);
  // Several lanes ask one generator, which answers them one after the other.
  const work = async (worker: SampleWorker): Promise<void> => {
    for (let next = await samples.next(); next.done !== true; next = await samples.next()) {
      addTotals(totals, await worker.trySample(next.value));
      progress.update(totals.commits, totals.changes);
    }
  };
  try {
    await Promise.all(workers.map(work));
    return totals;
  } finally {
    progress.end();
    await Promise.all(workers.map((worker) => worker.close()));
    await objects.close();
  }
}

/** Tries one sample after the other, beside other lanes. */
type SampleWorker = {
  readonly trySample: (sample: Sample) => Promise<FidelityTotals>;
  readonly close: () => Promise<unknown>;
};

/** As many lanes as `threads`, each in a thread of its own; a single one works in this thread. */
function startSampleWorkers(threads: number): readonly SampleWorker[] {
  if (threads === 1) return [{ trySample, close: async () => {} }];
  return Array.from({ length: threads }, startSampleWorker);
}

function startSampleWorker(): SampleWorker {
  const worker = new Worker(new URL('sample-thread.ts', import.meta.url));
  return {
    trySample: (sample) =>
      new Promise((resolve, reject) => {
        worker.once('error', reject);
        worker.once('message', (totals: FidelityTotals) => {
          worker.off('error', reject);
          resolve(totals);
        });
        worker.postMessage(sample);
      }),
    close: () => worker.terminate(),
  };
}

/** Tells how far a long work has come. */
type Progress = { readonly update: (done: number, changes: number) => void; readonly end: () => void };

type OutputStream = { readonly isTTY?: boolean; readonly write: (text: string) => unknown };

const BAR_WIDTH = 30;

const TERMINAL_INTERVAL_MS = 100;

const LOG_INTERVAL_MS = 5_000;

/** A bar that is drawn over itself on a terminal, elsewhere a line every few seconds. */
export function createProgress(stream: OutputStream, total: number, now: () => number): Progress {
  const tty = stream.isTTY === true;
  let last = now();
  const line = (done: number, changes: number): string => {
    const filled = total === 0 ? BAR_WIDTH : Math.min(BAR_WIDTH, Math.round((done / total) * BAR_WIDTH));
    const words = `${formatNumber(done)} of ${formatNumber(total)} commits, ${formatNumber(changes)} file changes`;
    return tty ? `\r[${'#'.repeat(filled)}${'.'.repeat(BAR_WIDTH - filled)}] ${words}` : `${words}\n`;
  };
  return {
    update: (done, changes) => {
      if (now() - last < (tty ? TERMINAL_INTERVAL_MS : LOG_INTERVAL_MS)) return;
      last = now();
      stream.write(line(done, changes));
    },
    end: () => {
      if (tty) stream.write('\r\u{1b}[K');
    },
  };
}
