import { blobText, isBinary, readBlob } from './blob.ts';
import { diffLines, type Hunk, splitLines } from './line-diff.ts';
import type { ObjectStore, Sha } from './object-store.ts';
import { rememberPerStore } from './remember.ts';

/** One file's difference. `text` is null for binary files, for very large differences and for none at all. */
export type FilePatch = {
  readonly additions: number;
  readonly deletions: number;
  readonly hunks: readonly Hunk[];
  readonly text: string | null;
};

const MAX_CHANGED_LINES = 20_000;
const MAX_PATCH_CHARACTERS = 500_000;
const CONTEXT = 3;
const NOTHING: FilePatch = { additions: 0, deletions: 0, hunks: [], text: null };

/** The difference between two blobs; undefined stands for no file. */
export function filePatch(store: ObjectStore, before: Sha | undefined, after: Sha | undefined): FilePatch {
  return before === after ? NOTHING : remembered(store, before ?? '', after ?? '');
}

/** The header line of a hunk, with git's hint of the enclosing section taken from the old file's lines. */
export function hunkHeader(hunk: Hunk, oldLines: readonly string[]): string {
  const header = `@@ -${range(hunk.oldStart, hunk.oldLines)} +${range(hunk.newStart, hunk.newLines)} @@`;
  const section = oldLines.slice(0, Math.max(0, hunk.oldStart - 1)).findLast((line) => /^[A-Za-z_$]/.test(line));
  return section === undefined ? header : `${header} ${section.trimEnd().slice(0, 80)}`;
}

const remembered = rememberPerStore((store, before = '', after = '') => computePatch(store, before, after));

function computePatch(store: ObjectStore, before: Sha, after: Sha): FilePatch {
  if ([before, after].some((sha) => isBinary(readBlob(store, sha) ?? new Uint8Array()))) return NOTHING;
  const oldText = blobText(store, before);
  const hunks = diffLines(oldText, blobText(store, after), CONTEXT);
  const additions = count(hunks, '+');
  const deletions = count(hunks, '-');
  const oldLines = splitLines(oldText);
  const text = hunks.map((hunk) => [hunkHeader(hunk, oldLines), ...hunk.lines].join('\n')).join('\n');
  const shown = text !== '' && text.length <= MAX_PATCH_CHARACTERS && additions + deletions <= MAX_CHANGED_LINES;
  return { additions, deletions, hunks, text: shown ? text : null };
}

function count(hunks: readonly Hunk[], sign: '+' | '-'): number {
  return hunks.reduce((sum, hunk) => sum + hunk.lines.filter((line) => line.startsWith(sign)).length, 0);
}

/** Git leaves out a length of one, and counts an empty range from the line before it. */
function range(start: number, length: number): string {
  if (length === 1) return String(start);
  return `${length === 0 ? start - 1 : start},${length}`;
}
