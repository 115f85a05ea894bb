import { findAppliedOps } from '../edits/applied-ops.ts';
import { type BlobRef, isWholeFileChange, type Region, sourcePath } from '../edits/change.ts';
import { createRegionPattern, findWithContext, hasSameFileEdges, locateRegion } from '../edits/locate-region.ts';
import {
  composeFile,
  EMPTY_REGION,
  isSameRegionText,
  type LineRange,
  regionIndex,
  relocateRegion,
} from '../edits/region.ts';
import { createLineTable, type LineTable } from '../edits/text/line-table.ts';
import { areLinesEqual, crLfToLf } from '../edits/text/lines.ts';
import type {
  AssessableChange,
  AssessedChange,
  FileAtHead,
  PendingChange,
  PushAssessment,
  StalenessVerdict,
} from '../state/head-changes.ts';
import type { AppCommit } from '../state/run.ts';

/**
 * Assesses whether a change still applies: (1) the file is the blob it was built on, (2) it is an edit and only this
 * run's commits touched the file since, or (3) its lines and context occurred exactly once when shown and occur exactly
 * once now. Ambiguous matches are stale.
 */
export function assessChange(input: AssessmentInput, lines: FileLines = readFileLines(input.file)): StalenessVerdict {
  const { change, file } = input;
  switch (change.op) {
    case 'edit':
    case 'write':
      return assessLines(input, lines);
    case 'delete':
      return assessDeletion(change, file);
    case 'move':
      return assessMove(change, input.source ?? null, file);
    case 'read':
      return isSameFile(file, change.base) ? appliesAt(EMPTY_REGION) : STALE;
  }
}

/** A change, the file at a new head (null: none), and the run's own commits to it, oldest first. */
type AssessmentInput = {
  readonly change: AssessableChange;
  readonly file: FileAtHead | null;
  /** The file at the source of a move. */
  readonly source?: FileAtHead | null;
  readonly appCommits: readonly AppCommit[];
};

function assessLines({ change, file, appCommits }: AssessmentInput, lines: FileLines): StalenessVerdict {
  const base = change.base;
  if (base === null || file === null) return assessMissingFile(change, file);
  if (file.blob === base.blob && file.mode === base.mode) return appliesAt(change.region ?? EMPTY_REGION);
  if (isResultFile(change, file)) return ALREADY_APPLIED;
  if (change.region === null || file.text === null || file.mode !== base.mode) return STALE;
  if (change.op !== 'edit') return STALE;
  const shifted = locateShifted(
    file.text,
    change.region,
    shiftedStart(change.region, base.blob, file.blob, appCommits),
  );
  if (shifted !== null) return appliesAt(shifted, isSameRegionText(shifted, change.region));
  const located = change.placeCount === 1 && change.uniqueInBase ? locateByContext(lines.exact, change.region) : null;
  if (located !== null) return appliesAt(located);
  return hasResultLines(lines.comparable, change.region) ? ALREADY_APPLIED : STALE;
}

function assessMissingFile(change: AssessableChange, file: FileAtHead | null): StalenessVerdict {
  if (file !== null) return isResultFile(change, file) ? ALREADY_APPLIED : STALE;
  return change.base === null ? appliesAt(change.region ?? EMPTY_REGION) : STALE;
}

function assessDeletion(change: AssessableChange, file: FileAtHead | null): StalenessVerdict {
  if (file === null) return ALREADY_APPLIED;
  return isSameFile(file, change.base) ? appliesAt(change.region ?? EMPTY_REGION) : STALE;
}

/** The target must be unused, and the source must be the file that people saw. */
function assessMove(change: AssessableChange, source: FileAtHead | null, target: FileAtHead | null): StalenessVerdict {
  if (source === null && isSameFile(target, change.result)) return ALREADY_APPLIED;
  if (!isSameFile(source, change.base)) return { kind: 'stale', path: sourcePath(change) };
  return target === null ? appliesAt(change.region ?? EMPTY_REGION) : STALE;
}

