import type { JsonObject } from '../../lib/json.ts';
import { readGitCommit, type Sha } from '../git/objects.ts';
import { type TreeObjectEntry, updateTree } from '../git/trees.ts';
import { createPullRequestEvent } from '../payloads/webhook-events.ts';
import type { AuditAction } from '../state/audit-log.ts';
import { createGitSignature, diffCommits, findForkPoint, putWebFlowCommit } from '../state/commits.ts';
import type {
  FakeAccount,
  FakePullBranch,
  FakePullRequest,
  FakeRepository,
  GitHubState,
} from '../state/github-state.ts';
import { canPush, findBranchHead, type LocatedPull, locatePull } from '../state/lookup.ts';
import {
  ADMIN_RIGHTS_ERROR,
  type ApiError,
  NOT_FOUND_ERROR,
  type Operation,
  type OperationResult,
  validationError,
} from '../state/operation.ts';
import {
  allocateId,
  createNodeId,
  formatTimestamp,
  putPull,
  putRepository,
  refuseWith,
  succeedWith,
  withAuditEntry,
} from '../state/update.ts';
import type { CreatePullRequestInput, EditPullRequestInput, MergePullRequestInput, PullTarget } from './inputs.ts';
import { applyRefUpdate, withClosedState, withHead } from './refs.ts';

/** Opens a pull request. The head must have a commit that is not in the base. */
export const createPullRequest: Operation<CreatePullRequestInput, FakePullRequest> = (github, input, now) => {
  const repository = github.repositories.get(input.repositoryId);
  if (repository === undefined) return refuseWith(github, NOT_FOUND_ERROR);
  const base = resolveBranch(repository, input.base ?? repository.defaultBranch);
  const head = resolveHead(github, repository, input.head);
  if (base === undefined || head === undefined) {
    const field = base === undefined ? 'base' : 'head';
    return refuseWith(github, validationError({ resource: 'PullRequest', code: 'invalid', field }));
  }
  if (findForkPoint(github.store, { base, head }) === head.sha) {
    const message = `No commits between ${base.branch} and ${head.branch}`;
    return refuseWith(github, validationError({ resource: 'PullRequest', code: 'custom', message }));
  }
  const [id, allocated] = allocateId(github);
  const [issueId, allocatedTwice] = allocateId(allocated);
  const pull = createPullRecord(input, { id, issueId, number: repository.nextNumber, base, head }, now);
  const numbered = putRepository(allocatedTwice, { ...repository, nextNumber: pull.number + 1 });
  return savePullChange(numbered, repository.id, pull, { kind: 'pull-opened', action: 'opened' }, input.actor, now);
};

/** Changes title, body or base branch. A new base moves all threads to the new diff. */
export const editPullRequest: Operation<EditPullRequestInput, FakePullRequest> = (github, input, now) => {
  const located = locatePull(github, input.repositoryId, input.number);
  if (located === undefined) return refuseWith(github, NOT_FOUND_ERROR);
  const { repository, pull } = located;
  const base = resolveBranch(repository, input.base ?? pull.base.branch);
  if (base === undefined) {
    return refuseWith(github, validationError({ resource: 'PullRequest', code: 'invalid', field: 'base' }));
  }
  const hasNewBase = input.base !== undefined && input.base !== pull.base.branch;
  const fields = { title: input.title ?? pull.title, body: input.body ?? pull.body, updatedAt: formatTimestamp(now) };
  const edited = { ...pull, ...fields, base: hasNewBase ? base : pull.base };
  const next = hasNewBase ? withHead(github, edited, pull.head.sha, now) : edited;
  const change = { kind: 'pull-edited', action: 'edited', extra: { changes: describeChanges(pull, next) } } as const;
  return savePullChange(github, repository.id, next, change, input.actor, now);
};

/** Closes without merging. Allowed for the author, for people with write access and for Apps. */
export const closePullRequest: Operation<PullTarget, FakePullRequest> = (github, input, now) => {
  const located = locatePull(github, input.repositoryId, input.number);
  const problem = checkStateChange(github, input, located?.pull, 'open');
  if (located === undefined || problem !== undefined) return refuseWith(github, problem ?? NOT_FOUND_ERROR);
  const next = withClosedState(located.pull, now);
  const change = { kind: 'pull-closed', action: 'closed' } as const;
  return savePullChange(github, located.repository.id, next, change, input.actor, now);
};

