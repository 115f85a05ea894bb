import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gitText } from '../git/run-git.ts';
import { exportRepository } from '../simulator/git/export.ts';
import type { Simulator } from '../simulator/simulator.ts';
import type { LoadedPull } from './load-pull.ts';
import type { PullSource } from './local-repository.ts';
import type { Decision } from './play.ts';
import { type Check, verifyBranch } from './verify.ts';

/**
 * Writes the simulated repository to disk, and lets git say what is in it. Throws `GitMissing` or `GitFailed`, the
 * latter also where git finds the repository itself broken.
 */
export async function checkBranch(
  github: Simulator,
  loaded: LoadedPull,
  source: PullSource,
  decisions: readonly Decision[],
): Promise<readonly Check[]> {
  const { store, repositories } = github.world();
  const refs = repositories.get(loaded.repositoryId)?.refs ?? new Map<string, string>();
  const directory = await mkdtemp(join(tmpdir(), 'countersign-demo-git-'));
  try {
    exportRepository(store, { refs, defaultBranch: 'main' }, directory);
    await gitText([`--git-dir=${directory}`, 'fsck', '--no-dangling', '--no-progress']);
    const { branch, openedHead: since } = loaded;
    const checks = await verifyBranch({ directory, branch, since, bot: `${github.app.slug}[bot]`, decisions });
    return [...sameTree(loaded, source), ...checks];
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

function sameTree({ openedTree }: LoadedPull, { headTree }: PullSource): readonly Check[] {
  if (headTree === null) return [];
  const problem = openedTree === headTree ? null : 'the loaded files are not those of the repository';
  return [{ what: `tree ${headTree.slice(0, 7)}`, who: 'loaded as it is in the repository', problem }];
}
