import { foldDisguise } from './fold.ts';
import { matchesGlob } from './glob.ts';

/** A built-in rule: the pattern that is named to the model, and the folded globs that it stands for. */
type Rule = { readonly name: string; readonly globs: readonly string[] };

/** Files that no tool may show or change: they hold secrets. */
const NEVER_READ: readonly Rule[] = [
  { name: '.env*', globs: ['**/.env*', '**/.env*/**'] },
  { name: '*.pem', globs: ['**/*.pem'] },
  { name: '*.key', globs: ['**/*.key'] },
  { name: 'id_*', globs: ['**/id_*'] },
  { name: '.npmrc', globs: ['**/.npmrc'] },
  { name: '.netrc', globs: ['**/.netrc'] },
];

/** Files that steer what runs, who decides, or where git looks: only people change them. */
const NEVER_WRITTEN: readonly Rule[] = [
  { name: '.github/workflows/**', globs: ['.github/workflows', '.github/workflows/**'] },
  { name: '.github/countersign.yml', globs: ['.github/countersign.yml'] },
  { name: 'CODEOWNERS', globs: ['**/codeowners'] },
  { name: '.gitmodules', globs: ['**/.gitmodules'] },
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
  return rules.find(({ globs }) => globs.some((glob) => matchesGlob(glob, folded)))?.name ?? null;
}
