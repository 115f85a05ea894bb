import { blobSha } from './blob.ts';
import type { Built } from './build-edit.ts';
import type { BlobRef, Change, FileMode } from './change.ts';
import { describeWrite } from './describe.ts';
import { changeDigest } from './digest.ts';
import { differenceBetween, dominantEnding, keepEndingsBetween } from './endings.ts';
import { PREVIEW_LINES } from './limits.ts';
import { type LineTable, lineTable, offsetAt } from './line-table.ts';
import { countLines, linesOf } from './lines.ts';
import {
  type Editable,
  editableText,
  encoded,
  muchTooLong,
  type StoredFile,
  tooFarApart,
  unfitText,
} from './refusals.ts';
import { EMPTY_REGION, indexOf, regionAt, type Span, spanBetween } from './region.ts';
import { diffOfRun } from './reviewable-diff.ts';
import { BYTE_ORDER_MARK, byteLength } from './text.ts';

/**
 * A `write_file` call; the path has been checked, `sandbox` is the repository's name. `file` is null where nothing
 * stands there; `seenBlob` names the blob of this path that the run has read last, if any. `mode` is that of a new file,
 * 100644 where it is left out.
 */
export type WriteInput = {
  readonly path: string;
  readonly sandbox: string;
  readonly file: StoredFile | null;
  readonly content: string;
  readonly seenBlob: string | null;
  readonly mode?: FileMode;
};

type Base = { readonly lines: LineTable; readonly file: StoredFile | null };

/** Builds the change that a `write_file` call asks for. All that can be wrong with it is found here, before a person is asked. */
export function buildWrite(input: WriteInput): Built {
  const { path, file } = input;
  if (file === null) return changeFrom(input, { lines: lineTable(''), file }, input.content);
  const editable = editableText(path, file.bytes);
  if (editable.kind === 'refused') return editable;
  if (input.seenBlob !== file.ref.blob) {
    const lines = countLines(editable.text);
    return refused(
      `Not proposed: ${path} exists (${lines} lines) and was not read in this run as it stands now. Read it with read_file first.`,
    );
  }
  const unfit = unfitText(path, input.content);
  if (unfit !== null) return refused(unfit);
  const taken = asTheFileHasIt(path, editable.text, input.content);
  if (taken.kind === 'refused') return taken;
  return changeFrom(input, { lines: lineTable(editable.text, file.bytes), file }, taken.text);
}

/**
 * What a model writes over a file holds neither the byte order mark nor the CRs that it was not shown; they are
 * kept, so that lines which it left alone keep their bytes. Content that has CRLF itself is taken as it is.
 */
function asTheFileHasIt(path: string, existing: string, content: string): Editable {
  const marked = existing.startsWith(BYTE_ORDER_MARK) && !content.startsWith(BYTE_ORDER_MARK);
  const text = marked && content !== '' ? BYTE_ORDER_MARK + content : content;
  if (!existing.includes('\r\n') || text.includes('\r\n')) return { kind: 'text', text };
  const difference = differenceBetween(existing, text);
  const far = tooFarApart(path, countLines(difference.old), countLines(difference.fresh));
  if (far !== null) return { kind: 'refused', output: far };
  return { kind: 'text', text: keepEndingsBetween(difference, dominantEnding(existing)) };
}

function changeFrom(input: WriteInput, base: Base, text: string): Built {
  const { path } = input;
  const span = spanBetween(base.lines.text, text, base.lines);
  if (span === null && base.file !== null) return refused(`No changes: ${path} already holds exactly this text.`);
  const fresh = encoded(path, text);
  if (fresh.kind === 'refused') return fresh;
  const much = span === null ? null : tooMuch(path, base.lines, span);
  if (much !== null) return refused(much);
  const region = span === null ? EMPTY_REGION : regionAt(span, base.lines);
  const shown = { path, exists: base.file !== null, base: base.lines };
  const run = diffOfRun(shown, { index: indexOf(region), old: region.old, new: region.new });
  if (run.kind === 'refused') return run;
  const mode = base.file?.ref.mode ?? input.mode ?? '100644';
  const after: BlobRef = { blob: blobSha(fresh.bytes), mode };
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
      payload: payloadOf(input, base, text, run.diff),
    },
  };
}

/** What is refused before any line becomes a string of its own: the letters that one side has more are shown in any case. */
function tooMuch(path: string, lines: LineTable, { index, end, fresh }: Span): string | null {
  const growth = Math.abs(fresh.length - (offsetAt(lines, end) - offsetAt(lines, index)));
  return muchTooLong(path, growth) ?? tooFarApart(path, end - index, countLines(fresh));
}

function payloadOf(input: WriteInput, base: Base, content: string, diff: string): Change['payload'] {
  const lines = countLines(content);
  const preview = linesOf(content, 0, PREVIEW_LINES);
  return {
    type: 'write',
    description: describeWrite(input.path, lines),
    path: input.path,
    sandbox: input.sandbox,
    content,
    content_lines: lines,
    content_bytes: byteLength(content),
    preview,
    preview_truncated: preview !== content,
    file_exists: base.file !== null,
    existing_lines: base.file === null ? null : base.lines.count,
    existing_bytes: base.file === null ? null : base.file.bytes.length,
    unified_diff: diff,
  };
}

function refused(output: string): Built {
  return { kind: 'refused', output };
}
