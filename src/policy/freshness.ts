import type { BlobRef, Change, Region } from '../change/change.ts';
import { type LineTable, lineTable } from '../change/line-table.ts';
import { sameLines, withoutCarriageReturns } from '../change/lines.ts';
import { comparableSides, keepsEdges, locateRegion, placesWithContext, sidesOf } from '../change/locate.ts';
import type { Payload } from '../change/payload.ts';
import { EMPTY_REGION, placeAt, sameRegionText } from '../change/region.ts';
import { takenSteps } from '../change/subset.ts';
import { sourcePath } from '../change/touched.ts';
import { type OwnEdit, startAfter } from './own-history.ts';

/** A file at a head; `text` is null where it is not text. */
export type FileAtHead = { readonly blob: string; readonly mode: string; readonly text: string | null };

/**
 * How a change stands at a head. `region` is where it would be made there, with the context that it has there; an empty
 * one for what has no lines.
 */
export type Verdict =
  | { readonly kind: 'applies'; readonly region: Region; readonly sameDigest: boolean }
  | { readonly kind: 'already-there' }
  /** `path` is the one that changed, where that is not the change's own. */
  | { readonly kind: 'stale'; readonly path?: string };

/** What of a change is looked at to judge it: without what only people read. */
export type Judgeable = Omit<Change, 'digest' | 'payload'> & {
  readonly payload:
    | { readonly type: 'write'; readonly content: string | null }
    | { readonly type: Exclude<Payload['type'], 'write'> };
};

/** The same change with nothing else, so that little has to be copied. */
export function judgeable({ digest: _digest, payload, ...rest }: Change): Judgeable {
  const { type } = payload;
  return { ...rest, payload: type === 'write' ? { type, content: payload.content } : { type } };
}

/** A change, the file at a new head (null: there is none), and this run's own commits to it, oldest first. */
export type JudgeInput = {
  readonly change: Judgeable;
  readonly file: FileAtHead | null;
  /** The file at a move's source. */
  readonly source?: FileAtHead | null;
  readonly ownEdits: readonly OwnEdit[];
};

/** The lines of a file, as they are and with every CRLF taken as LF: for all changes that it is judged for. */
type FileLines = { readonly exact: LineTable; readonly comparable: LineTable };

/** Each is read once, when it is asked for. */
export function linesOf(file: FileAtHead | null): FileLines {
  const text = file?.text ?? '';
  let exact: LineTable | null = null;
  let comparable: LineTable | null = null;
  return {
    get exact() {
      exact ??= lineTable(text);
      return exact;
    },
    get comparable() {
      comparable ??= lineTable(withoutCarriageReturns(text));
      return comparable;
    },
  };
}

const STALE: Verdict = { kind: 'stale' };
const ALREADY_THERE: Verdict = { kind: 'already-there' };

/**
 * Says whether a change may be made to a file as it is now. It may on the blob that it was built on; an edit also where
 * only this run changed the file, at the line to which its commits moved it; and where its lines stood once with their
 * context when people saw them, and stand so exactly once now. Nothing is ever guessed: whatever stands twice is stale.
 */
export function judge(input: JudgeInput, lines: FileLines = linesOf(input.file)): Verdict {
  const { change, file } = input;
  switch (change.op) {
    case 'edit':
    case 'write':
      return judgeLines(input, lines);
    case 'delete':
      return judgeDeletion(change, file);
    case 'move':
      return judgeMove(change, input.source ?? null, file);
    case 'read':
      return isFile(file, change.base) ? applies(EMPTY_REGION, true) : STALE;
  }
}

function judgeDeletion(change: Judgeable, file: FileAtHead | null): Verdict {
  if (file === null) return ALREADY_THERE;
  return isFile(file, change.base) ? applies(change.region ?? EMPTY_REGION, true) : STALE;
}

/** Nothing may stand where the file goes, and what stands at its source must be the file that people saw. */
function judgeMove(change: Judgeable, source: FileAtHead | null, target: FileAtHead | null): Verdict {
  if (source === null && isFile(target, change.result)) return ALREADY_THERE;
  if (!isFile(source, change.base)) return { kind: 'stale', path: sourcePath(change) };
  return target === null ? applies(EMPTY_REGION, true) : STALE;
}

function isFile(file: FileAtHead | null, ref: BlobRef | null): boolean {
  return file !== null && file.blob === ref?.blob && file.mode === ref.mode;
}

