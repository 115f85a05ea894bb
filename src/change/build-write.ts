import { blobSha } from './blob.ts';
import type { Built } from './build-edit.ts';
import type { BlobRef, Change, Region } from './change.ts';
import { describeWrite } from './describe.ts';
import { changeDigest } from './digest.ts';
import { dominantEnding, keepEndings } from './endings.ts';
import { PREVIEW_LINES } from './limits.ts';
import { countLines, splitLines } from './lines.ts';
import { diffTooLarge, editableText, type StoredFile, unfitText } from './refusals.ts';
import { EMPTY_REGION, indexOf, regionBetween } from './region.ts';
import { BYTE_ORDER_MARK, byteLength, encodeText } from './text.ts';
import { refineBlock, unifiedDiff } from './unified-diff.ts';

/**
 * A `write_file` call; the path has been checked, `sandbox` is the repository's name. `file` is null where nothing
 * stands there; `seenBlob` names the blob of this path that the run has read last, if any.
 */
export type WriteInput = {
  readonly path: string;
  readonly sandbox: string;
  readonly file: StoredFile | null;
  readonly content: string;
  readonly seenBlob: string | null;
};

type Base = { readonly text: string; readonly file: StoredFile | null };

/** Builds the change that a `write_file` call asks for. All that can be wrong with it is found here, before a person is asked. */
export function buildWrite(input: WriteInput): Built {
  const { path, file } = input;
  if (file === null) return changeFrom(input, { text: '', file }, input.content);
  const editable = editableText(path, file.bytes);
  if (editable.kind === 'refused') return editable;
  if (input.seenBlob !== file.ref.blob) {
    const lines = countLines(editable.text);
    return refused(
      `Not proposed: ${path} exists (${lines} lines) and was not read in this run as it stands now. Read it with read_file first.`,
    );
  }
  return changeFrom(input, { text: editable.text, file }, asTheFileHasIt(editable.text, input.content));
}

/**
 * What a model writes over a file holds neither the byte order mark nor the CRs that it was not shown; they are
 * kept, so that lines which it left alone keep their bytes. Content that has CRLF itself is taken as it is.
 */
function asTheFileHasIt(existing: string, content: string): string {
  const marked = existing.startsWith(BYTE_ORDER_MARK) && !content.startsWith(BYTE_ORDER_MARK);
  const text = marked && content !== '' ? BYTE_ORDER_MARK + content : content;
  if (!existing.includes('\r\n') || text.includes('\r\n')) return text;
  return keepEndings(existing, text, dominantEnding(existing));
}

function changeFrom(input: WriteInput, base: Base, text: string): Built {
  const { path } = input;
  const region = regionBetween(base.text, text) ?? (base.file === null ? EMPTY_REGION : null);
  if (region === null) return refused(`No changes: ${path} already holds exactly this text.`);
  const unfit = unfitText(path, text);
  if (unfit !== null) return refused(unfit);
  const diff = diffOf(path, base, region);
  const tooLarge = diffTooLarge(path, diff);
  if (tooLarge !== null) return refused(tooLarge);
  const after: BlobRef = { blob: blobSha(encodeText(text)), mode: base.file?.ref.mode ?? '100644' };
  const oldMode = base.file?.ref.mode ?? null;
  const body = { kind: 'region', region } as const;
  return {
    kind: 'change',
    change: {
      op: 'write',
      path,
      from: null,
      base: base.file?.ref ?? null,
      result: after,
      region,
      places: 1,
      standsOnce: false,
      digest: changeDigest({ op: 'write', path, fromPath: null, oldMode, newMode: after.mode, body }),
      payload: payloadOf(input, base, text, diff),
    },
  };
}

function diffOf(path: string, base: Base, region: Region): string {
  const blocks = refineBlock({ index: indexOf(region), old: region.old, new: region.new });
  return unifiedDiff({ path, exists: base.file !== null, baseLines: splitLines(base.text), blocks });
}

function payloadOf(input: WriteInput, base: Base, content: string, diff: string): Change['payload'] {
  const lines = splitLines(content);
  const preview = lines.slice(0, PREVIEW_LINES).join('');
  return {
    type: 'write',
    description: describeWrite(input.path, lines.length),
    path: input.path,
    sandbox: input.sandbox,
    content,
    content_lines: lines.length,
    content_bytes: byteLength(content),
    preview,
    preview_truncated: preview !== content,
    file_exists: base.file !== null,
    existing_lines: base.file === null ? null : countLines(base.text),
    existing_bytes: base.file === null ? null : base.file.bytes.length,
    unified_diff: diff,
  };
}

function refused(output: string): Built {
  return { kind: 'refused', output };
}
