import { foldDisguise } from './fold.ts';
import { globMatcher } from './glob.ts';

/** A built-in rule about paths: the name it is told by, and whether a folded path is one of its paths. */
export type PathRule = { readonly name: string; readonly covers: (folded: string) => boolean };

/** A name without a star or a question mark, in any directory. */
const NAME_ANYWHERE = /^\*\*\/([^*?/]+)$/;

/**
 * Its globs, in lower case, are read once; a listing asks for every path. Most globs are a file's name in any directory:
 * all of those together are one look.
 */
export function pathRule(name: string, ...globs: readonly string[]): PathRule {
  const names = new Set(globs.flatMap((glob) => NAME_ANYWHERE.exec(glob)?.[1] ?? []));
  const matchers = globs.filter((glob) => !NAME_ANYWHERE.test(glob)).map(globMatcher);
  const covers = (folded: string): boolean =>
    names.has(folded.slice(folded.lastIndexOf('/') + 1)) || matchers.some((matches) => matches(folded));
  return { name, covers };
}

/** The name of the first rule that covers this path, compared without case and disguise; null if there is none. */
export function firstRule(rules: readonly PathRule[], path: string): string | null {
  const folded = foldDisguise(path);
  return rules.find(({ covers }) => covers(folded))?.name ?? null;
}
