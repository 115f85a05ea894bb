import { parseJson, storedAs } from '../trust.ts';

/**
 * JSON as text, never as the database's own JSON type: that one refuses U+0000 and lone surrogates,
 * and a file's lines may hold either. `JSON.stringify` escapes both, so what goes in comes out.
 */
export function toStored(value: object): string {
  return JSON.stringify(value);
}

/** What `toStored` wrote; the caller names the type that the column is written with. */
export function fromStored<T>(text: string): T {
  return storedAs<T>(parseJson(text));
}

/** Words for a plain text column, which takes no U+0000; for reading only, the exact ones stand in the JSON beside it. */
export function plainText(text: string): string {
  return text.replaceAll('\0', '\uFFFD').toWellFormed();
}
