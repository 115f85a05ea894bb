import { isRecord } from '../../../src/lib/trust.ts';
import { type GitFileMode, isGitFileMode, readBlob, readGitCommit, type Sha } from '../git/objects.ts';
import { listTreeEntries, readDirectory, type TreeObjectEntry } from '../git/trees.ts';
import { needsPermission } from '../http/auth.ts';
import {
  type ApiResponse,
  errorResponse,
  invalidFieldResponse,
  notFoundResponse,
  okResponse,
  operationResponse,
  rawResponse,
} from '../http/http-messages.ts';
import type { GitIdentityInput, RepositoryTarget, TreeChangeInput } from '../operations/inputs.ts';
import { gitCommitPayload } from '../payloads/commits.ts';
import { repositoryApiUrl } from '../payloads/repositories.ts';
import type { FakeRepository, GitHubState } from '../state/github-state.ts';
import {
  type ApiRoute,
  acceptsRaw,
  createRepositoryRoute,
  type RepositoryRouteContext,
  readTextField,
  readTextParam,
} from './router.ts';

const READ = needsPermission('contents', 'read');

const WRITE = needsPermission('contents', 'write');

export const GIT_ROUTES: readonly ApiRoute[] = [
  createRepositoryRoute('GET /git/blobs/{file_sha}', READ, getBlob),
  createRepositoryRoute('POST /git/blobs', WRITE, createBlob),
  createRepositoryRoute('GET /git/trees/{tree_sha}', READ, getTree),
  createRepositoryRoute('POST /git/trees', WRITE, createTree),
  createRepositoryRoute('GET /git/commits/{commit_sha}', READ, getGitCommit),
  createRepositoryRoute('POST /git/commits', WRITE, createCommit),
  createRepositoryRoute('GET /git/ref/{ref}', READ, getRef),
  createRepositoryRoute('POST /git/refs', WRITE, createRef),
  createRepositoryRoute('PATCH /git/refs/{ref}', WRITE, updateRef),
];

function repositoryTarget(context: RepositoryRouteContext): RepositoryTarget {
  return { actor: context.actor, repositoryId: context.repository.id };
}

function getBlob(context: RepositoryRouteContext): ApiResponse {
  const { state, repository } = context;
  const sha = readTextParam(context, 'file_sha');
  const bytes = readBlob(state.github.store, sha);
  if (bytes === undefined) return notFoundResponse(state);
  if (acceptsRaw(context)) return rawResponse(state, bytes);
  const content = encodeBase64(bytes);
  const shared = { node_id: `B_${sha}`, url: blobApiUrl(state.github, repository, sha) };
  return okResponse(state, { sha, ...shared, size: bytes.byteLength, content, encoding: 'base64' });
}

function blobApiUrl(github: GitHubState, repository: FakeRepository, sha: Sha): string {
  return `${repositoryApiUrl(github, repository)}/git/blobs/${sha}`;
}

function createBlob(context: RepositoryRouteContext): ApiResponse {
  const content = readTextField(context, 'content');
  if (content === undefined) return invalidFieldResponse(context.state, 'Blob', 'content', 'missing_field');
  const bytes = Buffer.from(content, readTextField(context, 'encoding') === 'base64' ? 'base64' : 'utf8');
  const outcome = context.operations.createGitBlob(
    context.state.github,
    { ...repositoryTarget(context), bytes },
    context.now,
  );
  return operationResponse(context.state, outcome, 201, (after, sha) => ({
    sha,
    url: blobApiUrl(after.github, context.repository, sha),
  }));
}

/** As on GitHub, `tree_sha` can also be a commit, a branch or `HEAD`, and any value of `recursive` means true. */
function getTree(context: RepositoryRouteContext): ApiResponse {
  const { state, repository, query } = context;
  const { store } = state.github;
  const reference = readTextParam(context, 'tree_sha');
  const branch = reference === 'HEAD' ? repository.defaultBranch : reference;
  const commit = repository.refs.get(`refs/heads/${branch}`) ?? reference;
  const sha = readGitCommit(store, commit)?.tree ?? reference;
  const directory = readDirectory(store, sha);
  if (directory === undefined) return notFoundResponse(state);
  const entries = 'recursive' in query ? listTreeEntries(store, sha, 'with directories') : directory;
  return okResponse(state, treePayload(state.github, repository, sha, entries));
}

function treePayload(
  github: GitHubState,
  repository: FakeRepository,
  sha: Sha,
  entries: ReadonlyMap<string, TreeObjectEntry>,
): unknown {
  const url = `${repositoryApiUrl(github, repository)}/git`;
  const tree = [...entries].map(([path, entry]) => treeEntryPayload(github, url, path, entry));
  return { sha, url: `${url}/trees/${sha}`, tree, truncated: false };
}

function treeEntryPayload(github: GitHubState, url: string, path: string, { mode, sha }: TreeObjectEntry): unknown {
  if (mode === '040000') return { path, mode, type: 'tree', sha, url: `${url}/trees/${sha}` };
  if (mode === '160000') return { path, mode, type: 'commit', sha };
  return {
    path,
    mode,
    type: 'blob',
    sha,
    size: readBlob(github.store, sha)?.byteLength ?? 0,
    url: `${url}/blobs/${sha}`,
  };
}

