import { escapeText } from './markdown.ts';

/** Code spans, which hold no emphasis, and text between one or two asterisks that stand at words' edges. */
const CODE_OR_EMPHASIS = /(?<!`)(`+)(?!`)[^`]+\1(?!`)|(?<=^|[\s(])(\*\*?)(?![\s*])([^*]+)(?<!\s)\2(?=$|[\s.,;:!?)])/g;

/** One line of untrusted text with its emphasis, all else inert; no line if nothing is visible. */
export function renderInline(untrusted: string): readonly string[] {
  const line = untrusted.trim();
  let [rendered, from] = ['', 0];
  for (const match of line.matchAll(CODE_OR_EMPHASIS)) {
    const [all, , marks, inner = ''] = match;
    const emphasized = escapeText(inner);
    if (marks === undefined || emphasized === '') continue;
    rendered += `${escapeBetween(line.slice(from, match.index))}${marks}${emphasized}${marks}`;
    from = match.index + all.length;
  }
  const text = `${rendered}${escapeBetween(line.slice(from))}`.trim();
  return text === '' ? [] : [text];
}

/** Escaped text with the spaces around it. */
function escapeBetween(text: string): string {
  const escaped = escapeText(text);
  if (escaped === '') return text === '' ? '' : ' ';
  return `${/^\s/.test(text) ? ' ' : ''}${escaped}${/\s$/.test(text) ? ' ' : ''}`;
}

const DELIMITER_CELL = /^:?-+:?$/;

const MAX_COLUMNS = 20;

/** The index of the header of a table, or -1. A row of dashes with as many cells follows it. */
export function findTable(lines: readonly string[]): number {
  return lines.findIndex((header, index) => {
    const [names, marks] = [cellsOf(header), cellsOf(lines[index + 1] ?? '')];
    const isTable = names.length === marks.length && marks.every((cell) => DELIMITER_CELL.test(cell));
    return isTable && header.includes('|') && names.length <= MAX_COLUMNS;
  });
}

/**
 * The lines of a table, inert. Columns lose their alignment: where a table is not understood, `:---:` would be an
 * emoji.
 */
export function renderTable([header = '', , ...body]: readonly string[]): readonly string[] {
  const names = cellsOf(header);
  const rows = body.map(cellsOf).map((cells) => names.map((_, column) => cells[column] ?? ''));
  return [formatRow(names), formatRow(names.map(() => null)), ...rows.map(formatRow)];
}

/** A backslash keeps a pipe inside its cell. */
function cellsOf(line: string): readonly string[] {
  const inner = line
    .trim()
    .replace(/^\|/, '')
    .replace(/(?<!\\)\|$/, '');
  return inner.split(/(?<!\\)\|/).map((cell) => cell.replaceAll('\\|', '|').trim());
}

/** Pipes are in code only, where parsers disagree about `\|`. */
function formatRow(cells: readonly (string | null)[]): string {
  const texts = cells.map((cell) => (cell === null ? '---' : (renderInline(cell)[0] ?? '').replaceAll('|', '\\u{7C}')));
  return `| ${texts.join(' | ')} |`;
}
