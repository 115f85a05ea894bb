import { type JoinedPaths, type PathQuery, plainFilePaths, splitPaths } from '../../../core/agent/shared/file-list.ts';
import type { Tree } from '../../../core/state/ports.ts';
import { type Offload, OffloadError } from '../../offload/offload.ts';

/** A tree, and how to compute on its paths. A repository can have 500,000 of them. */
type ListedTree = { readonly tree: Tree; readonly offload: Offload };

/** Matches a glob with paths. Rejects with `OffloadError` once globs have taken too long. */
export type MatchGlob = (query: PathQuery) => Promise<string>;

/** Time for all globs of one response (ms). Usual ones take a hundredth of it. */
const MAX_GLOBS_MS = 4_000;

/** Matches globs until their time is up: fifty hostile ones would otherwise hold the offload thread for minutes. */
export function createGlobMatcher(offload: Offload, now: () => number): MatchGlob {
  let spent = 0;
  return async (query) => {
    if (spent >= MAX_GLOBS_MS) throw new OffloadError('timeout', `globs took longer than ${MAX_GLOBS_MS} ms`);
    const started = now();
    try {
      return await offload('matchPaths', query);
    } finally {
      spent += now() - started;
    }
  };
}

const READABLE_PATHS = new WeakMap<Tree, Promise<JoinedPaths>>();

/** Sorted paths of the plain files that tools can read, as one text; kept as long as the tree is. */
export function readablePaths({ tree, offload }: ListedTree): Promise<JoinedPaths> {
  const known = READABLE_PATHS.get(tree);
  if (known !== undefined) return known;
  const paths = offload('sortReadablePaths', plainFilePaths(tree)).then((sorted) => ({ paths: sorted }));
  READABLE_PATHS.set(tree, paths);
  // A later call tries again.
  paths.catch(() => READABLE_PATHS.delete(tree));
  return paths;
}

/** Those of them that match the glob (null: all). */
export async function findReadablePaths(
  listed: ListedTree & { readonly matchGlob: MatchGlob },
  glob: string | null,
): Promise<readonly string[]> {
  const { paths } = await readablePaths(listed);
  return splitPaths(glob === null ? paths : await listed.matchGlob({ paths, glob }));
}
