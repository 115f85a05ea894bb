import {
  AWS_VALUE_LENGTH,
  BEFORE_AWS_VALUE,
  findSecretRanges,
  KEY_MATERIAL,
  mergeRanges,
  REDACTED,
  type SecretRange,
} from './credentials.ts';

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
  const next = firstRangeBehind(ranges, start);
  return next !== undefined && next.start < end;
}

/** Whether all of the text from `start` to `end` is in one of the ranges. */
export function isWithinSecret(ranges: readonly SecretRange[], start: number, end: number): boolean {
  const next = firstRangeBehind(ranges, start);
  return next !== undefined && next.start <= start && end <= next.end;
}

/** The first range that ends behind an offset. */
function firstRangeBehind(ranges: readonly SecretRange[], offset: number): SecretRange | undefined {
  let [from, to] = [0, ranges.length];
  while (from < to) {
    const middle = (from + to) >>> 1;
    if ((ranges[middle]?.end ?? 0) <= offset) from = middle + 1;
    else to = middle;
  }
  return ranges[from];
}

/** A unified diff with its secrets replaced: each row keeps its sign. */
export function redactDiff(diff: string): string {
  return MAY_SPAN_ROWS.test(diff) ? redactRows(diff) : redactFile(diff);
}

const HUNK_HEADING = /(?<=^|\n)(@@ -[\d,]+ \+[\d,]+ @@)[^\n]*/g;

/**
 * A unified diff without git's headings behind the line numbers. They are cut after 80 bytes, and half a secret is not
 * recognized.
 */
export function dropHunkHeadings(diff: string): string {
  return diff.replace(HUNK_HEADING, '$1');
}

/** In every secret that can stand on several rows. Few diffs contain it, and dividing a long one into rows is slow. */
const MAY_SPAN_ROWS = /PRIVATE KEY|[A-Za-z0-9/+]{40}/;

function redactRows(diff: string): string {
  const rows = diff.split('\n');
  for (const at of [...findKeyRows(rows), ...findInnerKeyRows(rows)])
    rows[at] = `${(rows[at] ?? '').slice(0, 1)}${REDACTED}`;
  const ranges = [...findSecretsOfVersion(rows, '-'), ...findSecretsOfVersion(rows, '+')];
  return redactRanges(rows.join('\n'), mergeRanges(ranges));
}

/** A row of a version of the file, without its sign: where it starts in that text and in the diff. */
type VersionRow = { readonly text: string; readonly start: number; readonly startInDiff: number };

/**
 * The secrets of the old or new version, as ranges of the diff that keep to one row each: a name and its value can
 * stand on two rows, with a sign or rows of the other version between them.
 */
function findSecretsOfVersion(rows: readonly string[], sign: '-' | '+'): readonly SecretRange[] {
  const version = rowsOfVersion(rows, sign === '-' ? '+' : '-');
  const shown = version.map(({ text }) => text).join('\n');
  const found = mergeRanges([...findSecretRanges(shown), ...findTopValues(shown)]);
  const ranges: SecretRange[] = [];
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

/** A value in the form of an AWS secret key, below the header of a hunk. */
const TOP_VALUE = new RegExp(
  `^@@ [^\\n]*(?=\\n)${BEFORE_AWS_VALUE}(?=[a-z0-9/+]{0,39}[A-Z])(?=[A-Z0-9/+]{0,39}[a-z])(?=[A-Za-z/+]{0,39}\\d)[A-Za-z0-9/+]{${AWS_VALUE_LENGTH}}(?![A-Za-z0-9/+])`,
  'gm',
);

/** A hunk can begin below the name. */
function findTopValues(version: string): readonly SecretRange[] {
  return Array.from(version.matchAll(TOP_VALUE), ({ 0: match, index }) => {
    const end = index + match.length;
    return { start: end - AWS_VALUE_LENGTH, end };
  });
}

const KEY_START = /-----BEGIN [A-Z0-9 ]{0,20}PRIVATE KEY/;

const KEY_END = /-----END [A-Z0-9 ]{0,20}PRIVATE KEY/;

/** The last row of a key can be short, and a checksum can follow it. All others are long. */
const MAX_SHORT_ROWS = 2;

/** The rows of private keys. A hunk can hold only the beginning or only the end of one. */
function findKeyRows(rows: readonly string[]): readonly number[] {
  const found: number[] = [];
  let [first, isInKey, isTop] = [0, false, true];
  const add = (last: number): void => {
    const key = rows.slice(first, last + 1);
    const isWhole = key.some((row) => KEY_MATERIAL.test(row));
    for (const at of key.keys()) if (isWhole) found.push(first + at);
    if (!isWhole && isTop && !isInKey) found.push(...findShortKey(key).map((at) => first + at));
  };
  for (const [at, row] of rows.entries()) {
    const isHeader = row.startsWith('@@ ');
    if (isHeader && isInKey) add(at - 1);
    if (isHeader) [first, isInKey, isTop] = [at + 1, false, true];
    if (!isInKey && KEY_START.test(row)) [first, isInKey] = [at, true];
    if (!KEY_END.test(row)) continue;
    add(at);
    [first, isInKey, isTop] = [at + 1, false, false];
  }
  if (isInKey) add(rows.length - 1);
  return found;
}

/** With both cases, unlike a digest in hexadecimal. */
const BASE64_ROW = /^[-+ ](?=[^a-z]*[a-z])(?=[^A-Z]*[A-Z])[ \t]*[A-Za-z0-9+/]{60,76}={0,2}\r?$/;

/** A shorter block can be a digest or an id. */
const MIN_INNER_ROWS = 3;

/** Of a length that rows of keys have, and with three digits, unlike long names. Source code has no others. */
const SINGLE_KEY_ROW =
  /^[-+ ](?=[^a-z]*[a-z])(?=[^A-Z]*[A-Z])(?=(?:\D*\d){3})[ \t]*(?=(?:[^ \t]{64}|[^ \t]{70}|[^ \t]{76})$)[A-Za-z0-9+/]{60,76}={0,2}$/;

/** Rows of nothing but base64. A hunk can hold only the middle of a private key. */
function findInnerKeyRows(rows: readonly string[]): readonly number[] {
  const found: number[] = [];
  let length = 0;
  for (const [at, row] of rows.entries()) {
    length = BASE64_ROW.test(row) ? length + 1 : 0;
    if (length === MIN_INNER_ROWS) found.push(at - 2, at - 1, at);
    if (length > MIN_INNER_ROWS || SINGLE_KEY_ROW.test(row.replace(/\r$/, ''))) found.push(at);
  }
  return found;
}

/** The rows down to the end of a key at the top of a hunk, in each version that shows few of them. */
function findShortKey(rows: readonly string[]): readonly number[] {
  const end = rows.at(-1) ?? '';
  return ['-', '+']
    .filter((otherSign) => !end.startsWith(otherSign))
    .map((otherSign) => [...rows.keys()].filter((at) => !rows[at]?.startsWith(otherSign)))
    .filter((version) => version.length <= MAX_SHORT_ROWS + 1)
    .flat();
}