function judgeLines({ change, file, ownEdits }: JudgeInput, lines: FileLines): Verdict {
  const base = change.base;
  if (base === null || file === null) return judgeAbsent(change, file);
  if (file.blob === base.blob && file.mode === base.mode) return applies(change.region ?? EMPTY_REGION, true);
  if (isResult(change, file)) return ALREADY_THERE;
  if (change.region === null || file.text === null || file.mode !== base.mode) return STALE;
  if (change.op !== 'edit') return STALE;
  const kept = shifted(file.text, change.region, startAfter(change.region, base.blob, file.blob, ownEdits));
  if (kept !== null) return applies(kept, sameRegionText(kept, change.region));
  const placed = change.places === 1 && change.standsOnce ? atShownContext(lines.exact, change.region) : null;
  if (placed !== null) return applies(placed, true);
  return holdsResult(lines.comparable, change.region) ? ALREADY_THERE : STALE;
}

/** A file before and after a push, and the changes that were waiting for it. `headText` is null where it is gone or no text. */
export type RecogniseInput<Candidate> = {
  readonly baseText: string | null;
  readonly headText: string | null;
  readonly changes: readonly Candidate[];
};

/** Whether a push did nothing to a file but make some of the waiting changes. */
export type Recognised<Candidate> =
  | { readonly kind: 'subset'; readonly applied: readonly Candidate[] }
  | { readonly kind: 'other' };

/** Finds the waiting changes that a push made, if they are all that it did to the file. CR before LF is not compared. */
export function recognise<Candidate extends { readonly region: Region | null }>({
  baseText,
  headText,
  changes,
}: RecogniseInput<Candidate>): Recognised<Candidate> {
  if (headText === null) return { kind: 'other' };
  const base = lineTable(withoutCarriageReturns(baseText ?? ''));
  const head = lineTable(withoutCarriageReturns(headText));
  const steps = changes.flatMap((item) => {
    if (item.region === null) return [];
    const sides = comparableSides(item.region);
    const index = locateRegion(base, sides);
    if (index === null || sides.old.text === sides.new.text) return [];
    return [{ item, index, height: sides.old.lines, fresh: sides.new }];
  });
  const applied = takenSteps(base, head, steps);
  return applied === null || applied.length === 0 ? { kind: 'other' } : { kind: 'subset', applied };
}

function judgeAbsent(change: Judgeable, file: FileAtHead | null): Verdict {
  if (file !== null) return isResult(change, file) ? ALREADY_THERE : STALE;
  return change.base === null ? applies(change.region ?? EMPTY_REGION, true) : STALE;
}

function isResult(change: Judgeable, file: FileAtHead): boolean {
  if (file.blob === change.result?.blob) return file.mode === change.result.mode;
  if (file.text === null || change.payload.type !== 'write' || change.payload.content === null) return false;
  return withoutCarriageReturns(file.text) === withoutCarriageReturns(change.payload.content);
}

function atShownContext(lines: LineTable, region: Region): Region | null {
  const sides = sidesOf(region);
  const [index, ...others] = placesWithContext(lines, sides, 'old');
  if (index === undefined || others.length > 0 || !keepsEdges(lines, sides, index, region.old.length)) return null;
  const placed = placeAt(lines.text, region, startFor(region, index));
  return placed !== null && sameRegionText(placed, region) ? placed : null;
}

/** The same lines at the line to which this run's own commits moved them. */
function shifted(text: string, region: Region, oldStart: number | null): Region | null {
  const placed = oldStart === null ? null : placeAt(text, region, oldStart);
  if (placed === null) return null;
  return sameLines(placed.old, region.old) && sameLines(placed.new, region.new) ? placed : null;
}

/** The new lines stand once with their context and the old ones nowhere; line endings are not compared. */
function holdsResult(lines: LineTable, region: Region): boolean {
  const sides = comparableSides(region);
  const [index, ...others] = placesWithContext(lines, sides, 'new');
  if (index === undefined || others.length > 0 || !keepsEdges(lines, sides, index, sides.new.lines)) return false;
  return placesWithContext(lines, sides, 'old').length === 0;
}

function startFor(region: Region, index: number): number {
  return region.old.length === 0 ? index : index + 1;
}

function applies(region: Region, sameDigest: boolean): Verdict {
  return { kind: 'applies', region, sameDigest };
}
