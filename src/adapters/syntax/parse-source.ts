import { readFile } from 'node:fs/promises';
import type { Language as Grammar, Node, Tree } from '@vscode/tree-sitter-wasm';
import type { Declaration } from '../../core/agent/tools/outline.ts';
import {
  GAVE_UP,
  type Language,
  languageOf,
  MAX_PARSED_CHARACTERS,
  nodeRole,
  PARSED,
  type ParseOutcome,
} from './languages.ts';

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
