import { blobOf } from './blob.ts';
import type { Place } from './edit.ts';
import type { LineTable } from './line-table.ts';
import { lineEnd, lineStart } from './lines.ts';
import { type StoredFile, unfitBeside } from './refusals.ts';
import { type Span, spanFrom } from './region.ts';
import { byteLength, encodeText } from './text.ts';

/**
 * What becomes of a file of which one place, whole lines, is written anew; a large file is neither copied nor compared for it.
 * `base` has the file's text.
 */
export type Rewritten = { readonly file: StoredFile; readonly base: LineTable; readonly place: Place };

/** Why the file cannot become this, worded for the model; null if it can. */
export function unfitRewrite(path: string, { file, base, place }: Rewritten): string | null {
  const gone = byteLength(base.text.slice(place.start, place.end));
  return unfitBeside(path, place.text, file.bytes.length - gone);
}

/** The SHA-1 of the blob that the file becomes. */
export function rewrittenBlob({ file: { bytes }, base, place }: Rewritten): string {
  const start = byteOffset(bytes, base.text, place.start);
  const end = start + byteLength(base.text.slice(place.start, place.end));
  return blobOf([bytes.subarray(0, start), encodeText(place.text), bytes.subarray(end)]);
}

/** A text has as many bytes as letters where all of them are ASCII, and nowhere else. */
function byteOffset(bytes: Uint8Array, text: string, offset: number): number {
  return bytes.length === text.length ? offset : byteLength(text.slice(0, offset));
}

/**
 * Where the text differs once the place is written anew, as `spanBetween` finds it; null where it does not. What stands far
 * behind the place is looked at only where all that is nearer repeats the place, `room` letters of it at first.
 */
export function rewrittenSpan(base: LineTable, { start, end, text: fresh }: Place, room = 1024): Span | null {
  const { text } = base;
  const from = lineStart(text, start);
  const until = lineEnd(text, Math.min(text.length, end + room));
  const before = text.slice(from, until);
  const after = text.slice(from, start) + fresh + text.slice(end, until);
  if (until < text.length && before !== after && (before.startsWith(after) || after.startsWith(before))) {
    return rewrittenSpan(base, { start, end, text: fresh }, room * 8);
  }
  return spanFrom(base, from, before, after);
}
