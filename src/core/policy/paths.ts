import { asciiReadings } from '../edits/misleading-text/look-alikes.ts';
import type { Tree, TreeEntry } from '../step/ports.ts';

/**
 * Checks a path written by the model. With a tree it also refuses anything but a plain file, paths below a file, links,
 * submodules, and new names that differ from existing ones only in case or Unicode form.
 */
export function checkPath(raw: string, { repo, tree }: PathContext): CheckedPath {
  const path = stripPathPrefixes(raw, { repo, tree });
  if (!isCanonical(path)) return refuseOutside(raw, repo);
  return tree === undefined ? { kind: 'path', path } : checkInTree(path, { raw, repo, tree });
}

/** Checks the target of a move. A rename can change only case or Unicode form, so the file itself does not block it. */
export function checkMoveTarget(raw: string, from: string, { repo, tree }: TreeContext): CheckedPath {
  const path = stripPathPrefixes(raw, { repo, tree });
  if (!isCanonical(path)) return refuseOutside(raw, repo);
  const renamed = path !== from && foldPath(path) === foldPath(from);
  const checked = checkInTree(path, { raw, repo, tree: renamed ? treeWithout(tree, from) : tree });
  if (checked.kind === 'refused' || !tree.has(path)) return checked;
  return refusePath(raw, 'a file exists there, and a move overwrites nothing');
}

/** A canonical path of the repository, or the refusal for the model. */
export type CheckedPath =
  | { readonly kind: 'path'; readonly path: string }
  | { readonly kind: 'refused'; readonly output: string };

/** The repository's name, and the head's tree if it is available. */
type PathContext = { readonly repo: string; readonly tree?: Tree | undefined };

type TreeContext = { readonly repo: string; readonly tree: Tree };

/** The directory that a path written by the model names: '' for the root, null if it names none. */
export function findDirectory(raw: string, context: TreeContext): string | null {
  const stripped = stripPathPrefixes(raw, context);
  const path = stripped.endsWith('/') ? stripped.slice(0, -1) : stripped;
  if (path === '' || path === '.') return '';
  const entry = isCanonical(path) ? context.tree.get(path) : undefined;
  return entry !== undefined && entryKind(entry) === 'directory' ? path : null;
}

/** A glob for paths from the root: without the prefixes that a path can have, and with all below a bare directory. */
export function normalizeGlob(raw: string, context: TreeContext): string {
  const directory = findDirectory(raw, context);
  if (directory === null) return stripPathPrefixes(raw, context);
  return directory === '' ? '**' : `${directory}/**`;
}

/** T13. */
function outsideOutput(path: string, repo: string): string {
  return `Cannot access '${printablePath(path)}': path is outside the repository. Readable roots: ${repo}/`;
}

/**
 * `./x`, `/x` and `<repo>/x` mean `x`; the last one not if the root has an entry of that name. Every rule judges the
 * path without them.
 */
