import { CODEOWNERS_PATHS, MAX_CODEOWNERS_BYTES } from '../../core/policy/code-owners.ts';
import { SETTINGS_PATH } from '../../core/settings/repo-settings.ts';
import type { CodeOwnersLookup, SettingsFileLookup, Tree, TreeEntry } from '../../core/step/ports.ts';
import { fetchBlob, fetchDirectory, fetchTree } from './repository.ts';
import { cached, cacheKey, type PullConnection } from './requests/connection.ts';

/** Larger settings are not read. */
const MAX_SETTINGS_BYTES = 1_000_000;

/** The settings file on the default branch, never on the pull request's; null if there is none. */
export async function fetchSettingsFile(connection: PullConnection): Promise<SettingsFileLookup | null> {
  const entry = await findEntry(connection, await fetchRoot(connection), SETTINGS_PATH);
  if (entry === null) return null;
  const { mode, size, sha } = entry;
  if (mode === LINK) return { kind: 'link' };
  if (size === null) return { kind: 'no-file' };
  if (size > MAX_SETTINGS_BYTES) return { kind: 'too-large', size };
  return { kind: 'file', bytes: await fetchBlob(connection, sha) };
}

/** `CODEOWNERS` on the default branch, at the first of GitHub's places that has one; null if none has. */
export async function fetchCodeOwnersFile(connection: PullConnection): Promise<CodeOwnersLookup | null> {
  const root = await fetchRoot(connection);
  for (const path of CODEOWNERS_PATHS) {
    const entry = await findEntry(connection, root, path);
    if (entry?.mode === LINK) return { path, bytes: 'link' };
    if (entry === null || entry.size === null) continue;
    return { path, bytes: entry.size > MAX_CODEOWNERS_BYTES ? 'too-large' : await fetchBlob(connection, entry.sha) };
  }
  return null;
}

const LINK = '120000';

const DIRECTORY = '040000';

/** The root of the default branch as it is now. */
async function fetchRoot(connection: PullConnection): Promise<Tree> {
  return (await fetchDirectory(connection, 'HEAD')).entries;
}

/** What git has at a path; the first link on the way to it. Null if there is nothing. */
async function findEntry(connection: PullConnection, root: Tree, path: string): Promise<TreeEntry | null> {
  const [name = '', ...below] = path.split('/');
  const entry = root.get(name);
  if (entry === undefined) return null;
  if (below.length === 0 || entry.mode === LINK) return entry;
  if (entry.mode !== DIRECTORY) return null;
  const { directories } = connection.caches;
  const key = cacheKey(connection.ref, entry.sha);
  const load = async (): Promise<Tree> => (await fetchDirectory(connection, entry.sha)).entries;
  return findEntry(connection, await cached(directories, key, load), below.join('/'));
}

/** The whole tree of a branch as it is now. */
export async function fetchBranchTree(connection: PullConnection, branch: string): Promise<Tree> {
  return fetchTree(connection, (await fetchDirectory(connection, branch)).sha);
}
