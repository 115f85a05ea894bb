import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { type Extract, extract } from 'tar-stream';
import { z } from 'zod';
import { MAX_FILE_BYTES } from '../../core/edits/change.ts';
import { blobSha } from '../../core/edits/text/characters.ts';
import { CODEOWNERS_PATHS, MAX_CODEOWNERS_BYTES } from '../../core/policy/code-owners.ts';
import { SETTINGS_PATH } from '../../core/settings/repo-settings.ts';
import {
  type CodeOwnersLookup,
  type CommitSummary,
  GitHubError,
  type SettingsFileLookup,
  type Tree,
  type TreeEntry,
} from '../../core/step/ports.ts';
import { ResponseTooLargeError } from '../../lib/guard-fetch.ts';
import {
  cached,
  cacheKey,
  PAGE_SIZE,
  type PullConnection,
  RECENT_TTL_MS,
  repositoryParams,
} from './requests/connection.ts';

/** Complete recursive listing of a tree, by its SHA or its commit's, including directories; cached by the SHA. */
export function fetchTree(connection: PullConnection, sha: string): Promise<Tree> {
  const load = async (): Promise<Tree> => {
    const tree = new Map();
    await listBelow(connection, { sha, prefix: '' }, tree, { listings: MAX_LISTINGS });
    return tree;
  };
  return cached(connection.caches.trees, cacheKey(connection.ref, sha), load);
}

/** One directory of git, by its SHA or its commit's, or by the name of a branch. */
async function fetchDirectory(
  { ref, read }: PullConnection,
  name: string,
): Promise<{ readonly sha: string; readonly entries: Tree }> {
  const { data } = await read.rest.git.getTree({ ...repositoryParams(ref), tree_sha: name });
  if (data.truncated) throw tooLargeError();
  const entries = new Map();
  addEntries(entries, data.tree, '');
  return { sha: data.sha, entries };
}

type RestTreeEntry = { path: string; mode: string; sha: string; size?: number };

function addEntries(tree: Map<string, unknown>, entries: readonly RestTreeEntry[], prefix: string): void {
  for (const { path, mode, sha, size = null } of entries) tree.set(`${prefix}${path}`, { mode, sha, size });
}

/** Requests for one tree. */
const MAX_LISTINGS = 100;

/** GitHub truncates a recursive listing at 100,000 entries or 7 MB. Then each directory is listed separately. */
async function listBelow(
  connection: PullConnection,
  { sha, prefix }: { readonly sha: string; readonly prefix: string },
  tree: Map<string, unknown>,
  left: { listings: number },
): Promise<void> {
  const { ref, read } = connection;
  const { data } = await read.rest.git.getTree({ ...repositoryParams(ref), tree_sha: sha, recursive: '1' });
  if (!data.truncated) return addEntries(tree, data.tree, prefix);
  const { entries } = await fetchDirectory(connection, sha);
  const directories = [...entries].filter(([, { mode }]) => mode === '040000');
  left.listings -= directories.length;
  if (left.listings < 0) throw tooLargeError();
  for (const [name, entry] of entries) tree.set(`${prefix}${name}`, entry);
  for (const [name, entry] of directories)
    await listBelow(connection, { sha: entry.sha, prefix: `${prefix}${name}/` }, tree, left);
}

function tooLargeError(): GitHubError {
  return new GitHubError('The repository has too many directories or files to list', 413, null);
}

/** Bytes of a blob, verified by its SHA and cached by it. */
export function fetchBlob(connection: PullConnection, sha: string): Promise<Uint8Array> {
  return cached(connection.caches.blobs, cacheKey(connection.ref, sha), async () => {
    const bytes = await downloadBlob(connection, sha);
    if (blobSha(bytes) !== sha) throw new GitHubError(`The bytes of blob ${sha} do not have this SHA`, null, null);
    return bytes;
  });
}

/** Reads the stream, because Octokit decodes responses that GitHub labels as UTF-8, and loses bytes. */
async function downloadBlob({ ref, read }: PullConnection, sha: string): Promise<Uint8Array> {
  const { data } = await read.rest.git.getBlob({
    ...repositoryParams(ref),
    file_sha: sha,
    headers: { accept: 'application/vnd.github.raw+json' },
    request: { parseSuccessResponseBody: false },
  });
  const body: unknown = data;
  try {
    return new Uint8Array(await new Response(body instanceof ReadableStream ? body : null).arrayBuffer());
  } catch (error) {
    throw new GitHubError(`Blob ${sha} is truncated or too large`, null, null, { cause: error });
  }
}

/** Maximum unpacked size of an archive, whose download stops there. */
const MAX_ARCHIVE_BYTES = 150_000_000;

/**
 * The plain files of a commit by path, from GitHub's archive; null if it exceeds the size limit. Files above
 * `MAX_FILE_BYTES` are left out. `.gitattributes` can exclude or change files, so the bytes can differ from the blob's.
 */
export async function fetchArchive(
  { ref, read }: PullConnection,
  commit: string,
): Promise<ReadonlyMap<string, Uint8Array> | null> {
  const { data } = await read.rest.repos.downloadTarballArchive({
    ...repositoryParams(ref),
    ref: commit,
    request: { parseSuccessResponseBody: false },
  });
  const body: unknown = data;
  if (!(body instanceof ReadableStream)) throw new GitHubError(`The archive of ${commit} has no body`, null, null);
  const tar = extract();
  try {
    const unpacked = pipeline(Readable.fromWeb(body), createGunzip(), limitBytes, tar);
    const [files] = await Promise.all([readFiles(tar), unpacked]);
    return files;
  } catch (error) {
    if (error instanceof ResponseTooLargeError) return null;
    throw new GitHubError(`The archive of ${commit} is truncated`, null, null, { cause: error });
  }
}

