import { redact } from '../../../lib/credentials.ts';
import { pluralize, shortSha } from '../../../lib/format.ts';
import {
  BYTE_ORDER_MARK,
  byteLength,
  decodeText,
  escapeHiddenCharacters,
  findHiddenCharacters,
} from '../../edits/text/characters.ts';
import { createLineTable, type LineTable, linesAt } from '../../edits/text/line-table.ts';
import { crLfToLf } from '../../edits/text/lines.ts';
import type { FileReading, Run, ShownLines } from '../../state/run.ts';
import { MAX_READ_BYTES, MAX_READ_LINES } from '../../state/tools.ts';
import { REDACTED_NOTE } from '../shared/tool-results.ts';

/**
 * A view of a file for `read_file`. Its text begins with a header, so that file content can never pose as feedback. The
 * lines have no numbers, so that the model can quote them. Line endings are shown as LF, secrets by a placeholder.
 */
export function formatFileContent(input: ReadFileInput): FileView {
  const { path, blob, bytes } = input;
  const decoded = decodeText(bytes);
  if (decoded.kind === 'binary')
    return withoutLines(`Cannot show '${path}': it is a binary file of ${bytes.length} bytes.`);
  if (decoded.kind === 'not-utf8')
    return withoutLines(`Cannot show '${path}': its ${bytes.length} bytes are not valid UTF-8.`);
  if (decoded.text === '') return withoutLines(`File ${path} is empty (blob ${shortSha(blob)}).`);
  const text = redact(decoded.text);
  const lines = createLineTable(text);
  const first = input.start ?? 1;
  const last = Math.min(input.end ?? lines.lineCount, lines.lineCount);
  if (first > lines.lineCount)
    return withoutLines(`Cannot show line ${first} of ${path}: it has ${lines.lineCount} lines.`);
  if (last < first)
    return withoutLines(`Cannot show lines ${first} to ${last} of ${path}: the end is before the start.`);
  const shown = truncateLines(linesAt(lines, first - 1, Math.min(last, first - 1 + MAX_READ_LINES)));
  const redacted = text === decoded.text ? 0 : countLinesUnlikeFile(shown, createLineTable(decoded.text), first);
  return {
    text: formatExcerpt(input, { lines, first, shown, redacted }),
    lines: { first, last: first + shown.length - 1 },
  };
}

function withoutLines(text: string): FileView {
  return { text, lines: null };
}

/** The output, and which lines it shows; null if it shows none. */
type FileView = { readonly text: string; readonly lines: ShownLines | null };

/** A file and the requested lines, 1-based and inclusive. */
type ReadFileInput = {
  readonly path: string;
  readonly blob: string;
  readonly bytes: Uint8Array;
  readonly start: number | null;
  readonly end: number | null;
};

/** The lines to show, and how many of them have a placeholder. */
type FileExcerpt = {
  readonly lines: LineTable;
  readonly first: number;
  readonly shown: readonly string[];
  readonly redacted: number;
};

/** The shown lines that differ from the file's. Redaction keeps the number of lines. */
function countLinesUnlikeFile(shown: readonly string[], original: LineTable, first: number): number {
  const lines = linesAt(original, first - 1, first - 1 + shown.length);
  return shown.filter((line, at) => line !== lines[at]).length;
}

function formatExcerpt({ path, blob }: ReadFileInput, { lines, first, shown, redacted }: FileExcerpt): string {
  const exactText = shown.join('');
  const end = first + shown.length - 1;
  const hasMark = first === 1 && exactText.startsWith(BYTE_ORDER_MARK);
  const text = escapeHiddenCharacters(crLfToLf(hasMark ? exactText.slice(1) : exactText));
  const secrets = redacted === 0 ? [] : [`in ${pluralize(redacted, 'line')} ${REDACTED_NOTE}`];
  const notes = [...describeOddities(lines, exactText, first === 1), ...secrets];
  const cut = end < lines.lineCount ? [`continue with start ${end + 1}`] : [];
  const facts = [`lines ${first} to ${end} of ${lines.lineCount}`, `blob ${shortSha(blob)}`, ...notes, ...cut];
  return `File ${path}: ${facts.join('; ')}. Its text begins on the next line.\n${text}`;
}

function describeOddities({ text }: LineTable, shown: string, startsFile: boolean): string[] {
  const notes: string[] = [];
  const some = /(?<!\r)\n/.test(shown) ? 'some ' : '';
  if (shown.includes('\r\n')) notes.push(`${some}line endings are CRLF, shown as LF`);
  const hidden = findHiddenCharacters(shown, startsFile).length;
  if (hidden > 0)
    notes.push(`${hidden} hidden characters are escaped as \\u{…} here and cannot be quoted in this form`);
  if (!text.endsWith('\n')) notes.push('no newline at the end of the file');
  return notes;
}

/** As many lines as fit one output; at least one, cut if necessary. */
function truncateLines(lines: readonly string[]): string[] {
  const fitting: string[] = [];
  let bytes = 0;
  for (const line of lines) {
    bytes += byteLength(line);
    if (bytes > MAX_READ_BYTES && fitting.length > 0) return fitting;
    if (bytes > MAX_READ_BYTES)
      return [
        `${line.slice(0, MAX_READ_BYTES / 4)}… (the rest of this line of ${line.length} characters is not shown)\n`,
      ];
    fitting.push(line);
  }
  return fitting;
}

type Readings = Run['readings'];

/** The last reading of this file; null if there is none. */
export function findReading(readings: Readings, file: Pick<FileReading, 'path' | 'ref'>): FileReading | null {
  return readings.find(({ path, ref }) => path === file.path && ref === file.ref) ?? null;
}

/** Whether the model was shown all of these lines of the same blob before, at once. */
export function areShown(readings: Readings, file: Omit<FileReading, 'shown'>, { first, last }: ShownLines): boolean {
  const known = findReading(readings, file);
  return known?.blob === file.blob && known.shown.some((one) => one.first <= first && last <= one.last);
}

/** Remembers a reading. Lines of another blob of the file count no longer. */
export function addReading(readings: Readings, reading: FileReading): Readings {
  const known = findReading(readings, reading);
  const shown = known?.blob === reading.blob ? [...known.shown, ...reading.shown] : reading.shown;
  return [...readings.filter((one) => one !== known), { ...reading, shown }];
}
