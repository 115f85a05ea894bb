/** A grammar, by the name of its file. */
export type Language =
  | 'typescript'
  | 'tsx'
  | 'javascript'
  | 'python'
  | 'java'
  | 'go'
  | 'cpp'
  | 'c-sharp'
  | 'php'
  | 'ruby'
  | 'rust';

/** C is read with the grammar of C++, which is good enough for an outline. */
const LANGUAGES: ReadonlyMap<string, Language> = new Map([
  ...rowsOf('typescript', 'ts', 'mts', 'cts'),
  ...rowsOf('tsx', 'tsx'),
  ...rowsOf('javascript', 'js', 'mjs', 'cjs', 'jsx'),
  ...rowsOf('python', 'py', 'pyi'),
  ...rowsOf('java', 'java'),
  ...rowsOf('go', 'go'),
  ...rowsOf('cpp', 'c', 'h', 'cc', 'cpp', 'cxx', 'hh', 'hpp', 'hxx'),
  ...rowsOf('c-sharp', 'cs'),
  ...rowsOf('php', 'php'),
  ...rowsOf('ruby', 'rb', 'rake'),
  ...rowsOf('rust', 'rs'),
]);

function rowsOf(language: Language, ...endings: readonly string[]): readonly (readonly [string, Language])[] {
  return endings.map((ending) => [ending, language] as const);
}

/** The language of a file by its name; null if there is no grammar for it. */
export function languageOf(path: string): Language | null {
  return LANGUAGES.get(path.slice(path.lastIndexOf('.') + 1).toLowerCase()) ?? null;
}

/** Declarations of all languages, by the names that their grammars give them. */
const DECLARATION =
  /^(?:class|module|method|singleton_method|internal_module|mod_item|impl_item|macro_definition|(?:abstract_)?class_declaration|(?:.*_)?(?:declaration|definition|specifier)|(?:function|struct|enum|trait|union|const|static|type|function_signature)_item|(?:abstract_)?method_signature|preproc_def|preproc_function_def)$/;

/** They end in the same words, and declare nothing of their own. */
const NO_DECLARATION =
  /^(?:.*_?import_declaration|using_declaration|package_declaration|ambient_declaration|template_declaration|decorated_definition|accessibility_modifier|storage_class_specifier|access_specifier|type_qualifier|export_specifier|import_specifier|.*explicit_.*|static_assert_declaration|linkage_specification)$/;

/** Declarations of code or values: what is declared in them matters to nobody else. */
const LEAF = /function|method|constructor|lexical|variable|const|var_|field|property|alias|preproc|macro|static_item/;

/** Nodes around declarations. */
const WRAPPER =
  /^(?:export_statement|expression_statement|ambient_declaration|template_declaration|decorated_definition|linkage_specification|if_statement|else_clause|try_statement|block|statement_block|body_statement|enum_body_declarations|preproc_(?:if|ifdef|else|elif)|.*_body|.*declaration_list|ERROR)$/;

/** A container is a declaration with others in it. */
export function nodeRole(type: string): 'declaration' | 'container' | 'wrapper' | 'other' {
  if (DECLARATION.test(type) && !NO_DECLARATION.test(type)) return LEAF.test(type) ? 'declaration' : 'container';
  return WRAPPER.test(type) ? 'wrapper' : 'other';
}

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
