import createIgnore from 'ignore';
import { namesAccount } from './approval-need.ts';

/** The places of the file, in GitHub's order. The first file that exists counts. */
export const CODEOWNERS_PATHS = ['.github/CODEOWNERS', 'CODEOWNERS', 'docs/CODEOWNERS'] as const;

/** GitHub ignores a larger file. */
export const MAX_CODEOWNERS_BYTES = 3 * 1024 * 1024;

/** The file, and the paths whose owners are wanted. */
type OwnersQuery = { readonly bytes: Uint8Array; readonly paths: readonly string[] };

/** Finds the owners of each path that has some: those of the last line that matches it, as the file writes them. */
export function findOwners({ bytes, paths }: OwnersQuery): Readonly<Record<string, readonly string[]>> {
  const lines = readLines(new TextDecoder().decode(bytes));
  const rules = lines.map(({ pattern, owners }) => ({ owners, matches: compilePattern(pattern) })).reverse();
  const owned = paths.map((path) => [path, rules.find(({ matches }) => matches(path))?.owners ?? []] as const);
  return Object.fromEntries(owned.filter(([, owners]) => owners.length > 0));
}

/** A pattern and its owners. Without owners, nobody owns what it matches. */
type OwnersLine = { readonly pattern: string; readonly owners: readonly string[] };

/** GitHub skips invalid lines. */
function readLines(text: string): readonly OwnersLine[] {
  return text.split(/\r\n|\r|\n/).flatMap((line) => {
    const words = line.match(WORD) ?? [];
    const comment = words.findIndex((word) => word.startsWith('#'));
    const [pattern, ...owners] = comment === -1 ? words : words.slice(0, comment);
    if (pattern === undefined) return [];
    return UNSUPPORTED_PATTERN.test(pattern) || !owners.every(isOwnerName) ? [] : [{ pattern, owners }];
  });
}

/** A backslash keeps the space after it. */
const WORD = /(?:\\.|[^\s\\]|\\$)+/g;

/** Forms that gitignore knows and CODEOWNERS does not (`!`, `[ ]`, an escaped `#`), and those that neither knows. */
const UNSUPPORTED_PATTERN = /^!|^\\#|[[\]]|\*\*\*|\\$/;

function isOwnerName(word: string): boolean {
  return word.length <= MAX_OWNER_CHARACTERS && (namesAccount(word) || EMAIL_ADDRESS.test(word));
}

const MAX_OWNER_CHARACTERS = 200;

const EMAIL_ADDRESS = /^[^\s@<>`|]+@[a-z\d][a-z\d.-]*$/i;

/** Compiles a pattern when a path could match it, because most lines of a large file match none. */
function compilePattern(pattern: string): (path: string) => boolean {
  const literal = longestLiteral(pattern);
  let compiled: ((path: string) => boolean) | null = null;
  return (path) => {
    if (!path.includes(literal)) return false;
    compiled ??= pattern.endsWith('/*') ? filesDirectlyIn(pattern.slice(0, -1)) : gitignoreTest(pattern);
    return compiled(path);
  };
}

function longestLiteral(pattern: string): string {
  const literals = pattern.split(/[*?\\]+/).map((one) => one.replace(/^\/|\/$/g, ''));
  return literals.reduce((longest, one) => (one.length > longest.length ? one : longest), '');
}

/** Here `dir/*` does not match files in directories of `dir`; in gitignore it does. No path has this character. */
function filesDirectlyIn(directory: string): (path: string) => boolean {
  const matches = gitignoreTest(`${directory}${ANY_FILE}`);
  return (path) => matches(`${path.slice(0, path.lastIndexOf('/') + 1)}${ANY_FILE}`);
}

const ANY_FILE = '\u0001';

function gitignoreTest(pattern: string): (path: string) => boolean {
  const rules = createIgnore({ ignorecase: false }).add({ pattern });
  return (path) => rules.ignores(path);
}
