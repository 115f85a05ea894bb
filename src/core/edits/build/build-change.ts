import type { z } from 'zod';
import {
  type BlobRef,
  type ChangePayload,
  type EditPayload,
  type FileChange,
  type FileMode,
  MAX_DIFF_BYTES,
  MAX_FILE_BYTES,
  MAX_PREVIEW_LINES,
  type Region,
  type StoredFile,
} from '../change.ts';
import { describeFileChange } from '../describe-change.ts';
import { digestAtRegion } from '../digest.ts';
import { createRegionPattern, findWithContext } from '../locate-region.ts';
import { EMPTY_REGION, regionBetween, regionIndex, regionLine } from '../region.ts';
import { blobSha, byteLength, decodeText, encodeText } from '../text/characters.ts';
import { createLineTable, type LineTable } from '../text/line-table.ts';
import { countLines, sliceLines, withoutLineEnding } from '../text/lines.ts';
import { formatUnifiedDiff, groupBlocks, refineBlock } from './unified-diff.ts';

/** A change to propose, or a refusal. */
export type BuildResult = { readonly kind: 'change'; readonly change: FileChange } | Refusal;

/** What an `edit_file` call says about its edit. Without it, the changed lines say it. */
export type EditDetails = Pick<
  z.infer<typeof EditPayload>,
  'old_string' | 'new_string' | 'replace_all' | 'match_line' | 'match_count' | 'context_before' | 'context_after'
>;

/** A file before and after a change; null where there is none. All paths are already checked. */
export type ChangeInput = {
  readonly op: Exclude<FileChange['op'], 'read'>;
  readonly path: string;
  /** The source of a move. */
  readonly from?: string;
  readonly repositoryName: string;
  readonly before: FileVersion | null;
  readonly after: FileVersion | null;
  readonly details?: Partial<EditDetails>;
  /** The id of the change that this one undoes. */
  readonly undoes?: string;
};

/** Builds the change between two versions of a file. Everything that people see and approve follows from them. */
export function buildChange(input: ChangeInput): BuildResult {
  const { op, path, from = null, before, after, undoes = null } = input;
  if (op !== 'move' && before?.ref.blob === after?.ref.blob)
    return refuse(`No changes: ${path} would stay exactly as it is.`);
  const base = createLineTable(before?.text ?? '');
  const region = changedRegion(input, base);
  const blocks = region === null ? [] : refineBlock({ index: regionIndex(region), old: region.old, new: region.new });
  const files = { path, movedFrom: from ?? path, existedBefore: before !== null, isDeleted: after === null };
  const diff = region === null ? null : formatUnifiedDiff({ ...files, base, blocks });
  const sizeRefusal = diff === null || op === 'delete' ? null : checkDiffSize(path, diff);
  if (sizeRefusal !== null) return refuse(sizeRefusal);
  const placeCount = op === 'edit' ? groupBlocks(blocks).length : 1;
  const change = {
    op,
    path,
    from,
    base: before?.ref ?? null,
    result: after?.ref ?? null,
    region,
    placeCount,
    uniqueInBase:
      op === 'edit' && region !== null && findWithContext(base, createRegionPattern(region), 'old').length === 1,
    payload: payloadOf(input, { region, diff, base, placeCount }),
  };
  const payload = { ...change.payload, description: describeFileChange(change, undoes) };
  return { kind: 'change', change: { ...change, digest: digestAtRegion(change, region), payload } };
}

/** T16, or null if the diff can be reviewed. */
export function checkDiffSize(path: string, diff: string): string | null {
  const bytes = byteLength(diff);
  if (bytes <= MAX_DIFF_BYTES) return null;
  const kilobytes = Math.ceil(bytes / 1000);
  return `Not proposed: the diff of ${path} is ${kilobytes} kB and at most ${MAX_DIFF_BYTES / 1000} kB can be reviewed. Split it into smaller changes.`;
}

/** Null unless every side is text, and for a move that leaves the bytes as they are. */
function changedRegion({ op, before, after }: ChangeInput, base: LineTable): Region | null {
  if (before?.text === null || after?.text === null) return null;
  if (op === 'move' && before?.ref.blob === after?.ref.blob) return null;
  return regionBetween(base.text, after?.text ?? '') ?? EMPTY_REGION;
}

type Shown = {
  readonly region: Region | null;
  readonly diff: string | null;
  readonly base: LineTable;
  readonly placeCount: number;
};

