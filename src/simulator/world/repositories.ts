import { commitFiles } from '../git/commit-files.ts';
import type { AddRepository, AddRule, ForkRepository, OpenIssue, RenameRepository, SetPermission } from './inputs.ts';
import type { Operation } from './outcome.ts';
import { NOT_FOUND, validationFailed } from './refusals.ts';
import { personSignature } from './signatures.ts';
import type { Issue, Repository } from './state.ts';
import { timestamp } from './timestamp.ts';
import { done, nodeId, recorded, refused, takeId, withEntry, withRepository } from './update.ts';

/** Adds a repository whose default branch holds one commit with the given files. */
export const addRepository: Operation<AddRepository, Repository> = (world, input, now) => {
  const owner = world.accounts.get(input.ownerId);
  if (owner === undefined) return refused(world, NOT_FOUND);
  const { files, message = 'Initial commit' } = input;
  const author = personSignature(world, owner, now);
  const sha = commitFiles(world.store, { files, parents: [], author, message });
  const [id, counted] = takeId(world);
  const defaultBranch = input.defaultBranch ?? 'main';
  const repository: Repository = {
    id,
    nodeId: nodeId('R', id),
    ownerId: owner.id,
    name: input.name,
    formerNames: [],
    private: input.private ?? false,
    defaultBranch,
    forkOf: null,
    createdAt: timestamp(now),
    pushedAt: timestamp(now),
    collaborators: new Map(),
    refs: new Map([[`refs/heads/${defaultBranch}`, sha]]),
    rules: [],
    nextNumber: 1,
    issues: new Map(),
    pulls: new Map(),
  };
  const actor = { accountId: owner.id, viaAppId: null };
  const about = { repositoryId: id, ref: `refs/heads/${defaultBranch}`, after: sha };
  return done(recorded(withRepository(counted, repository), 'repository-added', actor, now, about), repository);
};

/** Forks a repository: the same refs under another owner, nobody's rights and no conversations. */
export const forkRepository: Operation<ForkRepository, Repository> = (world, input, now) => {
  const source = world.repositories.get(input.repositoryId);
  if (source === undefined || !world.accounts.has(input.ownerId)) return refused(world, NOT_FOUND);
  const [id, counted] = takeId(world);
  const fork: Repository = {
    ...source,
    id,
    nodeId: nodeId('R', id),
    ownerId: input.ownerId,
    formerNames: [],
    forkOf: source.id,
    createdAt: timestamp(now),
    collaborators: new Map(),
    rules: [],
    nextNumber: 1,
    issues: new Map(),
    pulls: new Map(),
  };
  const actor = { accountId: input.ownerId, viaAppId: null };
  return done(recorded(withRepository(counted, fork), 'repository-added', actor, now, { repositoryId: id }), fork);
};

/** Gives a repository another name; under its former one it is still found. */
export const renameRepository: Operation<RenameRepository, Repository> = (world, input, now) => {
  const repository = world.repositories.get(input.repositoryId);
  if (repository === undefined) return refused(world, NOT_FOUND);
  const { name, formerNames } = repository;
  const renamed: Repository = { ...repository, name: input.name, formerNames: [...formerNames, name] };
  const actor = { accountId: repository.ownerId, viaAppId: null };
  const about = { repositoryId: repository.id };
  return done(recorded(withRepository(world, renamed), 'repository-renamed', actor, now, about), renamed);
};

/** Sets what a person may do in a repository; `none` takes the person off the list. */
export const setPermission: Operation<SetPermission, null> = (world, input, now) => {
  const repository = world.repositories.get(input.repositoryId);
  if (repository === undefined || !world.accounts.has(input.accountId)) return refused(world, NOT_FOUND);
  const role = { permission: input.permission, roleName: input.roleName ?? input.permission };
  const collaborators = new Map(repository.collaborators).set(input.accountId, role);
  if (input.permission === 'none') collaborators.delete(input.accountId);
  const about = { repositoryId: repository.id, id: input.accountId };
  const state = withRepository(world, { ...repository, collaborators });
  return done(recorded(state, 'permission-changed', null, now, about), null);
};

/** Adds a ruleset to a repository. */
export const addRule: Operation<AddRule, null> = (world, input, now) => {
  const repository = world.repositories.get(input.repositoryId);
  if (repository === undefined) return refused(world, NOT_FOUND);
  const [rulesetId, counted] = takeId(world);
  const rules = [...repository.rules, { ...input.rule, rulesetId }];
  const about = { repositoryId: repository.id, id: rulesetId };
  return done(recorded(withRepository(counted, { ...repository, rules }), 'rule-added', null, now, about), null);
};

/** Opens an issue that is no pull request. */
export const openIssue: Operation<OpenIssue, Issue> = (world, input, now) => {
  const repository = world.repositories.get(input.repositoryId);
  if (repository === undefined) return refused(world, NOT_FOUND);
  if (input.title === '') {
    return refused(world, validationFailed({ resource: 'Issue', code: 'missing_field', field: 'title' }));
  }
  const [id, counted] = takeId(world);
  const number = repository.nextNumber;
  const issue: Issue = {
    id,
    nodeId: nodeId('I', id),
    number,
    title: input.title,
    body: input.body ?? null,
    authorId: input.actor.accountId,
    state: 'open',
    locked: false,
    createdAt: timestamp(now),
    updatedAt: timestamp(now),
    closedAt: null,
    comments: new Map(),
  };
  const issues = withEntry(repository.issues, number, issue);
  const state = withRepository(counted, { ...repository, nextNumber: number + 1, issues });
  return done(recorded(state, 'issue-opened', input.actor, now, { repositoryId: repository.id, number }), issue);
};
