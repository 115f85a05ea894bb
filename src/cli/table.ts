import { escapeHiddenAndCr } from '../core/edits/text/characters.ts';

/** A longer cell sticks out, because one of many rows would widen all of them. */
const MAX_PADDED_WIDTH = 100;

/** Rows of one line each, in columns; hidden characters are escaped. Ends with a newline. */
export function formatTable(rows: readonly (readonly string[])[]): string {
  const cells = rows.map((row) => row.map((cell) => escapeHiddenAndCr(cell).replaceAll(/\s+/g, ' ')));
  const widths = (cells[0] ?? []).map((_, column) => columnWidth(cells.map((row) => row[column] ?? '')));
  const lines = cells.map((row) =>
    row
      .map((cell, column) => cell + ' '.repeat(Math.max(0, (widths[column] ?? 0) - [...cell].length)))
      .join('  ')
      .trimEnd(),
  );
  return `${lines.join('\n')}\n`;
}

function columnWidth(cells: readonly string[]): number {
  const longest = cells.reduce((width, cell) => Math.max(width, [...cell].length), 0);
  return Math.min(longest, MAX_PADDED_WIDTH);
}