function isSameFile(file: FileAtHead | null, ref: BlobRef | null): boolean {
  return file !== null && file.blob === ref?.blob && file.mode === ref.mode;
}

function isResultFile(change: AssessableChange, file: FileAtHead): boolean {
  if (file.blob === change.result?.blob) return file.mode === change.result.mode;
  if (file.text === null || change.payload.type !== 'write' || change.payload.content === null) return false;
  return crLfToLf(file.text) === crLfToLf(change.payload.content);
}

/** The region's lines at the place to which this run's own commits moved them. */
function locateShifted(text: string, region: Region, oldStart: number | null): Region | null {
  const relocated = oldStart === null ? null : relocateRegion(text, region, oldStart);
  if (relocated === null) return null;
  return areLinesEqual(relocated.old, region.old) && areLinesEqual(relocated.new, region.new) ? relocated : null;
}

function locateByContext(lines: LineTable, region: Region): Region | null {
  const sides = createRegionPattern(region);
  const [index, ...others] = findWithContext(lines, sides, 'old');
  if (index === undefined || others.length > 0 || !hasSameFileEdges(lines, sides, index, region.old.length))
    return null;
  const relocated = relocateRegion(lines.text, region, region.old.length === 0 ? index : index + 1);
  return relocated !== null && isSameRegionText(relocated, region) ? relocated : null;
}

/** Whether the new lines occur once with their context and the old ones nowhere; line endings are ignored. */
function hasResultLines(lines: LineTable, region: Region): boolean {
  const sides = createRegionPattern(region, true);
  const [index, ...others] = findWithContext(lines, sides, 'new');
  if (index === undefined || others.length > 0 || !hasSameFileEdges(lines, sides, index, sides.new.lineCount))
    return false;
  return findWithContext(lines, sides, 'old').length === 0;
}

function appliesAt(region: Region, sameDigest = true): StalenessVerdict {
  return { kind: 'applies', region, sameDigest };
}

const STALE: StalenessVerdict = { kind: 'stale' };

const ALREADY_APPLIED: StalenessVerdict = { kind: 'already-applied' };

/**
 * The `oldStart` in the blob `to` of a region that was built on the blob `from`. Null unless these commits connect the
 * two without a gap and without touching the region's lines.
 */
function shiftedStart(region: Region, from: string, to: string, appCommits: readonly AppCommit[]): number | null {
  const first = appCommits.findLastIndex((appCommit) => appCommit.blobBefore === from);
  if (first < 0) return null;
  let { oldStart } = region;
  let blob = from;
  for (const appCommit of appCommits.slice(first)) {
    if (blob === to) return oldStart;
    const shift = appCommit.blobBefore === blob ? lineShift({ ...region, oldStart }, appCommit.ranges) : null;
    if (shift === null) return null;
    oldStart += shift;
    blob = appCommit.blobAfter;
  }
  return blob === to ? oldStart : null;
}

/** Offset of a region after other lines are replaced; null if the ranges touch it. */
function lineShift(region: Region, ranges: readonly LineRange[]): number | null {
  let shift = 0;
  for (const range of ranges) {
    const start = range.oldLines === 0 ? range.oldStart : range.oldStart - 1;
    if (start > regionIndex(region) + region.old.length) continue;
    if (start + range.oldLines >= regionIndex(region)) return null;
    shift += range.newLines - range.oldLines;
  }
  return shift;
}

/** A path before and after a push, and its pending changes. */
export type PathPush = {
  readonly before: FileAtHead | null;
  readonly after: FileAtHead | null;
  readonly pending: readonly PendingChange[];
  readonly appCommits: readonly AppCommit[];
};

/** Assesses a push to a path: the pending changes that it contains, and the applicability of the others afterwards. */
export function assessPush({ before, after, pending, appCommits }: PathPush): PushAssessment {
  const contained = findContained(pending, before, after);
  const appCommit = toAppCommit(contained, before, after, appCommits);
  const others = pending.filter((one) => !contained.includes(one));
  const commits = appCommit === null ? appCommits : [...appCommits, appCommit];
  return {
    contained: contained.map(({ id }) => id),
    appCommit,
    others: assessFile({ file: after, appCommits: commits, pending: others }),
  };
}

