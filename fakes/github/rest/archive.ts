import { createHash } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { type GitFileMode, readBlob, readGitCommit } from '../git/objects.ts';
import { listTreeEntries } from '../git/trees.ts';
import { type ApiResponse, notFoundResponse, type RequestTarget } from '../http/http-messages.ts';
import type { ServerState } from '../http/server-state.ts';
import type { FakeRepository } from '../state/github-state.ts';
import { resolveCommit } from '../state/lookup.ts';
import { type RepositoryRouteContext, readTextParam } from './router.ts';

/** GitHub’s archive links need no token and expire after 5 minutes. */
const LINK_LIFETIME_MS = 5 * 60 * 1000;

const ARCHIVE_PATH = /^\/codeload\/(\d+)\/([0-9a-f]{40})\.tar\.gz$/;

/** Redirects to a signed link. */
export function redirectToArchive(context: RepositoryRouteContext): ApiResponse {
  const sha = resolveCommit(context.state.github, context.repository, readTextParam(context, 'ref'));
  if (sha === undefined) return notFoundResponse(context.state);
  const path = `/codeload/${context.repository.id}/${sha}.tar.gz`;
  const expires = context.now + LINK_LIFETIME_MS;
  const origin = new URL(context.state.github.host.apiUrl).origin;
  const location = `${origin}${path}?expires=${expires}&token=${signLink(path, expires)}`;
  return { status: 302, body: { kind: 'none' }, headers: { location }, state: context.state, events: [] };
}

/** Returns the archive of a signed link; undefined for any other path. */
export function serveArchive(
  method: string,
  target: RequestTarget,
  state: ServerState,
  now: number,
): ApiResponse | undefined {
  const match = method === 'GET' ? ARCHIVE_PATH.exec(target.path) : null;
  if (match === null) return undefined;
  const expires = Number(target.query['expires']);
  const repository = state.github.repositories.get(Number(match[1]));
  const isSigned = target.query['token'] === signLink(target.path, expires);
  if (!isSigned || expires < now || repository === undefined) return notFoundResponse(state);
  const bytes = createArchive(state, repository, match[2] ?? '');
  if (bytes === undefined) return notFoundResponse(state);
  return { status: 200, body: { kind: 'bytes', type: 'application/x-gzip', bytes }, state, events: [] };
}

/** The signature uses no key, because it only has to detect a changed link. */
function signLink(path: string, expires: number): string {
  return createHash('sha256').update(`archive ${path} ${expires}`).digest('hex').slice(0, 40).toUpperCase();
}

function createArchive(state: ServerState, repository: FakeRepository, sha: string): Uint8Array | undefined {
  const { store, accounts } = state.github;
  const commit = readGitCommit(store, sha);
  if (commit === undefined) return undefined;
  const files: readonly ArchivedFile[] = [...listTreeEntries(store, commit.tree)].map(([path, entry]) => ({
    path,
    mode: entry.mode,
    bytes: readBlob(store, entry.sha) ?? new Uint8Array(),
  }));
  const owner = accounts.get(repository.ownerId)?.login ?? '';
  return createTarball(`${owner}-${repository.name}-${sha.slice(0, 7)}`, files, commit.committer.seconds);
}

/** A file of the archive. `bytes` are the target of a symbolic link; a submodule becomes an empty directory. */
type ArchivedFile = { readonly path: string; readonly mode: GitFileMode; readonly bytes: Uint8Array };

const BLOCK_BYTES = 512;

const MAX_NAME_BYTES = 100;

/** Creates a gzipped ustar archive with all paths below `directory`; `mtime` is in seconds. */
export function createTarball(directory: string, files: readonly ArchivedFile[], mtime: number): Uint8Array {
  const entries = files.flatMap((file) => entryBlocks(`${directory}/${file.path}`, file, mtime));
  const root = createHeader(`${directory}/`, '5', '0000775', 0, mtime, '');
  return gzipSync(Buffer.concat([root, ...entries, Buffer.alloc(2 * BLOCK_BYTES)]));
}

function entryBlocks(path: string, file: ArchivedFile, mtime: number): readonly Uint8Array[] {
  const extended = createPathRecord(path, mtime);
  switch (file.mode) {
    case '040000':
      return [];
    case '160000':
      return [...extended, createHeader(`${path}/`, '5', '0000775', 0, mtime, '')];
    case '120000':
      return [...extended, createHeader(path, '2', '0000777', 0, mtime, Buffer.from(file.bytes).toString('utf8'))];
    case '100644':
    case '100755': {
      const mode = file.mode === '100755' ? '0000775' : '0000664';
      return [...extended, createHeader(path, '0', mode, file.bytes.byteLength, mtime, ''), padToBlock(file.bytes)];
    }
  }
}

/** Creates an extended header for a path that is too long for the normal header. */
function createPathRecord(path: string, mtime: number): readonly Uint8Array[] {
  if (Buffer.byteLength(path) <= MAX_NAME_BYTES) return [];
  const body = ` path=${path}\n`;
  let length = Buffer.byteLength(body) + 1;
  while (String(length).length + Buffer.byteLength(body) !== length) length += 1;
  const record = Buffer.from(`${length}${body}`);
  return [createHeader('pax_header', 'x', '0000664', record.byteLength, mtime, ''), padToBlock(record)];
}

function createHeader(name: string, type: string, mode: string, size: number, mtime: number, link: string): Uint8Array {
  const block = Buffer.alloc(BLOCK_BYTES);
  block.write(name, 0, MAX_NAME_BYTES, 'utf8');
  block.write(`${mode}\0`, 100, 'ascii');
  block.write('0000000\0', 108, 'ascii');
  block.write('0000000\0', 116, 'ascii');
  block.write(`${formatOctal(size, 11)}\0`, 124, 'ascii');
  block.write(`${formatOctal(mtime, 11)}\0`, 136, 'ascii');
  block.write('        ', 148, 'ascii');
  block.write(type, 156, 'ascii');
  block.write(link, 157, MAX_NAME_BYTES, 'utf8');
  block.write('ustar\x0000root', 257, 'ascii');
  block.write('root', 297, 'ascii');
  const sum = block.reduce((total, byte) => total + byte, 0);
  block.write(`${formatOctal(sum, 6)}\0 `, 148, 'ascii');
  return block;
}

function formatOctal(value: number, width: number): string {
  return Math.max(0, Math.floor(value)).toString(8).padStart(width, '0');
}

function padToBlock(bytes: Uint8Array): Uint8Array {
  const block = Buffer.alloc(Math.ceil(bytes.byteLength / BLOCK_BYTES) * BLOCK_BYTES);
  block.set(bytes);
  return block;
}
