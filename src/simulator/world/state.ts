import type { ObjectStore, Sha } from '../git/object-store.ts';
import type { PermissionLevel, Role, RulePolicy } from './access.ts';
import type { History } from './history.ts';
import type { IssueComment, Review, ReviewComment, Thread } from './talk.ts';

/** An Enterprise Server of some version; `lacks` are routes that came with a later one. */
export type EnterpriseServer = { readonly version: string; readonly lacks: readonly string[] };

/**
 * Where the simulated GitHub is reached: `api` for REST, `html` for pages; no trailing slash. Without a server it
 * behaves as github.com does.
 */
export type Site = { readonly api: string; readonly html: string; readonly server?: EnterpriseServer };

/** Everything the simulated GitHub knows. Immutable but for `store`, which only grows. */
export type World = {
  readonly site: Site;
  readonly store: ObjectStore;
  readonly nextId: number;
  readonly accounts: ReadonlyMap<number, Account>;
  readonly apps: ReadonlyMap<number, App>;
  readonly installations: ReadonlyMap<number, Installation>;
  readonly repositories: ReadonlyMap<number, Repository>;
  readonly history: History;
};

export type AccountType = 'User' | 'Bot' | 'Organization' | 'Mannequin';

export type Account = {
  readonly id: number;
  readonly nodeId: string;
  readonly login: string;
  readonly type: AccountType;
  readonly createdAt: string;
};

/** `botId` is the account `<slug>[bot]`; `ownerId` the account that registered the App. */
export type App = {
  readonly id: number;
  readonly nodeId: string;
  readonly slug: string;
  readonly name: string;
  readonly ownerId: number;
  readonly botId: number;
  readonly clientId: string;
  readonly permissions: Permissions;
  readonly events: readonly string[];
  readonly createdAt: string;
};

/** App permission name (`contents`, `pull_requests`, …) to level. */
export type Permissions = Readonly<Record<string, PermissionLevel>>;

export type Installation = {
  readonly id: number;
  readonly appId: number;
  readonly accountId: number;
  readonly repositories: 'all' | readonly number[];
  readonly permissions: Permissions;
  readonly events: readonly string[];
  readonly createdAt: string;
  /** Null while it may act. */
  readonly suspendedAt: string | null;
};

export type Repository = {
  readonly id: number;
  readonly nodeId: string;
  readonly ownerId: number;
  readonly name: string;
  /** Who asks by one of these is shown to the name of now, while no other repository has it. */
  readonly formerNames: readonly string[];
  readonly private: boolean;
  readonly defaultBranch: string;
  readonly forkOf: number | null;
  readonly createdAt: string;
  readonly pushedAt: string;
  /** Roles by account id; who is missing reads a public repository and nothing of a private one. */
  readonly collaborators: ReadonlyMap<number, Role>;
  /** Full ref names (`refs/heads/main`) to the object they point at. */
  readonly refs: ReadonlyMap<string, Sha>;
  readonly rules: readonly RulePolicy[];
  /** Issues and pull requests share their numbers. */
  readonly nextNumber: number;
  readonly issues: ReadonlyMap<number, Issue>;
  readonly pulls: ReadonlyMap<number, PullRequest>;
};

/** What an issue and a pull request have in common. */
export type Issue = {
  readonly id: number;
  readonly nodeId: string;
  readonly number: number;
  readonly title: string;
  readonly body: string | null;
  readonly authorId: number;
  readonly state: 'open' | 'closed';
  readonly locked: boolean;
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly closedAt: string | null;
  readonly comments: ReadonlyMap<number, IssueComment>;
};

/** One end of a pull request. `sha` follows the branch while the pull request is open. */
export type PullEnd = { readonly repositoryId: number; readonly branch: string; readonly sha: Sha };

export type Merge = { readonly sha: Sha; readonly at: string; readonly byId: number };

/** `id` and `nodeId` are the pull request's own; `issueId` is the id its conversation has as an issue. */
export type PullRequest = Issue & {
  readonly issueId: number;
  readonly draft: boolean;
  readonly base: PullEnd;
  readonly head: PullEnd;
  readonly merge: Merge | null;
  readonly maintainerCanModify: boolean;
  readonly reviews: ReadonlyMap<number, Review>;
  readonly reviewComments: ReadonlyMap<number, ReviewComment>;
  /** Review threads by the id of their first comment. */
  readonly threads: ReadonlyMap<number, Thread>;
};
