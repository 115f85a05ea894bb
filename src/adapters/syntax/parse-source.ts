import { readFile } from 'node:fs/promises';
import type { Language as Grammar, Node, Tree } from '@vscode/tree-sitter-wasm';
import type { Declaration } from '../../core/agent/tools/outline.ts';

/** A grammar, by the name of its file. */
type Language =
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
function nodeRole(type: string): 'declaration' | 'container' | 'wrapper' | 'other' {
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

/** A source file; its name tells the language. */
type Source = { readonly path: string; readonly text: string };

/** The declarations of a source file in order, one a line; null if no grammar knows it or the parser gave up. */
export function findDeclarations({ path, text }: Source): Promise<readonly Declaration[] | null> {
  return withTree(languageOf(path), text, (tree) => {
    const found: Declaration[] = [];
    collect(tree.rootNode, { nesting: 0, depth: 0 }, found);
    return found;
  });
}

/** Parses a source file. Its first syntax error can stand below its cause, where a bracket is missing. */
export async function parseSource(language: Language, text: string): Promise<ParseOutcome> {
  return (await withTree(language, text, (tree) => firstError(tree.rootNode))) ?? GAVE_UP;
}

/** The nodes and declarations around a node. */
type Surroundings = { readonly nesting: number; readonly depth: number };

function collect(parent: Node, { nesting, depth }: Surroundings, found: Declaration[]): void {
  if (nesting > MAX_NESTING) return;
  for (const node of parent.namedChildren) {
    if (node === null || found.length >= MAX_DECLARATIONS) continue;
    const role = nodeRole(node.type);
    if (role === 'wrapper') collect(node, { nesting: nesting + 1, depth }, found);
    if (role === 'declaration' || role === 'container') add(node, depth, found);
    if (role === 'container') collect(node, { nesting: nesting + 1, depth: depth + 1 }, found);
  }
}

function add(node: Node, depth: number, found: Declaration[]): void {
  const { startPosition, endPosition } = node;
  const line = startPosition.row + 1;
  // Some grammars end a declaration before the first column of the next line.
  const last = Math.max(line, endPosition.row + (endPosition.column === 0 ? 0 : 1));
  if (found.at(-1)?.line !== line) found.push({ line, named: nameOf(node).startPosition.row + 1, last, depth });
}

/** What is declared; in C it stands within declarators. */
function nameOf(node: Node): Node {
  const inner = node.childForFieldName('name') ?? node.childForFieldName('declarator');
  return inner === null ? node : nameOf(inner);
}

const MAX_DECLARATIONS = 2000;

const MAX_NESTING = 30;

/** Follows the first child with an error down to the error itself. */
function firstError(root: Node): ParseOutcome {
  if (!root.hasError) return PARSED;
  for (let node: Node = root; ; ) {
    const next = node.children.find((child) => child !== null && (child.hasError || child.isError || child.isMissing));
    if (next === undefined || next === null) return failedAt(node);
    if (next.isError || next.isMissing) return failedAt(next);
    node = next;
  }
}

/** Grammars name what is missing; of other errors they know the place alone. */
function failedAt({ startPosition, isMissing, type }: Node): ParseOutcome {
  return { kind: 'failed', line: startPosition.row + 1, what: isMissing ? `missing ${type}` : 'syntax error' };
}

/** Null for other or too large texts, if the grammar does not load, or if the time is up. */
async function withTree<Result>(
  language: Language | null,
  text: string,
  read: (tree: Tree) => Result,
): Promise<Result | null> {
  if (language === null || text.length > MAX_PARSED_CHARACTERS) return null;
  const grammar = await loadGrammar(language);
  if (grammar === null) return null;
  const { Parser } = await loadLibrary();
  const parser = new Parser();
  try {
    parser.setLanguage(grammar);
    const begun = process.threadCpuUsage();
    const tree = parser.parse(text, null, {
      progressCallback: () => process.threadCpuUsage(begun).user > MAX_PARSE_MICROSECONDS,
    });
    if (tree === null) return null;
    const result = read(tree);
    tree.delete();
    return result;
  } finally {
    parser.delete();
  }
}

/** Work of this thread, without its waits on a busy machine. A usual file takes a tenth, one full of errors minutes. */
const MAX_PARSE_MICROSECONDS = 200_000;

const grammars = new Map<Language, Promise<Grammar | null>>();

/** The grammars have megabytes, so each is loaded when it is first needed, and stays. */
function loadGrammar(language: Language): Promise<Grammar | null> {
  const loaded = grammars.get(language) ?? readGrammar(language).catch(() => null);
  grammars.set(language, loaded);
  return loaded;
}

async function readGrammar(language: Language): Promise<Grammar> {
  const { Language: loader } = await loadLibrary();
  const file = import.meta.resolve(`@vscode/tree-sitter-wasm/wasm/tree-sitter-${language}.wasm`);
  return loader.load(await readFile(new URL(file)));
}

let library: Promise<typeof import('@vscode/tree-sitter-wasm')> | null = null;

function loadLibrary(): NonNullable<typeof library> {
  library ??= import('@vscode/tree-sitter-wasm').then(async ({ default: loaded }) => {
    await loaded.Parser.init();
    return loaded;
  });
  return library;
}
