import { compilePathRules, type PathMatch } from './path-rules.ts';
import { PROTECTED_FILES, type ProtectedFiles, READ_ONLY_FILES, SECRET_FILES } from './path-tables.ts';

/** The built-in rule that forbids every tool this path, compared without case and look-alikes; null if there is none. */
export function findReadDenyRule(path: string): string | null {
  return SECRET_RULES(path)?.row.name ?? null;
}

/** The built-in rule that forbids writing tools this path, compared without case and look-alikes; null if there is none. */
export function findWriteDenyRule(path: string): string | null {
  return findReadDenyRule(path) ?? READ_ONLY_RULES(path)?.row.name ?? null;
}

/** Like T14, for reading, searching and listing. */
export function notReadableOutput(path: string, rule: string): string {
  return `Cannot read '${path}': path may not be read (${rule}).`;
}

/** T14. */
export function notWritableOutput(path: string, rule: string): string {
  return `Cannot write '${path}': path is read-only (${rule}).`;
}

/** The group of a protected path; null for other paths. Compared without case and look-alikes. */
export function findProtectedFiles(path: string): ProtectedFiles | null {
  return matchProtectedFiles(path)?.row ?? null;
}

/** Like `findProtectedFiles`, and whether the path only looks like one of the group. */
export function matchProtectedFiles(path: string): PathMatch<ProtectedFiles> | null {
  const found = PROTECTED_RULES(path);
  return found === null ? null : { row: found.row.row, byLikeness: found.byLikeness };
}

/** Each glob is a rule, so that a refusal names it. */
const SECRET_RULES = compilePathRules(
  SECRET_FILES.flatMap(({ files }) => files).map((file) => ({
    name: file.replace(/\/\*\*$/, ''),
    globs: [`**/${file}`],
  })),
);

const READ_ONLY_RULES = compilePathRules(READ_ONLY_FILES);

const PROTECTED_RULES = compilePathRules(
  PROTECTED_FILES.map((row) => ({
    row,
    globs: [...row.files.map((file) => `**/${file}`), ...(row.rootFiles ?? [])],
  })),
);
