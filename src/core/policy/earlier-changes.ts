import { findSecretRanges } from '../../lib/credentials.ts';
import {
  affectedPaths,
  type BlobRef,
  type Change,
  type FileChange,
  membersOf,
  type PathResult,
  type Region,
} from '../edits/change.ts';
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
  return changes.reduce((sum, { change }) => sum + membersOf(change).length, 0);
}

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

/** Lines between two edits that can still be versions of one, because pushes move lines. */
const MAX_GAP_LINES = 20;

/**
 * How far the places of two changes are apart: 0 where they touch, replace the same text or leave the same, else lines;
 * null if they are not near each other. Line numbers of different heads are compared, so this links pages only.
 */
export function placeDistance(older: Change, newer: Change): number | null {
  const distances = membersOf(older).flatMap((one) =>
    membersOf(newer).flatMap((other) => memberDistance(one, other) ?? []),
  );
  return distances.length === 0 ? null : Math.min(...distances);
}

function memberDistance(older: FileChange, newer: FileChange): number | null {
  if (areMembersTouching(older, newer)) return 0;
  if (older.path !== newer.path || older.region === null || newer.region === null) return null;
  const [before, after] = [older.region, newer.region];
  if (isSameText(before.old, after.old) || isSameText(before.new, after.new)) return 0;
  const gap = Math.max(
    after.oldStart - before.oldStart - before.old.length,
    before.oldStart - after.oldStart - after.old.length,
  );
  return gap > MAX_GAP_LINES ? null : gap;
}

function isSameText(left: readonly string[], right: readonly string[]): boolean {
  return left.some((line) => line.trim() !== '') && areLinesEqual(left, right);
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

type AppCommitsTo = (path: string) => readonly AppCommit[];

/** Whether changes together repeat all of a denied one, file by file. Their other changes do not matter. */
export function isRepeatOfDenied(changes: readonly Change[], deniedChange: Change, appCommits: AppCommitsTo): boolean {
  return filesOfDenied(deniedChange, changes).every((file) => isFileRepeated(file, changes, appCommits));
}

/** Whether a change repeats a member of a denied one, or leaves one of its files as that would have. */
export function repeatsPartOfDenied(change: Change, deniedChange: Change, appCommits: AppCommitsTo): boolean {
  return (
    filesOfDenied(deniedChange, [change]).some(({ result }) => leavesFile(change, result)) ||
    membersOf(deniedChange).some((denied) => repeatsMember(change, denied, appCommits))
  );
}

/** A path of a denied change: what the change leaves there, null if that is not known, and its members. */
type DeniedFile = { readonly result: PathResult | null; readonly members: readonly FileChange[] };

function filesOfDenied(deniedChange: Change, changes: readonly Change[]): readonly DeniedFile[] {
  const members = membersOf(deniedChange);
  const results = resultsOf(deniedChange) ?? [];
  // A person who denies a deletion can want the file moved instead.
  const moved = new Set(changes.flatMap(membersOf).map(({ from }) => from));
  const isMoved = results.every(({ path, file }) => file === null && moved.has(path));
  const byPath = new Map(isMoved ? [] : results.map((result) => [result.path, result]));
  const paths = new Set([...byPath.keys(), ...members.map(({ path }) => path)]);
  return [...paths].map((path) => ({
    result: byPath.get(path) ?? null,
    members: members.filter((member) => affectedPaths(member).includes(path)),
  }));
}

function isFileRepeated(
  { result, members }: DeniedFile,
  changes: readonly Change[],
  appCommits: AppCommitsTo,
): boolean {
  if (changes.some((change) => leavesFile(change, result))) return true;
  const areRepeated = members.every((denied) => changes.some((change) => repeatsMember(change, denied, appCommits)));
  return members.length > 0 && areRepeated;
}

/** The calls and places that make a file so do not matter. */
function leavesFile(change: Change, result: PathResult | null): boolean {
  if (result === null) return false;
  const results = resultsOf(change) ?? [];
  return results.some(({ path, file }) => path === result.path && isSameRef(file, result.file));
}

function repeatsMember(change: Change, denied: FileChange, appCommits: AppCommitsTo): boolean {
  return membersOf(change).some((member) => isRepeatOfMember(member, denied, appCommits(member.path)));
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
