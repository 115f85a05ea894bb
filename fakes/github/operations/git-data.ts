import { type GitSignature, putBlob, putGitCommit, readBlob, readGitCommit, type Sha } from '../git/objects.ts';
import { findTreeEntry, readDirectory, type TreeObjectEntry, updateTree } from '../git/trees.ts';
import { createGitSignature, putWebFlowCommit } from '../state/commits.ts';
import type { FakeActor, FakeRepository, GitHubState } from '../state/github-state.ts';
import { canPush, findBranchHead } from '../state/lookup.ts';
import {
  ADMIN_RIGHTS_ERROR,
  type ApiError,
  NOT_FOUND_ERROR,
  type Operation,
  unprocessableError,
} from '../state/operation.ts';
import { refuseWith, succeedWith, toUnixSeconds, withAuditEntry } from '../state/update.ts';
import type {
  CreateBlobInput,
  CreateCommitInput,
  CreateCommitOnBranchInput,
  CreateTreeInput,
  GitIdentityInput,
  PushFilesInput,
  TreeChangeInput,
} from './inputs.ts';
import { applyRefUpdate, checkPushRules } from './refs.ts';

export const createGitBlob: Operation<CreateBlobInput, Sha> = (github, input, now) => {
  if (!github.repositories.has(input.repositoryId)) return refuseWith(github, NOT_FOUND_ERROR);
  const sha = putBlob(github.store, input.bytes);
  return succeedWith(
    withAuditEntry(github, 'blob-created', input.actor, now, { repositoryId: input.repositoryId, after: sha }),
    sha,
  );
};

/**
 * Stores a tree, based on `baseTree` if given. Without the `workflows` permission, GitHub answers 404 for a workflow
 * file.
 */
export const createGitTree: Operation<CreateTreeInput, Sha> = (github, input, now) => {
  if (!github.repositories.has(input.repositoryId)) return refuseWith(github, NOT_FOUND_ERROR);
  const problem = checkTree(github, input);
  if (problem !== undefined) return refuseWith(github, problem);
  const changes = input.changes.map((change) => [change.path, toTreeEntry(github, change)] as const);
  const sha = updateTree(github.store, input.baseTree, new Map(changes));
  return succeedWith(
    withAuditEntry(github, 'tree-created', input.actor, now, { repositoryId: input.repositoryId, after: sha }),
    sha,
  );
};

/** Stores a commit. Without author and committer the actor is the author, and GitHub commits and signs it. */
export const createGitCommit: Operation<CreateCommitInput, Sha> = (github, input, now) => {
  const account = github.accounts.get(input.actor.accountId);
  if (account === undefined || !github.repositories.has(input.repositoryId)) return refuseWith(github, NOT_FOUND_ERROR);
  if (readDirectory(github.store, input.tree) === undefined) {
    return refuseWith(github, unprocessableError('Tree SHA does not exist'));
  }
  if (input.parents.some((parent) => readGitCommit(github.store, parent) === undefined)) {
    return refuseWith(github, unprocessableError('Parent SHA does not exist or is not a commit object'));
  }
  const { message, tree, parents } = input;
  const self = createGitSignature(github, account, now);
  const author = input.author === undefined ? self : toGitSignature(input.author, now);
  const committer = input.committer === undefined ? author : toGitSignature(input.committer, now);
  const isByGitHub = input.author === undefined && input.committer === undefined;
  const sha = isByGitHub
    ? putWebFlowCommit(github, { tree, parents, message, author }, now)
    : putGitCommit(github.store, { tree, parents, message, author, committer, signature: null });
  return succeedWith(
    withAuditEntry(github, 'commit-created', input.actor, now, { repositoryId: input.repositoryId, after: sha }),
    sha,
  );
};

