import { openRepository } from '../../src/cli/git/repository.ts';
import { gitDirectory } from '../../src/cli/git/run-git.ts';
import { createThreadRunner, type JobRunner, parallelMap } from '../shared/parallel-map.ts';
import { addTotals, createTotals, type FidelityTotals } from './report.ts';
import { type RepositoryTrial, readSamples, type Sample } from './changes.ts';
import { trySample } from './try-change.ts';

const SAMPLE_THREAD = new URL('./sample-thread.ts', import.meta.url);

/** Tries the changes of a range, newest first. Throws a `GitError` or a `GitNotInstalledError`. */
export async function measureFidelity(
  options: RepositoryTrial,
  onProgress: (totals: FidelityTotals) => void = () => {},
): Promise<FidelityTotals> {
  const gitDir = await gitDirectory(options.repo);
  const totals = createTotals();
  await parallelMap({
    items: readSamples(openRepository(gitDir), { ...options, gitDir }, totals),
    concurrency: options.threads,
    createRunner: () => createSampleRunner(options.threads),
    onResult(_sample, result) {
      if (result.kind === 'crashed') throw result.error;
      addTotals(totals, result.value);
      onProgress(totals);
    },
  });
  return totals;
}

/** Creates a runner in a thread of its own, or in this thread if `threads` is 1. */
function createSampleRunner(threads: number): JobRunner<Sample, FidelityTotals> {
  return threads === 1 ? { run: trySample, close: async () => {} } : createThreadRunner(SAMPLE_THREAD);
}
