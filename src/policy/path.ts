import { foldDisguise, foldPath, pathAndParents } from './fold.ts';
import { kindOf, type Tree, treeWithout } from './tree.ts';

export type { Tree, TreeEntry } from './tree.ts';

/** A path of the repository in its one canonical form, or the words that tell the model why it is refused. */
export type CheckedPath =
  | { readonly kind: 'path'; readonly path: string }
  | { readonly kind: 'refused'; readonly output: string };

/** Where a path is to be looked up: the repository's name, and the head's tree where it is at hand. */
export type PathContext = { readonly repo: string; readonly tree?: Tree };

const LONGEST_PATH_BYTES = 1000;
const LONGEST_NAME_BYTES = 255;
const LONGEST_ECHO = 200;
/** Controls, half surrogates, separators of lines, and whatever is not seen. */
const UNSEEN = /[\p{Cc}\p{Cs}\p{Default_Ignorable_Code_Point}\p{Bidi_Control}\u{2028}\u{2029}]/u;
/** A slash, a dot, a backslash or NUL, written as in a web address. */
const ENCODED = /%(?:2f|2e|5c|00)/i;

/**
 * Checks a path that a model wrote. With a tree it also refuses what is no plain file or lies below one, what is a
 * link or a submodule, and new names that differ from existing ones only in case or Unicode form.
 */
export function checkPath(raw: string, { repo, tree }: PathContext): CheckedPath {
  const path = withoutRepository(raw, repo, tree);
  if (!isCanonical(path)) return outside(raw, repo);
  return tree === undefined ? { kind: 'path', path } : checkInTree(path, { raw, repo, tree });
}

/** Checks where a file is to go; the file itself stands in its way no more where only case or Unicode form change. */
export function checkTarget(raw: string, from: string, { repo, tree }: Required<PathContext>): CheckedPath {
  const path = withoutRepository(raw, repo, tree);
  if (!isCanonical(path)) return outside(raw, repo);
  const renamed = path !== from && foldPath(path) === foldPath(from);
  const checked = checkInTree(path, { raw, repo, tree: renamed ? treeWithout(tree, from) : tree });
  if (checked.kind === 'refused' || !tree.has(path)) return checked;
  return refused(raw, 'a file stands there already, and a move overwrites nothing');
}

/** T13. */
export function outsideOutput(path: string, repo: string): string {
  return `Cannot access '${echo(path)}': path is outside the repository. Readable roots: ${repo}/`;
}

/** The seed's form `<repo>/relative/path` means the same file, where the root has nothing of that name. */
function withoutRepository(raw: string, repo: string, tree: Tree | undefined): string {
  return tree !== undefined && raw.startsWith(`${repo}/`) && !tree.has(repo) ? raw.slice(repo.length + 1) : raw;
}

function isCanonical(path: string): boolean {
  if (path === '' || !path.isWellFormed() || path !== path.normalize('NFC')) return false;
  if (UNSEEN.test(path) || ENCODED.test(path) || path.includes('\\') || /^[a-z]:/i.test(path)) return false;
  if (Buffer.byteLength(path) > LONGEST_PATH_BYTES) return false;
  return path.split('/').every(isCanonicalName);
}

function isCanonicalName(name: string): boolean {
  if (name === '' || name === '.' || name === '..') return false;
  return Buffer.byteLength(name) <= LONGEST_NAME_BYTES && !isGitDirectory(name);
}

/** Some file systems cut a name at a colon, drop dots and blanks at its end, or know it by a short form with a tilde. */
function isGitDirectory(name: string): boolean {
  const [stem = ''] = foldDisguise(name).split(':');
  const seen = stem.replace(/[. ]+$/, '');
  return seen === '' || seen === '.git' || /^git~\d+$/.test(seen);
}

type Lookup = { readonly raw: string; readonly repo: string; readonly tree: Tree };

function checkInTree(path: string, { raw, repo, tree }: Lookup): CheckedPath {
  for (const part of pathAndParents(path)) {
    const entry = tree.get(part);
    if (entry === undefined) {
      const twin = foldedPaths(tree).get(foldPath(part));
      if (twin !== undefined) return refused(raw, `'${echo(twin)}' exists and differs only in case or Unicode form`);
      continue;
    }
    const kind = kindOf(entry);
    if (kind === 'link' || kind === 'submodule' || kind === 'other') return outside(raw, repo);
    if (part === path && kind === 'directory') return refused(raw, 'it is a directory');
    if (part !== path && kind === 'file') return refused(raw, `'${echo(part)}' is a file, not a directory`);
  }
  return { kind: 'path', path };
}

const FOLDED = new WeakMap<Tree, ReadonlyMap<string, string>>();

/** Every path of a tree by its folded form; kept for as long as the tree is. */
function foldedPaths(tree: Tree): ReadonlyMap<string, string> {
  const known = FOLDED.get(tree);
  if (known !== undefined) return known;
  const folded = new Map<string, string>();
  for (const path of tree.keys()) folded.set(foldPath(path), path);
  FOLDED.set(tree, folded);
  return folded;
}

function outside(raw: string, repo: string): CheckedPath {
  return { kind: 'refused', output: outsideOutput(raw, repo) };
}

function refused(raw: string, why: string): CheckedPath {
  return { kind: 'refused', output: `Cannot access '${echo(raw)}': ${why}.` };
}

/** A path as it may be repeated: on one line, every odd character written out, not longer than can be read. */
function echo(path: string): string {
  const short = path.length > LONGEST_ECHO ? `${path.slice(0, LONGEST_ECHO)}…` : path;
  return short.replace(
    new RegExp(UNSEEN, 'gu'),
    (letter) => `\\u{${(letter.codePointAt(0) ?? 0).toString(16).toUpperCase()}}`,
  );
}
