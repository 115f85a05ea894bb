import type { BranchRule } from '../../policy/branch-rules.ts';
import type { PullFacts, ReviewComment } from '../../run/facts.ts';
import { SETTINGS_PATH } from '../../settings/read-settings.ts';
import { commitsBetween } from '../../simulator/git/ancestry.ts';
import { readBlob } from '../../simulator/git/blob.ts';
import { readCommit } from '../../simulator/git/commit-object.ts';
import type { ObjectStore, Sha } from '../../simulator/git/object-store.ts';
import { directoryOf } from '../../simulator/git/tree-object.ts';
import { roleOf, tipOf } from '../../simulator/world/lookup.ts';
import { pullFiles } from '../../simulator/world/pull-diff.ts';
import type { PullRequest, Repository, World } from '../../simulator/world/state.ts';
import type { CommitNote, GitHub, PullFile } from '../../worker/ports.ts';
import { GitHubFault } from '../../worker/ports.ts';
import { emptyTree, type TreeEntry } from './tree.ts';

/** A pull request as it stands in the simulated GitHub. */
export type Standing = { readonly world: World; readonly repository: Repository; readonly pull: PullRequest };

/** The App's own bot. */
export type Own = { readonly botId: number; readonly appId: number };

export function pullFacts({ world, repository, pull }: Standing): PullFacts {
  const author = world.accounts.get(pull.authorId);
  return {
    state: pull.merge !== null ? 'merged' : pull.state,
    draft: pull.draft,
    title: pull.title,
    author: author === undefined ? null : { id: author.id, login: author.login },
    baseRef: pull.base.branch,
    baseSha: pull.base.sha,
    headRef: pull.head.branch,
    headSha: pull.head.sha,
    fork: pull.head.repositoryId !== repository.id,
    changedFiles: pullFiles(world.store, pull).length,
  };
}

const PERMISSIONS = { admin: 'admin', write: 'write', read: 'read', none: 'none' } as const;

export function permissionOf(
  { world, repository }: Standing,
  login: string,
): Awaited<ReturnType<GitHub['permission']>> {
  const account = [...world.accounts.values()].find((one) => one.login === login);
  if (account?.type !== 'User') return { permission: 'none', userId: null };
  return { permission: PERMISSIONS[roleOf(repository, account.id).permission], userId: account.id };
}

export function settingsFile({ world, repository }: Standing): Awaited<ReturnType<GitHub['settingsFile']>> {
  const tip = tipOf(repository, repository.defaultBranch);
  const entry = tip === undefined ? undefined : treeAt(world.store, tip).get(SETTINGS_PATH);
  const bytes = entry === undefined ? undefined : readBlob(world.store, entry.sha);
  return bytes === undefined ? null : { kind: 'file', bytes };
}

/** Everything below a commit's root, directories included. */
export function treeAt(store: ObjectStore, commit: Sha): Map<string, TreeEntry> {
  const entries = emptyTree();
  const walk = (sha: Sha, prefix: string): void => {
    for (const [name, entry] of directoryOf(store, sha)) {
      const size = entry.mode === '040000' ? null : (readBlob(store, entry.sha)?.byteLength ?? null);
      entries.set(`${prefix}${name}`, { ...entry, size });
      if (entry.mode === '040000') walk(entry.sha, `${prefix}${name}/`);
    }
  };
  const found = readCommit(store, commit);
  if (found === undefined) throw new GitHubFault('no such commit', 404, null);
  walk(found.tree, '');
  return entries;
}

export function blobAt({ world }: Standing, sha: Sha): Uint8Array {
  const bytes = readBlob(world.store, sha);
  if (bytes === undefined) throw new GitHubFault('no such blob', 404, null);
  return bytes;
}

export function archiveAt(standing: Standing, commit: Sha): ReadonlyMap<string, Uint8Array> {
  const files = [...treeAt(standing.world.store, commit)].filter(([, { mode }]) => mode !== '040000');
  return new Map(files.map(([path, { sha }]) => [path, blobAt(standing, sha)]));
}

export function filesOf({ world, pull }: Standing): readonly PullFile[] {
  return pullFiles(world.store, pull).map(({ change, patch }) => ({
    path: change.path,
    status: change.status,
    patch: patch.text,
  }));
}

export function rulesOf({ repository }: Standing, branch: string): readonly BranchRule[] {
  return repository.rules
    .filter(({ branches }) => branches.includes('*') || branches.includes(branch))
    .flatMap(({ types, dismissesStaleReviews = false }) =>
      types.map((type) => ({ type, dismissesReviews: type === 'pull_request' && dismissesStaleReviews })),
    );
}

export function othersOn({ repository, pull }: Standing, branch: string): readonly number[] {
  return [...repository.pulls.values()]
    .filter(({ state, head }) => state === 'open' && head.branch === branch && head.repositoryId === repository.id)
    .filter(({ number }) => number !== pull.number)
    .map(({ number }) => number);
}

export function approvalsOf({ pull }: Standing): number {
  const verdicts = new Map([...pull.reviews.values()].map(({ authorId, state }) => [authorId, state]));
  return [...verdicts.values()].filter((state) => state === 'APPROVED').length;
}

/** Newest first; `head` is a commit or a branch. */
export function commitsOf({ world, repository }: Standing, base: Sha, head: string): readonly CommitNote[] {
  const tip = tipOf(repository, head) ?? head;
  if (readCommit(world.store, tip) === undefined) throw new GitHubFault('no such branch', 404, null);
  return [...commitsBetween(world.store, base, tip)].reverse().flatMap((sha) => {
    const commit = readCommit(world.store, sha);
    if (commit === undefined) return [];
    const author = /^(\d+)\+/.exec(commit.author.email)?.[1];
    const authorId = author === undefined ? null : Number(author);
    return [{ sha, parent: commit.parents[0] ?? null, message: commit.message, authorId }];
  });
}

export function reviewComments({ pull }: Standing, reviewId: number): readonly ReviewComment[] {
  return [...pull.reviewComments.values()]
    .filter((comment) => comment.reviewId === reviewId)
    .map(({ id, inReplyToId, body, updatedAt }) => ({ rootId: inReplyToId ?? id, body, updatedAt }));
}
