import type { Change, Region } from './change.ts';
import { describeEdit } from './describe.ts';
import { applyEdit, type EditRequest, type EditResult, type Place } from './edit.ts';
import { type EditWords, editedChange } from './edited.ts';
import { type LineTable, lineIndexAt, linesAt, lineTable, offsetAt } from './line-table.ts';
import { countLines, splitLines } from './lines.ts';
import {
  editableText,
  muchTooFarApart,
  muchTooLarge,
  notFound,
  notUnique,
  type StoredFile,
  tooFarApart,
} from './refusals.ts';
import { CONTEXT, indexOf, regionAt, type Span } from './region.ts';
import { diffOfBlocks, diffOfRun, type ReviewableDiff, type ShownFile } from './reviewable-diff.ts';
import { rewrittenBlob, rewrittenSpan, unfitRewrite } from './rewritten.ts';
import { type Block, trimBlock } from './unified-diff.ts';

/** A change that can be shown to people, or the result that tells the model why it was not. */
export type Built =
  | { readonly kind: 'change'; readonly change: Change }
  | { readonly kind: 'refused'; readonly output: string };

/** An `edit_file` call on a file as it stands; the path has been checked, `sandbox` is the repository's name. */
export type EditInput = EditRequest & { readonly path: string; readonly sandbox: string; readonly file: StoredFile };

type Result = Extract<EditResult, { kind: 'edited' }>;

/** Builds the change that an `edit_file` call asks for. All that can be wrong with it is found here, before a person is asked. */
export function buildEdit(input: EditInput): Built {
  const { path, file } = input;
  const editable = editableText(path, file.bytes);
  if (editable.kind === 'refused') return editable;
  const lines = lineTable(editable.text, file.bytes);
  const result = applyEdit(lines, input);
  switch (result.kind) {
    case 'edited':
      return editChange(input, lines, result);
    case 'not-unique':
      return refused(notUnique(result.matches, result.lines));
    case 'not-found':
      return refused(notFound(path, result));
    case 'too-many':
      return refused(
        `Not proposed: replacing more than ${result.most} matches at once cannot be reviewed. Split it into smaller changes.`,
      );
    case 'too-large':
      return refused(muchTooLarge(path, result.letters));
    case 'too-far':
      return refused(muchTooFarApart(path, result.lines));
    case 'no-change':
      return refused(`No changes: ${path} would stay exactly as it is.`);
    case 'empty-old':
      return refused('old_string is empty. Use write_file to create a file or to replace all of it.');
  }
}

/** The change of a replacement that has been worked out, on the lines of the text that it was worked out for. */
export function editChange(input: EditInput, base: LineTable, result: Result): Built {
  const { path, file } = input;
  const rewritten = { file, base, place: result.whole };
  const unfit = unfitRewrite(path, rewritten);
  if (unfit !== null) return refused(unfit);
  const span = rewrittenSpan(base, result.whole);
  if (span === null) return refused(`No changes: ${path} would stay exactly as it is.`);
  const far = tooFarApart(path, span.end - span.index, countLines(span.fresh));
  if (far !== null) return refused(far);
  const region = regionAt(span, base);
  const shown = diffOfEdit({ path, exists: true, base }, result, region);
  if (shown.kind === 'refused') return shown;
  const words = wordsOf(input, { result, region, diff: shown.diff, base });
  const places = result.places.length;
  const alone = standsAlone(base, span, result);
  const blob = rewrittenBlob(rewritten);
  return { kind: 'change', change: editedChange({ path, file, base, blob, region, places, alone, words }) };
}

/** Whether the lines that are shown hold all of a text that stands nowhere else, so that neither do they. */
function standsAlone(base: LineTable, { index, end }: Span, { alone, places: [first] }: Result): boolean {
  if (!alone || first === undefined) return false;
  const above = offsetAt(base, Math.max(0, index - CONTEXT));
  const below = offsetAt(base, Math.min(base.count, end + CONTEXT));
  return above <= first.start && first.end <= below;
}

/** One place is shown as its region; several each as the lines around them, which tells more than all that lies between. */
function diffOfEdit(shown: ShownFile, { places }: Result, region: Region): ReviewableDiff {
  if (places.length === 1) return diffOfRun(shown, { index: indexOf(region), old: region.old, new: region.new });
  return diffOfBlocks(shown, blocksOf(shown.base, places));
}

function* blocksOf(base: LineTable, places: readonly Place[]): Generator<Block> {
  for (const { start, end, text: fresh } of places) {
    const [index, next] = [lineIndexAt(base, start), lineIndexAt(base, end)];
    yield trimBlock({ index, old: linesAt(base, index, next), new: splitLines(fresh) });
  }
}

type Shown = {
  readonly result: Result;
  readonly region: Region;
  readonly diff: string;
  readonly base: LineTable;
};

function wordsOf(input: EditInput, { result, region, diff, base }: Shown): EditWords {
  const first = result.firstLine - 1;
  return {
    description: describeEdit(input.path, region, result.places.length),
    sandbox: input.sandbox,
    old_string: input.oldString,
    new_string: input.newString,
    replace_all: input.replaceAll,
    unified_diff: diff,
    match_line: result.firstLine,
    match_count: result.matches,
    above: linesAt(base, first - 3, first),
    below: linesAt(base, result.lastLine, result.lastLine + 3),
  };
}

function refused(output: string): Built {
  return { kind: 'refused', output };
}
