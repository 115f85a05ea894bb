import { blobSha } from './blob.ts';
import type { Built } from './build-edit.ts';
import type { BlobRef, Change, Region } from './change.ts';
import { describeUndo } from './describe.ts';
import { changeDigest } from './digest.ts';
import { lineTable } from './line-table.ts';
import { bareLine, countLines } from './lines.ts';
import { locateRegion, placesWithContext } from './locate.ts';
import type { LineRange } from './range.ts';
import { editableText, type StoredFile, unfitText } from './refusals.ts';
import { applyRegion, indexOf, lineOf, placeAt } from './region.ts';
import { diffOfRun } from './reviewable-diff.ts';
import { encodeText } from './text.ts';

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
  const index = locateRegion(lineTable(text), reverse);
  return index === null ? null : placeAt(text, reverse, fresh.length === 0 ? index : index + 1);
}

/** Builds the edit that puts the lines back which an applied change had replaced; a refusal is a sentence anybody may read. */
export function buildUndo(input: UndoInput): Built {
  const { id, undone, region, file } = input;
  const { path } = undone;
  const editable = editableText(path, file.bytes);
  if (editable.kind === 'refused') return editable;
  const after = applyRegion(editable.text, region);
  const base = lineTable(editable.text);
  const unfit = unfitText(path, after);
  if (unfit !== null) return { kind: 'refused', output: unfit };
  const shown = { path, exists: true, base };
  const run = diffOfRun(shown, { index: indexOf(region), old: region.old, new: region.new });
  if (run.kind === 'refused') return run;
  const { mode } = file.ref;
  const result: BlobRef = { blob: blobSha(encodeText(after)), mode };
  const body = { kind: 'region', region } as const;
  return {
    kind: 'change',
    change: {
      op: 'edit',
      path,
      from: null,
      base: file.ref,
      result,
      region,
      places: undone.places,
      standsOnce: placesWithContext(base, region, 'old').length === 1,
      digest: changeDigest({ op: 'edit', path, fromPath: null, oldMode: mode, newMode: mode, body }),
      payload: payloadOf(input, { id, diff: run.diff, fileLines: base.count }),
    },
  };
}

type Shown = { readonly id: string; readonly diff: string; readonly fileLines: number };

function payloadOf({ undone, region, file }: UndoInput, { id, diff, fileLines }: Shown): Change['payload'] {
  const { path, places, payload } = undone;
  return {
    type: 'edit',
    description: describeUndo(path, id, region, places),
    path,
    sandbox: payload.sandbox,
    old_string: region.old.join(''),
    new_string: region.new.join(''),
    replace_all: false,
    unified_diff: diff,
    diff_lines: countLines(diff),
    match_line: lineOf(region),
    match_count: places,
    context_before: contextText(region.before),
    context_after: contextText(region.after),
    file_lines: fileLines,
    file_bytes: file.bytes.length,
  };
}

function contextText(lines: readonly string[]): string {
  return lines.map(bareLine).join('\n');
}
