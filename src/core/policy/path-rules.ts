import { foldPath } from './paths.ts';

/** Compiled globs: the first row that covers a path; null if none does. */
type PathMatcher<Row> = (path: string) => Row | null;

/**
 * Compiles rows of globs, which are compared with paths without case and Unicode form. A listing tests every path of
 * the repository, so the usual forms (a name, a part of a name, a directory) are looked up or compared directly.
 */
export function compilePathRules<Row extends { readonly globs: readonly string[] }>(
  rows: readonly Row[],
): PathMatcher<Row> {
  const byName = new Map<string, number>();
  const tests: { readonly index: number; readonly covers: GlobTest }[] = [];
  for (const [index, { globs }] of rows.entries()) {
    for (const glob of globs.map(foldPath)) {
      const [, name] = NAME_IN_ANY_DIRECTORY.exec(glob) ?? [];
      if (name === undefined) tests.push({ index, covers: compileGlob(glob) });
      else if (!byName.has(name)) byName.set(name, index);
    }
  }
  return (written) => {
    const path = foldPath(written);
    const name = path.slice(path.lastIndexOf('/') + 1);
    const named = byName.get(name) ?? rows.length;
    const tested = tests.find(({ index, covers }) => index < named && covers(path, name))?.index;
    return rows[tested ?? named] ?? null;
  };
}

/** Tests a path; `name` is its last part. */
type GlobTest = (path: string, name: string) => boolean;

/** A literal file name in any directory. */
const NAME_IN_ANY_DIRECTORY = /^\*\*\/([^*?/]+)$/;

/** A file name with stars in any directory; most have one. */
const NAME_PATTERN = /^\*\*\/([^/]+)$/;

const PART_OF_NAME = /^([^*?]*)\*([^*?]*)$/;

/** Everything in directories of a pattern. */
const IN_DIRECTORY_PATTERN = /^\*\*\/([^/]+)\/\*\*$/;

/** Everything in a directory of this name or path. */
const IN_DIRECTORY = /^\*\*\/([^*?]+)\/\*\*$/;

/** A literal path below any directory. */
const PATH_IN_ANY_DIRECTORY = /^\*\*\/([^*?]+)$/;

function compileGlob(glob: string): GlobTest {
  const [, pattern] = NAME_PATTERN.exec(glob) ?? [];
  if (pattern !== undefined) {
    const matches = compileName(pattern);
    return (_, name) => matches(name);
  }
  const [, directory] = IN_DIRECTORY.exec(glob) ?? [];
  if (directory !== undefined) {
    const [atRoot, below] = [`${directory}/`, `/${directory}/`];
    return (path) => path.startsWith(atRoot) || path.includes(below);
  }
  const [, literal] = PATH_IN_ANY_DIRECTORY.exec(glob) ?? [];
  if (literal !== undefined) {
    const below = `/${literal}`;
    return (path) => path === literal || path.endsWith(below);
  }
  const [, parents] = IN_DIRECTORY_PATTERN.exec(glob) ?? [];
  if (parents === undefined) return globMatcher(glob);
  const matches = compileName(parents);
  return (path) => path.split('/').slice(0, -1).some(matches);
}

function compileName(pattern: string): (name: string) => boolean {
  const [, start, end] = PART_OF_NAME.exec(pattern) ?? [];
  if (start === undefined || end === undefined) return globMatcher(pattern);
  return (name) => name.length >= start.length + end.length && name.startsWith(start) && name.endsWith(end);
}

/**
 * Compiles a glob for paths from the repository's root. `**` matches any number of whole directories (also none), `*`
 * any characters but a slash, `?` one character but a slash; the rest is literal and case-sensitive. Matching takes at
 * most the path's length times that of the longest piece between two stars.
 */
export function globMatcher(glob: string): (path: string) => boolean {
  const steps = collapseStars(glob.split('/').map((name) => (name === '**' ? ANY_NUMBER : nameTest(name))));
  // A directory's own name does not match `dir/**`.
  const required = steps.at(-1) === ANY_NUMBER ? [...steps, () => true] : steps;
  return (path) => matchesSteps(required, path.split('/'));
}

type NameTest = (name: string) => boolean;

function nameTest(pattern: string): NameTest {
  if (!SPECIAL.test(pattern)) return (name) => name === pattern;
  const [start = [], ...pieces] = pattern.split(/\*+/).map((piece) => [...piece]);
  const end = pieces.pop();
  if (end === undefined) return (name) => name.length >= start.length && isPieceAlone(start, charactersOf(name));
  const minLength = start.length + end.length + pieces.reduce((sum, piece) => sum + piece.length, 0);
  return (name) => {
    if (name.length < minLength) return false;
    const characters = charactersOf(name);
    const last = characters.length - end.length;
    if (characters.length < minLength || !isPieceAt(start, characters, 0) || !isPieceAt(end, characters, last))
      return false;
    return arePiecesBetween(pieces, characters, { from: start.length, to: last });
  };
}

/** The characters of a pattern between two stars. */
type Piece = readonly string[];

/** A string unless a character of the name takes two code units. */
function charactersOf(name: string): ArrayLike<string> {
  return SURROGATE.test(name) ? [...name] : name;
}

const SURROGATE = /[\u{D800}-\u{DFFF}\u{10000}-\u{10FFFF}]/u;

function isPieceAlone(piece: Piece, characters: ArrayLike<string>): boolean {
  return piece.length === characters.length && isPieceAt(piece, characters, 0);
}

function isPieceAt(piece: Piece, characters: ArrayLike<string>, at: number): boolean {
  for (let index = 0; index < piece.length; index += 1) {
    if (piece[index] !== '?' && piece[index] !== characters[at + index]) return false;
  }
  return true;
}

/** The first place of each piece is the best one, so none needs to be tried again. */
function arePiecesBetween(
  pieces: readonly Piece[],
  characters: ArrayLike<string>,
  { from, to }: { readonly from: number; readonly to: number },
): boolean {
  let at = from;
  for (const piece of pieces) {
    while (at + piece.length <= to && !isPieceAt(piece, characters, at)) at += 1;
    at += piece.length;
    if (at > to) return false;
  }
  return true;
}

/** One step of a pattern: any number of parts, or a test of the next part. */
type PatternStep = typeof ANY_NUMBER | NameTest;

const ANY_NUMBER = 'many';

const SPECIAL = /[*?]/;

/** Adjacent stars equal one star. */
function collapseStars(steps: readonly PatternStep[]): readonly PatternStep[] {
  return steps.filter((step, index) => step !== ANY_NUMBER || steps[index - 1] !== ANY_NUMBER);
}

/** Backtracks to the last star only; the match of an earlier star never needs to change. */
function matchesSteps(steps: readonly PatternStep[], parts: readonly string[]): boolean {
  let at = 0;
  let part = 0;
  let star = -1;
  let resume = 0;
  while (part < parts.length) {
    const step = steps[at];
    if (step === ANY_NUMBER) {
      star = at;
      resume = part;
      at += 1;
    } else if (step?.(parts[part] ?? '')) {
      at += 1;
      part += 1;
    } else if (star !== -1) {
      resume += 1;
      at = star + 1;
      part = resume;
    } else return false;
  }
  const remaining = steps.length - at;
  return remaining === 0 || (remaining === 1 && steps[at] === ANY_NUMBER);
}