function payloadOf(input: ChangeInput, shown: Shown): ChangePayload {
  const { op, path, from, repositoryName, before, after } = input;
  const { diff, base } = shown;
  const common = { description: '', path, sandbox: repositoryName };
  const size = { file_lines: before?.text == null ? null : base.lineCount, file_bytes: before?.bytes ?? 0 };
  switch (op) {
    case 'edit':
      return {
        type: 'edit',
        ...common,
        ...editFields(input, shown),
        file_lines: base.lineCount,
        file_bytes: size.file_bytes,
      };
    case 'write':
      return {
        type: 'write',
        ...common,
        ...contentFields(after),
        file_exists: before !== null,
        existing_lines: size.file_lines,
        existing_bytes: before?.bytes ?? null,
        unified_diff: diff,
      };
    case 'delete':
      return { type: 'delete', ...common, unified_diff: diff, ...size };
    case 'move':
      return { type: 'move', ...common, from: from ?? path, ...size, ...(diff === null ? {} : { unified_diff: diff }) };
  }
}

function contentFields(file: FileVersion | null) {
  const content = file?.text ?? null;
  const preview = content === null ? null : sliceLines(content, 0, MAX_PREVIEW_LINES);
  return {
    content,
    content_lines: content === null ? null : countLines(content),
    content_bytes: file?.bytes ?? 0,
    preview,
    preview_truncated: preview !== content,
  };
}

function editFields({ details }: ChangeInput, { region, diff, placeCount }: Shown) {
  const { old, new: newLines, before, after } = region ?? EMPTY_REGION;
  return {
    old_string: old.join(''),
    new_string: newLines.join(''),
    replace_all: false,
    unified_diff: diff ?? '',
    diff_lines: countLines(diff ?? ''),
    match_line: region === null ? 0 : regionLine(region),
    match_count: placeCount,
    context_before: contextText(before),
    context_after: contextText(after),
    ...details,
  };
}

/** Lines beside a change, as a payload has them. */
export function contextText(lines: readonly string[]): string {
  return lines.map(withoutLineEnding).join('\n');
}

/** The result of a tool call that the model gets instead of a change. */
export type Refusal = { readonly kind: 'refused'; readonly output: string };

export function refuse(output: string): Refusal {
  return { kind: 'refused', output };
}

/** A file on one side of a change. `text` is null unless it is text; `bytes` is its size. */
export type FileVersion = { readonly ref: BlobRef; readonly text: string | null; readonly bytes: number };

export function versionOf({ ref, bytes }: StoredFile): FileVersion {
  const decoded = decodeText(bytes);
  return { ref, text: decoded.kind === 'text' ? decoded.text : null, bytes: bytes.length };
}

type TextVersion = { readonly kind: 'version'; readonly version: FileVersion & { readonly text: string } } | Refusal;

const LFS_POINTER_PREFIX = 'version https://git-lfs.github.com/spec/';

/** A stored file whose text can be changed, or a refusal. */
export function editableVersion(path: string, { ref, bytes }: StoredFile): TextVersion {
  if (bytes.length > MAX_FILE_BYTES) return refuse(fileTooLarge(path, 'has', bytes.length));
  const decoded = decodeText(bytes);
  switch (decoded.kind) {
    case 'text':
      return decoded.text.startsWith(LFS_POINTER_PREFIX)
        ? refuse(
            `Not proposed: ${path} is a Git LFS pointer; its content is not in the repository and cannot be changed here.`,
          )
        : { kind: 'version', version: { ref, text: decoded.text, bytes: bytes.length } };
    case 'binary':
      return refuse(`Not proposed: ${path} is a binary file (it holds NUL bytes); only text in UTF-8 can be changed.`);
    case 'not-utf8':
      return refuse(`Not proposed: ${path} is not valid UTF-8; only text in UTF-8 can be changed.`);
  }
}

/** A new text as the content of a file, or a refusal. */
export function textVersion(path: string, text: string, mode: FileMode): TextVersion {
  if (text.includes('\0'))
    return refuse(`Not proposed: the new text of ${path} holds a NUL character, which would make the file binary.`);
  if (!text.isWellFormed())
    return refuse(`Not proposed: the new text of ${path} holds half of a surrogate pair, which has no UTF-8 form.`);
  const bytes = encodeText(text);
  if (bytes.length > MAX_FILE_BYTES) return refuse(fileTooLarge(path, 'would have', bytes.length));
  return { kind: 'version', version: { ref: { blob: blobSha(bytes), mode }, text, bytes: bytes.length } };
}

export function fileTooLarge(path: string, verb: string, bytes: number): string {
  return `Not proposed: ${path} ${verb} ${bytes} bytes and at most ${MAX_FILE_BYTES} bytes can be edited or written.`;
}
