import { affectedPaths, type Change, type FileChange, mainPath, type Region } from '../edits/change.ts';
import { resultsOf } from '../edits/change-set.ts';
import { areRegionsTouching, isSameRegionText } from '../edits/region.ts';
import { foldPath } from './paths.ts';

/**
 * The first change that conflicts with another: edits of one file with regions that overlap or touch, or any other two
 * changes with a common path or one path inside the other. Null if they can be decided separately.
 */
export function findConflictingChange<Earlier extends IdentifiedChange>(
  change: Change,
  earlier: readonly Earlier[],
): Earlier | null {
  return earlier.find((other) => areChangesTouching(change, other.change)) ?? null;
}

/** An undecided change of the same batch. */
type IdentifiedChange = { readonly id: string; readonly change: Change };

/** The places of all these changes, which one commit has to name. */
export function countMembers(changes: readonly Pick<IdentifiedChange, 'change'>[]): number {
  return changes.reduce((sum, { change }) => sum + change.members.length, 0);
}

/** Whether two changes cannot be decided separately: a member of one touches a member of the other. */
export function areChangesTouching(left: Change, right: Change): boolean {
  return left.members.some((one) => right.members.some((other) => areMembersTouching(one, other)));
}

/** Whether two members cannot be decided separately. */
export function areMembersTouching(left: FileChange, right: FileChange): boolean {
  if (left.op === 'read' || right.op === 'read') return left.digest === right.digest;
  if (left.op === 'edit' && right.op === 'edit' && left.path === right.path) {
    return left.region === null || right.region === null || areRegionsTouching(left.region, right.region);
  }
  return foldedAffectedPaths(left).some((path) =>
    foldedAffectedPaths(right).some((other) => pathsOverlap(path, other)),
  );
}

function foldedAffectedPaths(change: FileChange): string[] {
  return affectedPaths(change).map(foldPath);
}

function pathsOverlap(left: string, right: string): boolean {
  return left === right || left.startsWith(`${right}/`) || right.startsWith(`${left}/`);
}

/** Whether a change leaves a file with the bytes that another one would have left, or deletes or reads the same. */
export function repeatsResult(change: Change, other: Change): boolean {
  const results = resultsOf(other) ?? [];
  return (
    (resultsOf(change) ?? []).some(
      ({ path, file }) =>
        file !== null &&
        results.some((one) => one.path === path && one.file?.blob === file.blob && one.file.mode === file.mode),
    ) ||
    change.members.some(({ result, digest }) => result === null && other.members.some((one) => one.digest === digest))
  );
}

/** Whether a change restores the model's original text where a person replaced it with their own. */
export function isRevertOfUserEdit(change: Change, { originalChange, revertRegion }: RevertibleEdit): boolean {
  const edited = mainPath(originalChange);
  return (
    repeatsResult(change, originalChange) ||
    change.members.some(
      ({ path, region }) => path === edited && region !== null && isSameRegionText(region, revertRegion),
    )
  );
}

/** The model's change before a person's edit of it, and the region that would undo the edit. */
type RevertibleEdit = { readonly originalChange: Change; readonly revertRegion: Region };
