import createIgnore from 'ignore';
import type { CodeOwners } from '../state/settings.ts';
import type { Person } from '../state/vote.ts';

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

/** Whether a person owns a path, by login or as a member of a team that the App can read. */
export function isOwner({ id, login }: Person, path: string, codeOwners: CodeOwners | null): boolean {
  return ownersOf(path, codeOwners).some((owner) => {
    const name = owner.toLowerCase();
    return isTeam(name) ? membersOfTeam(name, codeOwners)?.includes(id) === true : name === `@${login.toLowerCase()}`;
  });
}

/** The owners of a path, as the file writes them. */
export function ownersOf(path: string, codeOwners: CodeOwners | null): readonly string[] {
  const owners = codeOwners?.owners ?? {};
  return Object.hasOwn(owners, path) ? (owners[path] ?? []) : [];
}

/** Undefined for a team that nobody asked for, null for one that the App cannot read. */
function membersOfTeam(team: string, codeOwners: CodeOwners | null): readonly number[] | null | undefined {
  const teams = codeOwners?.teams ?? {};
  return Object.hasOwn(teams, team) ? teams[team] : undefined;
}

/** Whether a team owns a path whose members the App cannot read. */
export function hasUnreadTeam(path: string, codeOwners: CodeOwners | null): boolean {
  return ownersOf(path, codeOwners).some((owner) => membersOfTeam(owner.toLowerCase(), codeOwners) === null);
}

/** `@org/team`, as against `@login` and an e-mail address. */
export function isTeam(owner: string): boolean {
  return owner.startsWith('@') && owner.includes('/');
}

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
  return word.length <= MAX_OWNER_CHARACTERS && (ACCOUNT_NAME.test(word) || EMAIL_ADDRESS.test(word));
}

const MAX_OWNER_CHARACTERS = 200;

/** `@login` or `@org/team` as GitHub writes them. */
const ACCOUNT_NAME = /^@[a-z\d][a-z\d-]*(?:_[a-z\d]+)?(?:\/[a-z\d][\w.-]*)?$/i;

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
