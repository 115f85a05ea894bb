import type { BlobRef, FileChange, Region, StoredFile } from '../change.ts';
import { describeDelete, describeMove, describeRead, describeRestore } from '../describe-change.ts';
import { changeDigest } from '../digest.ts';
import { EMPTY_REGION, regionBetween, regionIndex } from '../region.ts';
import { blobSha, decodeText } from '../text/characters.ts';
import { MAX_FILE_BYTES } from '../text/limits.ts';
import { createLineTable } from '../text/line-table.ts';
import { countLines } from '../text/lines.ts';
import type { BuildResult } from './build-edit.ts';
import { checkSpanLength, deletedTextTooLarge, type Refusal, refuse } from './refusals.ts';
import { buildRefinedDiff, buildReviewableDiff } from './unified-diff.ts';

/** A `delete_file` call on a stored file. The path is already checked. */
type DeleteInput = { readonly path: string; readonly repositoryName: string; readonly file: StoredFile };

/** A file to delete. `bytes` is its size. */
type DeletedFile = {
  readonly path: string;
  readonly repositoryName: string;
  readonly ref: BlobRef;
  readonly bytes: number;
};

/** The deleted lines; all null unless the file is text. */
type DeletedText = { readonly region: Region | null; readonly diff: string | null; readonly lines: number | null };

const NOT_TEXT: DeletedText = { region: null, diff: null, lines: null };

type DeletedTextResult = { readonly kind: 'deleted-text'; readonly deletedText: DeletedText } | Refusal;

/** Builds the change of a `delete_file` call. It stores every line of a text, and the blob of any other file. */
export function buildDelete(input: DeleteInput): BuildResult {
  const read = readDeletedText(input.path, input.file.bytes);
  if (read.kind === 'refused') return read;
  const { path, repositoryName, file } = input;
  const deletedFile = { path, repositoryName, ref: file.ref, bytes: file.bytes.length };
  return { kind: 'change', change: createDeletion(deletedFile, read.deletedText) };
}

function readDeletedText(path: string, bytes: Uint8Array): DeletedTextResult {
  const decoded = decodeText(bytes);
  if (decoded.kind !== 'text') return { kind: 'deleted-text', deletedText: NOT_TEXT };
  if (bytes.length > MAX_FILE_BYTES) return refuse(deletedTextTooLarge(path, bytes.length));
  const region = regionBetween(decoded.text, '') ?? EMPTY_REGION;
  const base = createLineTable(decoded.text);
  const blocks = base.lineCount === 0 ? [] : [{ index: 0, old: region.old, new: [] }];
  const reviewable = buildReviewableDiff({ path, existedBefore: true, isDeleted: true, base }, blocks);
  return reviewable.kind === 'refused'
    ? reviewable
    : { kind: 'deleted-text', deletedText: { region, diff: reviewable.diff, lines: base.lineCount } };
}

/** Creates a deletion. Without lines the file is not text. */
export function createDeletion(
  { path, repositoryName, ref, bytes }: DeletedFile,
  { region, diff, lines }: DeletedText = NOT_TEXT,
): FileChange {
  const { blob, mode } = ref;
  const body =
    region === null
      ? ({ kind: 'blobs', oldBlob: blob, newBlob: null } as const)
      : ({ kind: 'region', region } as const);
  return {
    op: 'delete',
    path,
    from: null,
    base: ref,
    result: null,
    region,
    placeCount: 1,
    uniqueInBase: false,
    digest: changeDigest({ op: 'delete', path, fromPath: null, oldMode: mode, newMode: null, body }),
    payload: {
      type: 'delete',
      description: describeDelete(path),
      path,
      sandbox: repositoryName,
      unified_diff: diff,
      file_lines: lines,
      file_bytes: bytes,
    },
  };
}

/** Builds the proposal that a file is read. It holds nothing of the file's content but its size. */
export function buildRead({ path, repositoryName, file }: DeleteInput): FileChange {
  const { ref, bytes } = file;
  const decoded = decodeText(bytes);
  const digest = { op: 'read', path, fromPath: null, oldMode: null, newMode: null } as const;
  return {
    op: 'read',
    path,
    from: null,
    base: ref,
    result: null,
    region: null,
    placeCount: 1,
    uniqueInBase: false,
    digest: changeDigest({ ...digest, body: { kind: 'read', blob: ref.blob } }),
    payload: {
      type: 'read',
      description: describeRead(path),
      path,
      sandbox: repositoryName,
      file_lines: decoded.kind === 'text' ? countLines(decoded.text) : null,
      file_bytes: bytes.length,
      file_exists: true,
    },
  };
}

