import { isRecord } from '../../trust.ts';
import { readBlob } from '../git/blob.ts';
import { readCommit } from '../git/commit-object.ts';
import { type FileMode, isFileMode } from '../git/file-mode.ts';
import type { Sha } from '../git/object-store.ts';
import { readDirectory, type TreeEntry } from '../git/tree-object.ts';
import { listTree } from '../git/trees.ts';
import { gitCommitPayload } from '../payloads/commit-payload.ts';
import { apiUrl } from '../payloads/urls.ts';
import type { PersonInput, TreeChangeInput } from '../world/inputs.ts';
import type { Repository, World } from '../world/state.ts';
import { type Answer, invalidField, notFound, refused, shown, written } from './answer.ts';
import { type RepositoryCall, textField, textParam, wantsRaw } from './call.ts';
import { inLines } from './contents-handler.ts';
import { needs } from './permission-need.ts';
import { type Route, repositoryRoute } from './route.ts';

const READ = needs('contents', 'read');
const WRITE = needs('contents', 'write');

/** Git's own objects. */
export const GIT_ROUTES: readonly Route[] = [
  repositoryRoute('GET /git/blobs/{file_sha}', READ, showBlob),
  repositoryRoute('POST /git/blobs', WRITE, createBlob),
  repositoryRoute('GET /git/trees/{tree_sha}', READ, showTree),
  repositoryRoute('POST /git/trees', WRITE, createTree),
  repositoryRoute('GET /git/commits/{commit_sha}', READ, showCommit),
  repositoryRoute('POST /git/commits', WRITE, createCommit),
  repositoryRoute('GET /git/ref/{ref}', READ, showRef),
  repositoryRoute('POST /git/refs', WRITE, createRef),
  repositoryRoute('PATCH /git/refs/{ref}', WRITE, updateRef),
];

const RAW = 'application/vnd.github.raw; charset=utf-8';

function onRepository(call: RepositoryCall) {
  return { actor: call.actor, repositoryId: call.repository.id };
}

function showBlob(call: RepositoryCall): Answer {
  const { state, repository } = call;
  const sha = textParam(call, 'file_sha');
  const bytes = readBlob(state.world.store, sha);
  if (bytes === undefined) return notFound(state);
  if (wantsRaw(call)) return { status: 200, body: { kind: 'bytes', type: RAW, bytes }, state, events: [] };
  const content = inLines(Buffer.from(bytes).toString('base64'));
  const shared = { node_id: `B_${sha}`, url: blobUrl(state.world, repository, sha) };
  return shown(state, { sha, ...shared, size: bytes.byteLength, content, encoding: 'base64' });
}

function blobUrl(world: World, repository: Repository, sha: Sha): string {
  return `${apiUrl(world, repository)}/git/blobs/${sha}`;
}

function createBlob(call: RepositoryCall): Answer {
  const content = textField(call, 'content');
  if (content === undefined) return invalidField(call.state, 'Blob', 'content', 'missing_field');
  const bytes = Buffer.from(content, textField(call, 'encoding') === 'base64' ? 'base64' : 'utf8');
  const outcome = call.operations.createBlob(call.state.world, { ...onRepository(call), bytes }, call.now);
  return written(call.state, outcome, 201, (after, sha) => ({ sha, url: blobUrl(after.world, call.repository, sha) }));
}

/** Any commit or tree id will do, as on GitHub. `recursive` counts whatever its value is. */
function showTree(call: RepositoryCall): Answer {
  const { state, repository, query } = call;
  const { store } = state.world;
  const named = textParam(call, 'tree_sha');
  const commit = repository.refs.get(`refs/heads/${named}`) ?? named;
  const sha = readCommit(store, commit)?.tree ?? named;
  const directory = readDirectory(store, sha);
  if (directory === undefined) return notFound(state);
  const entries = 'recursive' in query ? listTree(store, sha, 'with directories') : directory;
  return shown(state, treeView(state.world, repository, sha, entries));
}

function treeView(world: World, repository: Repository, sha: Sha, entries: ReadonlyMap<string, TreeEntry>): unknown {
  const url = `${apiUrl(world, repository)}/git`;
  const tree = [...entries].map(([path, entry]) => entryView(world, url, path, entry));
  return { sha, url: `${url}/trees/${sha}`, tree, truncated: false };
}

