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
  return MAY_SPAN_ROWS.test(diff) ? redactRows(diff) : redactFile(diff);
}

/** In every secret that can stand on several rows. Few diffs contain it, and dividing a long one into rows is slow. */
const MAY_SPAN_ROWS = /PRIVATE KEY|[A-Za-z0-9/+]{40}/;

function redactRows(diff: string): string {
  const rows = diff.split('\n');
  for (const { first, last } of findKeyRows(rows)) {
    for (let at = first; at <= last; at += 1) rows[at] = `${(rows[at] ?? '').slice(0, 1)}${REDACTED}`;
  }
  const ranges = [...findSecretsOfVersion(rows, '-'), ...findSecretsOfVersion(rows, '+')];
  return redactRanges(rows.join('\n'), mergeRanges(ranges));
}

/** A row of a version of the file, without its sign: where it starts in that text and in the diff. */
type VersionRow = { readonly text: string; readonly start: number; readonly startInDiff: number };

/**
 * The secrets of the old or new version, as ranges of the diff that keep to one row each: a name and its value can stand
 * on two rows, with a sign or rows of the other version between them.
 */
function findSecretsOfVersion(rows: readonly string[], sign: '-' | '+'): readonly SecretRange[] {
  const version = rowsOfVersion(rows, sign === '-' ? '+' : '-');
  const found = findSecretRanges(version.map(({ text }) => text).join('\n'));
  const ranges = version.flatMap((row, at) => (version[at - 1]?.text.startsWith('@@ ') ? findValueAlone(row) : []));
  let next = 0;
  for (const { text, start, startInDiff } of version) {
    const end = start + text.replace(/\r$/, '').length;
    for (; next < found.length; next += 1) {
      const range = found[next];
      if (range === undefined || range.start >= end) break;
      const [from, to] = [Math.max(range.start, start), Math.min(range.end, end)];
      if (from < to) ranges.push({ start: from - start + startInDiff, end: to - start + startInDiff });
      if (range.end > end) break;
    }
  }
  return ranges;
}

function rowsOfVersion(rows: readonly string[], otherSign: string): readonly VersionRow[] {
  const version: VersionRow[] = [];
  let [start, startInDiff] = [0, 0];
  for (const row of rows) {
    const skipped = /^[-+ ]/.test(row) ? 1 : 0;
    if (!row.startsWith(otherSign)) {
      const text = row.slice(skipped);
      version.push({ text, start, startInDiff: startInDiff + skipped });
      start += text.length + 1;
    }
    startInDiff += row.length + 1;
  }
  return version;
}

/** A value in the form of an AWS secret key, alone on its line. */
const VALUE_ALONE =
  /^\s{0,200}(?:['"]?[Vv]alue['"]?\s{0,4}[:=]\s{0,4})?['"]?((?=[A-Za-z/+]*\d)(?=[^A-Z]*[A-Z])(?=[^a-z]*[a-z])[A-Za-z0-9/+]{40})(?![A-Za-z0-9/+])/d;

/** A hunk can begin below the name. */
function findValueAlone({ text, startInDiff }: VersionRow): readonly SecretRange[] {
  const [start, end] = VALUE_ALONE.exec(text)?.indices?.[1] ?? [];
  return start === undefined || end === undefined ? [] : [{ start: startInDiff + start, end: startInDiff + end }];
}

/** In order, each place once. */
function mergeRanges(ranges: readonly SecretRange[]): readonly SecretRange[] {
  const merged: SecretRange[] = [];
  for (const range of ranges.toSorted((one, other) => one.start - other.start)) {
    const last = merged.at(-1);
    if (last === undefined || last.end < range.start) merged.push(range);
    else merged[merged.length - 1] = { start: last.start, end: Math.max(last.end, range.end) };
  }
  return merged;
}

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
