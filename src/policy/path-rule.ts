import { foldDisguise } from './fold.ts';
import { globMatcher } from './glob.ts';

/** A built-in rule about paths: the name it is told by, and whether a folded path is one of its paths. */
export type PathRule = { readonly name: string; readonly covers: (folded: string) => boolean };

/** Its globs, in lower case, are read once; a listing asks for every path. */
export function pathRule(name: string, ...globs: readonly string[]): PathRule {
  const matchers = globs.map(globMatcher);
  return { name, covers: (folded) => matchers.some((matches) => matches(folded)) };
}

/** The name of the first rule that covers this path, compared without case and disguise; null if there is none. */
export function firstRule(rules: readonly PathRule[], path: string): string | null {
  const folded = foldDisguise(path);
  return rules.find(({ covers }) => covers(folded))?.name ?? null;
}
