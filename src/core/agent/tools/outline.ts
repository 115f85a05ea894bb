import { redact } from '../../../lib/credentials.ts';
import { pluralize, shortSha } from '../../../lib/format.ts';
import { decodeText, escapeHiddenCharacters } from '../../edits/text/characters.ts';
import { crLfToLf } from '../../edits/text/lines.ts';
import { REDACTED_NOTE } from '../shared/tool-results.ts';

/**
 * A declaration of a source file: its first line, the line of its name (often below an annotation or a type), its last
 * line, all from 1, and how many others it lies in.
 */
export type Declaration = Readonly<Record<'line' | 'named' | 'last' | 'depth', number>>;

/**
 * The output of `outline`: the line of each declaration's name with its number. Without declarations (null: no parser
 * knows the language, or it failed) the lines that start at column 0.
 */
export function formatOutline(
  { path, blob, bytes }: { readonly path: string; readonly blob: string; readonly bytes: Uint8Array },
  declarations: readonly Declaration[] | null,
): string {
  const decoded = decodeText(bytes);
  if (decoded.kind !== 'text') return `Cannot outline '${path}': it is not text.`;
  const text = redact(decoded.text);
  const lines = crLfToLf(text).replace(/\n$/, '').split('\n');
  const found = declarations ?? findLinesAtMargin(lines);
  const shown = found.slice(0, MAX_ROWS);
  const what = declarations === null ? 'lines at column 0' : 'declarations';
  const more = found.length > shown.length ? `, the first ${shown.length} of ${found.length}` : '';
  const rows = shown.map(({ named, depth }) => `${named}: ${'  '.repeat(depth)}${excerpt(lines[named - 1] ?? '')}`);
  const notes = text === decoded.text ? '' : `; ${REDACTED_NOTE}`;
  return [
    `Outline of ${path} (${pluralize(lines.length, 'line')}, blob ${shortSha(blob)}), ${what} with their line numbers${more}${notes}:`,
    ...(rows.length === 0 ? ['(none)'] : rows),
  ].join('\n');
}

const MAX_ROWS = 500;

/** Lines of closing brackets say nothing. */
function findLinesAtMargin(lines: readonly string[]): readonly Declaration[] {
  return lines.flatMap((text, index) => {
    const line = index + 1;
    return /^[^\s)\]}]/.test(text) ? [{ line, named: line, last: line, depth: 0 }] : [];
  });
}

function excerpt(line: string): string {
  const start = line.slice(0, MAX_ROW_CHARACTERS + MAX_INDENTATION).trim();
  const shown = start.length > MAX_ROW_CHARACTERS ? `${start.slice(0, MAX_ROW_CHARACTERS).toWellFormed()}…` : start;
  return escapeHiddenCharacters(shown);
}

const MAX_ROW_CHARACTERS = 160;

const MAX_INDENTATION = 100;
