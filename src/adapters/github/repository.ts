import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { type Extract, extract } from 'tar-stream';
import { blobSha } from '../../core/edits/text/characters.ts';
import { MAX_FILE_BYTES } from '../../core/edits/text/limits.ts';
import { type CommitSummary, GitHubError, type Tree } from '../../core/step/ports.ts';
import { ResponseTooLargeError } from '../../lib/guard-fetch.ts';
import { cacheKey, PAGE_SIZE, type PullConnection, repositoryParams } from './requests/connection.ts';
import { GitHubRequestError } from './requests/errors.ts';

/**
 * Complete recursive listing of a commit's tree, including directories; cached by the commit's SHA, as is a failure.
 */
export async function fetchTree(connection: PullConnection, commit: string): Promise<Tree> {
  const { trees } = connection.caches;
  const key = cacheKey(connection.ref, commit);
  const listed = trees.get(key) ?? (await listWholeTree(connection, commit));
  trees.set(key, listed);
  if (listed === TOO_LARGE)
    throw new GitHubError('The repository has too many directories or files to list', 413, null);
  return listed;
}

/**
 * The complete recursive listing of a branch's tree as it is now. GitHub revalidates the cached tree at each call, and
 * an unchanged one costs no quota.
 */
export async function fetchBranchTree(connection: PullConnection, branch: string): Promise<Tree> {
  const { branchTrees } = connection.caches;
  const key = cacheKey(connection.ref, branch);
  const cached = branchTrees.get(key);
  try {
    const { listing, sha, etag } = await requestBranchTree(connection, branch, cached?.etag);
    const tree = listing.truncated ? await fetchTree(connection, sha) : toTree(listing.entries);
    if (etag !== undefined) branchTrees.set(key, { etag, tree });
    return tree;
  } catch (error) {
    if (error instanceof GitHubRequestError && error.status === 304 && cached !== undefined) return cached.tree;
    throw error;
  }
}

async function requestBranchTree(
  { ref, read }: PullConnection,
  branch: string,
  knownEtag: string | undefined,
): Promise<{ readonly listing: TreeListing; readonly sha: string; readonly etag: string | undefined }> {
  const { data, headers } = await read((client) =>
    client.rest.git.getTree({
      ...repositoryParams(ref),
      tree_sha: branch,
      recursive: '1',
      ...(knownEtag === undefined ? {} : { headers: { 'if-none-match': knownEtag } }),
    }),
  );
  return { listing: { entries: data.tree, truncated: data.truncated }, sha: data.sha, etag: headers.etag };
}

function toTree(entries: readonly RestTreeEntry[]): Tree {
  return new Map(entries.map(({ path, mode, sha, size }) => [path, { mode, sha, size: size ?? null }] as const));
}

type RestTreeEntry = { path: string; mode: string; type: string; sha: string; size?: number };

type TreeListing = { readonly entries: readonly RestTreeEntry[]; readonly truncated: boolean };

/** The requests and entries that a listing may still take. */
type ListingBudget = { requests: number; entries: number };

const MAX_LISTING: Readonly<ListingBudget> = { requests: 200, entries: 500_000 };

/** The result for a tree that exceeds the maximum. */
const TOO_LARGE = 'too-large';

async function listWholeTree(connection: PullConnection, sha: string): Promise<Tree | typeof TOO_LARGE> {
  const entries = await listTreeBelow(connection, { sha, prefix: '' }, { ...MAX_LISTING });
  return entries === TOO_LARGE ? TOO_LARGE : toTree(entries);
}

type Directory = { readonly sha: string; readonly prefix: string };

/** GitHub truncates a recursive listing at 100,000 entries or 7 MB. Then each directory is listed separately. */
async function listTreeBelow(
  connection: PullConnection,
  directory: Directory,
  budget: ListingBudget,
): Promise<readonly RestTreeEntry[] | typeof TOO_LARGE> {
  // The rows of a truncated listing are asked for again.
  if (budget.requests < 2) return TOO_LARGE;
  budget.requests -= 1;
  const recursive = await listTree(connection, directory, true);
  if (!recursive.truncated) return takeEntries(recursive.entries, budget);
  budget.requests -= 1;
  const level = await listTree(connection, directory, false);
  const directories = level.entries.filter((entry) => entry.type === 'tree');
  if (level.truncated || directories.length > budget.requests) return TOO_LARGE;
  if (takeEntries(level.entries, budget) === TOO_LARGE) return TOO_LARGE;
  const parts = [level.entries];
  for (const { sha, path } of directories) {
    const below = await listTreeBelow(connection, { sha, prefix: `${path}/` }, budget);
    if (below === TOO_LARGE) return TOO_LARGE;
    parts.push(below);
  }
  return parts.flat();
}

