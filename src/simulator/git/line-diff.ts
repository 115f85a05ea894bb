import { structuredPatch } from 'diff';

/** A hunk of a unified diff. Each line starts with space, `-`, `+` or a backslash (the note on a missing newline). */
export type Hunk = {
  readonly oldStart: number;
  readonly oldLines: number;
  readonly newStart: number;
  readonly newLines: number;
  readonly lines: readonly string[];
};

/**
 * Above this edit distance the middle that differs is replaced as one block: still a true
 * diff, and found in linear time. A limit by time would make two equal runs differ.
 */
const MAX_EDITS = 2_000;

const NO_NEWLINE = '\\ No newline at end of file';

/** The hunks that turn one text into another, with `context` lines around each change. */
export function diffLines(before: string, after: string, context: number): readonly Hunk[] {
  const patch = structuredPatch('', '', before, after, undefined, undefined, { context, maxEditLength: MAX_EDITS });
  return patch?.hunks ?? blockHunk(before, after, context);
}

/** The lines of a text without their newlines; a final newline ends the last line and starts none. */
export function splitLines(text: string): readonly string[] {
  const lines = text.split('\n');
  if (lines.at(-1) === '') lines.pop();
  return lines;
}

function blockHunk(before: string, after: string, context: number): readonly Hunk[] {
  const oldLines = keepNewlines(before);
  const newLines = keepNewlines(after);
  const head = commonPrefix(oldLines, newLines);
  const tail = commonPrefix(oldLines.slice(head).reverse(), newLines.slice(head).reverse());
  const start = Math.max(0, head - context);
  const oldEnd = oldLines.length - tail;
  const newEnd = newLines.length - tail;
  const rows = [
    ...mark(' ', oldLines.slice(start, head)),
    ...mark('-', oldLines.slice(head, oldEnd)),
    ...mark('+', newLines.slice(head, newEnd)),
    ...mark(' ', oldLines.slice(oldEnd, oldEnd + context)),
  ];
  const trailing = Math.min(tail, context);
  return [
    {
      oldStart: start + 1,
      oldLines: oldEnd + trailing - start,
      newStart: start + 1,
      newLines: newEnd + trailing - start,
      lines: rows,
    },
  ];
}

function keepNewlines(text: string): readonly string[] {
  return text.split(/(?<=\n)/);
}

function mark(sign: string, lines: readonly string[]): readonly string[] {
  return lines.flatMap((line) =>
    line.endsWith('\n') ? [`${sign}${line.slice(0, -1)}`] : [`${sign}${line}`, NO_NEWLINE],
  );
}

function commonPrefix(left: readonly string[], right: readonly string[]): number {
  const limit = Math.min(left.length, right.length);
  let length = 0;
  while (length < limit && left[length] === right[length]) length += 1;
  return length;
}