function checkTree(github: GitHubState, input: CreateTreeInput): ApiError | undefined {
  if (input.changes.length === 0) return unprocessableError('Invalid tree info');
  if (input.baseTree !== undefined && readDirectory(github.store, input.baseTree) === undefined) return NOT_FOUND_ERROR;
  for (const change of input.changes) {
    if (!isValidTreePath(change.path)) return unprocessableError('tree.path contains a malformed path component');
    if (lacksWorkflowPermission(github, input.actor, change.path)) return NOT_FOUND_ERROR;
    if (!canApplyChange(github, input.baseTree, change)) return unprocessableError('GitRPC::BadObjectState');
    if (typeof change.sha === 'string' && !hasObjectOfMode(github, change, change.sha)) {
      return unprocessableError(`tree.sha ${change.sha} is not a valid ${objectTypeOf(change)}`);
    }
  }
  return undefined;
}

/** Only existing paths can be deleted. */
function canApplyChange(github: GitHubState, baseTree: Sha | undefined, change: TreeChangeInput): boolean {
  if (change.sha !== null) return true;
  return baseTree !== undefined && findTreeEntry(github.store, baseTree, change.path) !== undefined;
}

function hasObjectOfMode(github: GitHubState, change: TreeChangeInput, sha: Sha): boolean {
  if (change.mode === '160000') return true;
  return change.mode === '040000'
    ? readDirectory(github.store, sha) !== undefined
    : readBlob(github.store, sha) !== undefined;
}

function objectTypeOf({ mode }: TreeChangeInput): 'tree' | 'blob' {
  return mode === '040000' ? 'tree' : 'blob';
}

function toTreeEntry(github: GitHubState, { mode, sha, content }: TreeChangeInput): TreeObjectEntry | null {
  if (sha === null) return null;
  return { mode, sha: sha ?? putBlob(github.store, content ?? '') };
}

function toGitSignature({ name, email, date }: GitIdentityInput, now: number): GitSignature {
  return { name, email, seconds: toUnixSeconds(date === undefined ? now : Date.parse(date)) };
}

/**
 * Commits files if the branch still points at `expectedHeadOid`. The mutation has no field for the mode: an
 * executable file stays one, all others get 100644.
 */
export const createCommitOnBranch: Operation<CreateCommitOnBranchInput, Sha> = (github, input, now) => {
  const repository = github.repositories.get(input.repositoryId);
  const account = github.accounts.get(input.actor.accountId);
  if (repository === undefined || account === undefined) return refuseWith(github, NOT_FOUND_ERROR);
  const problem = checkCommitOnBranch(github, repository, input);
  if (problem !== undefined) return refuseWith(github, problem);
  const parent = input.expectedHeadOid;
  const baseTree = readGitCommit(github.store, parent)?.tree;
  const tree = updateTree(github.store, baseTree, toTreeChanges(github, baseTree, input));
  const message = input.body === undefined || input.body === '' ? input.headline : `${input.headline}\n\n${input.body}`;
  const author = createGitSignature(github, account, now);
  const sha = putWebFlowCommit(github, { tree, parents: [parent], message, author }, now);
  const refUpdate = { ref: `refs/heads/${input.branch}`, before: parent, after: sha };
  const refusal = checkPushRules(github, repository, input.actor, refUpdate);
  if (refusal !== undefined) return refuseWith(github, refusal);
  const details = { repositoryId: repository.id, after: sha };
  const committed = withAuditEntry(github, 'commit-created', input.actor, now, details);
  const { state, events } = applyRefUpdate(committed, repository, input.actor, refUpdate, now);
  return succeedWith(state, sha, events);
};

function checkCommitOnBranch(
  github: GitHubState,
  repository: FakeRepository,
  input: CreateCommitOnBranchInput,
): ApiError | undefined {
  const head = findBranchHead(repository, input.branch);
  if (head === undefined)
    return { ...NOT_FOUND_ERROR, message: `Could not resolve to a Ref with the name '${input.branch}'.` };
  if (head !== input.expectedHeadOid) return staleDataError(input.expectedHeadOid);
  const paths = [...input.additions.map(({ path }) => path), ...input.deletions];
  const malformed = paths.find((path) => !isValidTreePath(path));
  if (malformed !== undefined) return unprocessableError(`A path was requested which is malformed: ${malformed}`);
  const workflow = paths.find((path) => lacksWorkflowPermission(github, input.actor, path));
  if (workflow !== undefined) return workflowPermissionError(workflow);
  const tree = readGitCommit(github.store, head)?.tree ?? '';
  const missing = input.deletions.find((path) => findTreeEntry(github.store, tree, path) === undefined);
  if (missing === undefined) return undefined;
  return unprocessableError(
    `A path was requested for deletion which does not exist as of commit oid \`${head}\`: ${missing}`,
  );
}