function takeEntries(
  entries: readonly RestTreeEntry[],
  budget: ListingBudget,
): readonly RestTreeEntry[] | typeof TOO_LARGE {
  budget.entries -= entries.length;
  return budget.entries < 0 ? TOO_LARGE : entries;
}

async function listTree(
  { ref, read }: PullConnection,
  { sha, prefix }: Directory,
  recursive: boolean,
): Promise<TreeListing> {
  const { data } = await read((client) =>
    client.rest.git.getTree({
      ...repositoryParams(ref),
      tree_sha: sha,
      ...(recursive ? { recursive: '1' } : {}),
    }),
  );
  const entries = data.tree.map((entry) => ({ ...entry, path: `${prefix}${entry.path}` }));
  return { entries, truncated: data.truncated };
}

/** Bytes of a blob, verified by its SHA and cached by it. */
export async function fetchBlob(connection: PullConnection, sha: string): Promise<Uint8Array> {
  const { blobs } = connection.caches;
  const key = cacheKey(connection.ref, sha);
  const cached = blobs.get(key);
  if (cached !== undefined) return cached;
  const bytes = await downloadBlob(connection, sha);
  if (blobSha(bytes) !== sha) throw new GitHubError(`The bytes of blob ${sha} do not have this SHA`, null, null);
  blobs.set(key, bytes);
  return bytes;
}

/** Reads the stream, because Octokit decodes responses that GitHub labels as UTF-8, and loses bytes. */
function downloadBlob({ ref, read }: PullConnection, sha: string): Promise<Uint8Array> {
  return read(async (client) => {
    const response = await client.rest.git.getBlob({
      ...repositoryParams(ref),
      file_sha: sha,
      headers: { accept: 'application/vnd.github.raw+json' },
      request: { parseSuccessResponseBody: false },
    });
    const body: unknown = response.data;
    if (body === null) return new Uint8Array();
    if (!(body instanceof ReadableStream)) throw new GitHubError(`Blob ${sha} has no body`, null, null);
    return readBlobStream(body, sha);
  });
}

async function readBlobStream(body: ReadableStream, sha: string): Promise<Uint8Array> {
  try {
    return new Uint8Array(await new Response(body).arrayBuffer());
  } catch (error) {
    const problem = error instanceof ResponseTooLargeError ? 'too large' : 'truncated';
    throw new GitHubError(`Blob ${sha} is ${problem}`, null, null, { cause: error });
  }
}

/** Maximum unpacked size of an archive's files. Its download stops there. */
const MAX_ARCHIVE_BYTES = 100_000_000;

/** Maximum with everything else in it: a header for each file, and as an own header each long path or link target. */
const MAX_ARCHIVE_STREAM_BYTES = 2 * MAX_ARCHIVE_BYTES;

/**
 * The plain files of a commit by path, from GitHub's archive; null if it exceeds the size limit. Files above
 * `MAX_FILE_BYTES` are left out. `.gitattributes` can exclude or change files, so the bytes can differ from the blob's.
 */
export function fetchArchive(
  { ref, read }: PullConnection,
  commit: string,
): Promise<ReadonlyMap<string, Uint8Array> | null> {
  return read(async (client) => {
    const response = await client.rest.repos.downloadTarballArchive({
      ...repositoryParams(ref),
      ref: commit,
      request: { parseSuccessResponseBody: false, isDownload: true },
    });
    const body: unknown = response.data;
    if (!(body instanceof ReadableStream)) throw new GitHubError(`The archive of ${commit} has no body`, null, null);
    return unpackArchive(body, commit);
  });
}

type ArchiveFiles = ReadonlyMap<string, Uint8Array>;

async function unpackArchive(body: ReadableStream, commit: string): Promise<ArchiveFiles | null> {
  const tar = extract();
  const download = Readable.fromWeb(body);
  const archive: UnpackedArchive = { files: new Map(), unpackedBytes: 0, streamedBytes: 0 };
  const entries = readTarEntries(tar, archive, () => void download.destroy());
  try {
    await Promise.all([pipeline(download, createGunzip(), (unpacked) => limitBytes(unpacked, archive), tar), entries]);
  } catch (error) {
    if (isTooLarge(archive) || error instanceof ResponseTooLargeError || isHeaderTooLarge(error)) return null;
    throw new GitHubError(`The archive of ${commit} is truncated`, null, null, { cause: error });
  }
  return isTooLarge(archive) ? null : archive.files;
}

