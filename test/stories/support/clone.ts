import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { exportBareRepository } from '../../../fakes/github/git/export.ts';
import type { PullView } from './pull-view.ts';
import type { Stage } from './stage.ts';

/** Runs the action with a clone of the story's repository on disk, and deletes the clone. */
export async function inClone(stage: Stage, pr: PullView, action: (gitDir: string) => Promise<void>): Promise<void> {
  const directory = mkdtempSync(join(tmpdir(), 'countersign-clone-'));
  try {
    const { refs, defaultBranch } = pr.repository();
    exportBareRepository(stage.github.state().store, { refs, defaultBranch }, directory);
    await action(directory);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}
