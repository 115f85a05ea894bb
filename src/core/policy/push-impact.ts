import { isWholeFileChange } from '../edits/change.ts';
import { composeFile, type LineRange } from '../edits/region.ts';
import type {
  Applicability,
  AssessableChange,
  FileAtHead,
  PendingChange,
  ProposalApplicability,
  PushAssessment,
  StalenessVerdict,
} from '../state/head-changes.ts';
import type { AppCommit } from '../state/run.ts';
import { type AssessmentInput, assessChange, findAppliedChanges, readFileLines } from './staleness.ts';

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
type FileAssessmentInput = Pick<AssessmentInput, 'file' | 'appCommits'> & {
  readonly pending: readonly PendingChange[];
};

/** Assesses all pending changes of a file, whose lines are read once. */
export function assessFile({ file, appCommits, pending }: FileAssessmentInput): readonly ProposalApplicability[] {
  const lines = readFileLines(file);
  return pending.map(({ id, change }) => ({
    id,
    applicability: toApplicability(assessChange({ change, file, appCommits }, lines)),
  }));
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

/** Removes the lines of the change, before the verdict is sent to another thread or stored. */
export function toApplicability(verdict: StalenessVerdict): Applicability {
  if (verdict.kind !== 'applies') return verdict;
  const { oldStart, newStart, before, after } = verdict.region;
  return { kind: 'applies', position: { oldStart, newStart, before, after }, sameDigest: verdict.sameDigest };
}

/** Adds the lines of the change again, which are the same at every head. */
export function toVerdict(
  { region }: Pick<AssessableChange, 'region'>,
  applicability: Applicability,
): StalenessVerdict {
  if (applicability.kind !== 'applies') return applicability;
  const { position, sameDigest } = applicability;
  const located = { ...position, old: region?.old ?? [], new: region?.new ?? [] };
  return { kind: 'applies', region: located, sameDigest };
}

export const STALE_APPLICABILITY = { kind: 'stale' } as const satisfies Applicability;
