import type { Change } from './change.ts';

/** Every path that a change touches: its own, and the source of a move. */
export function touchedPaths({ path, from }: Pick<Change, 'path' | 'from'>): readonly string[] {
  return from === null ? [path] : [from, path];
}

/** Where the file stands that a change is about, before the change. */
export function sourcePath({ path, from }: Pick<Change, 'path' | 'from'>): string {
  return from ?? path;
}

/** Whether a change takes a file as a whole: it is deleted, moved or brought back as a blob, not rewritten. */
export function takesWhole(change: Pick<Change, 'op' | 'base' | 'region'>): boolean {
  return change.op === 'delete' || change.op === 'move' || restores(change);
}

/** Whether a change brings back a file that is not text, as the blob that it was. */
export function restores({ op, base, region }: Pick<Change, 'op' | 'base' | 'region'>): boolean {
  return op === 'write' && base === null && region === null;
}