/** A `move_file` call on a stored file. Both paths are already checked, and no file is at `to`. */
type MoveInput = {
  readonly from: string;
  readonly to: string;
  readonly repositoryName: string;
  readonly file: StoredFile;
};

/** A file to move. `bytes` is its size; `lines` is null unless it is text. */
type MovedFile = {
  readonly from: string;
  readonly to: string;
  readonly repositoryName: string;
  readonly ref: BlobRef;
  readonly lines: number | null;
  readonly bytes: number;
};

/** Builds the change of a `move_file` call. */
export function buildMove({ file, ...paths }: MoveInput): BuildResult {
  const decoded = decodeText(file.bytes);
  const lines = decoded.kind === 'text' ? countLines(decoded.text) : null;
  return { kind: 'change', change: createMove({ ...paths, ref: file.ref, lines, bytes: file.bytes.length }) };
}

/** Creates a move: the same blob and mode at another path. */
export function createMove({ from, to, repositoryName, ref, lines, bytes }: MovedFile): FileChange {
  const { blob, mode } = ref;
  const body = { kind: 'blobs', oldBlob: blob, newBlob: blob } as const;
  return {
    op: 'move',
    path: to,
    from,
    base: ref,
    result: ref,
    region: null,
    placeCount: 1,
    uniqueInBase: false,
    digest: changeDigest({ op: 'move', path: to, fromPath: from, oldMode: mode, newMode: mode, body }),
    payload: {
      type: 'move',
      description: describeMove(from, to),
      path: to,
      sandbox: repositoryName,
      from,
      file_lines: lines,
      file_bytes: bytes,
    },
  };
}

/** Builds the move of a text file whose text changes as well. `after` has its new bytes. */
export function buildMoveWithText({ file, after, ...paths }: MoveInput & { readonly after: Uint8Array }): BuildResult {
  const { from, to } = paths;
  const [oldText, newText] = [decodeText(file.bytes), decodeText(after)];
  if (oldText.kind !== 'text' || newText.kind !== 'text')
    return refuse(`Not proposed: ${from} is not text, so it can only be moved as it is.`);
  const base = createLineTable(oldText.text);
  const region = regionBetween(oldText.text, newText.text, base);
  const moved = { ...paths, ref: file.ref, lines: base.lineCount, bytes: file.bytes.length };
  if (region === null) return { kind: 'change', change: createMove(moved) };
  const sizeRefusal = checkSpanLength(to, region.old.length, region.new.length);
  if (sizeRefusal !== null) return refuse(sizeRefusal);
  const diffFile = { path: to, movedFrom: from, existedBefore: true, base };
  const reviewable = buildRefinedDiff(diffFile, { index: regionIndex(region), old: region.old, new: region.new });
  if (reviewable.kind === 'refused') return reviewable;
  const text = { blob: blobSha(after), region, diff: reviewable.diff };
  return { kind: 'change', change: createMoveWithText(moved, text) };
}

/** The new text of a moved file. */
type MovedText = { readonly blob: string; readonly region: Region; readonly diff: string };

/** Creates the move of a file together with a change of its text. */
function createMoveWithText(file: MovedFile, { blob, region, diff }: MovedText): FileChange {
  const { from, to, ref } = file;
  const { mode } = ref;
  const body = { kind: 'region', region } as const;
  const moved = createMove(file);
  const { payload } = moved;
  return {
    ...moved,
    result: { blob, mode },
    region,
    digest: changeDigest({ op: 'move', path: to, fromPath: from, oldMode: mode, newMode: mode, body }),
    payload: payload.type === 'move' ? { ...payload, unified_diff: diff } : payload,
  };
}

/** A deleted file that is not text. `bytes` is its size; the repository still has its blob. */
type RestoredFile = {
  readonly path: string;
  readonly repositoryName: string;
  readonly ref: BlobRef;
  readonly bytes: number;
};

/** Creates the write of a new file that names a blob instead of lines. */
export function createRestore({ path, repositoryName, ref, bytes }: RestoredFile): FileChange {
  const { blob, mode } = ref;
  const body = { kind: 'blobs', oldBlob: null, newBlob: blob } as const;
  return {
    op: 'write',
    path,
    from: null,
    base: null,
    result: ref,
    region: null,
    placeCount: 1,
    uniqueInBase: false,
    digest: changeDigest({ op: 'write', path, fromPath: null, oldMode: null, newMode: mode, body }),
    payload: {
      type: 'write',
      description: describeRestore(path),
      path,
      sandbox: repositoryName,
      content: null,
      content_lines: null,
      content_bytes: bytes,
      preview: null,
      preview_truncated: false,
      file_exists: false,
      existing_lines: null,
      existing_bytes: null,
      unified_diff: null,
    },
  };
}
