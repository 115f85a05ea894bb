import {
  buildChange,
  type ChangeInput,
  type FileVersion,
  type Refusal,
  textVersion,
} from '../edits/build/build-change.ts';
import { type BlobRef, type FileChange, type Region, sourcePath } from '../edits/change.ts';
import { combineChanges } from '../edits/change-set.ts';
import { describeChange, describeUndoOf } from '../edits/describe-change.ts';
import { applyRegion, type LineRange, relocateRegion } from '../edits/region.ts';
import { byteLength } from '../edits/text/characters.ts';
import type { AssessableChange, FileAtHead } from '../state/head-changes.ts';
import type { AppCommit } from '../state/run.ts';
import type { AppliedChange, AppliedMember, UndoResult } from '../step/facts.ts';
import type { UndoRefusal } from '../step/reasons.ts';
import { areMembersTouching } from './earlier-changes.ts';
import { assessChange } from './staleness.ts';

type FilesAtHead = Readonly<Record<string, FileAtHead | null>>;

/** Builds the reverse of all members of a change at the head, or of none. It is judged like every other change. */
export function computeUndo({ id, change: applied, members }: AppliedChange, files: FilesAtHead): UndoResult {
  const undone: FileChange[] = [];
  for (const member of members) {
    const built = undoMember(id, member, files);
    if (built.kind !== 'change') return built;
    if (undone.some((other) => areMembersTouching(other, built.change))) return changedSince(built.change.path);
    undone.push(built.change);
  }
  const change = combineChanges(describeUndoOf(id, describeChange(applied)), undone);
  return change === null ? { kind: 'refused', message: 'A reading changes nothing.' } : { kind: 'change', change };
}

type ReversedChange = AssessableChange & { readonly op: ChangeInput['op'] };

/** A change with old and new swapped, as far as it takes to find its place at a head. */
export function reverseChange({ change, range, appCommits }: AppliedMember): ReversedChange {
  const { path, from, base, result, region } = change;
  const op = base === null ? 'delete' : result === null ? 'write' : from === null ? 'edit' : 'move';
  return {
    ...change,
    op,
    path: from ?? path,
    from: from === null ? null : path,
    base:
      op === 'edit' && result !== null ? { ...result, blob: committedBlob(range, appCommits) ?? result.blob } : result,
    result: base,
    region: region && {
      ...region,
      oldStart: range?.newStart ?? region.newStart,
      newStart: range?.oldStart ?? region.oldStart,
      old: region.new,
      new: region.old,
    },
    // People see the place before they approve it.
    uniqueInBase: true,
    payload: op === 'write' ? { type: op, content: null } : { type: op },
  };
}

/** The file in the commit that has these lines; null if that is unknown. */
function committedBlob(range: LineRange | null, appCommits: readonly AppCommit[]): string | null {
  const commit = appCommits.findLast(({ ranges }) =>
    ranges.some((one) => one.newStart === range?.newStart && one.newLines === range.newLines),
  );
  return commit?.blobAfter ?? null;
}

function undoMember(id: string, member: AppliedMember, files: FilesAtHead): UndoOfMember {
  const reverse = reverseChange(member);
  const { op, path, from, result } = reverse;
  const [file, source] = [files[path] ?? null, files[sourcePath(reverse)] ?? null];
  const verdict = assessChange({ change: reverse, file, source, appCommits: member.appCommits });
  if (verdict.kind === 'already-applied') return { kind: 'already-undone', path };
  if (verdict.kind === 'stale') return changedSince(verdict.path ?? path);
  const before = op === 'write' || source === null ? null : versionAtHead(source, member.change);
  const restored = restoreVersion(reverse, verdict.region, before, member.change);
  if (restored.kind !== 'version') return restored;
  const { version: after } = restored;
  // A whole file comes back as exactly what it was.
  if (op !== 'edit' && after?.ref.blob !== result?.blob) return changedSince(path);
  const common = { op, path, before, after, repositoryName: member.change.payload.sandbox, undoes: id };
  return asUndo(buildChange(from === null ? common : { ...common, from }));
}

type UndoOfMember = { readonly kind: 'change'; readonly change: FileChange } | UndoRefusal;

function changedSince(path: string): UndoRefusal {
  return { kind: 'changed-since', path };
}

/** The file that the undo changes. Of one that is not text, the size is known from the applied change. */
function versionAtHead({ blob, mode, text }: FileAtHead, { payload }: FileChange): FileVersion {
  const ref: BlobRef = { blob, mode: mode === '100755' ? '100755' : '100644' };
  return { ref, text, bytes: text === null ? sizeOf(payload) : byteLength(text) };
}

function sizeOf(payload: FileChange['payload']): number {
  return payload.type === 'write' ? payload.content_bytes : payload.file_bytes;
}

type Restored = { readonly kind: 'version'; readonly version: FileVersion | null } | UndoRefusal;

/** The file after the undo, with the old lines at their place; null if there is none. */
function restoreVersion(
  { op, path, result, region }: AssessableChange,
  place: Region,
  before: FileVersion | null,
  { payload }: FileChange,
): Restored {
  if (result === null) return { kind: 'version', version: null };
  if (region === null) return { kind: 'version', version: { ref: result, text: null, bytes: sizeOf(payload) } };
  const text = before?.text ?? '';
  const located = op === 'edit' ? relocateRegion(text, place, place.oldStart) : region;
  return located === null ? changedSince(path) : asUndo(textVersion(path, applyRegion(text, located), result.mode));
}

/** A refusal of our own is worded for the model, and safe to show to people. */
function asUndo<Built extends { readonly kind: string }>(built: Built | Refusal): Built | UndoRefusal {
  return 'output' in built ? { kind: 'refused', message: built.output } : built;
}
