import { blobText } from './blob.ts';
import type { FileChange } from './file-change.ts';
import { splitLines } from './line-diff.ts';
import type { ObjectStore, Sha } from './object-store.ts';

type Added = Extract<FileChange, { status: 'added' }>;
type Removed = Extract<FileChange, { status: 'removed' }>;

/** Above this many pairs only files with equal bytes are paired, as git does beyond its rename limit. */
const MAX_COMPARED_PAIRS = 2_500;
const SIMILAR_ENOUGH = 0.5;

/** Replaces pairs of a removed and an added file that are the same or alike by a rename. */
export function pairRenames(store: ObjectStore, changes: readonly FileChange[]): readonly FileChange[] {
  const removed = new Set(changes.filter((change) => change.status === 'removed'));
  const added = changes.filter((change) => change.status === 'added');
  const fuzzy = removed.size * added.length <= MAX_COMPARED_PAIRS;
  const renames: FileChange[] = [];
  const paired = new Set<FileChange>();
  for (const accept of fuzzy ? [1, SIMILAR_ENOUGH] : [1]) {
    for (const target of added.filter((candidate) => !paired.has(candidate))) {
      const source = bestSource(store, removed, target, accept);
      if (source === undefined) continue;
      removed.delete(source);
      paired.add(source).add(target);
      renames.push(rename(source, target));
    }
  }
  return [...changes.filter((change) => !paired.has(change)), ...renames];
}

function rename(source: Removed, target: Added): FileChange {
  const { path, after } = target;
  return { status: 'renamed', path, previousPath: source.path, before: source.before, after };
}

function bestSource(store: ObjectStore, removed: ReadonlySet<Removed>, target: Added, accept: number) {
  let best: { readonly source: Removed; readonly score: number } | undefined;
  for (const source of removed) {
    const score = likeness(store, source.before.sha, target.after.sha, accept);
    if (score >= accept && score > (best?.score ?? 0)) best = { source, score };
  }
  return best?.source;
}

/** 1 for equal bytes, else the share of equal lines; empty files are alike to nothing. */
function likeness(store: ObjectStore, before: Sha, after: Sha, accept: number): number {
  if (before === after) return 1;
  if (accept === 1) return 0;
  const oldLines = splitLines(blobText(store, before));
  const newLines = splitLines(blobText(store, after));
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