function staleDataError(expected: Sha): ApiError {
  const message = `Expected branch to point to "${expected}" but it did not.  Pull and try again.`;
  return { status: 409, type: 'STALE_DATA', message };
}

function workflowPermissionError(path: string): ApiError {
  const message = `refusing to allow a GitHub App to create or update workflow \`${path}\` without \`workflows\` permission`;
  return { status: 403, type: 'FORBIDDEN', message };
}

function toTreeChanges(
  github: GitHubState,
  baseTree: Sha | undefined,
  input: CreateCommitOnBranchInput,
): ReadonlyMap<string, TreeObjectEntry | null> {
  const changes = new Map<string, TreeObjectEntry | null>();
  for (const path of input.deletions) changes.set(path, null);
  for (const { path, bytes } of input.additions) {
    const mode = modeAt(github, baseTree, path) === '100755' ? '100755' : '100644';
    changes.set(path, { mode, sha: putBlob(github.store, bytes) });
  }
  return changes;
}

/** The mode of an existing file; that of a plain file for a new one. */
function modeAt({ store }: GitHubState, tree: Sha | undefined, path: string): TreeObjectEntry['mode'] {
  const entry = tree === undefined ? undefined : findTreeEntry(store, tree, path);
  return entry?.mode ?? '100644';
}

/**
 * Pushes one commit to a branch. A new branch starts at the default branch. Existing files keep their mode; null deletes
 * a file.
 */
export const pushFiles: Operation<PushFilesInput, Sha> = (github, input, now) => {
  const repository = github.repositories.get(input.repositoryId);
  const account = github.accounts.get(input.actor.accountId);
  if (repository === undefined || account === undefined) return refuseWith(github, NOT_FOUND_ERROR);
  if (!canPush(repository, account.id)) return refuseWith(github, ADMIN_RIGHTS_ERROR);
  const before = findBranchHead(repository, input.branch);
  const parent = before ?? findBranchHead(repository, repository.defaultBranch) ?? '';
  const baseTree = readGitCommit(github.store, parent)?.tree;
  const changes = new Map<string, TreeObjectEntry | null>();
  for (const [path, content] of input.files) {
    const mode = modeAt(github, baseTree, path);
    changes.set(path, content === null ? null : { mode, sha: putBlob(github.store, content) });
  }
  const tree = updateTree(github.store, baseTree, changes);
  const person = createGitSignature(github, account, now);
  const author = { ...person, ...input.author };
  const message = input.message ?? `Update ${[...input.files.keys()].join(', ')}`;
  const commit = { tree, parents: [parent], author, committer: person, signature: null, message };
  const sha = putGitCommit(github.store, commit);
  const refUpdate = { ref: `refs/heads/${input.branch}`, before: before ?? null, after: sha };
  const refusal = checkPushRules(github, repository, input.actor, refUpdate);
  if (refusal !== undefined) return refuseWith(github, refusal);
  const committed = withAuditEntry(github, 'commit-created', input.actor, now, {
    repositoryId: repository.id,
    after: sha,
  });
  const { state, events } = applyRefUpdate(committed, repository, input.actor, refUpdate, now);
  return succeedWith(state, sha, events);
};

/** Whether git accepts a path in a tree: no empty, `.`, `..` or `.git` segment. */
function isValidTreePath(path: string): boolean {
  return path.split('/').every((part) => part !== '' && part !== '.' && part !== '..' && part.toLowerCase() !== '.git');
}

/** Apps need the `workflows` permission for workflow files; people do not. */
function lacksWorkflowPermission(github: GitHubState, actor: FakeActor, path: string): boolean {
  if (!path.startsWith('.github/workflows/') || actor.viaAppId === null) return false;
  return github.apps.get(actor.viaAppId)?.permissions['workflows'] !== 'write';
}
