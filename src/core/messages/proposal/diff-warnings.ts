import type { FileChange } from '../../edits/change.ts';
import { describeMixedPath } from '../../edits/misleading-text.ts';
import { isCovered } from '../../policy/path-policy.ts';
import { findProtectedFiles, type ProtectedEffect } from '../../policy/path-tables.ts';
import type { SyntaxProblem } from '../../state/proposal.ts';

/** Sentences about the paths of a change, as plain text. */
export function fileWarnings(change: FileChange, protectedPaths: readonly string[]): readonly string[] {
  return [...newPathWarnings(change), ...protectedPathWarnings(change, protectedPaths)];
}

/** The model was told of the error and sent the change again, which can be right: grammars can be old. */
export function syntaxWarning({ path, line, what }: SyntaxProblem): string {
  return `With this change ${path} does not seem to parse: line ${line}: ${what}. The agent was told, and insists.`;
}

/** Only a path that this change adds to the repository is checked for what it looks like. */
function newPathWarnings({ path, base, from }: FileChange): readonly string[] {
  const warning = base !== null && from === null ? null : describeMixedPath(path);
  return warning === null ? [] : [warning];
}

/** Warns about files that act without anyone calling them, and about those that the settings name. */
function protectedPathWarnings({ path, from }: FileChange, protectedPaths: readonly string[]): readonly string[] {
  return [path, ...(from === null ? [] : [from])].flatMap((one) => protectionTexts(one, protectedPaths));
}

/** Sentences about a protected path; none for another one. */
function protectionTexts(path: string, protectedPaths: readonly string[]): readonly string[] {
  const found = findProtectedFiles(path);
  if (found === null)
    return isCovered(path, protectedPaths) ? [`${path} is one of the protected_paths of the settings.`] : [];
  return [`${path} is ${found.kind}: its content ${EFFECT_TEXT[found.effect]}.`];
}

const EFFECT_TEXT = {
  'runs code': 'can run as code',
  'steers coding agents': 'steers coding agents',
  'steers coding agents and runs code': 'steers coding agents and can run as code',
} as const satisfies Record<ProtectedEffect, string>;
