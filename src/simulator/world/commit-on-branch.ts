import { putBlob } from '../git/blob.ts';
import { readCommit } from '../git/commit-object.ts';
import type { Sha } from '../git/object-store.ts';
import type { TreeEntry } from '../git/tree-object.ts';
import { entryAt, updateTree } from '../git/trees.ts';
import type { CreateCommitOnBranch } from './inputs.ts';
import { tipOf } from './lookup.ts';
import { moveRef } from './move-ref.ts';
import type { ApiError, Operation } from './outcome.ts';
import { pushRefusal } from './push-refusal.ts';
import { NOT_FOUND, unprocessable } from './refusals.ts';
import { personSignature, putGitHubCommit } from './signatures.ts';
import type { Repository, World } from './state.ts';
import { done, recorded, refused } from './update.ts';
import { isTreePath, lacksWorkflowPermission } from './written-path.ts';

/**
 * Commits files on a branch if, and only if, it still points at `expectedHeadOid`. Every file
 * written becomes a plain one (100644): the mutation cannot say a mode, and GitHub promises none.
 */
export const createCommitOnBranch: Operation<CreateCommitOnBranch, Sha> = (world, input, now) => {
  const repository = world.repositories.get(input.repositoryId);
  const account = world.accounts.get(input.actor.accountId);
  if (repository === undefined || account === undefined) return refused(world, NOT_FOUND);
  const problem = writeProblem(world, repository, input);
  if (problem !== undefined) return refused(world, problem);
  const parent = input.expectedHeadOid;
  const tree = updateTree(world.store, readCommit(world.store, parent)?.tree, changesOf(world, input));
  const message = input.body === undefined || input.body === '' ? input.headline : `${input.headline}\n\n${input.body}`;
  const author = personSignature(world, account, now);
  const sha = putGitHubCommit(world, { tree, parents: [parent], message, author }, now);
  const move = { ref: `refs/heads/${input.branch}`, before: parent, after: sha };
  const refusal = pushRefusal(world, repository, input.actor, move);
  if (refusal !== undefined) return refused(world, refusal);
  const about = { repositoryId: repository.id, after: sha };
  const committed = recorded(world, 'commit-created', input.actor, now, about);
  const { state, events } = moveRef(committed, repository, input.actor, move, now);
  return done(state, sha, events);
};

function writeProblem(world: World, repository: Repository, input: CreateCommitOnBranch): ApiError | undefined {
  const head = tipOf(repository, input.branch);
  if (head === undefined)
    return { ...NOT_FOUND, message: `Could not resolve to a Ref with the name '${input.branch}'.` };
  if (head !== input.expectedHeadOid) return staleData(input.expectedHeadOid);
  const paths = [...input.additions.map(({ path }) => path), ...input.deletions];
  const malformed = paths.find((path) => !isTreePath(path));
  if (malformed !== undefined) return unprocessable(`A path was requested which is malformed: ${malformed}`);
  const workflow = paths.find((path) => lacksWorkflowPermission(world, input.actor, path));
  if (workflow !== undefined) return workflowRefusal(workflow);
  const tree = readCommit(world.store, head)?.tree ?? '';
  const missing = input.deletions.find((path) => entryAt(world.store, tree, path) === undefined);
  if (missing === undefined) return undefined;
  return unprocessable(
    `A path was requested for deletion which does not exist as of commit oid \`${head}\`: ${missing}`,
  );
}

function staleData(expected: Sha): ApiError {
  const message = `Expected branch to point to "${expected}" but it did not. Pull and try again.`;
  return { status: 409, type: 'STALE_DATA', message };
}

function workflowRefusal(path: string): ApiError {
  const message = `refusing to allow a GitHub App to create or update workflow \`${path}\` without \`workflows\` permission`;
  return { status: 403, type: 'FORBIDDEN', message };
}

function changesOf(world: World, input: CreateCommitOnBranch): ReadonlyMap<string, TreeEntry | null> {
  const changes = new Map<string, TreeEntry | null>();
  for (const path of input.deletions) changes.set(path, null);
  for (const { path, bytes } of input.additions)
    changes.set(path, { mode: '100644', sha: putBlob(world.store, bytes) });
  return changes;
}
