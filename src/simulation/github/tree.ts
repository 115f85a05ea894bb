import type { Tree } from '../../policy/tree.ts';

export type TreeEntry = Tree extends ReadonlyMap<string, infer Entry> ? Entry : never;

export function emptyTree(): Map<string, TreeEntry> {
  return new Map();
}
