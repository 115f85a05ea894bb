import { fenceFor } from '../change/fence.ts';
import { MOST_PART_BYTES } from '../change/limits.ts';
import type { DiffView } from './diff-view.ts';
import { byteLength } from './markdown.ts';

/** A run of a diff's lines that one comment shows. `first` is the 1-based number of its first line in the diff. */
export type DiffPart = { readonly first: number; readonly lines: readonly string[] };

/** Bytes of diff that a proposal's own comment has room for beside everything else that it says; those below it say little else. */
export const FIRST_PART_BYTES = 50_000;

/**
 * Cuts a diff between lines into runs that comments can hold, fences included. It depends on the diff alone, so that
 * what stands in parts is cut at the same lines whenever it is written again. Null where one line is too long for any.
 */
export function diffParts({ lines }: DiffView): readonly DiffPart[] | null {
  const parts: DiffPart[] = [];
  for (let from = 0; from < lines.length || parts.length === 0; ) {
    const taken = linesWithin(lines, from, parts.length === 0 ? FIRST_PART_BYTES : MOST_PART_BYTES);
    if (taken === 0) return null;
    parts.push({ first: from + 1, lines: lines.slice(from, from + taken) });
    from += taken;
  }
  return parts;
}

/** How many lines from this one on fit so many bytes in a fence of their own. */
export function linesWithin(lines: readonly string[], from: number, bytes: number): number {
  let used = 0;
  let ticks = 3;
  for (let at = from; at < lines.length; at += 1) {
    const line = lines[at] ?? '';
    used += byteLength(line) + 1;
    ticks = Math.max(ticks, fenceFor(line).length);
    if (used + 2 * ticks > bytes) return at - from;
  }
  return lines.length - from;
}
