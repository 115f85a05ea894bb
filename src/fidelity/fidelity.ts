import process from 'node:process';
import { listCommits } from '../git/list-commits.ts';
import { openObjects } from '../git/objects.ts';
import { GitFailed, GitMissing, gitDirectory, gitText } from '../git/run-git.ts';
import { readSamples } from './history.ts';
import { FIDELITY_HELP, type FidelityOptions, readOptions } from './options.ts';
import { openProgress, type Progress } from './progress.ts';
import { countRefusal, newTally, type Tally } from './tally.ts';
import { tryWays } from './try-ways.ts';
import { tallyText } from './words.ts';

/** `npm run fidelity`. Ends with 0 where all bytes are those of the commits, 1 where any are not, 2 where it could not begin. */
export async function runFidelity(argv: readonly string[]): Promise<number> {
  const reading = readOptions(argv);
  switch (reading.kind) {
    case 'help':
      process.stdout.write(FIDELITY_HELP);
      return 0;
    case 'problem':
      return refuse(reading.problem);
    case 'try':
      return tryRepository(reading.options);
  }
}

function refuse(problem: string): number {
  process.stderr.write(`fidelity: ${problem.replaceAll(/\s+/g, ' ')}\n`);
  return 2;
}

async function tryRepository(options: FidelityOptions): Promise<number> {
  const began = performance.now();
  try {
    const tally = await measure(options, (total) => openProgress(process.stderr, total, Date.now));
    process.stdout.write(tallyText(tally, (performance.now() - began) / 1000));
    return tally.faults.length === 0 ? 0 : 1;
  } catch (error) {
    if (error instanceof GitFailed || error instanceof GitMissing) return refuse(error.message);
    throw error;
  }
}

/** Tries the changes of a range, newest first. Throws `GitFailed` and `GitMissing`. */
export async function measure(
  { repo, range, show, max }: FidelityOptions,
  progressOf: (total: number) => Progress,
): Promise<Tally> {
  const gitDir = await gitDirectory(repo);
  const options = ['--no-merges'];
  const counted = [`--git-dir=${gitDir}`, 'rev-list', '--count', ...options, '--end-of-options', range, '--'];
  const progress = progressOf(Number(await gitText(counted)));
  const objects = openObjects(gitDir);
  const tally = newTally();
  try {
    for await (const listed of listCommits({ gitDir, range, options })) {
      for await (const read of readSamples(objects, listed, show)) {
        if (max !== null && tally.changes >= max) return tally;
        if (read.kind === 'sample') await tryWays(read.sample, tally);
        else countRefusal(tally, read.skipped.why, `${read.skipped.commit} ${read.skipped.path}`);
      }
      tally.commits += 1;
      progress.at(tally.commits, tally.changes);
    }
    return tally;
  } finally {
    progress.end();
    await objects.close();
  }
}
