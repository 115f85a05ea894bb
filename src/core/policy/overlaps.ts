import { findSecretRanges } from '../../lib/credentials.ts';
import { affectedPaths, type FileChange, type Region } from '../edits/change.ts';
import { applyRegion, areRegionsTouching } from '../edits/region.ts';
import { decodeText } from '../edits/text/characters.ts';
import { createSearchableText, findMatches } from '../edits/text/find-text.ts';
import { foldPath } from './paths.ts';

/**
 * The first change that conflicts with another: edits of one file with regions that overlap or touch, or any other two
 * changes with a common path or one path inside the other. Null if they can be decided separately.
 */
export function findConflictingChange<Earlier extends EarlierChange>(
  change: FileChange,
  earlier: readonly Earlier[],
): Earlier | null {
  return earlier.find((other) => isConflict(change, other.change)) ?? null;
}

/** An undecided change of the same batch. */
type EarlierChange = { readonly id: string; readonly change: FileChange };

function isConflict(left: FileChange, right: FileChange): boolean {
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

/** A text to search in a file after one of its regions is changed; null searches the file as it is. */
export type TextAfterEdit = { readonly bytes: Uint8Array; readonly searchText: string; readonly region: Region | null };

/** Searches exactly as an edit does, without the secrets, in linear time. */
export function isFoundAfterEdit({ bytes, searchText, region }: TextAfterEdit): boolean {
  const decoded = decodeText(bytes);
  if (decoded.kind !== 'text') return false;
  const text = region === null ? decoded.text : applyRegion(decoded.text, region);
  return findMatches(createSearchableText(text, findSecretRanges(text)), searchText, 1).length > 0;
}
