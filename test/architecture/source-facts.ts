import {
  isAsExpression,
  isCallExpression,
  isExportAssignment,
  isExportDeclaration,
  isExportSpecifier,
  isIdentifier,
  isImportDeclaration,
  isImportTypeNode,
  isLiteralTypeNode,
  isNamedImports,
  isNewExpression,
  isNonNullExpression,
  isPropertyAccessExpression,
  isStringLiteral,
  isTypeAssertion,
  isTypeReferenceNode,
  type Node,
  type SourceFile,
  SyntaxKind,
} from 'typescript/unstable/ast';
import { createVirtualFileSystem } from 'typescript/unstable/fs';
import { API } from 'typescript/unstable/sync';

/** `late` for `import()`. */
type Import = { readonly from: string; readonly names: readonly string[]; readonly late: boolean };

/** Facts about one file for the rules. `path` is relative to the repository; lines are 1-based. */
export type SourceFacts = {
  readonly path: string;
  readonly imports: readonly Import[];
  /** Constructs that weaken types or hide names, each with its line. */
  readonly oddities: readonly { readonly kind: Oddity; readonly line: number }[];
  /** `a.b` where `a` is a plain name, and `new a`, `a()` for global ones. */
  readonly uses: ReadonlySet<string>;
};

export type Oddity = 'assertion' | 'non-null' | 'any' | 'default-export' | 'silenced';

type Findings = {
  readonly imports: Import[];
  readonly oddities: { readonly kind: Oddity; readonly line: number }[];
  readonly uses: Set<string>;
};

const SILENCERS = /@ts-(?:ignore|expect-error|nocheck)|biome-ignore/;

function isConst(type: Node): boolean {
  return isTypeReferenceNode(type) && isIdentifier(type.typeName) && type.typeName.text === 'const';
}

function oddityOf(node: Node): Oddity | null {
  if (isAsExpression(node)) return isConst(node.type) ? null : 'assertion';
  if (isTypeAssertion(node)) return 'assertion';
  if (isNonNullExpression(node)) return 'non-null';
  if (node.kind === SyntaxKind.AnyKeyword) return 'any';
  const renamed = isExportSpecifier(node) && node.name.text === 'default';
  return renamed || isExportAssignment(node) || node.kind === SyntaxKind.DefaultKeyword ? 'default-export' : null;
}

function importedNames(node: Node): readonly string[] {
  if (!isImportDeclaration(node)) return [];
  const clause = node.importClause;
  const bindings = clause?.namedBindings;
  const named = bindings !== undefined && isNamedImports(bindings) ? bindings.elements : [];
  return [
    ...(clause?.name === undefined ? [] : ['default']),
    ...[...named].map((element) => (element.propertyName ?? element.name).text),
  ];
}

/** The module specifier of an import, re-export, `import()` or `import('…').T`. */
function moduleOf(node: Node): Node | null {
  if (isImportDeclaration(node)) return node.moduleSpecifier;
  if (isExportDeclaration(node)) return node.moduleSpecifier ?? null;
  if (isImportTypeNode(node)) return isLiteralTypeNode(node.argument) ? node.argument.literal : null;
  const dynamic = isCallExpression(node) && node.expression.kind === SyntaxKind.ImportKeyword;
  return dynamic ? (node.arguments[0] ?? null) : null;
}

function useOf(node: Node): string | null {
  if (isPropertyAccessExpression(node) && isIdentifier(node.expression) && isIdentifier(node.name))
    return `${node.expression.text}.${node.name.text}`;
  if (isNewExpression(node) && isIdentifier(node.expression))
    return `new ${node.expression.text}(${node.arguments?.length ? '…' : ''})`;
  return isCallExpression(node) && isIdentifier(node.expression) ? `${node.expression.text}()` : null;
}

function look(node: Node, text: string, lineAt: (position: number) => number, found: Findings): void {
  const start = text.slice(node.pos).search(/\S/) + node.pos;
  const named = moduleOf(node);
  if (named !== null) {
    const from = isStringLiteral(named) ? named.text : '(computed)';
    found.imports.push({ from, names: importedNames(node), late: isCallExpression(node) });
  }
  const oddity = oddityOf(node);
  if (oddity !== null) found.oddities.push({ kind: oddity, line: lineAt(start) });
  const use = useOf(node);
  if (use !== null) found.uses.add(use);
  node.forEachChild((child) => {
    look(child, text, lineAt, found);
    return undefined;
  });
}

function factsOf(path: string, text: string, file: SourceFile): SourceFacts {
  const found: Findings = { imports: [], oddities: [], uses: new Set() };
  const starts = [...text.matchAll(/^/gm)].map((match) => match.index);
  const lineAt = (position: number): number => starts.findLastIndex((start) => start <= position) + 1;
  look(file, text, lineAt, found);
  for (const [index, line] of text.split('\n').entries())
    if (SILENCERS.test(line)) found.oddities.push({ kind: 'silenced', line: index + 1 });
  return { path, ...found };
}

/** Reads the facts of files (text by path) from the compiler's syntax trees. Throws if the compiler skips a file. */
export function readFacts(texts: Readonly<Record<string, string>>): readonly SourceFacts[] {
  const files = Object.fromEntries(Object.entries(texts).map(([path, text]) => [`/repository/${path}`, text]));
  const settings = { compilerOptions: { noLib: true, noResolve: true, types: [], allowImportingTsExtensions: true } };
  const configPath = '/repository/tsconfig.json';
  const api = new API({
    cwd: '/repository',
    fs: createVirtualFileSystem({ ...files, [configPath]: JSON.stringify({ ...settings, files: Object.keys(files) }) }),
  });
  try {
    const snapshot = api.updateSnapshot({ openProjects: [configPath] });
    const project = snapshot.getProjects()[0];
    return Object.entries(texts).map(([path, text]) => {
      const file = project?.program.getSourceFile(`/repository/${path}`);
      if (file === undefined) throw new Error(`the compiler does not see ${path}`);
      return factsOf(path, text, file);
    });
  } finally {
    api.close();
  }
}
