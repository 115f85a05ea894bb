import type { Change } from './change.ts';

/** Every path that a change touches: its own, and the source of a move. */
export function touchedPaths({ path, from }: Change): readonly string[] {
  return from === null ? [path] : [from, path];
}

/** Where the file stands that a change is about, before the change. */
export function sourcePath({ path, from }: Change): string {
  return from ?? path;
}

/** Whether a change takes a file as a whole: it is deleted or moved, not rewritten. */
export function takesWhole({ op }: Change): boolean {
  return op === 'delete' || op === 'move';
}
