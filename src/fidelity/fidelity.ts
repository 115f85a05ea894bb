import process from 'node:process';
import { openObjects } from '../git/objects.ts';
import { GitFailed, GitMissing, gitDirectory, gitText } from '../git/run-git.ts';
import { refuse, runCommand } from '../options/run-command.ts';
import { type Lane, openLanes } from './lanes.ts';
import { FIDELITY_HELP, type FidelityOptions, readOptions } from './options.ts';
import { openProgress, type Progress } from './progress.ts';
import { readSamples } from './read-samples.ts';
import { addTally, newTally, type Tally } from './tally.ts';
import { tallyText } from './words.ts';

/** `npm run fidelity`. Ends with 0 where all bytes are those of the commits, 1 where any are not, 2 where it could not begin. */
export function runFidelity(argv: readonly string[]): Promise<number> {
  return runCommand(PAGE, readOptions(argv), tryRepository);
}

const PAGE = { name: 'fidelity', help: FIDELITY_HELP };

async function tryRepository(options: FidelityOptions): Promise<number> {
  const began = performance.now();
  try {
    const tally = await measure(options, (total) => openProgress(process.stderr, total, Date.now));
    process.stdout.write(tallyText(tally, (performance.now() - began) / 1000));
    return tally.faults.length === 0 ? 0 : 1;
  } catch (error) {
    if (error instanceof GitFailed || error instanceof GitMissing) return refuse(PAGE.name, error.message);
    throw error;
  }
}

/** Tries the changes of a range, newest first. Throws `GitFailed` and `GitMissing`. */
export async function measure(options: FidelityOptions, progressOf: (total: number) => Progress): Promise<Tally> {
  const gitDir = await gitDirectory(options.repo);
  const listing = ['--no-merges', '--end-of-options', options.range, '--'];
  const progress = progressOf(Number(await gitText([`--git-dir=${gitDir}`, 'rev-list', '--count', ...listing])));
  const objects = openObjects(gitDir);
  const lanes = openLanes(options.threads);
  const tally = newTally();
  const samples = readSamples(objects, { ...options, gitDir }, tally);
  // Several lanes ask one generator, which answers them one after the other.
  const work = async (lane: Lane): Promise<void> => {
    for (let next = await samples.next(); next.done !== true; next = await samples.next()) {
      addTally(tally, await lane.trySample(next.value));
      progress.at(tally.commits, tally.changes);
    }
  };
  try {
    await Promise.all(lanes.map(work));
    return tally;
  } finally {
    progress.end();
    await Promise.all(lanes.map((lane) => lane.close()));
    await objects.close();
  }
}