async function* limitBytes(unpacked: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let bytes = 0;
  for await (const chunk of unpacked) {
    bytes += chunk.length;
    if (bytes > MAX_ARCHIVE_BYTES) throw new ResponseTooLargeError(MAX_ARCHIVE_BYTES);
    yield chunk;
  }
}

async function readFiles(tar: Extract): Promise<ReadonlyMap<string, Uint8Array>> {
  const files = new Map<string, Uint8Array>();
  for await (const entry of tar) {
    const { name, type, size = 0 } = entry.header;
    const isWanted = type === 'file' && size <= MAX_FILE_BYTES;
    const chunks: Buffer[] = [];
    for await (const chunk of entry) if (isWanted && Buffer.isBuffer(chunk)) chunks.push(chunk);
    // GitHub's archives have one root directory, named after repository and commit.
    if (isWanted) files.set(name.slice(name.indexOf('/') + 1), Buffer.concat(chunks));
  }
  return files;
}

/** The merge base of two commits. Each page of a comparison has it, and only the first one has the patches. */
export function fetchMergeBase(connection: PullConnection, base: string, head: string): Promise<string> {
  return cached(connection.caches.mergeBases, cacheKey(connection.ref, `${base}...${head}`), async () => {
    const { data } = await compare(connection, `${base}...${head}`, { per_page: 1, page: 2 });
    return data.merge_base_commit.sha;
  });
}

/** Compares two commits, `base...head`. */
export function compare(
  { ref, read }: PullConnection,
  basehead: string,
  page: { readonly per_page: number; readonly page: number },
) {
  return read.rest.repos.compareCommitsWithBasehead({ ...repositoryParams(ref), basehead, ...page });
}

/** Commits reachable from `head` but not from `base`, newest first. An incomplete list is an error. */
export async function listCommits(
  connection: PullConnection,
  base: string,
  head: string,
): Promise<readonly CommitSummary[]> {
  if (base === head) return [];
  const listed: CommitSummary[] = [];
  for (let page = 1; ; page += 1) {
    const { data } = await compare(connection, `${base}...${head}`, { per_page: PAGE_SIZE, page });
    for (const { sha, parents, commit, author } of data.commits) {
      // GitHub sends null or an empty object for an author without an account.
      const authorId = author != null && 'id' in author ? author.id : null;
      listed.push({ sha, parent: parents[0]?.sha ?? null, message: commit.message, authorId });
    }
    if (listed.length >= data.total_commits) return listed.reverse();
    if (data.commits.length === 0)
      throw new GitHubError(`GitHub listed ${listed.length} of ${data.total_commits} commits`, null, null);
  }
}

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

/** The root directory of the default branch, as a part of a GraphQL query of the repository. */
export const DEFAULT_ROOT = `fragment defaultRoot on Repository {
  defaultBranchRef { name target { ... on Commit { tree { oid } } } }
}`;

export const DefaultRoot = z.object({
  defaultBranchRef: z
    .object({ name: z.string(), target: z.object({ tree: z.object({ oid: z.string() }) }) })
    .nullable(),
});

/** Keeps that directory from the answer to a request that was sent at this time (ms). */
export function keepDefaultRoot(
  { ref, caches, defaultRoot }: PullConnection,
  { defaultBranchRef }: z.infer<typeof DefaultRoot>,
  readAt: number,
): void {
  // A repository without commits has none.
  const sha = defaultBranchRef?.target.tree.oid ?? null;
  Object.assign(defaultRoot, { sha, readAt });
  if (defaultBranchRef !== null && sha !== null) caches.defaultRoots.set(cacheKey(ref, defaultBranchRef.name), sha);
}

/** The root of the default branch as it is now, or was a moment ago when this attempt read something else. */
async function fetchRoot(connection: PullConnection): Promise<Tree> {
  const { sha, readAt } = connection.defaultRoot;
  const isRecent = connection.now() - readAt < RECENT_TTL_MS;
  if (sha === null || !isRecent) return (await fetchDirectory(connection, 'HEAD')).entries;
  return fetchKnownDirectory(connection, sha);
}

function fetchKnownDirectory(connection: PullConnection, sha: string): Promise<Tree> {
  const load = async (): Promise<Tree> => (await fetchDirectory(connection, sha)).entries;
  return cached(connection.caches.directories, cacheKey(connection.ref, sha), load);
}

/** What git has at a path; the first link on the way to it. Null if there is nothing. */
async function findEntry(connection: PullConnection, root: Tree, path: string): Promise<TreeEntry | null> {
  const [name = '', ...below] = path.split('/');
  const entry = root.get(name);
  if (entry === undefined) return null;
  if (below.length === 0 || entry.mode === LINK) return entry;
  if (entry.mode !== DIRECTORY) return null;
  return findEntry(connection, await fetchKnownDirectory(connection, entry.sha), below.join('/'));
}

/** The whole tree of a branch as it is now, or was a moment ago. */
export async function fetchBranchTree(connection: PullConnection, branch: string): Promise<Tree> {
  const recent = connection.caches.defaultRoots.get(cacheKey(connection.ref, branch));
  return fetchTree(connection, recent ?? (await fetchDirectory(connection, branch)).sha);
}