/** Reopens a closed pull request with the current head of its branch. */
export const reopenPullRequest: Operation<PullTarget, FakePullRequest> = (github, input, now) => {
  const located = locatePull(github, input.repositoryId, input.number);
  const problem = checkStateChange(github, input, located?.pull, 'closed');
  if (located === undefined || problem !== undefined) return refuseWith(github, problem ?? NOT_FOUND_ERROR);
  const { repository, pull } = located;
  const source = github.repositories.get(pull.head.repositoryId);
  const sha = source === undefined ? undefined : findBranchHead(source, pull.head.branch);
  if (sha === undefined || pull.merge !== null) {
    const message = 'state cannot be changed. The branch was deleted or the pull request was merged.';
    return refuseWith(github, validationError({ resource: 'PullRequest', code: 'custom', field: 'state', message }));
  }
  const next: FakePullRequest = { ...withHead(github, pull, sha, now), state: 'open', closedAt: null };
  const change = { kind: 'pull-reopened', action: 'reopened' } as const;
  return savePullChange(github, repository.id, next, change, input.actor, now);
};

/** Locks or unlocks the conversation. Needs write access. */
export const lockPullRequest: Operation<PullTarget & { readonly locked: boolean }, FakePullRequest> = (
  github,
  input,
  now,
) => {
  const repository = github.repositories.get(input.repositoryId);
  if (repository !== undefined && !canPush(repository, input.actor.accountId))
    return refuseWith(github, ADMIN_RIGHTS_ERROR);
  const action = input.locked ? 'locked' : 'unlocked';
  return updatePullFields(github, input, { locked: input.locked }, action, now);
};

export const setPullRequestDraft: Operation<PullTarget & { readonly draft: boolean }, FakePullRequest> = (
  github,
  input,
  now,
) => {
  const action = input.draft ? 'converted_to_draft' : 'ready_for_review';
  return updatePullFields(github, input, { draft: input.draft }, action, now);
};

type PullChange = { readonly kind: AuditAction; readonly action: string; readonly extra?: JsonObject };

/** Stores a changed pull request with its audit entry and its webhook. */
function savePullChange(
  github: GitHubState,
  repositoryId: number,
  pull: FakePullRequest,
  { kind, action, extra }: PullChange,
  actor: PullTarget['actor'],
  now: number,
): OperationResult<FakePullRequest> {
  const details = { repositoryId, number: pull.number, after: pull.head.sha };
  const state = withAuditEntry(putPull(github, repositoryId, pull), kind, actor, now, details);
  const repository = state.repositories.get(repositoryId);
  const events =
    repository === undefined ? [] : [createPullRequestEvent(state, { repository, pull }, action, actor, extra)];
  return succeedWith(state, pull, events);
}

function updatePullFields(
  github: GitHubState,
  input: PullTarget,
  fields: Partial<FakePullRequest>,
  action: string,
  now: number,
) {
  const located = locatePull(github, input.repositoryId, input.number);
  if (located === undefined) return refuseWith<FakePullRequest>(github, NOT_FOUND_ERROR);
  const next = { ...located.pull, ...fields, updatedAt: formatTimestamp(now) };
  return savePullChange(github, located.repository.id, next, { kind: 'pull-edited', action }, input.actor, now);
}

function checkStateChange(
  github: GitHubState,
  { actor, repositoryId }: PullTarget,
  pull: FakePullRequest | undefined,
  required: FakePullRequest['state'],
): ApiError | undefined {
  const repository = github.repositories.get(repositoryId);
  if (repository === undefined || pull === undefined) return NOT_FOUND_ERROR;
  const isAllowed =
    actor.viaAppId !== null || pull.authorId === actor.accountId || canPush(repository, actor.accountId);
  if (!isAllowed) return ADMIN_RIGHTS_ERROR;
  return pull.state === required
    ? undefined
    : validationError({ resource: 'PullRequest', code: 'invalid', field: 'state' });
}

type NewPullIdentity = Pick<FakePullRequest, 'id' | 'issueId' | 'number' | 'base' | 'head'>;

function createPullRecord(input: CreatePullRequestInput, identity: NewPullIdentity, now: number): FakePullRequest {
  return {
    ...identity,
    nodeId: createNodeId('PR', identity.id),
    title: input.title,
    body: input.body ?? null,
    authorId: input.actor.accountId,
    state: 'open',
    locked: false,
    draft: input.draft ?? false,
    createdAt: formatTimestamp(now),
    updatedAt: formatTimestamp(now),
    closedAt: null,
    merge: null,
    maintainerCanModify: false,
    labels: [],
    comments: new Map(),
    reviews: new Map(),
    reviewComments: new Map(),
    threads: new Map(),
  };
}

