import type { Tree } from '../policy/path.ts';
import { GitHubFault } from '../worker/ports.ts';
import { type Connection, cacheKey, repositoryOf } from './connection.ts';

type TreeEntry = { path: string; mode: string; type: string; sha: string; size?: number };
type Listing = { readonly entries: readonly TreeEntry[]; readonly truncated: boolean };

/** Complete recursive listing of a commit's tree, directories included; cached by the commit's SHA. */
export async function fetchTree(connection: Connection, commit: string): Promise<Tree> {
  const { trees } = connection.caches;
  const key = cacheKey(connection.ref, commit);
  const cached = trees.get(key);
  if (cached !== undefined) return cached;
  const entries = await listBelow(connection, commit, '');
  const tree: Tree = new Map(
    entries.map(({ path, mode, sha, size }) => [path, { mode, sha, size: size ?? null }] as const),
  );
  trees.set(key, tree);
  return tree;
}

/** GitHub cuts a recursive listing at 100,000 entries or 7 MB; then each directory is listed for itself. */
async function listBelow(connection: Connection, sha: string, prefix: string): Promise<readonly TreeEntry[]> {
  const whole = await list(connection, sha, prefix, true);
  if (!whole.truncated) return whole.entries;
  const level = await list(connection, sha, prefix, false);
  if (level.truncated) throw new GitHubFault(`The directory '${prefix}' is too large to be listed`, null, null);
  const entries = [...level.entries];
  for (const directory of level.entries.filter((entry) => entry.type === 'tree')) {
    entries.push(...(await listBelow(connection, directory.sha, `${directory.path}/`)));
  }
  return entries;
}

async function list({ ref, read }: Connection, sha: string, prefix: string, recursive: boolean): Promise<Listing> {
  const { data } = await read((client) =>
    client.request('GET /repos/{owner}/{repo}/git/trees/{tree_sha}', {
      ...repositoryOf(ref),
      tree_sha: sha,
      ...(recursive ? { recursive: '1' } : {}),
    }),
  );
  const entries = data.tree.map((entry) => ({ ...entry, path: `${prefix}${entry.path}` }));
  return { entries, truncated: data.truncated };
}
