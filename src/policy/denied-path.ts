import { foldDisguise } from './fold.ts';
import { globMatcher } from './glob.ts';

/** A built-in rule: the pattern that is named to the model, and whether a folded path is one of its paths. */
type Rule = { readonly name: string; readonly covers: (folded: string) => boolean };

/** Its globs are read once; a listing asks for every path. */
function rule(name: string, ...globs: readonly string[]): Rule {
  const matchers = globs.map(globMatcher);
  return { name, covers: (folded) => matchers.some((matches) => matches(folded)) };
}

/** Files that no tool may show or change: they hold secrets. */
const NEVER_READ: readonly Rule[] = [
  rule('.env*', '**/.env*', '**/.env*/**'),
  rule('*.pem', '**/*.pem'),
  rule('*.key', '**/*.key'),
  rule('id_*', '**/id_*'),
  rule('.npmrc', '**/.npmrc'),
  rule('.netrc', '**/.netrc'),
];

/** Files that steer what runs, who decides, or where git looks: only people change them. */
const NEVER_WRITTEN: readonly Rule[] = [
  rule('.github/workflows/**', '.github/workflows', '.github/workflows/**'),
  rule('.github/countersign.yml', '.github/countersign.yml'),
  rule('CODEOWNERS', '**/codeowners'),
  rule('.gitmodules', '**/.gitmodules'),
];

/** The built-in rule that keeps every tool from this path, compared without case; null if there is none. */
export function readDenied(path: string): string | null {
  return firstRule(NEVER_READ, path);
}

/** The built-in rule that keeps writing tools from this path, compared without case; null if there is none. */
export function writeDenied(path: string): string | null {
  return readDenied(path) ?? firstRule(NEVER_WRITTEN, path);
}

/** T14. */
export function notWritableOutput(path: string, rule: string): string {
  return `Cannot write '${path}': path is read-only (${rule}).`;
}

/** The same for reading, searching and listing. */
export function notReadableOutput(path: string, rule: string): string {
  return `Cannot read '${path}': path may not be read (${rule}).`;
}

function firstRule(rules: readonly Rule[], path: string): string | null {
  const folded = foldDisguise(path);
  return rules.find(({ covers }) => covers(folded))?.name ?? null;
}
