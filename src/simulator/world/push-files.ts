import { putBlob } from '../git/blob.ts';
import { putCommit, readCommit } from '../git/commit-object.ts';
import type { Sha } from '../git/object-store.ts';
import type { TreeEntry } from '../git/tree-object.ts';
import { entryAt, updateTree } from '../git/trees.ts';
import type { PushFiles } from './inputs.ts';
import { mayWrite, tipOf } from './lookup.ts';
import { moveRef } from './move-ref.ts';
import type { Operation } from './outcome.ts';
import { pushRefusal } from './push-refusal.ts';
import { NOT_ALLOWED, NOT_FOUND } from './refusals.ts';
import { personSignature } from './signatures.ts';
import { done, recorded, refused } from './update.ts';

/**
 * A person's push of one commit onto a branch; a branch that is not there starts at the
 * default branch. Files keep their mode, null deletes. Needs write access.
 */
export const pushFiles: Operation<PushFiles, Sha> = (world, input, now) => {
  const repository = world.repositories.get(input.repositoryId);
  const account = world.accounts.get(input.actor.accountId);
  if (repository === undefined || account === undefined) return refused(world, NOT_FOUND);
  if (!mayWrite(repository, account.id)) return refused(world, NOT_ALLOWED);
  const before = tipOf(repository, input.branch);
  const parent = before ?? tipOf(repository, repository.defaultBranch) ?? '';
  const baseTree = readCommit(world.store, parent)?.tree;
  const changes = new Map<string, TreeEntry | null>();
  for (const [path, content] of input.files) {
    const mode = baseTree === undefined ? undefined : entryAt(world.store, baseTree, path)?.mode;
    changes.set(path, content === null ? null : { mode: mode ?? '100644', sha: putBlob(world.store, content) });
  }
  const tree = updateTree(world.store, baseTree, changes);
  const person = personSignature(world, account, now);
  const author = { ...person, ...input.author };
  const message = input.message ?? `Update ${[...input.files.keys()].join(', ')}`;
  const commit = { tree, parents: [parent], author, committer: person, signature: null, message };
  const sha = putCommit(world.store, commit);
  const move = { ref: `refs/heads/${input.branch}`, before: before ?? null, after: sha };
  const refusal = pushRefusal(world, repository, input.actor, move);
  if (refusal !== undefined) return refused(world, refusal);
  const committed = recorded(world, 'commit-created', input.actor, now, { repositoryId: repository.id, after: sha });
  const { state, events } = moveRef(committed, repository, input.actor, move, now);
  return done(state, sha, events);
};
