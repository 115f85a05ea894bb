import { stripVTControlCharacters, styleText } from 'node:util';
import { escapeHiddenAndCr } from '../src/core/edits/text/characters.ts';

/** Prints whole lines, with or without colors. */
export type Terminal = {
  readonly printLine: (text?: string) => void;
  readonly paint: (format: Parameters<typeof styleText>[0], text: string) => string;
};

/** Creates a terminal that passes its text to `write`. */
export function createTerminal(write: (text: string) => void, color: boolean): Terminal {
  return {
    printLine: (text = '') => write(`${text}\n`),
    paint: (format, text) => (color ? styleText(format, text, { validateStream: false }) : text),
  };
}

/** Whether to print colors on a stream. NO_COLOR and FORCE_COLOR override the default of the terminal. */
export function supportsColor(stream: NodeJS.WriteStream): boolean {
  return styleText('red', 'x', { stream }) !== 'x';
}

/** Puts untrusted text on one line and escapes its control characters. */
export function escapeForTerminal(text: string): string {
  return escapeHiddenAndCr(text.replaceAll(/[\n\r]/g, ' '));
}

/** Pads the cells to align the columns. */
export function alignColumns(rows: readonly (readonly string[])[]): readonly string[] {
  const length = (cell: string): number => stripVTControlCharacters(cell).length;
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => length(row[column] ?? ''))));
  return rows.map((row) =>
    row
      .map((cell, column) => cell + ' '.repeat(Math.max(0, (widths[column] ?? 0) - length(cell))))
      .join('  ')
      .trimEnd(),
  );
}
