import type { Region } from '../change/change.ts';
import { composeFile, type LineRange } from '../change/range.ts';
import { takesWhole } from '../change/touched.ts';
import {
  type FileAtHead,
  type Judgeable,
  type JudgeInput,
  judge,
  linesOf,
  recognise,
  type Verdict,
} from './freshness.ts';
import type { OwnEdit } from './own-history.ts';

/** A change that waits, by its proposal's id. */
export type Waiting = { readonly id: string; readonly change: Judgeable };

/** Where a change's lines stand at a head, and what stands around them. */
export type Spot = Omit<Region, 'old' | 'new'>;

/** A verdict without the lines of the change itself, which whoever asks for it has. */
export type Standing =
  | { readonly kind: 'applies'; readonly spot: Spot; readonly sameDigest: boolean }
  | Exclude<Verdict, { kind: 'applies' }>;
export type Stands = { readonly id: string; readonly standing: Standing };

/** A file at a head, and what waits for it. */
export type FileJudging = Pick<JudgeInput, 'file' | 'ownEdits'> & { readonly waiting: readonly Waiting[] };

/** A path before and after somebody moved the head, and what waits for it. */
export type Push = {
  readonly before: FileAtHead | null;
  readonly now: FileAtHead | null;
  readonly waiting: readonly Waiting[];
  readonly ownEdits: readonly OwnEdit[];
};

/** What a push did to a path. */
export type PushJudged = {
  /** Ids of the changes that are all that it did; none where it did anything else. */
  readonly contained: readonly string[];
  /** Then it counts as a commit of the run's own: what it moved is known to the line. Null where it is not. */
  readonly own: OwnEdit | null;
  /** How each of the others stands after it. */
  readonly others: readonly Stands[];
};

export const STALE = { kind: 'stale' } as const satisfies Standing;

/** Judges all changes that wait for a file. Its lines are read once. */
export function judgeFile({ file, ownEdits, waiting }: FileJudging): readonly Stands[] {
  const lines = linesOf(file);
  return waiting.map(({ id, change }) => ({ id, standing: withoutLines(judge({ change, file, ownEdits }, lines)) }));
}

/** Judges what a push did to a path: the changes that it made itself, and how the others stand after it. */
export function judgePush({ before, now, waiting, ownEdits }: Push): PushJudged {
  const contained = containedIn(waiting, before, now);
  const own = contained.length === 0 ? null : ownPush(contained, before, now, ownEdits);
  const rest = waiting.filter((one) => !contained.includes(one));
  const known = own === null ? ownEdits : [...ownEdits, own];
  return {
    contained: contained.map(({ id }) => id),
    own,
    others: judgeFile({ file: now, ownEdits: known, waiting: rest }),
  };
}

/** Whether a change's verdict lies in names alone: then nothing of the file has to be read for it. */
export function readsText({ op, base }: Judgeable, file: FileAtHead | null): boolean {
  return (op === 'edit' || op === 'write') && file !== null && file.text !== null && file.blob !== base?.blob;
}

/** The verdict with the change's own lines again: where it applies they are the same at every head. */
export function verdictOf({ region }: Pick<Judgeable, 'region'>, standing: Standing): Verdict {
  if (standing.kind !== 'applies') return standing;
  const { spot, sameDigest } = standing;
  return { kind: 'applies', region: { ...spot, old: region?.old ?? [], new: region?.new ?? [] }, sameDigest };
}

/** The verdict as it is sent about. */
export function withoutLines(verdict: Verdict): Standing {
  if (verdict.kind !== 'applies') return verdict;
  const { oldStart, newStart, before, after } = verdict.region;
  return { kind: 'applies', spot: { oldStart, newStart, before, after }, sameDigest: verdict.sameDigest };
}

/**
 * The changes that are all that happened to this file; none where anything else did. An emptied file is no
 * deleted one, so deletions are not looked for in its lines.
 */
function containedIn(
  waiting: readonly Waiting[],
  before: FileAtHead | null,
  now: FileAtHead | null,
): readonly Waiting[] {
  const found = recognise({
    baseText: before === null ? '' : before.text,
    headText: now === null ? null : now.text,
    changes: waiting.map(({ change }) => change).filter((change) => !takesWhole(change)),
  });
  return found.kind === 'other' ? [] : waiting.filter(({ change }) => found.applied.includes(change));
}

function ownPush(
  contained: readonly Waiting[],
  before: FileAtHead | null,
  now: FileAtHead | null,
  ownEdits: readonly OwnEdit[],
): OwnEdit | null {
  if (before?.text == null || now === null) return null;
  const ranges = rangesIn(contained, before, before.text, ownEdits);
  return ranges === null ? null : { before: before.blob, after: now.blob, ranges };
}

function rangesIn(
  contained: readonly Waiting[],
  file: FileAtHead,
  text: string,
  ownEdits: readonly OwnEdit[],
): readonly LineRange[] | null {
  const lines = linesOf(file);
  const verdicts = contained.map(({ change }) => judge({ change, file, ownEdits }, lines));
  const regions = verdicts.flatMap((verdict) => (verdict.kind === 'applies' ? [verdict.region] : []));
  return regions.length === contained.length ? composeFile(text, regions).ranges : null;
}
