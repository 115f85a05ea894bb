import { RE2JS, RE2Set } from 're2js';
import { escapeHiddenAndCr, findHiddenCharacters } from '../edits/text/characters.ts';
import type { Tree, TreeEntry } from '../step/ports.ts';

/**
 * Finds the path that the model means. One that a listing shows is taken as it is; the rules for names hold for new
 * ones. Refuses anything but a plain file, and paths below a file, a link or a submodule.
 */
export function checkPath(raw: string, context: PathContext): CheckedPath {
  const listed = findListed(raw, context);
  return listed === null ? checkNewPath(withoutLine(raw), context) : checkParts(raw, listed, context);
}

/** Checks the target of a move. A rename can change only case or Unicode form, so the file itself does not block it. */
export function checkMoveTarget(raw: string, from: string, { repo, tree }: PathContext): CheckedPath {
  const path = stripPathPrefixes(raw, { repo, tree });
  if (tree.has(path)) return refusePath(raw, 'a file exists there, and a move overwrites nothing');
  const isRenamed = path !== from && foldPath(path) === foldPath(from);
  return checkNewPath(raw, { repo, tree: isRenamed ? treeWithout(tree, from) : tree });
}

/** A path of the repository, or the refusal for the model. */
export type CheckedPath =
  | { readonly kind: 'path'; readonly path: string }
  | { readonly kind: 'refused'; readonly output: string };

/** The repository's name, and the head's tree. */
type PathContext = { readonly repo: string; readonly tree: Tree };

/** The directory that a path written by the model names: '' for the root, null if it names none. */
export function findDirectory(raw: string, context: PathContext): string | null {
  const stripped = stripPathPrefixes(raw, context);
  const path = stripped.endsWith('/') ? stripped.slice(0, -1) : stripped;
  if (path === '' || path === '.') return '';
  const listed = findListed(path, context);
  const entry = listed === null ? undefined : context.tree.get(listed);
  return entry !== undefined && entryKind(entry) === 'directory' ? listed : null;
}

/** A glob for paths from the root: without the prefixes that a path can have, and with all below a bare directory. */
export function normalizeGlob(raw: string, context: PathContext): string {
  const directory = findDirectory(raw, context);
  if (directory === null) return findListed(raw, context) ?? stripPathPrefixes(raw, context);
  return directory === '' ? '**' : `${directory}/**`;
}

/**
 * `./x`, `/x` and `<repo>/x` mean `x`; the last one not if the root has an entry of that name. Every rule judges the
 * path without them.
 */
