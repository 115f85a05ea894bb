import { createHash } from 'node:crypto';
import { readBlob } from '../git/blob.ts';
import { readCommit } from '../git/commit-object.ts';
import { listTree } from '../git/trees.ts';
import type { Repository } from '../world/state.ts';
import { type Answer, notFound } from './answer.ts';
import { type RepositoryCall, textParam } from './call.ts';
import { commitAt } from './commit-at.ts';
import type { GitHubState } from './github-state.ts';
import { type ArchivedFile, tarball } from './tarball.ts';
import type { Target } from './wire.ts';

/** Links to archives are open to whoever has them, so GitHub lets them live five minutes only. */
const LIFETIME = 5 * 60 * 1000;
const PATH = /^\/codeload\/(\d+)\/([0-9a-f]{40})\.tar\.gz$/;

/** 302 to a signed link. */
export function redirectToArchive(call: RepositoryCall): Answer {
  const sha = commitAt(call.state, call.repository, textParam(call, 'ref'));
  if (sha === undefined) return notFound(call.state);
  const path = `/codeload/${call.repository.id}/${sha}.tar.gz`;
  const expires = call.now + LIFETIME;
  const origin = new URL(call.state.world.site.api).origin;
  const location = `${origin}${path}?expires=${expires}&token=${signature(path, expires)}`;
  return { status: 302, body: { kind: 'none' }, headers: { location }, state: call.state, events: [] };
}

/** The archive behind a signed link, or undefined when the path is no such link. */
export function serveArchive(method: string, target: Target, state: GitHubState, now: number): Answer | undefined {
  const match = method === 'GET' ? PATH.exec(target.path) : null;
  if (match === null) return undefined;
  const expires = Number(target.query['expires']);
  const repository = state.world.repositories.get(Number(match[1]));
  const genuine = target.query['token'] === signature(target.path, expires);
  if (!genuine || expires < now || repository === undefined) return notFound(state);
  const bytes = archiveOf(state, repository, match[2] ?? '');
  if (bytes === undefined) return notFound(state);
  return { status: 200, body: { kind: 'bytes', type: 'application/x-gzip', bytes }, state, events: [] };
}

/** The simulator keeps no secrets; the link only has to break when it is changed. */
function signature(path: string, expires: number): string {
  return createHash('sha256').update(`archive ${path} ${expires}`).digest('hex').slice(0, 40).toUpperCase();
}

function archiveOf(state: GitHubState, repository: Repository, sha: string): Uint8Array | undefined {
  const { store, accounts } = state.world;
  const commit = readCommit(store, sha);
  if (commit === undefined) return undefined;
  const files: readonly ArchivedFile[] = [...listTree(store, commit.tree)].map(([path, entry]) => ({
    path,
    mode: entry.mode,
    bytes: readBlob(store, entry.sha) ?? new Uint8Array(),
  }));
  const owner = accounts.get(repository.ownerId)?.login ?? '';
  return tarball(`${owner}-${repository.name}-${sha.slice(0, 7)}`, files, commit.committer.seconds);
}
