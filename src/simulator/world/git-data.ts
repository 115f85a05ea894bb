import { putBlob, readBlob } from '../git/blob.ts';
import { putCommit, readCommit, type Signature } from '../git/commit-object.ts';
import type { Sha } from '../git/object-store.ts';
import { readDirectory, type TreeEntry } from '../git/tree-object.ts';
import { entryAt, updateTree } from '../git/trees.ts';
import type { CreateBlob, CreateCommit, CreateTree, PersonInput, TreeChangeInput } from './inputs.ts';
import type { ApiError, Operation } from './outcome.ts';
import { NOT_FOUND, unprocessable } from './refusals.ts';
import { personSignature, putGitHubCommit } from './signatures.ts';
import type { World } from './state.ts';
import { secondsOf } from './timestamp.ts';
import { done, recorded, refused } from './update.ts';
import { isTreePath, lacksWorkflowPermission } from './written-path.ts';

/** Stores a blob. */
export const createBlob: Operation<CreateBlob, Sha> = (world, input, now) => {
  if (!world.repositories.has(input.repositoryId)) return refused(world, NOT_FOUND);
  const sha = putBlob(world.store, input.bytes);
  return done(recorded(world, 'blob-created', input.actor, now, { repositoryId: input.repositoryId, after: sha }), sha);
};

/** Stores a tree, from nothing or from `baseTree`. Workflow files need their own permission: 404 without. */
export const createTree: Operation<CreateTree, Sha> = (world, input, now) => {
  if (!world.repositories.has(input.repositoryId)) return refused(world, NOT_FOUND);
  const problem = treeProblem(world, input);
  if (problem !== undefined) return refused(world, problem);
  const changes = input.changes.map((change) => [change.path, entryOf(world, change)] as const);
  const sha = updateTree(world.store, input.baseTree, new Map(changes));
  return done(recorded(world, 'tree-created', input.actor, now, { repositoryId: input.repositoryId, after: sha }), sha);
};

/** Stores a commit. Without author and committer it is the actor's, committed and signed by GitHub. */
export const createCommit: Operation<CreateCommit, Sha> = (world, input, now) => {
  const account = world.accounts.get(input.actor.accountId);
  if (account === undefined || !world.repositories.has(input.repositoryId)) return refused(world, NOT_FOUND);
  if (readDirectory(world.store, input.tree) === undefined) {
    return refused(world, unprocessable('Tree SHA does not exist'));
  }
  if (input.parents.some((parent) => readCommit(world.store, parent) === undefined)) {
    return refused(world, unprocessable('Parent SHA does not exist or is not a commit object'));
  }
  const { message, tree, parents } = input;
  const self = personSignature(world, account, now);
  const author = input.author === undefined ? self : signatureOf(input.author, now);
  const committer = input.committer === undefined ? author : signatureOf(input.committer, now);
  const plain = input.author === undefined && input.committer === undefined;
  const sha = plain
    ? putGitHubCommit(world, { tree, parents, message, author }, now)
    : putCommit(world.store, { tree, parents, message, author, committer, signature: null });
  return done(
    recorded(world, 'commit-created', input.actor, now, { repositoryId: input.repositoryId, after: sha }),
    sha,
  );
};

function treeProblem(world: World, input: CreateTree): ApiError | undefined {
  if (input.changes.length === 0) return unprocessable('Invalid tree info');
  if (input.baseTree !== undefined && readDirectory(world.store, input.baseTree) === undefined) return NOT_FOUND;
  for (const change of input.changes) {
    if (!isTreePath(change.path)) return unprocessable('tree.path contains a malformed path component');
    if (lacksWorkflowPermission(world, input.actor, change.path)) return NOT_FOUND;
    if (!isApplicable(world, input.baseTree, change)) return unprocessable('GitRPC::BadObjectState');
    if (typeof change.sha === 'string' && !objectFits(world, change, change.sha)) {
      return unprocessable(`tree.sha ${change.sha} is not a valid ${typeOf(change)}`);
    }
  }
  return undefined;
}

/** Only what is there can be deleted. */
function isApplicable(world: World, baseTree: Sha | undefined, change: TreeChangeInput): boolean {
  if (change.sha !== null) return true;
  return baseTree !== undefined && entryAt(world.store, baseTree, change.path) !== undefined;
}

function objectFits(world: World, change: TreeChangeInput, sha: Sha): boolean {
  if (change.mode === '160000') return true;
  return change.mode === '040000'
    ? readDirectory(world.store, sha) !== undefined
    : readBlob(world.store, sha) !== undefined;
}

function typeOf({ mode }: TreeChangeInput): 'tree' | 'blob' {
  return mode === '040000' ? 'tree' : 'blob';
}

function entryOf(world: World, { mode, sha, content }: TreeChangeInput): TreeEntry | null {
  if (sha === null) return null;
  return { mode, sha: sha ?? putBlob(world.store, content ?? '') };
}

function signatureOf({ name, email, date }: PersonInput, now: number): Signature {
  return { name, email, seconds: secondsOf(date === undefined ? now : Date.parse(date)) };
}
