import { posix } from 'node:path';
import { readBlob } from '../git/blob.ts';
import { readCommit } from '../git/commit-object.ts';
import type { Sha } from '../git/object-store.ts';
import { readDirectory, type TreeEntry } from '../git/tree-object.ts';
import { entryAt } from '../git/trees.ts';
import { apiUrl, pageUrl } from '../payloads/urls.ts';
import { type Answer, notFound, refused, shown } from './answer.ts';
import { type RepositoryCall, textParam, wantsRaw } from './call.ts';
import { commitAt } from './commit-at.ts';

const RAW = 'application/vnd.github.raw; charset=utf-8';
/** Above this a file's content is left out of JSON. */
const LARGEST_IN_JSON = 1_000_000;
const LARGEST_DIRECTORY = 1_000;

/** `GET contents/{path}`: a file (JSON or raw), a link (followed when it stays inside), a submodule, or a directory. */
export function showContents(call: RepositoryCall): Answer {
  const { state, repository, query } = call;
  const reference = query['ref'] ?? repository.defaultBranch;
  const commit = commitAt(state, repository, reference);
  if (commit === undefined) return refused(state, 404, `No commit found for the ref ${reference}`);
  const tree = readCommit(state.world.store, commit)?.tree ?? '';
  const path = textParam(call, 'path').replace(/^\/+|\/+$/g, '');
  const entry = path === '' ? { mode: '040000' as const, sha: tree } : entryAt(state.world.store, tree, path);
  if (entry === undefined) return notFound(state);
  return answerFor(call, tree, path, entry);
}

function answerFor(call: RepositoryCall, tree: Sha, path: string, entry: TreeEntry): Answer {
  switch (entry.mode) {
    case '040000':
      return showDirectory(call, path, entry.sha);
    case '160000':
      return shown(call.state, { ...common(call, path, entry, 'submodule', 0), submodule_git_url: null });
    case '120000':
      return showLink(call, tree, path, entry);
    case '100644':
    case '100755':
      return showFile(call, path, entry);
  }
}

function showFile(call: RepositoryCall, path: string, entry: TreeEntry): Answer {
  const bytes = readBlob(call.state.world.store, entry.sha) ?? new Uint8Array();
  if (wantsRaw(call)) {
    return { status: 200, body: { kind: 'bytes', type: RAW, bytes }, state: call.state, events: [] };
  }
  const whole = bytes.byteLength <= LARGEST_IN_JSON;
  const content = whole ? inLines(Buffer.from(bytes).toString('base64')) : '';
  const encoding = whole ? 'base64' : 'none';
  return shown(call.state, { ...common(call, path, entry, 'file', bytes.byteLength), content, encoding });
}

function showLink(call: RepositoryCall, tree: Sha, path: string, entry: TreeEntry): Answer {
  const { store } = call.state.world;
  const target = Buffer.from(readBlob(store, entry.sha) ?? []).toString('utf8');
  const resolved = posix.normalize(posix.join(posix.dirname(path), target));
  const followed = resolved.startsWith('..') ? undefined : entryAt(store, tree, resolved);
  if (followed?.mode === '100644' || followed?.mode === '100755') return showFile(call, path, followed);
  return shown(call.state, { ...common(call, path, entry, 'symlink', target.length), target });
}

const TYPES = {
  '040000': 'dir',
  '160000': 'submodule',
  '120000': 'symlink',
  '100644': 'file',
  '100755': 'file',
} as const;

/** A directory's entries are no pages: the list is complete up to a thousand. */
function showDirectory(call: RepositoryCall, path: string, sha: Sha): Answer {
  const { store } = call.state.world;
  const entries = [...(readDirectory(store, sha) ?? [])].slice(0, LARGEST_DIRECTORY);
  return shown(
    call.state,
    entries.map(([name, entry]) => {
      const type = TYPES[entry.mode];
      const size = type === 'file' ? (readBlob(store, entry.sha)?.byteLength ?? 0) : 0;
      return common(call, path === '' ? name : `${path}/${name}`, entry, type, size);
    }),
  );
}

function common(call: RepositoryCall, path: string, entry: TreeEntry, type: string, size: number): object {
  const { state, repository, query } = call;
  const reference = query['ref'] ?? repository.defaultBranch;
  const encoded = path.split('/').map(encodeURIComponent).join('/');
  const self = `${apiUrl(state.world, repository)}/contents/${encoded}?ref=${encodeURIComponent(reference)}`;
  const git = `${apiUrl(state.world, repository)}/git/${type === 'dir' ? 'trees' : 'blobs'}/${entry.sha}`;
  const html = `${pageUrl(state.world, repository)}/${type === 'dir' ? 'tree' : 'blob'}/${reference}/${encoded}`;
  return {
    type,
    size,
    name: posix.basename(path),
    path,
    sha: entry.sha,
    url: self,
    git_url: git,
    html_url: html,
    download_url: type === 'file' ? `${pageUrl(state.world, repository)}/raw/${reference}/${encoded}` : null,
    _links: { self, git, html },
  };
}

/** GitHub breaks base64 into lines of sixty characters. */
export function inLines(base64: string): string {
  return base64.replace(/.{1,60}/g, '$&\n');
}