/** A file at a head, and its pending changes. */
type FileAssessmentInput = Pick<AssessmentInput, 'file' | 'appCommits'> & {
  readonly pending: readonly PendingChange[];
};

/** Assesses all pending changes of a file, whose lines are read once. */
export function assessFile({ file, appCommits, pending }: FileAssessmentInput): readonly AssessedChange[] {
  const lines = readFileLines(file);
  return pending.map(({ id, change }) => ({ id, verdict: assessChange({ change, file, appCommits }, lines) }));
}

/**
 * The pending changes, if they are all that happened to the file; otherwise none. Deletions are excluded, because an
 * emptied file is not a deleted one.
 */
function findContained(
  pending: readonly PendingChange[],
  before: FileAtHead | null,
  after: FileAtHead | null,
): readonly PendingChange[] {
  const found = findAppliedChanges({
    baseText: before === null ? '' : before.text,
    headText: after === null ? null : after.text,
    changes: pending.map(({ change }) => change).filter((change) => !isWholeFileChange(change)),
  });
  return found.kind === 'other' ? [] : pending.filter(({ change }) => found.applied.includes(change));
}

/** Null unless the places of all these changes before the push are known. */
function toAppCommit(
  contained: readonly PendingChange[],
  before: FileAtHead | null,
  after: FileAtHead | null,
  appCommits: readonly AppCommit[],
): AppCommit | null {
  if (contained.length === 0 || before?.text == null || after === null) return null;
  const assessed = assessFile({ file: before, appCommits, pending: contained });
  const regions = assessed.flatMap(({ verdict }) => (verdict.kind === 'applies' ? [verdict.region] : []));
  if (regions.length < contained.length) return null;
  return { blobBefore: before.blob, blobAfter: after.blob, ranges: composeFile(before.text, regions).ranges };
}

/** Finds the pending changes that a push contains, if it changed nothing else in the file. CR before LF is ignored. */
export function findAppliedChanges<Candidate extends { readonly region: Region | null }>({
  baseText,
  headText,
  changes,
}: AppliedChangesInput<Candidate>): AppliedChanges<Candidate> {
  if (headText === null) return { kind: 'other' };
  const base = createLineTable(crLfToLf(baseText ?? ''));
  const head = createLineTable(crLfToLf(headText));
  const steps = changes.flatMap((item) => {
    if (item.region === null) return [];
    const sides = createRegionPattern(item.region, true);
    const index = locateRegion(base, sides);
    if (index === null || sides.old.text === sides.new.text) return [];
    return [{ item, index, oldLineCount: sides.old.lineCount, newLines: sides.new }];
  });
  const applied = findAppliedOps(base, head, steps);
  return applied === null || applied.length === 0 ? { kind: 'other' } : { kind: 'subset', applied };
}

/** A file before and after a push, and its pending changes. A text is null if the file is missing or not text. */
type AppliedChangesInput<Candidate> = {
  readonly baseText: string | null;
  readonly headText: string | null;
  readonly changes: readonly Candidate[];
};

/** Whether a push did nothing to a file but make some of the pending changes. */
type AppliedChanges<Candidate> =
  | { readonly kind: 'subset'; readonly applied: readonly Candidate[] }
  | { readonly kind: 'other' };

/** Computes each member on first use. */
function readFileLines(file: FileAtHead | null): FileLines {
  const text = file?.text ?? '';
  let exact: LineTable | null = null;
  let comparable: LineTable | null = null;
  return {
    get exact() {
      exact ??= createLineTable(text);
      return exact;
    },
    get comparable() {
      comparable ??= createLineTable(crLfToLf(text));
      return comparable;
    },
  };
}

/** The lines of a file, exact and with CRLF as LF, shared by all changes of the file. */
type FileLines = { readonly exact: LineTable; readonly comparable: LineTable };
