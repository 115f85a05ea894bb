import { findSecretRanges } from '../../lib/credentials.ts';
import { affectedPaths, type BlobRef, type Change, type FileChange, membersOf, type Region } from '../edits/change.ts';
import { resultsOf } from '../edits/change-set.ts';
import { applyRegion, areRegionsTouching, isSameRegionText } from '../edits/region.ts';
import { decodeText } from '../edits/text/characters.ts';
import { createSearchableText, findMatches } from '../edits/text/find-text.ts';
import { areLinesEqual } from '../edits/text/lines.ts';
import type { AppCommit } from '../state/run.ts';
import { foldPath } from './paths.ts';
import { shiftedStart } from './staleness.ts';

/**
 * The first change that conflicts with another: edits of one file with regions that overlap or touch, or any other two
 * changes with a common path or one path inside the other. Null if they can be decided separately.
 */
export function findConflictingChange<Earlier extends EarlierChange>(
  change: Change,
  earlier: readonly Earlier[],
): Earlier | null {
  return earlier.find((other) => areChangesTouching(change, other.change)) ?? null;
}

/** An undecided change of the same batch. */
type EarlierChange = { readonly id: string; readonly change: Change };

/** Whether two changes cannot be decided separately: a member of one touches a member of the other. */
export function areChangesTouching(left: Change, right: Change): boolean {
  return membersOf(left).some((one) => membersOf(right).some((other) => areMembersTouching(one, other)));
}

function areMembersTouching(left: FileChange, right: FileChange): boolean {
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

/** A text to search in a file after one of its regions is changed; null searches the file as it is. */
export type TextAfterEdit = { readonly bytes: Uint8Array; readonly searchText: string; readonly region: Region | null };

/** Searches exactly as an edit does, without the secrets, in linear time. */
export function isFoundAfterEdit({ bytes, searchText, region }: TextAfterEdit): boolean {
  const decoded = decodeText(bytes);
  if (decoded.kind !== 'text') return false;
  const text = region === null ? decoded.text : applyRegion(decoded.text, region);
  return findMatches(createSearchableText(text, findSecretRanges(text)), searchText, 1).length > 0;
}

/** Whether a change repeats all of a denied one, alone or among others. */
export function isRepeatOfDenied(
  change: Change,
  deniedChange: Change,
  appCommits: (path: string) => readonly AppCommit[],
): boolean {
  if (leavesSameFiles(change, deniedChange)) return true;
  const members = membersOf(change);
  return membersOf(deniedChange).every((denied) =>
    members.some((member) => isRepeatOfMember(member, denied, appCommits(member.path))),
  );
}

/** Whether all files of a denied change end the same. The calls and places that make them so do not matter. */
function leavesSameFiles(change: Change, deniedChange: Change): boolean {
  const [results, deniedResults] = [resultsOf(change), resultsOf(deniedChange)];
  if (results === null || deniedResults === null) return false;
  // A person who denies a deletion can want the file moved instead.
  const moved = new Set(membersOf(change).map(({ from }) => from));
  if (deniedResults.every(({ path, file }) => file === null && moved.has(path))) return false;
  return deniedResults.every((denied) =>
    results.some(({ path, file }) => path === denied.path && isSameRef(file, denied.file)),
  );
}

function isSameRef(left: BlobRef | null, right: BlobRef | null): boolean {
  return left?.blob === right?.blob && left?.mode === right?.mode;
}

/** Whether it results in the same file, or replaces the same lines at the same place. */
function isRepeatOfMember(change: FileChange, deniedChange: FileChange, appCommits: readonly AppCommit[]): boolean {
  if (change.path !== deniedChange.path) return false;
  if (change.op === 'read' || deniedChange.op === 'read') return change.digest === deniedChange.digest;
  const { result } = deniedChange;
  if (isSameRef(change.result, result)) return true;
  const known = { region: deniedChange.region, baseBlob: deniedChange.base?.blob ?? null };
  return change.op === deniedChange.op && isSamePlace(change, known, appCommits, change.digest === deniedChange.digest);
}

/** Whether a change restores the model's original text where a person replaced it with their own. */
export function isRevertOfUserEdit(
  change: Change,
  userEdit: RevertibleEdit,
  appCommits: (path: string) => readonly AppCommit[],
): boolean {
  const original = userEdit.originalChange.result?.blob;
  const isRestored = resultsOf(change)?.some(
    ({ path, file }) => path === userEdit.change.path && file?.blob === original,
  );
  return (
    isRestored === true ||
    membersOf(change).some((member) => isRevertByMember(member, userEdit, appCommits(member.path)))
  );
}

/** A person's edit as committed, the model's change before it, and the region that would undo the edit. */
type RevertibleEdit = {
  readonly change: FileChange;
  readonly originalChange: FileChange;
  readonly revertRegion: Region;
};

function isRevertByMember(change: FileChange, userEdit: RevertibleEdit, appCommits: readonly AppCommit[]): boolean {
  if (change.path !== userEdit.change.path) return false;
  if (change.result?.blob === userEdit.originalChange.result?.blob) return true;
  const { region } = change;
  const hasSameLines =
    region !== null &&
    areLinesEqual(region.old, userEdit.revertRegion.old) &&
    areLinesEqual(region.new, userEdit.revertRegion.new);
  const restoresText = region !== null && isSameRegionText(region, userEdit.revertRegion);
  const known = { region: userEdit.revertRegion, baseBlob: userEdit.change.result?.blob ?? null };
  return hasSameLines && (restoresText || isSamePlace(change, known, appCommits, true));
}

/** A denied change, or the edit that would revert a person's own text; `baseBlob` is the blob that it was built on. */
type KnownRegion = { readonly region: Region | null; readonly baseBlob: string | null };

/** Equal lines can occur at several places. Only the same place counts, also after the run's own commits moved it. */
function isSamePlace(
  change: FileChange,
  known: KnownRegion,
  appCommits: readonly AppCommit[],
  isSameChange: boolean,
): boolean {
  if (!isSameChange || change.region === null || known.region === null) return false;
  const baseBlob = change.base?.blob ?? null;
  if (baseBlob === known.baseBlob) return change.region.oldStart === known.region.oldStart;
  if (baseBlob === null || known.baseBlob === null) return false;
  const start = shiftedStart(known.region, known.baseBlob, baseBlob, appCommits);
  return start === null ? change.uniqueInBase : start === change.region.oldStart;
}
