import { structuredPatch } from 'diff';
import { type GitObjectStore, isBinary, memoizePerStore, readBlob, readBlobText, type Sha } from './objects.ts';
import { readDirectoryOrEmpty, type TreeObjectEntry } from './trees.ts';

/** Lists the changed files between two trees by path, with renames. Equal directories are skipped. */
export const diffGitTrees: (store: GitObjectStore, before: Sha, after: Sha) => readonly TreeFileChange[] =
  memoizePerStore((store, before = '', after = '') => {
    const changes: TreeFileChange[] = [];
    compareEntries(store, { mode: '040000', sha: before }, { mode: '040000', sha: after }, '', changes);
    return detectRenames(store, changes).toSorted((left, right) => (left.path < right.path ? -1 : 1));
  });

type MaybeEntry = TreeObjectEntry | undefined;

function compareEntries(
  store: GitObjectStore,
  before: MaybeEntry,
  after: MaybeEntry,
  path: string,
  into: TreeFileChange[],
): void {
  if (before?.sha === after?.sha && before?.mode === after?.mode) return;
  const oldFile = before?.mode === '040000' ? undefined : before;
  const newFile = after?.mode === '040000' ? undefined : after;
  if (oldFile !== undefined && newFile !== undefined)
    into.push({ status: 'modified', path, before: oldFile, after: newFile });
  else if (oldFile !== undefined) into.push({ status: 'removed', path, before: oldFile });
  else if (newFile !== undefined) into.push({ status: 'added', path, after: newFile });
  compareDirectories(store, before, after, path === '' ? '' : `${path}/`, into);
}

function compareDirectories(
  store: GitObjectStore,
  before: MaybeEntry,
  after: MaybeEntry,
  prefix: string,
  into: TreeFileChange[],
) {
  const oldEntries =
    before?.mode === '040000' ? readDirectoryOrEmpty(store, before.sha) : new Map<string, TreeObjectEntry>();
  const newEntries =
    after?.mode === '040000' ? readDirectoryOrEmpty(store, after.sha) : new Map<string, TreeObjectEntry>();
  for (const name of new Set([...oldEntries.keys(), ...newEntries.keys()])) {
    compareEntries(store, oldEntries.get(name), newEntries.get(name), `${prefix}${name}`, into);
  }
}

/** A changed path. `before` is missing for `added`, `after` for `removed`. */
export type TreeFileChange =
  | { readonly status: 'added'; readonly path: string; readonly after: TreeObjectEntry }
  | { readonly status: 'removed'; readonly path: string; readonly before: TreeObjectEntry }
  | {
      readonly status: 'modified';
      readonly path: string;
      readonly before: TreeObjectEntry;
      readonly after: TreeObjectEntry;
    }
  | {
      readonly status: 'renamed';
      readonly path: string;
      readonly previousPath: string;
      readonly before: TreeObjectEntry;
      readonly after: TreeObjectEntry;
    };

type AddedFile = Extract<TreeFileChange, { status: 'added' }>;

type RemovedFile = Extract<TreeFileChange, { status: 'removed' }>;

/** Beyond this number of pairs, only identical files count as renamed, like in git beyond its rename limit. */
const MAX_COMPARED_PAIRS = 2_500;

const MIN_SIMILARITY = 0.5;

/** Replaces each pair of a removed file and a similar added file by a rename. */
function detectRenames(store: GitObjectStore, changes: readonly TreeFileChange[]): readonly TreeFileChange[] {
  const removed = new Set(changes.filter((change) => change.status === 'removed'));
  const added = changes.filter((change) => change.status === 'added');
  const isExhaustive = removed.size * added.length <= MAX_COMPARED_PAIRS;
  const renames: TreeFileChange[] = [];
  const paired = new Set<TreeFileChange>();
  for (const minSimilarity of isExhaustive ? [1, MIN_SIMILARITY] : [1]) {
    for (const target of added.filter((candidate) => !paired.has(candidate))) {
      const source = findBestSource(store, removed, target, minSimilarity);
      if (source === undefined) continue;
      removed.delete(source);
      paired.add(source).add(target);
      renames.push(createRename(source, target));
    }
  }
  return [...changes.filter((change) => !paired.has(change)), ...renames];
}

function createRename(source: RemovedFile, target: AddedFile): TreeFileChange {
  const { path, after } = target;
  return { status: 'renamed', path, previousPath: source.path, before: source.before, after };
}

function findBestSource(
  store: GitObjectStore,
  removed: ReadonlySet<RemovedFile>,
  target: AddedFile,
  minSimilarity: number,
) {
  let best: { readonly source: RemovedFile; readonly score: number } | undefined;
  for (const source of removed) {
    const score = similarityOf(store, source.before.sha, target.after.sha, minSimilarity);
    if (score >= minSimilarity && score > (best?.score ?? 0)) best = { source, score };
  }
  return best?.source;
}

/** Returns 1 for equal bytes, else the share of equal lines, at most 0.99. */
function similarityOf(store: GitObjectStore, before: Sha, after: Sha, minSimilarity: number): number {
  if (before === after) return 1;
  if (minSimilarity === 1) return 0;
  const oldLines = toDiffLines(readBlobText(store, before));
  const newLines = toDiffLines(readBlobText(store, after));
  const counts = new Map<string, number>();
  for (const line of oldLines) counts.set(line, (counts.get(line) ?? 0) + 1);
  let shared = 0;
  for (const line of newLines) {
    const left = counts.get(line) ?? 0;
    if (left > 0) shared += 1;
    counts.set(line, left - 1);
  }
  return Math.min(shared / Math.max(oldLines.length, newLines.length, 1), 0.99);
}

