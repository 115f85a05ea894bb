import { escapeHiddenInJson } from '../../core/edits/text/unicode.ts';
import { EXPORTED_FIELDS, type ExportedRow } from './exported-row.ts';

export const CSV_HEADER = `${EXPORTED_FIELDS.join(',')}\r\n`;

/** A row as RFC 4180 writes it. Lists and objects are JSON, and so are texts that a spreadsheet would compute. */
export function toCsv(row: ExportedRow): string {
  return `${EXPORTED_FIELDS.map((field) => toCell(row[field])).join(',')}\r\n`;
}

const FORMULA = /^[=+\-@\t\r]/;

function toCell(value: ExportedRow[keyof ExportedRow]): string {
  if (value === null) return '';
  if (typeof value === 'number') return String(value);
  const json = escapeHiddenInJson(JSON.stringify(value));
  const text = typeof value === 'string' && json === `"${value}"` && !FORMULA.test(value) ? value : json;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
