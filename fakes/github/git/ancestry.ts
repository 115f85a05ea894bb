import { type GitObjectStore, memoizePerStore, readGitCommit, type Sha } from './objects.ts';

/** Whether `ancestor` is `commit` itself or reachable from it through parents. */
export function isAncestor(store: GitObjectStore, ancestor: Sha, commit: Sha): boolean {
  for (const sha of walkCommits(store, commit)) if (sha === ancestor) return true;
  return false;
}

/** Returns a merge base; undefined if there is no common ancestor. */
export const findMergeBase: (store: GitObjectStore, left: Sha, right: Sha) => Sha | undefined = memoizePerStore(
  (store, left = '', right = '') => {
    if (isAncestor(store, left, right)) return left;
    const ofLeft = new Set(walkCommits(store, left));
    const common = [...walkCommits(store, right)].filter((sha) => ofLeft.has(sha));
    return common.find((sha) => !common.some((other) => other !== sha && isAncestor(store, sha, other)));
  },
);

/** Lists the commits reachable from `head` but not from `base`, parents first. */
export function listCommitsBetween(store: GitObjectStore, base: Sha, head: Sha): readonly Sha[] {
  const known = new Set(walkCommits(store, base));
  const ordered: Sha[] = [];
  const stack: { readonly sha: Sha; readonly done: boolean }[] = [{ sha: head, done: false }];
  for (let next = stack.pop(); next !== undefined; next = stack.pop()) {
    if (next.done) ordered.push(next.sha);
    else if (!known.has(next.sha)) {
      known.add(next.sha);
      stack.push({ sha: next.sha, done: true });
      for (const parent of readGitCommit(store, next.sha)?.parents ?? []) stack.push({ sha: parent, done: false });
    }
  }
  return ordered;
}

/** Yields the commit and its ancestors, nearest first. */
export function* walkCommits(store: GitObjectStore, commit: Sha): Generator<Sha> {
  const seen = new Set<Sha>([commit]);
  // The loop also visits the parents that it adds, so the set works as a queue.
  for (const sha of seen) {
    const found = readGitCommit(store, sha);
    if (found === undefined) continue;
    yield sha;
    for (const parent of found.parents) seen.add(parent);
  }
}
