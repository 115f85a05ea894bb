import { parseJson, storedAs } from '../../../lib/trust.ts';

/**
 * JSON as text instead of PostgreSQL's JSON type, which rejects U+0000 and lone surrogates. A file can hold both, and
 * `JSON.stringify` escapes them.
 */
export function toStored(value: object): string {
  return JSON.stringify(value);
}

/** Parses the JSON of `toStored`; the caller names the type that the column holds. */
export function fromStored<T>(text: string): T {
  return storedAs<T>(parseJson(text));
}

/** Text for a plain column, which rejects U+0000. For reading only: the JSON column has the exact text. */
export function toPlainText(text: string): string {
  return text.replaceAll('\0', '\uFFFD').toWellFormed();
}