function resolveBranch(repository: FakeRepository, branch: string): FakePullBranch | undefined {
  const sha: Sha | undefined = findBranchHead(repository, branch);
  return sha === undefined ? undefined : { repositoryId: repository.id, branch, sha };
}

function resolveHead(
  github: GitHubState,
  repository: FakeRepository,
  head: CreatePullRequestInput['head'],
): FakePullBranch | undefined {
  if (typeof head === 'string') return resolveBranch(repository, head);
  const source = github.repositories.get(head.repositoryId);
  return source === undefined ? undefined : resolveBranch(source, head.branch);
}

function describeChanges(before: FakePullRequest, after: FakePullRequest): JsonObject {
  return {
    ...(before.title === after.title ? {} : { title: { from: before.title } }),
    ...(before.body === after.body ? {} : { body: { from: before.body ?? '' } }),
    ...(before.base.branch === after.base.branch
      ? {}
      : { base: { ref: { from: before.base.branch }, sha: { from: before.base.sha } } }),
  };
}

/** Merges with a merge commit. If both branches changed a file, the result has the head’s version. */
export const mergePullRequest: Operation<MergePullRequestInput, FakePullRequest> = (github, input, now) => {
  const located = locatePull(github, input.repositoryId, input.number);
  const account = github.accounts.get(input.actor.accountId);
  if (located === undefined || account === undefined) return refuseWith(github, NOT_FOUND_ERROR);
  const problem = checkMergeable(located, input);
  if (problem !== undefined) return refuseWith(github, problem);
  const { repository, pull } = located;
  const before = findBranchHead(repository, pull.base.branch) ?? pull.base.sha;
  const sha = putMergeCommit(github, located, { account, before, title: input.title }, now);
  const closed = withMerge(pull, { sha, mergedAt: formatTimestamp(now), mergedById: account.id });
  const details = { repositoryId: repository.id, number: pull.number, before, after: sha };
  const merged = withAuditEntry(putPull(github, repository.id, closed), 'pull-merged', input.actor, now, details);
  const current = merged.repositories.get(repository.id) ?? repository;
  const refUpdate = { ref: `refs/heads/${pull.base.branch}`, before, after: sha };
  const { state, events } = applyRefUpdate(merged, current, input.actor, refUpdate, now);
  const shown = { repository: state.repositories.get(repository.id) ?? current, pull: closed };
  return succeedWith(state, closed, [createPullRequestEvent(state, shown, 'closed', input.actor), ...events]);
};

function checkMergeable({ repository, pull }: LocatedPull, input: MergePullRequestInput): ApiError | undefined {
  if (!canPush(repository, input.actor.accountId)) return ADMIN_RIGHTS_ERROR;
  if (pull.state === 'closed' || pull.draft) {
    return { status: 405, type: 'UNPROCESSABLE', message: 'Pull Request is not mergeable' };
  }
  if (input.sha === undefined || input.sha === pull.head.sha) return undefined;
  const message = 'Head branch was modified. Review and try the merge again.';
  return { status: 409, type: 'STALE_DATA', message };
}

type MergeCommitInput = { readonly account: FakeAccount; readonly before: Sha; readonly title: string | undefined };

/** The commit that a merge would make. */
export function putMergeCommit(
  github: GitHubState,
  { repository, pull }: LocatedPull,
  { account, before, title }: MergeCommitInput,
  now: number,
): Sha {
  const changes = new Map<string, TreeObjectEntry | null>();
  for (const change of diffCommits(github.store, findForkPoint(github.store, pull), pull.head.sha)) {
    if (change.status === 'renamed') changes.set(change.previousPath, null);
    changes.set(change.path, change.status === 'removed' ? null : change.after);
  }
  const tree = updateTree(github.store, readGitCommit(github.store, before)?.tree, changes);
  const subject = `Merge pull request #${pull.number} from ${repository.name}/${pull.head.branch}`;
  const message = `${subject}\n\n${title ?? pull.title}`;
  const author = createGitSignature(github, account, now);
  return putWebFlowCommit(github, { tree, parents: [before, pull.head.sha], message, author }, now);
}

function withMerge(pull: FakePullRequest, merge: NonNullable<FakePullRequest['merge']>): FakePullRequest {
  return { ...pull, state: 'closed', merge, closedAt: merge.mergedAt, updatedAt: merge.mergedAt };
}
