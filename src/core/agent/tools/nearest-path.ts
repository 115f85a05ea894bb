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

const MAX_NEAREST = 3;

const MAX_EDITS = 2;

/**
 * Readable files whose name is the path's or nearly so, the nearest first. Of names that are as near, the one whose
 * directories have more in common with the path's is nearer.
 */
export function findNearestPaths({ tree, rules }: KnownFiles, path: string): readonly string[] {
  const wanted = nameOf(path).toLowerCase();
  const reach = Math.min(MAX_EDITS, Math.floor(wanted.length / 3));
  const near = [...tree].flatMap(([candidate, entry]) => {
    const name = nameOf(candidate).toLowerCase();
    if (entryKind(entry) !== 'file' || Math.abs(name.length - wanted.length) > reach) return [];
    const edits = distance(wanted, name);
    return edits > reach ? [] : [{ path: candidate, edits, shared: countShared(path, candidate) }];
  });
  const found: string[] = [];
  for (const one of near.toSorted((left, right) => left.edits - right.edits || right.shared - left.shared)) {
    // The rules take longest, so only a path that would be shown is held against them.
    if (found.length < MAX_NEAREST && canBeNamed(rules, one.path)) found.push(one.path);
  }
  return found;
}

/** The files of a tree, and the rules that say which of them the model may know. */
type KnownFiles = { readonly tree: Tree; readonly rules: PathRules };

/** Characters that two paths have in common at their start and their end. */
function countShared(one: string, other: string): number {
  const { head, tail } = countCommonLines(one, other);
  return head + tail;
}

function nameOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}