function entryView(world: World, url: string, path: string, { mode, sha }: TreeEntry): unknown {
  if (mode === '040000') return { path, mode, type: 'tree', sha, url: `${url}/trees/${sha}` };
  if (mode === '160000') return { path, mode, type: 'commit', sha };
  return {
    path,
    mode,
    type: 'blob',
    sha,
    size: readBlob(world.store, sha)?.byteLength ?? 0,
    url: `${url}/blobs/${sha}`,
  };
}

function createTree(call: RepositoryCall): Answer {
  const given = call.body['tree'];
  if (!Array.isArray(given)) return invalidField(call.state, 'Tree', 'tree', 'missing_field');
  const changes = given.map(readChange);
  if (!changes.every((change) => change !== undefined)) return refused(call.state, 422, 'Invalid tree info');
  const baseTree = textField(call, 'base_tree');
  const input = { ...onRepository(call), changes, ...(baseTree === undefined ? {} : { baseTree }) };
  const outcome = call.operations.createTree(call.state.world, input, call.now);
  return written(call.state, outcome, 201, ({ world }, sha) =>
    treeView(world, call.repository, sha, readDirectory(world.store, sha) ?? new Map()),
  );
}

function readChange(entry: unknown): TreeChangeInput | undefined {
  if (!isRecord(entry)) return undefined;
  const { path, sha, content } = entry;
  const mode = readMode(entry['mode']);
  if (typeof path !== 'string' || mode === undefined) return undefined;
  if (typeof content === 'string') return sha === undefined ? { path, mode, content } : undefined;
  return typeof sha === 'string' || sha === null ? { path, mode, sha } : undefined;
}

function readMode(mode: unknown): FileMode | undefined {
  return typeof mode === 'string' && isFileMode(mode) ? mode : undefined;
}

function showCommit(call: RepositoryCall): Answer {
  const commit = gitCommitPayload(call.state.world, call.repository, textParam(call, 'commit_sha'));
  return commit === undefined ? notFound(call.state) : shown(call.state, commit);
}

function createCommit(call: RepositoryCall): Answer {
  const message = textField(call, 'message');
  const tree = textField(call, 'tree');
  if (message === undefined || tree === undefined) {
    return invalidField(call.state, 'Commit', message === undefined ? 'message' : 'tree', 'missing_field');
  }
  const parents = call.body['parents'];
  const author = readPerson(call.body['author']);
  const committer = readPerson(call.body['committer']);
  const input = {
    ...onRepository(call),
    message,
    tree,
    parents: Array.isArray(parents) ? parents.map(String) : [],
    ...(author === undefined ? {} : { author }),
    ...(committer === undefined ? {} : { committer }),
  };
  const outcome = call.operations.createCommit(call.state.world, input, call.now);
  return written(call.state, outcome, 201, (after, sha) => gitCommitPayload(after.world, call.repository, sha));
}

function readPerson(value: unknown): PersonInput | undefined {
  if (!isRecord(value)) return undefined;
  const { name, email, date } = value;
  return { name: String(name), email: String(email), ...(typeof date === 'string' ? { date } : {}) };
}

function refView(call: RepositoryCall, ref: string, sha: Sha): unknown {
  const url = `${apiUrl(call.state.world, call.repository)}/git`;
  const object = { type: 'commit', sha, url: `${url}/commits/${sha}` };
  return { ref, node_id: `REF_${call.repository.id}_${ref}`, url: `${url}/${ref}`, object };
}

function showRef(call: RepositoryCall): Answer {
  const ref = `refs/${textParam(call, 'ref')}`;
  const sha = call.repository.refs.get(ref);
  return sha === undefined ? notFound(call.state) : shown(call.state, refView(call, ref, sha));
}

function createRef(call: RepositoryCall): Answer {
  const ref = textField(call, 'ref');
  const sha = textField(call, 'sha');
  if (ref === undefined || sha === undefined) {
    return invalidField(call.state, 'Reference', ref === undefined ? 'ref' : 'sha', 'missing_field');
  }
  const outcome = call.operations.createRef(call.state.world, { ...onRepository(call), ref, sha }, call.now);
  return written(call.state, outcome, 201, () => refView(call, ref, sha));
}

function updateRef(call: RepositoryCall): Answer {
  const ref = `refs/${textParam(call, 'ref')}`;
  const sha = textField(call, 'sha');
  if (sha === undefined) return invalidField(call.state, 'Reference', 'sha', 'missing_field');
  const input = { ...onRepository(call), ref, sha, force: call.body['force'] === true };
  const outcome = call.operations.updateRef(call.state.world, input, call.now);
  return written(call.state, outcome, 200, () => refView(call, ref, sha));
}
