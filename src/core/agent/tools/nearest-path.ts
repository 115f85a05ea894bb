import { distance } from 'fastest-levenshtein';
import { countCommonLines } from '../../edits/text/lines.ts';
import { canBeNamed } from '../../policy/path-policy.ts';
import { entryKind } from '../../policy/paths.ts';
import type { PathRules } from '../../state/settings.ts';
import type { Tree } from '../../step/ports.ts';
import { formatPath } from '../shared/tool-results.ts';

/** The output of a call for a missing file: T23, or `otherwise` if no path of the tree is near. */
export function fileNotFoundText(
  known: KnownFiles,
  path: string,
  otherwise = 'Use list_files to see what is there.',
): string {
  const near = findNearestPaths(known, path);
  return near.length === 0
    ? `File not found: ${path}. ${otherwise}`
    : `File not found: ${path}. Nearest: ${near.map(formatPath).join(', ')}.`;
}

/**
 * Readable files whose name is the path's or nearly so, the nearest first, in one pass over the tree. Of names
 * that are as near, the one whose directories have more in common with the path's is nearer.
 */
export function findNearestPaths({ tree, rules }: KnownFiles, path: string): readonly string[] {
  const wanted = nameOf(path).toLowerCase();
  const reach = Math.min(MAX_EDITS, Math.floor(wanted.length / 3));
  let found: readonly NearPath[] = [];
  for (const [candidate, entry] of tree) {
    const name = nameOf(candidate);
    if (Math.abs(name.length - wanted.length) > reach) continue;
    const edits = editsBetween(wanted, name.toLowerCase(), reach);
    if (edits === null || entryKind(entry) !== 'file') continue;
    const near = { path: candidate, edits, shared: countShared(path, candidate) };
    const last = found.at(-1);
    if (found.length === MAX_NEAREST && last !== undefined && byNearness(last, near) <= 0) continue;
    // The rules take longest, so only a path that would be shown is held against them.
    if (canBeNamed(rules, candidate)) found = [...found, near].toSorted(byNearness).slice(0, MAX_NEAREST);
  }
  return found.map((near) => near.path);
}

/** The files of a tree, and the rules that say which of them the model may know. */
type KnownFiles = { readonly tree: Tree; readonly rules: PathRules };

type NearPath = { readonly path: string; readonly edits: number; readonly shared: number };

const MAX_NEAREST = 3;

const MAX_EDITS = 2;

/** Null if more edits lie between the names than `reach`. */
function editsBetween(wanted: string, name: string, reach: number): number | null {
  if (name === wanted) return 0;
  if (reach === 0) return null;
  const edits = distance(wanted, name);
  return edits <= reach ? edits : null;
}

function byNearness(one: NearPath, other: NearPath): number {
  return one.edits - other.edits || other.shared - one.shared || (one.path < other.path ? -1 : 1);
}

/** Characters that two paths have in common at their start and their end. */
function countShared(one: string, other: string): number {
  const { head, tail } = countCommonLines(one, other);
  return head + tail;
}

function nameOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}
