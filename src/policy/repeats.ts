import type { Change, Region } from '../change/change.ts';
import { sameLines } from '../change/lines.ts';
import { sameRegionText } from '../change/region.ts';
import { type OwnEdit, startAfter } from './own-history.ts';

/** A change that was denied, or the edit that would undo a person's own text; `from` is the blob that it stands on. */
type Known = { readonly region: Region | null; readonly from: string | null };

/** Whether a change is one that was denied: it makes the same file, or replaces the same lines by the same ones at the same place. */
export function repeatsDenied(change: Change, denied: Change, ownEdits: readonly OwnEdit[]): boolean {
  if (change.path !== denied.path) return false;
  if (change.op === 'read' || denied.op === 'read') return change.digest === denied.digest;
  const { result } = denied;
  if (change.result?.blob === result?.blob && change.result?.mode === result?.mode) return true;
  const known = { region: denied.region, from: denied.base?.blob ?? null };
  return change.op === denied.op && standsAt(change, known, ownEdits, change.digest === denied.digest);
}

/** Whether a change makes what the model had proposed of a text that a person wrote in its place. */
export function restoresProposed(
  change: Change,
  made: { readonly change: Change; readonly proposed: Change; readonly restoring: Region },
  ownEdits: readonly OwnEdit[],
): boolean {
  if (change.path !== made.change.path) return false;
  if (change.result?.blob === made.proposed.result?.blob) return true;
  const { region } = change;
  const same =
    region !== null && sameLines(region.old, made.restoring.old) && sameLines(region.new, made.restoring.new);
  const shown = region !== null && sameRegionText(region, made.restoring);
  const known = { region: made.restoring, from: made.change.result?.blob ?? null };
  return same && (shown || standsAt(change, known, ownEdits, true));
}

/** The same lines may stand at several places: only the one that is meant counts, wherever this run's own commits moved it. */
function standsAt(change: Change, known: Known, ownEdits: readonly OwnEdit[], alike: boolean): boolean {
  if (!alike || change.region === null || known.region === null) return false;
  const now = change.base?.blob ?? null;
  if (now === known.from) return change.region.oldStart === known.region.oldStart;
  if (now === null || known.from === null) return false;
  const start = startAfter(known.region, known.from, now, ownEdits);
  return start === null ? change.standsOnce : start === change.region.oldStart;
}
