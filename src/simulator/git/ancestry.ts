import { readCommit } from './commit-object.ts';
import type { ObjectStore, Sha } from './object-store.ts';
import { rememberPerStore } from './remember.ts';

/** Whether `ancestor` is `commit` itself or reachable from it through parents. */
export function isAncestor(store: ObjectStore, ancestor: Sha, commit: Sha): boolean {
  for (const sha of walk(store, commit)) if (sha === ancestor) return true;
  return false;
}

/** A best common ancestor of two commits, or undefined when they share none. */
export const mergeBase: (store: ObjectStore, left: Sha, right: Sha) => Sha | undefined = rememberPerStore(
  (store, left = '', right = '') => {
    if (isAncestor(store, left, right)) return left;
    const ofLeft = new Set(walk(store, left));
    const common = [...walk(store, right)].filter((sha) => ofLeft.has(sha));
    return common.find((sha) => !common.some((other) => other !== sha && isAncestor(store, sha, other)));
  },
);

/** The commits reachable from `head` but not from `base`, parents before children. */
export function commitsBetween(store: ObjectStore, base: Sha, head: Sha): readonly Sha[] {
  const known = new Set(walk(store, base));
  const ordered: Sha[] = [];
  const stack: { readonly sha: Sha; readonly done: boolean }[] = [{ sha: head, done: false }];
  for (let next = stack.pop(); next !== undefined; next = stack.pop()) {
    if (next.done) ordered.push(next.sha);
    else if (!known.has(next.sha)) {
      known.add(next.sha);
      stack.push({ sha: next.sha, done: true });
      for (const parent of readCommit(store, next.sha)?.parents ?? []) stack.push({ sha: parent, done: false });
    }
  }
  return ordered;
}

/** The commit and its ancestors, nearest first. */
export function* walk(store: ObjectStore, commit: Sha): Generator<Sha> {
  const seen = new Set<Sha>([commit]);
  // A set is iterated in order of insertion, entries added meanwhile included: a queue.
  for (const sha of seen) {
    const found = readCommit(store, sha);
    if (found === undefined) continue;
    yield sha;
    for (const parent of found.parents) seen.add(parent);
  }
}
