import { putCommitOfFiles } from '../git/trees.ts';
import { createGitSignature } from '../state/commits.ts';
import type { FakeIssue, FakeRepository } from '../state/github-state.ts';
import { NOT_FOUND_ERROR, type Operation, validationError } from '../state/operation.ts';
import {
  allocateId,
  createNodeId,
  formatTimestamp,
  mapWithEntry,
  putRepository,
  refuseWith,
  succeedWith,
  withAuditEntry,
} from '../state/update.ts';
import type {
  AddRepositoryInput,
  AddRulesetInput,
  ForkRepositoryInput,
  OpenIssueInput,
  RenameRepositoryInput,
  SetPermissionInput,
  SetTeamInput,
  TransferRepositoryInput,
} from './inputs.ts';

/** Adds a repository with one commit on its default branch. */
export const addRepository: Operation<AddRepositoryInput, FakeRepository> = (github, input, now) => {
  const owner = github.accounts.get(input.ownerId);
  if (owner === undefined) return refuseWith(github, NOT_FOUND_ERROR);
  const { files, message = 'Initial commit' } = input;
  const author = createGitSignature(github, owner, now);
  const sha = putCommitOfFiles(github.store, { files, parents: [], author, message });
  const [id, allocated] = allocateId(github);
  const defaultBranch = input.defaultBranch ?? 'main';
  const repository: FakeRepository = {
    id,
    nodeId: createNodeId('R', id),
    ownerId: owner.id,
    name: input.name,
    previousNames: [],
    private: input.private ?? false,
    defaultBranch,
    forkOf: null,
    createdAt: formatTimestamp(now),
    pushedAt: formatTimestamp(now),
    collaborators: new Map(),
    refs: new Map([[`refs/heads/${defaultBranch}`, sha]]),
    rulesets: [],
    nextNumber: 1,
    issues: new Map(),
    pulls: new Map(),
    checkSuites: new Map(),
    checkRuns: new Map(),
    statuses: [],
    labels: new Map(),
  };
  const actor = { accountId: owner.id, viaAppId: null };
  const details = { repositoryId: id, ref: `refs/heads/${defaultBranch}`, after: sha };
  return succeedWith(
    withAuditEntry(putRepository(allocated, repository), 'repository-added', actor, now, details),
    repository,
  );
};

/** Forks a repository with its refs, but without its collaborators, issues and pull requests. */
export const forkRepository: Operation<ForkRepositoryInput, FakeRepository> = (github, input, now) => {
  const source = github.repositories.get(input.repositoryId);
  if (source === undefined || !github.accounts.has(input.ownerId)) return refuseWith(github, NOT_FOUND_ERROR);
  const [id, allocated] = allocateId(github);
  const fork: FakeRepository = {
    ...source,
    id,
    nodeId: createNodeId('R', id),
    ownerId: input.ownerId,
    previousNames: [],
    forkOf: source.id,
    createdAt: formatTimestamp(now),
    collaborators: new Map(),
    rulesets: [],
    nextNumber: 1,
    issues: new Map(),
    pulls: new Map(),
    checkSuites: new Map(),
    checkRuns: new Map(),
    statuses: [],
    labels: new Map(),
  };
  const actor = { accountId: input.ownerId, viaAppId: null };
  return succeedWith(
    withAuditEntry(putRepository(allocated, fork), 'repository-added', actor, now, { repositoryId: id }),
    fork,
  );
};

/** Renames a repository. It can still be found by its former name. */
export const renameRepository: Operation<RenameRepositoryInput, FakeRepository> = (github, input, now) => {
  const repository = github.repositories.get(input.repositoryId);
  if (repository === undefined) return refuseWith(github, NOT_FOUND_ERROR);
  const renamed: FakeRepository = { ...repository, name: input.name, previousNames: formerNames(repository) };
  const actor = { accountId: repository.ownerId, viaAppId: null };
  const details = { repositoryId: repository.id };
  return succeedWith(
    withAuditEntry(putRepository(github, renamed), 'repository-renamed', actor, now, details),
    renamed,
  );
};

/**
 * Gives a repository to another account. It can still be found by its former name. The former owner's installation
 * loses it, and nothing tells the App.
 */
export const transferRepository: Operation<TransferRepositoryInput, FakeRepository> = (github, input, now) => {
  const repository = github.repositories.get(input.repositoryId);
  if (repository === undefined || !github.accounts.has(input.ownerId)) return refuseWith(github, NOT_FOUND_ERROR);
  const transferred = { ...repository, ownerId: input.ownerId, previousNames: formerNames(repository) };
  const actor = { accountId: repository.ownerId, viaAppId: null };
  const state = putRepository(github, transferred);
  const details = { repositoryId: repository.id };
  return succeedWith(withAuditEntry(state, 'repository-transferred', actor, now, details), transferred);
};

function formerNames({ ownerId, name, previousNames }: FakeRepository): FakeRepository['previousNames'] {
  return [...previousNames, { ownerId, name }];
}

/** Sets the role of an account; `none` removes the collaborator. */
export const setPermission: Operation<SetPermissionInput, null> = (github, input, now) => {
  const repository = github.repositories.get(input.repositoryId);
  if (repository === undefined || !github.accounts.has(input.accountId)) return refuseWith(github, NOT_FOUND_ERROR);
  const role = { permission: input.permission, roleName: input.roleName ?? input.permission };
  const collaborators = new Map(repository.collaborators).set(input.accountId, role);
  if (input.permission === 'none') collaborators.delete(input.accountId);
  const details = { repositoryId: repository.id, id: input.accountId };
  const state = putRepository(github, { ...repository, collaborators });
  return succeedWith(withAuditEntry(state, 'permission-changed', null, now, details), null);
};

/** Creates a team, or replaces its members. */
export const setTeam: Operation<SetTeamInput, null> = (github, { team, memberIds }) =>
  succeedWith({ ...github, teams: new Map(github.teams).set(team.toLowerCase(), memberIds) }, null);

export const addRuleset: Operation<AddRulesetInput, null> = (github, input, now) => {
  const repository = github.repositories.get(input.repositoryId);
  if (repository === undefined) return refuseWith(github, NOT_FOUND_ERROR);
  const [rulesetId, allocated] = allocateId(github);
  const rulesets = [...repository.rulesets, { ...input.ruleset, rulesetId }];
  const details = { repositoryId: repository.id, id: rulesetId };
  return succeedWith(
    withAuditEntry(putRepository(allocated, { ...repository, rulesets }), 'rule-added', null, now, details),
    null,
  );
};

export const openIssue: Operation<OpenIssueInput, FakeIssue> = (github, input, now) => {
  const repository = github.repositories.get(input.repositoryId);
  if (repository === undefined) return refuseWith(github, NOT_FOUND_ERROR);
  if (input.title === '') {
    return refuseWith(github, validationError({ resource: 'Issue', code: 'missing_field', field: 'title' }));
  }
  const [id, allocated] = allocateId(github);
  const number = repository.nextNumber;
  const issue: FakeIssue = {
    id,
    nodeId: createNodeId('I', id),
    number,
    title: input.title,
    body: input.body ?? null,
    authorId: input.actor.accountId,
    state: 'open',
    locked: false,
    createdAt: formatTimestamp(now),
    updatedAt: formatTimestamp(now),
    closedAt: null,
    comments: new Map(),
  };
  const issues = mapWithEntry(repository.issues, number, issue);
  const state = putRepository(allocated, { ...repository, nextNumber: number + 1, issues });
  return succeedWith(
    withAuditEntry(state, 'issue-opened', input.actor, now, { repositoryId: repository.id, number }),
    issue,
  );
};
