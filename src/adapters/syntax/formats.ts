import { type Language, languageOf } from './languages.ts';

/** A kind of data file. `jsonc` is JSON with comments and trailing commas. */
export type DataFormat = 'json' | 'jsonc' | 'yaml' | 'toml';

/** What a file is written in. */
export type Format =
  | { readonly kind: 'data'; readonly format: DataFormat }
  | { readonly kind: 'source'; readonly language: Language };

/** What a parser says about a text. It gives up on texts that are too large or take too long. */
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

/** Files of tools that read JSON with comments, although their names end in `.json`. */
const JSON_WITH_COMMENTS =
  /(?:^|\/)(?:(?:[jt]sconfig|appsettings|api-extractor)(?:[.-][^/]*)?\.json|(?:\.vscode|\.devcontainer)\/(?:[^/]+\/)*[^/]+\.json|\.?devcontainer\.json|(?:\.eslintrc|\.babelrc|babel\.config|\.swcrc|\.jshintrc|\.oxlintrc|tslint|biome|deno|turbo|nx|angular|rush|renovate|typedoc|wrangler|language-configuration)\.json)$/i;

/** The formats that a file can have by its name, the strictest first; empty if no parser knows it. */
export function formatsOf(path: string): readonly Format[] {
  const formats = DATA_FORMATS.get(path.slice(path.lastIndexOf('.') + 1).toLowerCase());
  if (formats !== undefined) {
    const allowed = JSON_WITH_COMMENTS.test(path) ? formats.slice(-1) : formats;
    return allowed.map((format) => ({ kind: 'data', format }));
  }
  // The grammar of C++ reserves words that C allows as names.
  const language = /\.[ch]$/i.test(path) ? null : languageOf(path);
  return language === null ? [] : [{ kind: 'source', language }];
}