/** The files read so far, the total size of all entries by their headers, and the bytes unpacked so far. */
type UnpackedArchive = { readonly files: Map<string, Uint8Array>; unpackedBytes: number; streamedBytes: number };

function isTooLarge({ unpackedBytes, streamedBytes }: UnpackedArchive): boolean {
  return unpackedBytes > MAX_ARCHIVE_BYTES || streamedBytes > MAX_ARCHIVE_STREAM_BYTES;
}

/** Whether tar-stream refused a header of more than 4 MB. A link's target, which has no limit in git, makes one. */
function isHeaderTooLarge(error: unknown): boolean {
  return error instanceof Error && error.message === 'Header exceeds max size';
}

async function* limitBytes(unpacked: AsyncIterable<Buffer>, archive: UnpackedArchive): AsyncGenerator<Buffer> {
  for await (const chunk of unpacked) {
    archive.streamedBytes += chunk.length;
    if (isTooLarge(archive)) throw new Error('The archive is too large');
    yield chunk;
  }
}

/** Calls `stop` as soon as the archive is too large. */
async function readTarEntries(tar: Extract, archive: UnpackedArchive, stop: () => void): Promise<void> {
  for await (const entry of tar) {
    const { name, type, size = 0 } = entry.header;
    archive.unpackedBytes += size;
    if (isTooLarge(archive)) stop();
    const isWanted = type === 'file' && size <= MAX_FILE_BYTES && !isTooLarge(archive);
    const chunks: Buffer[] = [];
    for await (const chunk of entry) if (isWanted && Buffer.isBuffer(chunk)) chunks.push(chunk);
    if (isWanted) archive.files.set(withoutRoot(name), Buffer.concat(chunks));
  }
}

/** GitHub's archives have one root directory, named after repository and commit. */
function withoutRoot(name: string): string {
  return name.slice(name.indexOf('/') + 1);
}

/** The merge base of two commits. Each page of a comparison has it, and only the first one has the patches. */
export async function fetchMergeBase(connection: PullConnection, base: string, head: string): Promise<string> {
  const { ref, read, caches } = connection;
  const key = cacheKey(ref, `${base}...${head}`);
  const cached = caches.mergeBases.get(key);
  if (cached !== undefined) return cached;
  const { data } = await read((client) =>
    client.rest.repos.compareCommitsWithBasehead({
      ...repositoryParams(ref),
      basehead: `${base}...${head}`,
      per_page: 1,
      page: 2,
    }),
  );
  const { sha } = data.merge_base_commit;
  caches.mergeBases.set(key, sha);
  return sha;
}

/** Commits reachable from `head` but not from `base`, newest first. An incomplete list is an error. */
export async function listCommits(
  connection: PullConnection,
  base: string,
  head: string,
): Promise<readonly CommitSummary[]> {
  if (base === head) return [];
  const commits: CommitSummary[] = [];
  for (let page = 1; ; page += 1) {
    const commitPage = await fetchCommitPage(connection, `${base}...${head}`, page);
    commits.push(...commitPage.commits);
    if (commits.length >= commitPage.total) return commits.reverse();
    if (commitPage.commits.length === 0) {
      throw new GitHubError(`GitHub listed ${commits.length} of ${commitPage.total} commits`, null, null);
    }
  }
}

type CommitPage = { readonly commits: readonly CommitSummary[]; readonly total: number };

/** A page of the comparison, oldest commit first. */
async function fetchCommitPage({ ref, read }: PullConnection, range: string, page: number): Promise<CommitPage> {
  const { data } = await read((client) =>
    client.rest.repos.compareCommitsWithBasehead({
      ...repositoryParams(ref),
      basehead: range,
      per_page: PAGE_SIZE,
      page,
    }),
  );
  return {
    commits: data.commits.map(({ sha, parents, commit, author }) => ({
      sha,
      parent: parents[0]?.sha ?? null,
      message: commit.message,
      authorId: authorIdOf(author),
    })),
    total: data.total_commits,
  };
}

/** Null for an author without an account: GitHub sends null or an empty object. */
function authorIdOf(author: object | null | undefined): number | null {
  return author != null && 'id' in author ? Number(author.id) : null;
}
