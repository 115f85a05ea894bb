import { isWholeFileChange, type Region } from '../edits/change.ts';
import { composeFile, type LineRange } from '../edits/region.ts';
import { pairLines, UNPAIRED } from '../edits/text/line-diff.ts';
import type {
  Applicability,
  AssessableChange,
  FileAtHead,
  NearbyLines,
  PendingChange,
  ProposalApplicability,
  PushAssessment,
  StalenessVerdict,
} from '../state/head-changes.ts';
import type { AppCommit } from '../state/run.ts';
import { type AssessmentInput, assessChange, type FileLines, findAppliedChanges, readFileLines } from './staleness.ts';

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
  const appCommit = contained.length === 0 ? null : toAppCommit(contained, before, after, appCommits);
  const others = pending.filter((one) => !contained.includes(one));
  const commits = appCommit === null ? appCommits : [...appCommits, appCommit];
  return {
    contained: contained.map(({ id }) => id),
    appCommit,
    others: assessFile({ file: after, appCommits: commits, pending: others }),
  };
}

/** A file at a head, and its pending changes. */
export type FileAssessmentInput = Pick<AssessmentInput, 'file' | 'appCommits'> & {
  readonly pending: readonly PendingChange[];
};

/** Assesses all pending changes of a file, whose lines are read once. */
export function assessFile({ file, appCommits, pending }: FileAssessmentInput): readonly ProposalApplicability[] {
  const lines = readFileLines(file);
  return pending.map(({ id, change }) => {
    const applicability = toApplicability(assessChange({ change, file, appCommits }, lines));
    return { id, applicability: withNearbyLines(applicability, change, file, lines) };
  });
}

/** Lines that are shown on each side of the place of a stale change. */
const NEARBY_LINES = 10;

const MAX_NEARBY_CHARACTERS = 4_000;

/**
 * The present lines at the places of a stale change, so that the model need not read the file: the first ones that fit.
 * Empty if they are not known.
 */
export function nearbyLines(
  { region, placeCount }: Pick<AssessableChange, 'region' | 'placeCount'>,
  file: FileAtHead | null,
  fileLines: FileLines = readFileLines(file),
): readonly NearbyLines[] {
  if (region === null || file === null || file.text === null) return [];
  const lines = fileLines.redacted;
  const shown: NearbyLines[] = [];
  let remaining = MAX_NEARBY_CHARACTERS;
  for (const { first, end } of rangesAround(placesOf(region, placeCount), lines.length)) {
    const text = lines.slice(first, end).join('');
    if (text.length > remaining && shown.length > 0) break;
    shown.push({ start: first + 1, text: text.slice(0, remaining) });
    remaining -= text.length;
  }
  return shown;
}

type ReplacedPlace = { readonly index: number; readonly count: number };

/** The lines that a change replaces. The region of an edit of several places has all lines between them, too. */
function placesOf({ oldStart, old, new: now }: Region, placeCount: number): readonly ReplacedPlace[] {
  const first = oldStart - 1;
  if (placeCount === 1) return [{ index: first, count: old.length }];
  const places: ReplacedPlace[] = [];
  let [from, to] = [0, 0];
  const closePlace = (at: number, other: number): void => {
    if (at > from || other > to) places.push({ index: first + from, count: at - from });
    [from, to] = [at + 1, other + 1];
  };
  for (const [at, other] of pairLines(old, now).entries()) {
    if (other !== UNPAIRED) closePlace(at, other);
  }
  closePlace(old.length, now.length);
  return places;
}

/** Ranges of 0-based lines around places that are in order. Those that touch are one. */
function rangesAround(places: readonly ReplacedPlace[], lineCount: number): readonly LineWindow[] {
  const ranges: LineWindow[] = [];
  for (const { index, count } of places) {
    const place = Math.min(index + 1, lineCount);
    const first = Math.max(0, place - NEARBY_LINES);
    const end = Math.max(first + 2 * NEARBY_LINES, place + count - 1 + NEARBY_LINES);
    const last = ranges.at(-1);
    if (last !== undefined && first <= last.end) ranges.splice(-1, 1, { first: last.first, end });
    else ranges.push({ first, end });
  }
  return ranges;
}

type LineWindow = { readonly first: number; readonly end: number };

function withNearbyLines(
  applicability: Applicability,
  change: AssessableChange,
  file: FileAtHead | null,
  lines: FileLines,
): Applicability {
  if (applicability.kind !== 'stale') return applicability;
  const nearby = nearbyLines(change, file, lines);
  return nearby.length === 0 ? applicability : { ...applicability, nearby };
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

function toAppCommit(
  contained: readonly PendingChange[],
  before: FileAtHead | null,
  after: FileAtHead | null,
  appCommits: readonly AppCommit[],
): AppCommit | null {
  if (before?.text == null || after === null) return null;
  const ranges = committedRanges(contained, before, before.text, appCommits);
  return ranges === null ? null : { blobBefore: before.blob, blobAfter: after.blob, ranges };
}

function committedRanges(
  contained: readonly PendingChange[],
  file: FileAtHead,
  text: string,
  appCommits: readonly AppCommit[],
): readonly LineRange[] | null {
  const lines = readFileLines(file);
  const verdicts = contained.map(({ change }) => assessChange({ change, file, appCommits }, lines));
  const regions = verdicts.flatMap((verdict) => (verdict.kind === 'applies' ? [verdict.region] : []));
  return regions.length === contained.length ? composeFile(text, regions).ranges : null;
}

/** False if blob and mode alone decide the verdict, so that the text need not be fetched. */
export function needsFileText({ op, base }: AssessableChange, file: FileAtHead | null): boolean {
  return (op === 'edit' || op === 'write') && file !== null && file.text !== null && file.blob !== base?.blob;
}

/** Removes the lines of the change, before the verdict is sent to another thread or stored. */
export function toApplicability(verdict: StalenessVerdict): Applicability {
  if (verdict.kind !== 'applies') return verdict;
  const { oldStart, newStart, before, after } = verdict.region;
  const { sameDigest, heading } = verdict;
  return { kind: 'applies', position: { oldStart, newStart, before, after }, sameDigest, heading };
}

/** Adds the lines of the change again, which are the same at every head. */
export function toVerdict(
  { region }: Pick<AssessableChange, 'region'>,
  applicability: Applicability,
): StalenessVerdict {
  if (applicability.kind !== 'applies') return applicability;
  const { position, sameDigest, heading } = applicability;
  const located = { ...position, old: region?.old ?? [], new: region?.new ?? [] };
  return { kind: 'applies', region: located, sameDigest, heading };
}

export const STALE_APPLICABILITY = { kind: 'stale' } as const satisfies Applicability;
