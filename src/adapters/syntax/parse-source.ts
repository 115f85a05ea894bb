import { readFile } from 'node:fs/promises';
import type { Language as Grammar, Node, Tree } from '@vscode/tree-sitter-wasm';
import type { Declaration } from '../../core/agent/tools/outline.ts';
import { GAVE_UP, MAX_PARSED_CHARACTERS, PARSED, type ParseOutcome } from './formats.ts';
import { type Language, languageOf, nodeRole } from './languages.ts';
import { declaresCode, isCodeMember, isRequire, type NamingStatement, statementRole } from './script-statements.ts';

/** A source file; its name tells the language. */
export type Source = { readonly path: string; readonly text: string };

/** The declarations of a source file in order, one a line; null if no grammar knows it or the parser gave up. */
export function findDeclarations({ path, text }: Source): Promise<readonly Declaration[] | null> {
  return withTree(languageOf(path), text, (tree) => {
    const found: Declaration[] = [];
    collect(tree.rootNode, TOP, found);
    return found;
  });
}

/** Parses a source file. Its first syntax error can stand below its cause, where a bracket is missing. */
export async function parseSource(language: Language, text: string): Promise<ParseOutcome> {
  return (await withTree(language, text, (tree) => firstError(tree.rootNode))) ?? GAVE_UP;
}

/** Where a node is looked at: the nodes and declarations around it, and whether code with a name is around it. */
type Surroundings = { readonly nesting: number; readonly depth: number; readonly isInCode: boolean };

const TOP: Surroundings = { nesting: 0, depth: 0, isInCode: false };

function collect(parent: Node, around: Surroundings, found: Declaration[]): void {
  if (around.nesting > MAX_NESTING) return;
  for (const node of parent.namedChildren) {
    if (node !== null && found.length < MAX_DECLARATIONS) collectNode(node, around, found);
  }
}

function collectNode(node: Node, around: Surroundings, found: Declaration[]): void {
  const statement = statementRole(node);
  const role = nodeRole(node.type);
  if (statement.kind === 'around') collect(statement.body, { ...around, nesting: around.nesting + 1 }, found);
  else if (statement.kind !== 'other') addStatement(node, statement, around, found);
  else if (role === 'wrapper') collect(node, { ...around, nesting: around.nesting + 1 }, found);
  else if (isCodeMember(node)) add(node, around, found);
  else if (role !== 'other' && !isRequire(node) && (!around.isInCode || declaresCode(node))) {
    add(node, around, found);
    if (role === 'container') collect(node, within(around), found);
  }
}

function addStatement(node: Node, { kind, bodies }: NamingStatement, around: Surroundings, found: Declaration[]): void {
  add(node, around, found);
  const inside = { ...within(around), isInCode: around.isInCode || kind === 'called' };
  for (const body of bodies) collect(body, inside, found);
}

function within({ nesting, depth, isInCode }: Surroundings): Surroundings {
  return { nesting: nesting + 1, depth: depth + 1, isInCode };
}

function add({ startPosition }: Node, { depth }: Surroundings, found: Declaration[]): void {
  const line = startPosition.row + 1;
  if (found.at(-1)?.line !== line) found.push({ line, depth });
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
    const deadline = performance.now() + MAX_PARSE_MS;
    const tree = parser.parse(text, null, { progressCallback: () => performance.now() > deadline });
    if (tree === null) return null;
    const result = read(tree);
    tree.delete();
    return result;
  } finally {
    parser.delete();
  }
}

/** A usual file takes a tenth of it; one with errors everywhere can take minutes. */
const MAX_PARSE_MS = 200;

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

type Library = typeof import('@vscode/tree-sitter-wasm');

let library: Promise<Library> | null = null;

function loadLibrary(): Promise<Library> {
  library ??= import('@vscode/tree-sitter-wasm').then(async ({ default: loaded }) => {
    await loaded.Parser.init();
    return loaded;
  });
  return library;
}
