import { type Language, languageOf } from './languages.ts';

/** A kind of data file. `jsonc` is JSON with comments and trailing commas. */
export type DataFormat = 'json' | 'jsonc' | 'yaml' | 'toml';

/** The data format or the language of a file. */
export type Format =
  | { readonly kind: 'data'; readonly format: DataFormat }
  | { readonly kind: 'source'; readonly language: Language };

/** The verdict of a parser on a text. It gives up on texts that are too large or take too long. */
export type ParseOutcome =
  | { readonly kind: 'parsed' }
  | { readonly kind: 'gave-up' }
  /** `line` counts from 1; `what` is a constant phrase that quotes nothing of the text. */
  | { readonly kind: 'failed'; readonly line: number; readonly what: string };

export const PARSED: ParseOutcome = { kind: 'parsed' };

export const GAVE_UP: ParseOutcome = { kind: 'gave-up' };

/** Longer texts are not parsed. */
export const MAX_PARSED_CHARACTERS = 500_000;

const DATA_FORMATS: ReadonlyMap<string, readonly DataFormat[]> = new Map([
  ['json', ['json', 'jsonc']],
  ['jsonc', ['jsonc']],
  ['yaml', ['yaml']],
  ['yml', ['yaml']],
  ['toml', ['toml']],
]);

/** The formats that a file can have by its name, the strictest first; empty if no parser knows it. */
export function formatsOf(path: string): readonly Format[] {
  const formats = DATA_FORMATS.get(path.slice(path.lastIndexOf('.') + 1).toLowerCase());
  if (formats !== undefined) return formats.map((format) => ({ kind: 'data', format }));
  // The grammar of C++ reserves words that C allows as names.
  const language = /\.[ch]$/i.test(path) ? null : languageOf(path);
  return language === null ? [] : [{ kind: 'source', language }];
}