export function stripPathPrefixes(raw: string, { repo, tree }: PathContext): string {
  const path = raw.replace(/^\.?\//, '');
  return tree !== undefined && path.startsWith(`${repo}/`) && !tree.has(repo) ? path.slice(repo.length + 1) : path;
}

function isCanonical(path: string): boolean {
  if (path === '' || !path.isWellFormed() || path !== path.normalize('NFC')) return false;
  if (INVISIBLE.test(path) || ENCODED.test(path) || path.includes('\\') || /^[a-z]:/i.test(path)) return false;
  if (Buffer.byteLength(path) > MAX_PATH_BYTES) return false;
  return path.split('/').every(isCanonicalName);
}

function isCanonicalName(name: string): boolean {
  if (name === '' || name === '.' || name === '..') return false;
  return Buffer.byteLength(name) <= MAX_NAME_BYTES && !isGitDirectory(name);
}

/** Some file systems cut a name at a colon, drop trailing dots and spaces, or know a short form with a tilde. */
function isGitDirectory(name: string): boolean {
  const [stem = ''] = foldLookalikes(name).split(':');
  const trimmed = stem.replace(/[. ]+$/, '');
  return trimmed === '' || trimmed === '.git' || /^git~\d+$/.test(trimmed);
}

const MAX_PATH_BYTES = 1000;

const MAX_NAME_BYTES = 255;

/** Control characters, half surrogates, line separators and invisible characters. */
const INVISIBLE = /[\p{Cc}\p{Cs}\p{Default_Ignorable_Code_Point}\p{Bidi_Control}\u{2028}\u{2029}]/u;

/** A percent-encoded slash, dot, backslash or NUL. */
const ENCODED = /%(?:2f|2e|5c|00)/i;

/**
 * The reason against a new name: Windows cannot hold it, so nobody could check out the branch there, or people would
 * take it for another name. Null if there is none.
 */
function findNameProblem(name: string): string | null {
  if (name.startsWith(' ')) return 'nobody sees the space at the start of a name';
  const [, character] = NOT_IN_WINDOWS_NAMES.exec(name) ?? [];
  if (character !== undefined) return `Windows cannot hold a name with '${character}'`;
  if (/[. ]$/.test(name)) return `Windows cannot hold a name that ends with a ${name.endsWith('.') ? 'dot' : 'space'}`;
  const [stem = ''] = name.split('.');
  return WINDOWS_DEVICE.test(stem.trimEnd()) ? `Windows reserves the name '${stem.trimEnd()}' for a device` : null;
}

/** Control characters are never canonical. */
const NOT_IN_WINDOWS_NAMES = /([<>:"|?*])/;

const WINDOWS_DEVICE = /^(?:con|prn|aux|nul|conin\$|conout\$|(?:com|lpt)[0-9¹²³])$/i;

type TreeLookup = { readonly raw: string; readonly repo: string; readonly tree: Tree };

function checkInTree(path: string, { raw, repo, tree }: TreeLookup): CheckedPath {
  for (const part of pathAndParents(path)) {
    const entry = tree.get(part);
    if (entry === undefined) {
      const caseVariant = findCaseVariant(tree, foldPath(part));
      if (caseVariant !== undefined)
        return refusePath(raw, `'${printablePath(caseVariant)}' exists and differs only in case or Unicode form`);
      const problem = findNameProblem(part.slice(part.lastIndexOf('/') + 1));
      if (problem !== null) return refusePath(raw, problem);
      continue;
    }
    const kind = entryKind(entry);
    if (kind === 'link' || kind === 'submodule' || kind === 'other') return refuseOutside(raw, repo);
    if (part === path && kind === 'directory') return refusePath(raw, 'it is a directory');
    if (part !== path && kind === 'file') return refusePath(raw, `'${printablePath(part)}' is a file, not a directory`);
  }
  return { kind: 'path', path };
}

/** A path after its parent directories, outermost first. */
export function pathAndParents(path: string): string[] {
  const paths: string[] = [];
  for (let slash = path.indexOf('/'); slash !== -1; slash = path.indexOf('/', slash + 1))
    paths.push(path.slice(0, slash));
  return [...paths, path];
}

/** A copy of a tree that can be changed in place. Its paths need not be folded again. */
export type TreeCopy = {
  readonly tree: Tree;
  readonly set: (path: string, entry: TreeEntry) => void;
  readonly remove: (path: string) => void;
};

export function copyTree(source: Tree): TreeCopy {
  const tree = new Map(source);
  const added = new Map<string, readonly string[]>();
  COPIES.set(tree, { source, added });
  const set = (path: string, entry: TreeEntry): void => {
    if (!tree.has(path)) addFolded(added, path);
    tree.set(path, entry);
  };
  return { tree, set, remove: (path) => void tree.delete(path) };
}

/** Paths by their folded form. Several differ only in case or Unicode form. */
type FoldedPaths = ReadonlyMap<string, readonly string[]>;

/** The tree that a copy was made of, and the paths that were added to the copy. */
const COPIES = new WeakMap<Tree, { readonly source: Tree; readonly added: FoldedPaths }>();

const FOLDED_PATHS = new WeakMap<Tree, FoldedPaths>();

function findCaseVariant(tree: Tree, folded: string): string | undefined {
  // Paths that a copy no longer has are still known by their folded form.
  return pathsFoldedTo(tree, folded).findLast((path) => tree.has(path));
}

function pathsFoldedTo(tree: Tree, folded: string): readonly string[] {
  const copy = COPIES.get(tree);
  if (copy === undefined) return foldedTreePaths(tree).get(folded) ?? [];
  return [...pathsFoldedTo(copy.source, folded), ...(copy.added.get(folded) ?? [])];
}

/** Every path of a tree by its folded form, cached as long as the tree lives. */
function foldedTreePaths(tree: Tree): FoldedPaths {
  const cached = FOLDED_PATHS.get(tree);
  if (cached !== undefined) return cached;
  const folded = new Map<string, readonly string[]>();
  for (const path of tree.keys()) addFolded(folded, path);
  FOLDED_PATHS.set(tree, folded);
  return folded;
}

function addFolded(folded: Map<string, readonly string[]>, path: string): void {
  const key = foldPath(path);
  folded.set(key, [...(folded.get(key) ?? []), path]);
}

/** The tree without a file, and without directories that become empty. */
function treeWithout(source: Tree, path: string): Tree {
  const { tree, remove } = copyTree(source);
  remove(path);
  for (const parent of pathAndParents(path).slice(0, -1).toReversed()) {
    if (hasPathBelow(tree, parent)) break;
    remove(parent);
  }
  return tree;
}

function hasPathBelow(tree: Tree, directory: string): boolean {
  for (const path of tree.keys()) if (path.startsWith(`${directory}/`)) return true;
  return false;
}

function refuseOutside(raw: string, repo: string): CheckedPath {
  return { kind: 'refused', output: outsideOutput(raw, repo) };
}

function refusePath(raw: string, why: string): CheckedPath {
  return { kind: 'refused', output: `Cannot access '${printablePath(raw)}': ${why}.` };
}

/** A path for an error message: one line, invisible characters escaped, limited in length. */
function printablePath(path: string): string {
  const short = path.length > MAX_ECHO_CHARACTERS ? `${path.slice(0, MAX_ECHO_CHARACTERS)}…` : path;
  return short.replace(
    new RegExp(INVISIBLE, 'gu'),
    (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16).toUpperCase()}}`,
  );
}

const MAX_ECHO_CHARACTERS = 200;

/** A path or name as seen by a file system that ignores case and Unicode form. Use it for comparison only. */
export function foldPath(path: string): string {
  return path.normalize('NFC').toUpperCase().toLowerCase();
}

/** Also folds look-alikes (compatibility forms and invisible characters), for comparison with protected names. */
export function foldLookalikes(part: string): string {
  return foldPath(part.normalize('NFKC').replace(/\p{Default_Ignorable_Code_Point}/gu, ''));
}

/** The folded readings of a path with look-alikes; none for a path in ASCII. Use it like `foldLookalikes`. */
export function findLikenesses(path: string): readonly string[] {
  return asciiReadings(path).map(foldLookalikes);
}

type EntryKind = 'file' | 'directory' | 'link' | 'submodule' | 'other';

const KIND_BY_MODE: Readonly<Record<string, EntryKind>> = {
  '100644': 'file',
  '100755': 'file',
  '040000': 'directory',
  '120000': 'link',
  '160000': 'submodule',
};

export function entryKind(entry: TreeEntry): EntryKind {
  return KIND_BY_MODE[entry.mode] ?? 'other';
}