export function stripPathPrefixes(raw: string, { repo, tree }: PathContext): string {
  const path = raw.replace(/^\.?\//, '');
  return path.startsWith(`${repo}/`) && !tree.has(repo) ? path.slice(repo.length + 1) : path;
}

/** The path of the tree that is written here: exactly, as listings quote it, with a line, or in another Unicode form. */
export function findListed(raw: string, context: PathContext): string | null {
  const { tree } = context;
  const written = stripPathPrefixes(raw, context);
  const forms = [written, withoutLine(written)].flatMap((form) => {
    const unquoted = form.trim().replace(/^(["'`])(.*)\1$/su, '$2');
    const unescaped = unescapePath(unquoted);
    return [form, unquoted, unescaped, withoutLine(unescaped)];
  });
  const found = forms.find((path) => tree.has(path));
  if (found !== undefined) return found;
  const composed = (forms.at(-1) ?? written).normalize('NFC');
  if (/^\p{ASCII}*$/u.test(composed)) return null;
  for (const path of tree.keys()) if (path.normalize('NFC') === composed) return path;
  return null;
}

/** `:12`, `:12-20`, `:12:3`, `#L12-L20`: models name lines behind a path, as compilers and links do. */
const LINE_SUFFIX = /(?::L?|#L)\d+(?:[:,-]L?\d+)*$/;

function withoutLine(path: string): string {
  return path.replace(LINE_SUFFIX, '');
}

/** A path from its JSON string, from the octal bytes that git prints, and from hidden characters as the model sees them. */
function unescapePath(path: string): string {
  return path.replace(OCTAL_BYTES, decodeOctal).replace(ESCAPED, (whole, hex: string, units: string, one: string) => {
    if (one !== undefined) return ESCAPED_LETTERS[one] ?? one;
    const codePoint = Number.parseInt(hex ?? units, 16);
    return codePoint > 0x10ffff ? whole : String.fromCodePoint(codePoint);
  });
}

const OCTAL_BYTES = /(?:\\[0-3][0-7]{2})+/g;

function decodeOctal(bytes: string): string {
  return Buffer.from(bytes.split('\\').flatMap((byte) => (byte === '' ? [] : Number.parseInt(byte, 8)))).toString();
}

const ESCAPED = /\\(?:u\{([0-9a-f]{1,6})\}|u([0-9a-f]{4})|(["\\/bfnrt]))/gi;

const ESCAPED_LETTERS: Readonly<Record<string, string>> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' };

function checkNewPath(raw: string, context: PathContext): CheckedPath {
  const path = stripPathPrefixes(raw, context);
  if (!isCanonical(path)) return refuseOutside(raw, context.repo);
  for (const part of pathAndParents(path)) {
    if (context.tree.has(part)) continue;
    const variant = findCaseVariant(context.tree, part);
    if (variant !== null)
      return refusePath(raw, `'${printablePath(variant)}' exists and differs only in case or Unicode form`);
    const name = part.slice(part.lastIndexOf('/') + 1);
    if (UNUSUAL_NAME.test(name)) return refusePath(raw, `Windows cannot hold '${name}', or people would misread it`);
  }
  return checkParts(raw, path, context);
}

/** Whether the path names one place on every file system, inside the repository and outside of `.git`. */
function isCanonical(path: string): boolean {
  if (path === '' || path !== path.normalize('NFC') || findHiddenCharacters(path).length > 0) return false;
  if (/[\n\\]/.test(path) || ENCODED.test(path) || /^[a-z]:/i.test(path)) return false;
  if (Buffer.byteLength(path) > MAX_PATH_BYTES) return false;
  return path.split('/').every(isCanonicalName);
}

function isCanonicalName(name: string): boolean {
  if (name === '' || name === '.' || name === '..') return false;
  return Buffer.byteLength(name) <= MAX_NAME_BYTES && !isGitDirectory(name);
}

/** Some file systems cut a name at a colon, or drop trailing dots and spaces. */
function isGitDirectory(name: string): boolean {
  const [stem = ''] = foldPath(name).split(':');
  return ['', '.git'].includes(stem.replace(/[. ]+$/, ''));
}

const MAX_PATH_BYTES = 1000;

const MAX_NAME_BYTES = 255;

/** A percent-encoded slash, dot, backslash or NUL. */
const ENCODED = /%(?:2f|2e|5c|00)/i;

/** Names that Windows cannot hold or gives to another file, and those that people would take for another. */
const UNUSUAL_NAME = /^ |~\d|[<>:"|?*]|[. ]$|^(?:con|prn|aux|nul|conin\$|conout\$|(?:com|lpt)[0-9¹²³]) *(?:\.|$)/i;

/** Refuses what is no plain file, and what lies below one. */
function checkParts(raw: string, path: string, { repo, tree }: PathContext): CheckedPath {
  for (const part of pathAndParents(path)) {
    const entry = tree.get(part);
    if (entry === undefined) continue;
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

/** Only new paths are looked up, so folding every path of the tree costs less than keeping the folded ones. */
function findCaseVariant(tree: Tree, part: string): string | null {
  const folded = foldPath(part);
  for (const path of tree.keys()) if (foldPath(path) === folded) return path;
  return null;
}

/** The tree without a file, and without directories that become empty. */
function treeWithout(source: Tree, path: string): Tree {
  const tree = new Map(source);
  tree.delete(path);
  for (const parent of pathAndParents(path).slice(0, -1).toReversed()) {
    if (hasPathBelow(tree, parent)) break;
    tree.delete(parent);
  }
  return tree;
}

function hasPathBelow(tree: Tree, directory: string): boolean {
  for (const path of tree.keys()) if (path.startsWith(`${directory}/`)) return true;
  return false;
}

/** T13. */
function refuseOutside(raw: string, repo: string): CheckedPath {
  const output = `Cannot access '${printablePath(raw)}': path is outside the repository. Readable roots: ${repo}/`;
  return { kind: 'refused', output };
}

function refusePath(raw: string, why: string): CheckedPath {
  return { kind: 'refused', output: `Cannot access '${printablePath(raw)}': ${why}.` };
}

/** A path for an error message: one line, limited in length. */
function printablePath(path: string): string {
  const short = path.length > MAX_ECHO_CHARACTERS ? `${path.slice(0, MAX_ECHO_CHARACTERS)}…` : path;
  return escapeHiddenAndCr(short).replaceAll('\n', '\\u{A}');
}

const MAX_ECHO_CHARACTERS = 200;

/**
 * A path as a file system sees it that ignores case and Unicode form, without ignorable characters. All rules compare
 * paths and globs in this form, once.
 */
export function foldPath(path: string): string {
  if (/^\p{ASCII}*$/u.test(path)) return path.toLowerCase();
  const plain = path.normalize('NFKC').replace(/\p{Default_Ignorable_Code_Point}/gu, '');
  return plain.toUpperCase().toLowerCase().normalize('NFKC');
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

/** Globs that stand for one rule. */
type GlobRow = { readonly paths: readonly string[] };

/** The globs of a list, compiled together. */
type CompiledRows = {
  readonly set: RE2Set;
  readonly globs: readonly { readonly row: number; readonly glob: string }[];
};

/** Lists that are asked about many paths: those of the settings, and the built-in ones. */
const COMPILED = new WeakMap<readonly GlobRow[], CompiledRows>();

/** The rows that cover a path without case and Unicode form, in order, each with the first of its globs that does. */
export function coveringRows<Row extends GlobRow>(
  rows: readonly Row[],
  path: string,
): readonly { readonly row: Row; readonly glob: string }[] {
  if (rows.length === 0) return [];
  const compiled = COMPILED.get(rows) ?? compileRows(rows);
  COMPILED.set(rows, compiled);
  const byRow = new Map<number, string>();
  for (const index of [...compiled.set.match(foldPath(path))].sort((left, right) => left - right)) {
    const found = compiled.globs[index];
    if (found !== undefined && !byRow.has(found.row)) byRow.set(found.row, found.glob);
  }
  return [...byRow].flatMap(([index, glob]) => {
    const row = rows[index];
    return row === undefined ? [] : [{ row, glob }];
  });
}

function compileRows(rows: readonly GlobRow[]): CompiledRows {
  const globs = rows.flatMap(({ paths }, row) => paths.map((glob) => ({ row, glob })));
  const set = new RE2Set(RE2Set.ANCHOR_BOTH, RE2JS.DOTALL);
  for (const { glob } of globs) set.add(toPattern(foldPath(glob)));
  set.compile();
  return { set, globs };
}

/**
 * Compiles a glob for paths from the repository's root. `**` matches any number of whole directories (also none), `*`
 * any characters but a slash, `?` one character but a slash; the rest is literal and case-sensitive. Matching takes
 * linear time.
 */
export function globMatcher(glob: string): (path: string) => boolean {
  const pattern = RE2JS.compile(toPattern(glob), RE2JS.DOTALL);
  return (path) => pattern.testExact(path);
}

/** A directory's own name does not match `dir/**`. */
function toPattern(glob: string): string {
  const names = glob.split('/');
  const last = names.length - 1;
  return names
    .map((name, index) => {
      if (name === '**') return index === last ? '.+' : '(?:.*/)?';
      const pattern = name.replace(/\*+|\?|[^*?]+/g, (piece) => WILDCARDS[piece.charAt(0)] ?? RE2JS.quote(piece));
      return index === last ? pattern : `${pattern}/`;
    })
    .join('');
}

const WILDCARDS: Readonly<Record<string, string>> = { '*': '[^/]*', '?': '[^/]' };
