import { findSecretRanges, KEY_MATERIAL, REDACTED, type SecretRange } from './credentials.ts';

/** A file's text with every secret replaced line by line, so that lines keep their numbers and endings. */
export function redactFile(text: string): string {
  return redactRanges(text, findSecretRanges(text));
}

/** The text with these ranges replaced line by line. */
export function redactRanges(text: string, ranges: readonly SecretRange[]): string {
  if (ranges.length === 0) return text;
  const pieces: string[] = [];
  let offset = 0;
  for (const { start, end } of ranges) {
    pieces.push(text.slice(offset, start), text.slice(start, end).replace(/[^\r\n]+/g, REDACTED));
    offset = end;
  }
  return [...pieces, text.slice(offset)].join('');
}

/** Whether a part of the text from `start` to `end` is in one of the ranges. */
export function overlapsSecret(ranges: readonly SecretRange[], start: number, end: number): boolean {
  let [from, to] = [0, ranges.length];
  while (from < to) {
    const middle = (from + to) >>> 1;
    if ((ranges[middle]?.end ?? 0) <= start) from = middle + 1;
    else to = middle;
  }
  const next = ranges[from];
  return next !== undefined && next.start < end;
}

/** A unified diff with its secrets replaced: each row keeps its sign. */
export function redactDiff(diff: string): string {
  return redactFile(diff.includes(KEY_NAME) ? redactKeyRows(diff) : diff);
}

function redactKeyRows(diff: string): string {
  const rows = diff.split('\n');
  for (const { first, last } of findKeyRows(rows)) {
    for (let at = first; at <= last; at += 1) rows[at] = `${(rows[at] ?? '').slice(0, 1)}${REDACTED}`;
  }
  return rows.join('\n');
}

/** Part of the first and last line of every private key. Few diffs contain it, and dividing a long one into rows is slow. */
const KEY_NAME = 'PRIVATE KEY';

type RowRange = { readonly first: number; readonly last: number };

const KEY_START = /-----BEGIN [A-Z0-9 ]{0,20}PRIVATE KEY/;

const KEY_END = /-----END [A-Z0-9 ]{0,20}PRIVATE KEY/;

/** The rows of private keys. A hunk can hold only the beginning or only the end of one. */
function findKeyRows(rows: readonly string[]): readonly RowRange[] {
  const found: RowRange[] = [];
  let first = 0;
  let isInKey = false;
  const add = (last: number): void => {
    const range = { first, last };
    if (rows.slice(first, last + 1).some((row) => KEY_MATERIAL.test(row))) found.push(range);
  };
  for (const [at, row] of rows.entries()) {
    const isHeader = row.startsWith('@@ ');
    if (isHeader && isInKey) add(at - 1);
    if (isHeader) [first, isInKey] = [at + 1, false];
    if (!isInKey && KEY_START.test(row)) [first, isInKey] = [at, true];
    if (!KEY_END.test(row)) continue;
    add(at);
    [first, isInKey] = [at + 1, false];
  }
  if (isInKey) add(rows.length - 1);
  return found;
}
