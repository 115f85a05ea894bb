import type { BuildResult } from '../edits/build/build-edit.ts';
import {
  buildUndo,
  reverseRegion,
  undoCreation,
  undoDeletion,
  undoMove,
  undoMoveWithText,
  undoRestore,
} from '../edits/build/build-undo.ts';
import { type Change, type FileChange, isRestore, mainPath, type StoredFile } from '../edits/change.ts';
import { combineChanges } from '../edits/change-set.ts';
import { describeChange, describeUndoOf } from '../edits/describe-change.ts';
import { encodeText } from '../edits/text/characters.ts';
import type { FileAtHead } from '../state/head-changes.ts';
import type { UndoRefusal } from '../step/refusals.ts';
import type { MemberUndo, UndoContext, UndoResult } from '../step/undo.ts';
import { areChangesTouching } from './earlier-changes.ts';
import { assessChange } from './staleness.ts';

/**
 * Computes the reverse of an applied change, or of one member of a set. It must apply to the head by the same rules as
 * every other change.
 */
export function computeUndo(context: UndoContext): MemberUndo {
  return UNDO_BY_OP[context.change.op](context);
}

/** The reverse of a whole change: of all its members, or of none. `id` is the proposal of the applied change. */
export function combineUndos(id: string, applied: Change, undos: readonly MemberUndo[]): UndoResult {
  const undone = undos.flatMap((undo) => (undo.kind === 'already-undone' ? [undo.path] : []));
  if (undone.length > 0 && undone.length === undos.length)
    return { kind: 'already-undone', path: [...new Set(undone)].join(', ') };
  const changes: FileChange[] = [];
  for (const undo of undos) {
    if (undo.kind !== 'change') return undo.kind === 'already-undone' ? { ...undo, kind: 'changed-since' } : undo;
    changes.push(undo.change);
  }
  const touching = changes.find((one, index) =>
    changes.slice(0, index).some((other) => areChangesTouching(one, other)),
  );
  if (touching !== undefined) return { kind: 'changed-since', path: touching.path };
  const change = combineChanges(describeUndoOf(id, describeChange(applied)), changes);
  return change === null ? { kind: 'changed-since', path: mainPath(applied) } : { kind: 'change', change };
}

/** Whether the reverse needs the file as the commit left it; otherwise the change itself is enough. */
export function needsCommittedFile(change: FileChange): boolean {
  return change.op === 'edit' || (change.op === 'write' && !isRestore(change));
}

const UNDO_BY_OP: Readonly<Record<FileChange['op'], (context: UndoContext) => MemberUndo>> = {
  edit: undoLines,
  write: undoWrite,
  delete: undoDelete,
  move: undoMovedFile,
  read: ({ change }) => ({ kind: 'already-undone', path: change.path }),
};

function commitMissing(sha: string): UndoRefusal {
  return { kind: 'commit-missing', sha };
}

function undoWrite(context: UndoContext): MemberUndo {
  const { id, change } = context;
  if (isRestore(change))
    return undoWholeFileIfKnown(context, undoRestore({ id, appliedChange: change }), 'changed-since');
  return change.base === null ? undoNewFile(context) : undoLines(context);
}

/** Takes the lines from their exact position in the commit, and finds that position in the head. */
function undoLines({ id, change, commitSha, range, appCommits, files }: UndoContext): MemberUndo {
  const { path, region } = change;
  if (files.atCommit === 'commit-missing') return commitMissing(commitSha);
  const [committedFile, headFile] = [storedFile(files.atCommit), storedFile(files.atHead)];
  if (region === null || committedFile === null || headFile === null) return { kind: 'changed-since', path };
  const committedRegion = reverseRegion(committedFile.text, region, range);
  if (committedRegion === null) return { kind: 'changed-since', path };
  const reverse = buildUndo({ id, appliedChange: change, region: committedRegion, file: committedFile });
  if (reverse.kind === 'refused') return toUndoRefusal(reverse);
  const verdict = assessChange({ change: reverse.change, file: files.atHead, appCommits });
  switch (verdict.kind) {
    case 'already-applied':
      return { kind: 'already-undone', path };
    case 'stale':
      return { kind: 'changed-since', path };
    case 'applies':
      return toMemberUndo(buildUndo({ id, appliedChange: change, region: verdict.region, file: headFile }));
  }
}

/** Deletes a new file if it is unchanged since the commit. */
function undoNewFile(context: UndoContext): MemberUndo {
  const { id, change, files } = context;
  if (files.atCommit === 'commit-missing') return commitMissing(context.commitSha);
  const committedFile = storedFile(files.atCommit);
  if (committedFile === null) return { kind: 'changed-since', path: change.path };
  return undoWholeFile(context, undoCreation({ id, appliedChange: change }, committedFile), 'changed-since');
}

/** Restores a deleted file if its path is free. */
function undoDelete(context: UndoContext): MemberUndo {
  const { id, change } = context;
  return undoWholeFileIfKnown(context, undoDeletion({ id, appliedChange: change }), 'path-taken');
}

/** Moves a file back, with its former text, if it is unchanged and its old path is free. */
function undoMovedFile(context: UndoContext): MemberUndo {
  const { id, change, files } = context;
  const applied = { id, appliedChange: change };
  if (change.region === null) return undoWholeFileIfKnown(context, undoMove(applied), 'path-taken');
  const file = storedFile(files.atHead);
  if (file === null || file.ref.blob !== change.result?.blob) return { kind: 'changed-since', path: change.path };
  return undoWholeFileIfKnown(context, undoMoveWithText(applied, file), 'path-taken');
}

/** `built` is null if the stored change lacks what its kind must have. */
function undoWholeFileIfKnown(
  context: UndoContext,
  built: BuildResult | null,
  conflict: 'changed-since' | 'path-taken',
): MemberUndo {
  const { path } = context.change;
  return built === null ? { kind: 'changed-since', path } : undoWholeFile(context, built, conflict);
}

/** Checks a reverse of a whole file against the head. `conflict` is the reason if another file is at its path. */
function undoWholeFile(
  { files }: UndoContext,
  built: BuildResult,
  conflict: 'changed-since' | 'path-taken',
): MemberUndo {
  if (built.kind === 'refused') return toUndoRefusal(built);
  const { change } = built;
  const { path, from } = change;
  const [file, source] = from === null ? [files.atHead, null] : [files.sourceAtHead, files.atHead];
  const verdict = assessChange({ change, file, source, appCommits: [] });
  switch (verdict.kind) {
    case 'already-applied':
      return { kind: 'already-undone', path };
    case 'stale':
      return verdict.path === undefined ? { kind: conflict, path } : { kind: 'changed-since', path: verdict.path };
    case 'applies':
      return toMemberUndo(built);
  }
}

function toMemberUndo(built: BuildResult): MemberUndo {
  return built.kind === 'refused' ? toUndoRefusal(built) : built;
}

function toUndoRefusal({ output }: Extract<BuildResult, { kind: 'refused' }>): UndoRefusal {
  return { kind: 'refused', message: output };
}

function storedFile(file: FileAtHead | null): (StoredFile & { readonly text: string }) | null {
  if (file === null || file.text === null) return null;
  const mode = file.mode === '100755' ? '100755' : '100644';
  return { ref: { blob: file.blob, mode }, bytes: encodeText(file.text), text: file.text };
}
