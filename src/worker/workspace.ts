import type { Tree } from '../policy/path.ts';
import type { GitHub } from './ports.ts';
import type { WorkOut } from './work-out.ts';

/** The repository as the tools see it: one commit, and what the run has read so far (blob by path). */
export type Workspace = {
  readonly github: GitHub;
  readonly repo: string;
  readonly head: string;
  readonly tree: Tree;
  /** Plain files of the head by path, for searching only, or null where they are too many; downloaded once. */
  readonly archive: () => Promise<ReadonlyMap<string, Uint8Array> | null>;
  readonly read: Readonly<Record<string, string>>;
  readonly workOut: WorkOut;
};
