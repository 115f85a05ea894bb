import { posix } from 'node:path';
import { readBlob, readGitCommit, type Sha } from '../git/objects.ts';
import { findTreeEntry, readDirectory, type TreeObjectEntry } from '../git/trees.ts';
import { type ApiResponse, errorResponse, notFoundResponse, okResponse, rawResponse } from '../http/http-messages.ts';
import type { ServerState } from '../http/server-state.ts';
import { repositoryApiUrl, repositoryPageUrl } from '../payloads/repositories.ts';
import type { FakeRepository } from '../state/github-state.ts';
import { acceptsRaw, type RepositoryRouteContext, readTextParam } from './router.ts';

/** GitHub omits the content of larger files from JSON. */
const MAX_JSON_FILE_BYTES = 1_000_000;

const MAX_DIRECTORY_ENTRIES = 1_000;

/** `GET contents/{path}`: a file (JSON or raw), a symbolic link, a submodule or a directory. */
export function getContents(context: RepositoryRouteContext): ApiResponse {
  const { state, repository, query } = context;
  const reference = query['ref'] ?? repository.defaultBranch;
  const commit = resolveCommit(state, repository, reference);
  if (commit === undefined) return errorResponse(state, 404, `No commit found for the ref ${reference}`);
  const tree = readGitCommit(state.github.store, commit)?.tree ?? '';
  const path = readTextParam(context, 'path').replace(/^\/+|\/+$/g, '');
  const entry = path === '' ? { mode: '040000' as const, sha: tree } : findTreeEntry(state.github.store, tree, path);
  if (entry === undefined) return notFoundResponse(state);
  return getEntry(context, tree, path, entry);
}

function getEntry(context: RepositoryRouteContext, tree: Sha, path: string, entry: TreeObjectEntry): ApiResponse {
  switch (entry.mode) {
    case '040000':
      return getDirectory(context, path, entry.sha);
    case '160000':
      return okResponse(context.state, {
        ...contentPayload(context, path, entry, 'submodule', 0),
        submodule_git_url: null,
      });
    case '120000':
      return getSymlink(context, tree, path, entry);
    case '100644':
    case '100755':
      return getFile(context, path, entry);
  }
}

function getFile(context: RepositoryRouteContext, path: string, entry: TreeObjectEntry): ApiResponse {
  const bytes = readBlob(context.state.github.store, entry.sha) ?? new Uint8Array();
  if (acceptsRaw(context)) return rawResponse(context.state, bytes);
  const isComplete = bytes.byteLength <= MAX_JSON_FILE_BYTES;
  const content = isComplete ? encodeBase64(bytes) : '';
  const encoding = isComplete ? 'base64' : 'none';
  return okResponse(context.state, {
    ...contentPayload(context, path, entry, 'file', bytes.byteLength),
    content,
    encoding,
  });
}

/** GitHub follows a link to a file of the repository. */
function getSymlink(context: RepositoryRouteContext, tree: Sha, path: string, entry: TreeObjectEntry): ApiResponse {
  const { store } = context.state.github;
  const target = Buffer.from(readBlob(store, entry.sha) ?? []).toString('utf8');
  const resolved = posix.normalize(posix.join(posix.dirname(path), target));
  const followed = resolved.startsWith('..') ? undefined : findTreeEntry(store, tree, resolved);
  if (followed?.mode === '100644' || followed?.mode === '100755') return getFile(context, path, followed);
  return okResponse(context.state, { ...contentPayload(context, path, entry, 'symlink', target.length), target });
}

const ENTRY_TYPES = {
  '040000': 'dir',
  '160000': 'submodule',
  '120000': 'symlink',
  '100644': 'file',
  '100755': 'file',
} as const;

/** GitHub does not paginate directories and lists at most 1,000 entries. */
function getDirectory(context: RepositoryRouteContext, path: string, sha: Sha): ApiResponse {
  const { store } = context.state.github;
  const entries = [...(readDirectory(store, sha) ?? [])].slice(0, MAX_DIRECTORY_ENTRIES);
  return okResponse(
    context.state,
    entries.map(([name, entry]) => {
      const type = ENTRY_TYPES[entry.mode];
      const size = type === 'file' ? (readBlob(store, entry.sha)?.byteLength ?? 0) : 0;
      return contentPayload(context, path === '' ? name : `${path}/${name}`, entry, type, size);
    }),
  );
}

function contentPayload(
  context: RepositoryRouteContext,
  path: string,
  entry: TreeObjectEntry,
  type: string,
  size: number,
): object {
  const { state, repository, query } = context;
  const reference = query['ref'] ?? repository.defaultBranch;
  const encoded = path.split('/').map(encodeURIComponent).join('/');
  const self = `${repositoryApiUrl(state.github, repository)}/contents/${encoded}?ref=${encodeURIComponent(reference)}`;
  const git = `${repositoryApiUrl(state.github, repository)}/git/${type === 'dir' ? 'trees' : 'blobs'}/${entry.sha}`;
  const html = `${repositoryPageUrl(state.github, repository)}/${type === 'dir' ? 'tree' : 'blob'}/${reference}/${encoded}`;
  return {
    type,
    size,
    name: posix.basename(path),
    path,
    sha: entry.sha,
    url: self,
    git_url: git,
    html_url: html,
    download_url: type === 'file' ? `${repositoryPageUrl(state.github, repository)}/raw/${reference}/${encoded}` : null,
    _links: { self, git, html },
  };
}

/** Encodes bytes as GitHub does, with a newline after every 60 characters. */
export function encodeBase64(bytes: Uint8Array): string {
  return Buffer.from(bytes)
    .toString('base64')
    .replace(/.{1,60}/g, '$&\n');
}

/** Resolves a branch name, a ref (`heads/x`, `refs/heads/x`, `HEAD`) or a full SHA. */
export function resolveCommit(state: ServerState, repository: FakeRepository, reference: string): Sha | undefined {
  const branch = reference === 'HEAD' ? repository.defaultBranch : reference;
  for (const name of [branch, `refs/heads/${branch}`, `refs/${branch}`, `refs/tags/${branch}`]) {
    const sha = repository.refs.get(name);
    if (sha !== undefined) return sha;
  }
  return readGitCommit(state.github.store, reference) === undefined ? undefined : reference;
}
