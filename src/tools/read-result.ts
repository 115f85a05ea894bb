import { hiddenCharacters, showHidden } from '../change/hidden.ts';
import { type LineTable, linesAt, lineTable } from '../change/line-table.ts';
import { withoutCarriageReturns } from '../change/lines.ts';
import { BYTE_ORDER_MARK, byteLength, decodeText } from '../change/text.ts';

/** Which lines a model asked for; both ends are 1-based and included. */
export type ReadInput = {
  readonly path: string;
  readonly blob: string;
  readonly bytes: Uint8Array;
  readonly start: number | null;
  readonly end: number | null;
};

const MOST_LINES = 2000;
const MOST_BYTES = 64_000;

/**
 * The result of `read_file`. A line of ours comes first, so that a file's text never stands where feedback stands; then
 * the lines themselves, without numbers, so that they can be quoted as they are. Line endings are shown as LF.
 */
export function readResult(input: ReadInput): string {
  const { path, blob, bytes } = input;
  const decoded = decodeText(bytes);
  if (decoded.kind === 'binary') return `Cannot show '${path}': it is a binary file of ${bytes.length} bytes.`;
  if (decoded.kind === 'not-utf8') return `Cannot show '${path}': its ${bytes.length} bytes are not valid UTF-8.`;
  if (decoded.text === '') return `File ${path} is empty (blob ${blob.slice(0, 7)}).`;
  const lines = lineTable(decoded.text, bytes);
  const first = input.start ?? 1;
  const last = Math.min(input.end ?? lines.count, lines.count);
  if (first > lines.count) return `Cannot show line ${first} of ${path}: it has ${lines.count} lines.`;
  if (last < first) return `Cannot show lines ${first} to ${last} of ${path}: the end is before the start.`;
  const shown = bounded(linesAt(lines, first - 1, Math.min(last, first - 1 + MOST_LINES)));
  return present(input, { lines, first, shown });
}

type Page = { readonly lines: LineTable; readonly first: number; readonly shown: readonly string[] };

function present({ path, blob }: ReadInput, { lines, first, shown }: Page): string {
  const plain = shown.join('');
  const end = first + shown.length - 1;
  const text = showHidden(withoutCarriageReturns(first === 1 ? withoutMark(plain) : plain));
  const notes = notesOn(lines, plain, first === 1);
  const cut = end < lines.count ? [`continue with start ${end + 1}`] : [];
  const facts = [`lines ${first} to ${end} of ${lines.count}`, `blob ${blob.slice(0, 7)}`, ...notes, ...cut];
  return `File ${path}: ${facts.join('; ')}. Its text begins on the next line.\n${text}`;
}

function notesOn({ text }: LineTable, shown: string, startsFile: boolean): string[] {
  const notes: string[] = [];
  if (shown.includes('\r\n')) notes.push('line endings are CRLF, shown as LF');
  const hidden = hiddenCharacters(shown, startsFile).length;
  if (hidden > 0) notes.push(`${hidden} hidden characters are written as \\u{…} here and cannot be quoted so`);
  if (!text.endsWith('\n')) notes.push('no newline at the end of the file');
  return notes;
}

/** As many of the lines as fit one result; always at least one, cut if it alone is too long. */
function bounded(lines: readonly string[]): string[] {
  const kept: string[] = [];
  let bytes = 0;
  for (const line of lines) {
    bytes += byteLength(line);
    if (bytes > MOST_BYTES && kept.length > 0) return kept;
    if (bytes > MOST_BYTES)
      return [`${line.slice(0, MOST_BYTES / 4)}… (the rest of this line of ${line.length} characters is not shown)\n`];
    kept.push(line);
  }
  return kept;
}

function withoutMark(text: string): string {
  return text.startsWith(BYTE_ORDER_MARK) ? text.slice(1) : text;
}
