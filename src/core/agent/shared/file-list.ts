import { distance } from 'fastest-levenshtein';
import { countCommonLines } from '../../edits/text/lines.ts';
import { canBeNamed } from '../../policy/path-policy.ts';
import { entryKind, globMatcher } from '../../policy/paths.ts';
import type { PathRules } from '../../state/settings.ts';
import type { Tree } from '../../step/ports.ts';
import { formatPath, quoteTruncated } from './tool-results.ts';

/** Sorted paths of the plain files that tools can read. Files that people must approve first are listed. */
export function listReadablePaths(tree: Tree, rules: PathRules): readonly string[] {
  const paths: string[] = [];
  for (const [path, entry] of tree) if (entryKind(entry) === 'file' && canBeNamed(rules, path)) paths.push(path);
  return paths.sort();
}

/**
 * The paths that match a glob with alternatives, in their order. A name can hold braces itself, so the glob as it is
 * written counts, too.
 */
export function matchPaths(paths: readonly string[], glob: string): readonly string[] {
  const matchers = [globMatcher(glob), ...expandBraces(glob).map(alternativeMatcher)];
  return paths.filter((path) => matchers.some((matches) => matches(path)));
}

/** As for a whole glob, a directory alone means all below it. */
function alternativeMatcher(glob: string): (path: string) => boolean {
  return /[*?]/.test(glob) ? globMatcher(glob) : (path) => path === glob || path.startsWith(`${glob}/`);
}

/** Alternatives of one glob. Each is compared with every path of the repository. */
const MAX_ALTERNATIVES = 20;

/** The globs that one with braces stands for: `{a,b}/*` is `a/*` and `b/*`. None without braces, or for too many. */
function expandBraces(glob: string): readonly string[] {
  let globs: readonly string[] = [glob];
  for (;;) {
    const next = [...new Set(globs.flatMap(expandInnermost))];
    if (next.length > MAX_ALTERNATIVES) return [];
    if (next.every((one, index) => one === globs[index])) return next.filter((one) => one !== glob);
    globs = next;
  }
}

/** Braces without a comma are part of a name. */
const INNERMOST_BRACES = /\{([^{},]*(?:,[^{},]*)+)\}/;

function expandInnermost(glob: string): readonly string[] {
  const found = INNERMOST_BRACES.exec(glob);
  if (found === null) return [glob];
  const [braces, inner = ''] = found;
  const end = found.index + braces.length;
  return inner.split(',').map((one) => `${glob.slice(0, found.index)}${one}${glob.slice(end)}`);
}

/** The output of `list_files`: a header, then one path a line. `glob` is the one that the paths match (null: all). */
export function formatFileList(paths: readonly string[], glob: string | null): string {
  const where = glob === null ? 'in the repository' : `matching ${quoteTruncated(glob)}`;
  if (paths.length === 0) return `No files ${where}. ${GLOB_HINT}`;
  const shown = truncatePaths(paths);
  const count = paths.length === 1 ? '1 file' : `${paths.length} files`;
  const more = shown.length < paths.length ? ` (showing the first ${shown.length}; narrow the glob to see others)` : '';
  return `${count} ${where}${more}:\n${shown.join('\n')}`;
}

/** The hint for a model whose glob has no match. */
export const GLOB_HINT = `A glob matches from the root: use **/name to match in every directory. {a,b} stands for alternatives, at most ${MAX_ALTERNATIVES} in all.`;

function truncatePaths(paths: readonly string[]): string[] {
  const shown: string[] = [];
  let length = 0;
  for (const path of paths.slice(0, MAX_LISTED_FILES)) {
    length += path.length + 1;
    if (length > MAX_LISTED_CHARACTERS) break;
    shown.push(formatPath(path));
  }
  return shown;
}

const MAX_LISTED_FILES = 1000;

const MAX_LISTED_CHARACTERS = 48_000;

/** The output of a call for a missing file: T23, or `otherwise` if no path of the tree is near. */
export function fileNotFoundText(
  known: KnownFiles,
  path: string,
  otherwise = 'Use list_files to see what is there.',
): string {
  const near = findNearestPaths(known, path);
  return near.length === 0
    ? `File not found: ${path}. ${otherwise}`
    : `File not found: ${path}. Nearest: ${near.map(formatPath).join(', ')}.`;
}

const MAX_NEAREST = 3;

const MAX_EDITS = 2;

/**
 * Readable files whose name is the path's or nearly so, the nearest first. Of names that are as near, the one whose
 * directories have more in common with the path's is nearer.
 */
export function findNearestPaths({ tree, rules }: KnownFiles, path: string): readonly string[] {
  const wanted = nameOf(path).toLowerCase();
  const reach = Math.min(MAX_EDITS, Math.floor(wanted.length / 3));
  const near = [...tree].flatMap(([candidate, entry]) => {
    const name = nameOf(candidate).toLowerCase();
    if (entryKind(entry) !== 'file' || Math.abs(name.length - wanted.length) > reach) return [];
    const edits = distance(wanted, name);
    if (edits > reach) return [];
    const { head, tail } = countCommonLines(path, candidate);
    return [{ path: candidate, edits, shared: head + tail }];
  });
  const found: string[] = [];
  for (const one of near.toSorted((left, right) => left.edits - right.edits || right.shared - left.shared)) {
    // The rules take longest, so only a path that would be shown is held against them.
    if (found.length < MAX_NEAREST && canBeNamed(rules, one.path)) found.push(one.path);
  }
  return found;
}

/** The files of a tree, and the rules that say which of them the model may know. */
type KnownFiles = { readonly tree: Tree; readonly rules: PathRules };

/** The last part of a path. */
export function nameOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}