/** The patch of a file. `text` is null for a binary file, a very large diff or an unchanged file. */
export type FilePatch = {
  readonly additions: number;
  readonly deletions: number;
  readonly hunks: readonly PatchHunk[];
  readonly text: string | null;
};

const MAX_CHANGED_LINES = 20_000;

const MAX_PATCH_CHARACTERS = 500_000;

const CONTEXT_LINES = 3;

const EMPTY_PATCH: FilePatch = { additions: 0, deletions: 0, hunks: [], text: null };

/** Computes the patch between two blobs; undefined means a missing file. */
export function computeFilePatch(store: GitObjectStore, before: Sha | undefined, after: Sha | undefined): FilePatch {
  return before === after ? EMPTY_PATCH : cachedPatch(store, before ?? '', after ?? '');
}

/** Formats the header of a hunk. Like in git, it ends with the first line of the enclosing section. */
export function formatHunkHeader(hunk: PatchHunk, oldLines: readonly string[]): string {
  const header = `@@ -${formatRange(hunk.oldStart, hunk.oldLines)} +${formatRange(hunk.newStart, hunk.newLines)} @@`;
  const section = oldLines.slice(0, Math.max(0, hunk.oldStart - 1)).findLast((line) => /^[A-Za-z_$]/.test(line));
  return section === undefined ? header : `${header} ${section.trimEnd().slice(0, 80)}`;
}

const cachedPatch = memoizePerStore((store, before = '', after = '') => computePatch(store, before, after));

function computePatch(store: GitObjectStore, before: Sha, after: Sha): FilePatch {
  if ([before, after].some((sha) => isBinary(readBlob(store, sha) ?? new Uint8Array()))) return EMPTY_PATCH;
  const oldText = readBlobText(store, before);
  const hunks = computeHunks(oldText, readBlobText(store, after), CONTEXT_LINES);
  const additions = countLines(hunks, '+');
  const deletions = countLines(hunks, '-');
  const oldLines = toDiffLines(oldText);
  const text = hunks.map((hunk) => [formatHunkHeader(hunk, oldLines), ...hunk.lines].join('\n')).join('\n');
  const shown = text !== '' && text.length <= MAX_PATCH_CHARACTERS && additions + deletions <= MAX_CHANGED_LINES;
  return { additions, deletions, hunks, text: shown ? text : null };
}

function countLines(hunks: readonly PatchHunk[], sign: '+' | '-'): number {
  return hunks.reduce((sum, hunk) => sum + hunk.lines.filter((line) => line.startsWith(sign)).length, 0);
}

/** Git omits a length of 1 and gives an empty range the number of the line before it. */
function formatRange(start: number, length: number): string {
  if (length === 1) return String(start);
  return `${length === 0 ? start - 1 : start},${length}`;
}

/** A hunk of a unified diff. Each line starts with a space, `-`, `+` or a backslash (missing newline). */
export type PatchHunk = {
  readonly oldStart: number;
  readonly oldLines: number;
  readonly newStart: number;
  readonly newLines: number;
  readonly lines: readonly string[];
};

/**
 * Beyond this edit distance, everything between the first and the last difference becomes one hunk. A time limit would
 * make the result depend on the machine.
 */
const MAX_EDITS = 2_000;

const NO_NEWLINE = '\\ No newline at end of file';

/** Computes the hunks between two texts, with `context` lines around each change. */
export function computeHunks(before: string, after: string, context: number): readonly PatchHunk[] {
  const patch = structuredPatch('', '', before, after, undefined, undefined, { context, maxEditLength: MAX_EDITS });
  return patch?.hunks ?? createBlockHunk(before, after, context);
}

/** Splits a text into lines without their newlines. */
export function toDiffLines(text: string): readonly string[] {
  const lines = text.split('\n');
  if (lines.at(-1) === '') lines.pop();
  return lines;
}

function createBlockHunk(before: string, after: string, context: number): readonly PatchHunk[] {
  const oldLines = splitKeepingNewlines(before);
  const newLines = splitKeepingNewlines(after);
  const head = commonPrefixLength(oldLines, newLines);
  const tail = commonPrefixLength(oldLines.slice(head).reverse(), newLines.slice(head).reverse());
  const start = Math.max(0, head - context);
  const oldEnd = oldLines.length - tail;
  const newEnd = newLines.length - tail;
  const rows = [
    ...prefixLines(' ', oldLines.slice(start, head)),
    ...prefixLines('-', oldLines.slice(head, oldEnd)),
    ...prefixLines('+', newLines.slice(head, newEnd)),
    ...prefixLines(' ', oldLines.slice(oldEnd, oldEnd + context)),
  ];
  const trailing = Math.min(tail, context);
  return [
    {
      oldStart: start + 1,
      oldLines: oldEnd + trailing - start,
      newStart: start + 1,
      newLines: newEnd + trailing - start,
      lines: rows,
    },
  ];
}

function splitKeepingNewlines(text: string): readonly string[] {
  return text.split(/(?<=\n)/);
}

function prefixLines(sign: string, lines: readonly string[]): readonly string[] {
  return lines.flatMap((line) =>
    line.endsWith('\n') ? [`${sign}${line.slice(0, -1)}`] : [`${sign}${line}`, NO_NEWLINE],
  );
}

function commonPrefixLength(left: readonly string[], right: readonly string[]): number {
  const limit = Math.min(left.length, right.length);
  let length = 0;
  while (length < limit && left[length] === right[length]) length += 1;
  return length;
}
