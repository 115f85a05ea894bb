import { type JoinedPaths, type PathQuery, plainFilePaths, splitPaths } from '../../../core/agent/shared/file-list.ts';
import type { PathRules } from '../../../core/state/settings.ts';
import type { Tree } from '../../../core/step/ports.ts';
import type { Offload } from '../../offload/offload.ts';
import { limitTime } from './limit-time.ts';

/** A tree, and how to compute on its paths. A repository can have 500,000 of them. */
type ListedTree = { readonly tree: Tree; readonly rules: PathRules; readonly offload: Offload };

/** Matches a glob with paths. Rejects with `OffloadError` once globs have taken too long. */
export type MatchGlob = (query: PathQuery) => Promise<string>;

/** Time for all globs of one response (ms). Usual ones take a hundredth of it. */
const MAX_GLOBS_MS = 4_000;

/** Matches the globs of one response until their time is up. */
export function createGlobMatcher(offload: Offload, now: () => number): MatchGlob {
  const limited = limitTime(offload, MAX_GLOBS_MS, now);
  return (query) => limited('matchPaths', query);
}

/** The listing of a tree under the rules that it was last listed with, as JSON. */
const READABLE_PATHS = new WeakMap<Tree, { readonly underRules: string; readonly paths: Promise<JoinedPaths> }>();

/** Sorted paths of the plain files that tools can read, as one text; kept as long as the tree is. */
export function readablePaths({ tree, rules: { rules, operatorRules }, offload }: ListedTree): Promise<JoinedPaths> {
  const underRules = JSON.stringify([rules, operatorRules]);
  const known = READABLE_PATHS.get(tree);
  if (known?.underRules === underRules) return known.paths;
  const input = { ...plainFilePaths(tree), rules: { rules, operatorRules } };
  const paths = offload('sortReadablePaths', input).then((sorted) => ({ paths: sorted }));
  READABLE_PATHS.set(tree, { underRules, paths });
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
