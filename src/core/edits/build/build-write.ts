import type { BlobRef, FileChange, FileMode, StoredFile } from '../change.ts';
import { describeWrite } from '../describe-change.ts';
import { changeDigest } from '../digest.ts';
import { type ChangedLines, createRegion, EMPTY_REGION, findChangedLines, regionIndex } from '../region.ts';
import { BYTE_ORDER_MARK, blobSha, byteLength } from '../text/characters.ts';
import { MAX_PREVIEW_LINES } from '../text/limits.ts';
import { diffIgnoringLineEndings, dominantLineEnding, keepDiffLineEndings } from '../text/line-endings.ts';
import { createLineTable, type LineTable } from '../text/line-table.ts';
import { countLines, sliceLines } from '../text/lines.ts';
import type { BuildResult } from './build-edit.ts';
import { checkNewText, checkSpanLength, type EditableText, encodeFile, readEditableText, refuse } from './refusals.ts';
import { buildRefinedDiff } from './unified-diff.ts';

/**
 * A `write_file` call. The path is already checked. `file` is null if the path is free; `lastReadBlob` is the blob at
 * this path that the run read last; `mode` is that of a new file (default 100644).
 */
export type WriteInput = {
  readonly path: string;
  readonly repositoryName: string;
  readonly file: StoredFile | null;
  readonly content: string;
  readonly lastReadBlob: string | null;
  readonly mode?: FileMode;
};

type WriteBase = { readonly lines: LineTable; readonly file: StoredFile | null };

/** Builds the change of a `write_file` call. Finds every error here, before people are asked. */
export function buildWrite(input: WriteInput): BuildResult {
  const { path, file } = input;
  if (file === null) return buildWriteChange(input, { lines: createLineTable(''), file }, input.content);
  const editable = readEditableText(path, file.bytes);
  if (editable.kind === 'refused') return editable;
  if (input.lastReadBlob !== file.ref.blob) {
    const lines = countLines(editable.text);
    return refuse(
      `Not proposed: ${path} exists (${lines} lines) and this run has not read its current version. Read it with read_file first.`,
    );
  }
  const textRefusal = checkNewText(path, input.content);
  if (textRefusal !== null) return refuse(textRefusal);
  const encoded = keepFileEncoding(path, editable.text, input.content);
  if (encoded.kind === 'refused') return encoded;
  return buildWriteChange(input, { lines: createLineTable(editable.text), file }, encoded.text);
}

/**
 * Models never see byte order marks and CRs, so their content lacks them. Restores both, so that unchanged lines keep
 * their bytes. Content with CRLF of its own stays as it is.
 */
function keepFileEncoding(path: string, existing: string, content: string): EditableText {
  const addsMark = existing.startsWith(BYTE_ORDER_MARK) && !content.startsWith(BYTE_ORDER_MARK);
  const text = addsMark && content !== '' ? BYTE_ORDER_MARK + content : content;
  if (!existing.includes('\r\n') || text.includes('\r\n')) return { kind: 'text', text };
  const difference = diffIgnoringLineEndings(existing, text);
  const spanRefusal = checkSpanLength(path, countLines(difference.oldText), countLines(difference.newText));
  if (spanRefusal !== null) return refuse(spanRefusal);
  return { kind: 'text', text: keepDiffLineEndings(difference, dominantLineEnding(existing)) };
}

function buildWriteChange(input: WriteInput, base: WriteBase, text: string): BuildResult {
  const { path } = input;
  const span = findChangedLines(base.lines.text, text, base.lines);
  if (span === null && base.file !== null) return refuse(`No changes: ${path} already holds exactly this text.`);
  const encoded = encodeFile(path, text);
  if (encoded.kind === 'refused') return encoded;
  const sizeRefusal = span === null ? null : checkChangeSize(path, span);
  if (sizeRefusal !== null) return refuse(sizeRefusal);
  const region = span === null ? EMPTY_REGION : createRegion(span, base.lines);
  const diffFile = { path, existedBefore: base.file !== null, base: base.lines };
  const reviewable = buildRefinedDiff(diffFile, { index: regionIndex(region), old: region.old, new: region.new });
  if (reviewable.kind === 'refused') return reviewable;
  const mode = base.file?.ref.mode ?? input.mode ?? '100644';
  const result: BlobRef = { blob: blobSha(encoded.bytes), mode };
  const oldMode = base.file?.ref.mode ?? null;
  const body = { kind: 'region', region } as const;
  return {
    kind: 'change',
    change: {
      op: 'write',
      path,
      from: null,
      base: base.file?.ref ?? null,
      result,
      region,
      placeCount: 1,
      uniqueInBase: false,
      digest: changeDigest({ op: 'write', path, fromPath: null, oldMode, newMode: mode, body }),
      payload: createWritePayload(input, base, text, reviewable.diff),
    },
  };
}

function checkChangeSize(path: string, { index, end, newText }: ChangedLines): string | null {
  return checkSpanLength(path, end - index, countLines(newText));
}

function createWritePayload(input: WriteInput, base: WriteBase, content: string, diff: string): FileChange['payload'] {
  const lines = countLines(content);
  const preview = sliceLines(content, 0, MAX_PREVIEW_LINES);
  return {
    type: 'write',
    description: describeWrite(input.path, lines),
    path: input.path,
    sandbox: input.repositoryName,
    content,
    content_lines: lines,
    content_bytes: byteLength(content),
    preview,
    preview_truncated: preview !== content,
    file_exists: base.file !== null,
    existing_lines: base.file === null ? null : base.lines.lineCount,
    existing_bytes: base.file === null ? null : base.file.bytes.length,
    unified_diff: diff,
  };
}
