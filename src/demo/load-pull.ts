import { Buffer } from 'node:buffer';
import { treeOfFiles } from '../simulator/git/commit-files.ts';
import { putCommit } from '../simulator/git/commit-object.ts';
import type { Simulator } from '../simulator/simulator.ts';
import type { Permission } from '../simulator/world/access.ts';
import { OPERATIONS } from '../simulator/world/operations.ts';
import { personSignature } from '../simulator/world/signatures.ts';
import type { Account, PullRequest, Repository } from '../simulator/world/state.ts';
import type { PullSource } from './local-repository.ts';

/** The pull request on the simulated GitHub, with its people. */
export type LoadedPull = {
  readonly repositoryId: number;
  readonly number: number;
  readonly fullName: string;
  readonly branch: string;
  /** The head as it was opened. */
  readonly openedHead: string;
  readonly openedTree: string;
  /** May write; gives the task. */
  readonly ana: Account;
  /** May write; reviews with her. */
  readonly ben: Account;
};

const BRANCH = 'topic';

/** Makes a repository of a source's base, a branch of its head, and a pull request between them. */
export function loadPull(github: Simulator, source: PullSource): LoadedPull {
  const join = (login: string): Account => github.apply(OPERATIONS.addAccount, { login });
  const owner = github.apply(OPERATIONS.addAccount, { login: 'acme', type: 'Organization' });
  const [ana, ben, carl] = [join('ana'), join('ben'), join('carl')];
  const repository = github.apply(OPERATIONS.addRepository, {
    ownerId: owner.id,
    name: source.name,
    files: source.base,
  });
  github.apply(OPERATIONS.installApp, { appId: github.app.id, accountId: owner.id });
  const allow = (account: Account, permission: Permission) =>
    github.apply(OPERATIONS.setPermission, { repositoryId: repository.id, accountId: account.id, permission });
  for (const account of [ana, ben, carl]) allow(account, 'write');
  const tree = treeOfFiles(github.world().store, source.head);
  const pull = openPull(github, { repository, author: carl, title: source.title, tree });
  return {
    repositoryId: repository.id,
    number: pull.number,
    fullName: `${owner.login}/${repository.name}`,
    branch: BRANCH,
    openedHead: pull.head.sha,
    openedTree: tree,
    ana,
    ben,
  };
}

type Opening = {
  readonly repository: Repository;
  readonly author: Account;
  readonly title: string;
  readonly tree: string;
};

/** The head is one commit with the source's tree, so that links, programs and submodules stay what they are. */
function openPull(github: Simulator, { repository, author, title, tree }: Opening): PullRequest {
  const signature = personSignature(github.world(), author, Date.now());
  const sha = putCommit(github.world().store, {
    tree,
    parents: [repository.refs.get('refs/heads/main') ?? ''],
    author: signature,
    committer: signature,
    signature: null,
    message: `${title}\n`,
  });
  const here = { actor: { accountId: author.id, viaAppId: null }, repositoryId: repository.id };
  github.apply(OPERATIONS.createRef, { ...here, ref: `refs/heads/${BRANCH}`, sha });
  return github.apply(OPERATIONS.openPull, { ...here, title: cut(title), head: BRANCH });
}

/** GitHub takes titles of at most 256 characters. */
function cut(title: string): string {
  return Buffer.byteLength(title) <= 256 ? title : `${[...title].slice(0, 60).join('')}…`;
}
