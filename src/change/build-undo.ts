import { blobSha } from './blob.ts';
import type { Built } from './build-edit.ts';
import type { Change, Region } from './change.ts';
import { describeUndo } from './describe.ts';
import { type EditWords, editedChange } from './edited.ts';
import { lineTable } from './line-table.ts';
import { locateRegion, sidesOf } from './locate.ts';
import type { LineRange } from './range.ts';
import { editableText, encoded, type StoredFile } from './refusals.ts';
import { applyRegion, indexOf, lineOf, placeAt } from './region.ts';
import { diffOfRun } from './reviewable-diff.ts';

/** The applied change `id`, and its reverse: a region of `file`, whose lines are the new ones of that change. */
export type UndoInput = {
  readonly id: string;
  readonly undone: Change;
  readonly region: Region;
  readonly file: StoredFile;
};

/**
 * The region that takes an applied change back, in the text of the commit that holds it. `range` tells where it stands
 * there; without it (a person's push) its lines must be found with what stood around them. Null where they are not.
 */
export function reverseRegion(text: string, applied: Region, range: LineRange | null): Region | null {
  const { newStart, oldStart, old, new: fresh } = applied;
  const reverse: Region = { ...applied, oldStart: newStart, newStart: oldStart, old: fresh, new: old };
  if (range !== null) return placeAt(text, reverse, range.newStart);
  const index = locateRegion(lineTable(text), sidesOf(reverse));
  return index === null ? null : placeAt(text, reverse, fresh.length === 0 ? index : index + 1);
}

/** Builds the edit that puts the lines back which an applied change had replaced; a refusal is a sentence anybody may read. */
export function buildUndo(input: UndoInput): Built {
  const { undone, region, file } = input;
  const { path } = undone;
  const editable = editableText(path, file.bytes);
  if (editable.kind === 'refused') return editable;
  const after = applyRegion(editable.text, region);
  const base = lineTable(editable.text, file.bytes);
  const fresh = encoded(path, after);
  if (fresh.kind === 'refused') return fresh;
  const shown = { path, exists: true, base };
  const run = diffOfRun(shown, { index: indexOf(region), old: region.old, new: region.new });
  if (run.kind === 'refused') return run;
  const words = wordsOf(input, run.diff);
  const { places } = undone;
  const blob = blobSha(fresh.bytes);
  return { kind: 'change', change: editedChange({ path, file, base, blob, region, places, alone: false, words }) };
}

function wordsOf({ id, undone, region }: UndoInput, diff: string): EditWords {
  const { path, places, payload } = undone;
  return {
    description: describeUndo(path, id, region, places),
    sandbox: payload.sandbox,
    old_string: region.old.join(''),
    new_string: region.new.join(''),
    replace_all: false,
    unified_diff: diff,
    match_line: lineOf(region),
    match_count: places,
    above: region.before,
    below: region.after,
  };
}
