import { findSecretRanges, REDACTED, type SecretRange } from './credentials.ts';

/**
 * The text with every credential replaced, line by line, so that lines keep their numbers and endings. Everything that
 * goes to the model or to a log passes here, and the model's prose on pages.
 */
export function redact(text: string): string {
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

/** A row of nothing but base64, with both cases. */
const KEY_ROW = String.raw`^[-+ ](?=[^a-z\n]*[a-z])(?=[^A-Z\n]*[A-Z])[ \t]*[A-Za-z0-9+/]{60,76}={0,2}\r?$`;

/** The inside of a key: a hunk can begin or end there. */
const KEY_ROWS = new RegExp(`(?:${KEY_ROW}\n){2,}${KEY_ROW}`, 'gm');

/** A unified diff with its secrets replaced, also in the headings of hunks: each row keeps its sign. */
export function redactDiff(diff: string): string {
  const ranges = findSecretRanges(diff).flatMap((range) => rangesInRows(diff, range));
  return redactRanges(diff, ranges)
    .replace(KEY_ROWS, (rows) => rows.replace(/^([-+ ])[^\r\n]+/gm, `$1${REDACTED}`))
    .replace(HEADING, (_, numbers: string, text: string) => `${numbers}${redactHeading(text)}`);
}

/** The line of the file that git shows behind the numbers of a hunk. */
const HEADING = /^(@@ -[\d,]+ \+[\d,]+ @@ )([^\r\n]+)/gm;

/** Git cuts a heading after 80 bytes, and half a secret is not recognized. A row of a key can be one, too. */
function redactHeading(text: string): string {
  if (/^[A-Za-z0-9+/]{40,}={0,2}$/.test(text)) return REDACTED;
  return Buffer.byteLength(text) < CUT_HEADING_BYTES ? text : text.replace(/\S+$/, '…');
}

/** A character of several bytes at the end can be gone as a whole. */
const CUT_HEADING_BYTES = 77;

/** The parts of a range behind the signs of the rows that it reaches into. */
function rangesInRows(diff: string, { start, end }: SecretRange): readonly SecretRange[] {
  const parts: SecretRange[] = [];
  let from = start;
  for (let lineFeed = diff.indexOf('\n', from); lineFeed !== -1 && lineFeed < end; ) {
    parts.push({ start: from, end: lineFeed });
    from = Math.min(lineFeed + 2, end);
    lineFeed = diff.indexOf('\n', from);
  }
  return [...parts, { start: from, end }];
}

/** Whether a part of the text from `start` to `end` is in one of the ranges. */
export function overlapsSecret(ranges: readonly SecretRange[], start: number, end: number): boolean {
  return ranges.some((range) => range.start < end && start < range.end);
}
