import type { Tree } from '../policy/path.ts';
import type { GitHub } from './ports.ts';

/** The repository as the tools see it: one commit, and what the run has read so far (blob by path). */
export type Workspace = {
  readonly github: GitHub;
  readonly repo: string;
  readonly head: string;
  readonly tree: Tree;
  readonly read: Readonly<Record<string, string>>;
};