function createTree(context: RepositoryRouteContext): ApiResponse {
  const entries = context.body['tree'];
  if (!Array.isArray(entries)) return invalidFieldResponse(context.state, 'Tree', 'tree', 'missing_field');
  const changes = entries.map(readTreeChange);
  if (!changes.every((change) => change !== undefined)) return errorResponse(context.state, 422, 'Invalid tree info');
  const baseTree = readTextField(context, 'base_tree');
  const input = { ...repositoryTarget(context), changes, ...(baseTree === undefined ? {} : { baseTree }) };
  const outcome = context.operations.createGitTree(context.state.github, input, context.now);
  return operationResponse(context.state, outcome, 201, ({ github }, sha) =>
    treePayload(github, context.repository, sha, readDirectory(github.store, sha) ?? new Map()),
  );
}

function readTreeChange(entry: unknown): TreeChangeInput | undefined {
  if (!isRecord(entry)) return undefined;
  const { path, sha, content } = entry;
  const mode = readMode(entry['mode']);
  if (typeof path !== 'string' || mode === undefined) return undefined;
  if (typeof content === 'string') return sha === undefined ? { path, mode, content } : undefined;
  return typeof sha === 'string' || sha === null ? { path, mode, sha } : undefined;
}

function readMode(mode: unknown): GitFileMode | undefined {
  return typeof mode === 'string' && isGitFileMode(mode) ? mode : undefined;
}

function getGitCommit(context: RepositoryRouteContext): ApiResponse {
  const commit = gitCommitPayload(context.state.github, context.repository, readTextParam(context, 'commit_sha'));
  return commit === undefined ? notFoundResponse(context.state) : okResponse(context.state, commit);
}

function createCommit(context: RepositoryRouteContext): ApiResponse {
  const message = readTextField(context, 'message');
  const tree = readTextField(context, 'tree');
  if (message === undefined || tree === undefined) {
    return invalidFieldResponse(context.state, 'Commit', message === undefined ? 'message' : 'tree', 'missing_field');
  }
  const parents = context.body['parents'];
  const author = readGitIdentity(context.body['author']);
  const committer = readGitIdentity(context.body['committer']);
  const input = {
    ...repositoryTarget(context),
    message,
    tree,
    parents: Array.isArray(parents) ? parents.map(String) : [],
    ...(author === undefined ? {} : { author }),
    ...(committer === undefined ? {} : { committer }),
  };
  const outcome = context.operations.createGitCommit(context.state.github, input, context.now);
  return operationResponse(context.state, outcome, 201, (after, sha) =>
    gitCommitPayload(after.github, context.repository, sha),
  );
}

function readGitIdentity(value: unknown): GitIdentityInput | undefined {
  if (!isRecord(value)) return undefined;
  const { name, email, date } = value;
  return { name: String(name), email: String(email), ...(typeof date === 'string' ? { date } : {}) };
}

function refPayload(context: RepositoryRouteContext, ref: string, sha: Sha): unknown {
  const url = `${repositoryApiUrl(context.state.github, context.repository)}/git`;
  const object = { type: 'commit', sha, url: `${url}/commits/${sha}` };
  return { ref, node_id: `REF_${context.repository.id}_${ref}`, url: `${url}/${ref}`, object };
}

function getRef(context: RepositoryRouteContext): ApiResponse {
  const ref = `refs/${readTextParam(context, 'ref')}`;
  const sha = context.repository.refs.get(ref);
  return sha === undefined ? notFoundResponse(context.state) : okResponse(context.state, refPayload(context, ref, sha));
}

function createRef(context: RepositoryRouteContext): ApiResponse {
  const ref = readTextField(context, 'ref');
  const sha = readTextField(context, 'sha');
  if (ref === undefined || sha === undefined) {
    return invalidFieldResponse(context.state, 'Reference', ref === undefined ? 'ref' : 'sha', 'missing_field');
  }
  const outcome = context.operations.createGitRef(
    context.state.github,
    { ...repositoryTarget(context), ref, sha },
    context.now,
  );
  return operationResponse(context.state, outcome, 201, () => refPayload(context, ref, sha));
}

function updateRef(context: RepositoryRouteContext): ApiResponse {
  const ref = `refs/${readTextParam(context, 'ref')}`;
  const sha = readTextField(context, 'sha');
  if (sha === undefined) return invalidFieldResponse(context.state, 'Reference', 'sha', 'missing_field');
  const input = { ...repositoryTarget(context), ref, sha, force: context.body['force'] === true };
  const outcome = context.operations.updateGitRef(context.state.github, input, context.now);
  return operationResponse(context.state, outcome, 200, () => refPayload(context, ref, sha));
}

/** Encodes bytes as GitHub does, with a newline after every 60 characters. */
function encodeBase64(bytes: Uint8Array): string {
  return Buffer.from(bytes)
    .toString('base64')
    .replace(/.{1,60}/g, '$&\n');
}
