import type { FileChange, Region } from '../edits/change.ts';
import { isSameRegionText } from '../edits/region.ts';
import { areLinesEqual } from '../edits/text/lines.ts';
import type { AppCommit } from '../state/run.ts';
import { shiftedStart } from './staleness.ts';

/** Whether a change repeats a denied one: it results in the same file, or replaces the same lines at the same place. */
export function isRepeatOfDenied(
  change: FileChange,
  deniedChange: FileChange,
  appCommits: readonly AppCommit[],
): boolean {
  if (change.path !== deniedChange.path) return false;
  if (change.op === 'read' || deniedChange.op === 'read') return change.digest === deniedChange.digest;
  const { result } = deniedChange;
  if (change.result?.blob === result?.blob && change.result?.mode === result?.mode) return true;
  const known = { region: deniedChange.region, baseBlob: deniedChange.base?.blob ?? null };
  return change.op === deniedChange.op && isSamePlace(change, known, appCommits, change.digest === deniedChange.digest);
}

/** Whether a change restores the model's original text where a person replaced it with their own. */
export function isRevertOfUserEdit(
  change: FileChange,
  userEdit: { readonly change: FileChange; readonly originalChange: FileChange; readonly revertRegion: Region },
  appCommits: readonly AppCommit[],
): boolean {
  if (change.path !== userEdit.change.path) return false;
  if (change.result?.blob === userEdit.originalChange.result?.blob) return true;
  const { region } = change;
  const hasSameLines =
    region !== null &&
    areLinesEqual(region.old, userEdit.revertRegion.old) &&
    areLinesEqual(region.new, userEdit.revertRegion.new);
  const isSameText = region !== null && isSameRegionText(region, userEdit.revertRegion);
  const known = { region: userEdit.revertRegion, baseBlob: userEdit.change.result?.blob ?? null };
  return hasSameLines && (isSameText || isSamePlace(change, known, appCommits, true));
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
