import { firstRule, type PathRule, pathRule } from './path-rule.ts';

/** Files that no tool may show or change: they hold secrets. */
const NEVER_READ: readonly PathRule[] = [
  pathRule('.env*', '**/.env*', '**/.env*/**'),
  pathRule('*.pem', '**/*.pem'),
  pathRule('*.key', '**/*.key'),
  pathRule('id_*', '**/id_*'),
  pathRule('.npmrc', '**/.npmrc'),
  pathRule('.netrc', '**/.netrc'),
];

/** Files that steer what runs, who decides, or where git looks: only people change them. */
const NEVER_WRITTEN: readonly PathRule[] = [
  pathRule('.github/workflows/**', '.github/workflows', '.github/workflows/**'),
  pathRule('.github/countersign.yml', '.github/countersign.yml'),
  pathRule('CODEOWNERS', '**/codeowners'),
  pathRule('.gitmodules', '**/.gitmodules'),
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
