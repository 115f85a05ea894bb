import { createAppAuth } from '@octokit/auth-app';
import { Octokit } from '@octokit/rest';
import {
  createUserActor,
  type FakeGitHub,
  type FakeGitHubOptions,
  startFakeGitHub,
} from '../../../fakes/github/fake-github.ts';
import type { GitFiles } from '../../../fakes/github/git/trees.ts';
import { addAccount, installApp } from '../../../fakes/github/operations/accounts.ts';
import { OPERATIONS } from '../../../fakes/github/operations/operations.ts';
import type {
  FakeAccount,
  FakeInstallation,
  FakePullRequest,
  FakeRepository,
} from '../../../fakes/github/state/github-state.ts';
import { openApiValidator } from '../../support/openapi-validator.ts';

/** A fake GitHub with one repository, on which the App is installed, and one pull request by Ana. */
export type Shop = {
  readonly github: FakeGitHub;
  readonly ana: FakeAccount;
  readonly repository: FakeRepository;
  readonly pull: FakePullRequest;
  readonly installation: FakeInstallation;
  /** The path parameters of the pull request. */
  readonly pullParams: { readonly owner: string; readonly repo: string; readonly pull_number: number };
};

const BEFORE = 'one\ntwo\nthree\nfour\nfive\nsix\nseven\neight\nnine\n';

export const AFTER = BEFORE.replace('five', 'FIVE');

function files(entries: Readonly<Record<string, string>>): GitFiles {
  return new Map(
    Object.entries(entries).map(([path, text]) => [path, { mode: '100644' as const, bytes: Buffer.from(text) }]),
  );
}

/** Starts a fake GitHub that validates every message against GitHub’s OpenAPI description. */
export async function openShop(options: FakeGitHubOptions = {}): Promise<Shop> {
  const github = await startFakeGitHub({ openApiValidator, ...options });
  const ana = github.apply(addAccount, { login: 'ana' });
  const { apply } = github;
  const added = apply(OPERATIONS.addRepository, {
    ownerId: ana.id,
    name: 'shop',
    private: true,
    files: files({ 'src/total.ts': BEFORE, 'README.md': '# Shop\n' }),
  });
  const installation = apply(installApp, { appId: github.app.id, accountId: ana.id, repositories: [added.id] });
  const actor = createUserActor(ana.id);
  const onRepository = { actor, repositoryId: added.id };
  const base = added.refs.get('refs/heads/main') ?? '';
  apply(OPERATIONS.createGitRef, { ...onRepository, ref: 'refs/heads/topic', sha: base });
  apply(OPERATIONS.pushFiles, { ...onRepository, branch: 'topic', files: new Map([['src/total.ts', AFTER]]) });
  const pull = apply(OPERATIONS.createPullRequest, { ...onRepository, title: 'Count', body: 'Please', head: 'topic' });
  const repository = github.state().repositories.get(added.id) ?? added;
  const pullParams = { owner: 'ana', repo: 'shop', pull_number: pull.number };
  return { github, ana, repository, pull, installation, pullParams };
}

type Permissions = Readonly<Record<string, 'read' | 'write'>>;

/** Creates a client that authenticates as the App, with a JWT. */
export function appClient({ github }: Shop, prefix = ''): Octokit {
  const auth = { appId: github.app.id, privateKey: github.app.privateKeyPem };
  return new Octokit({ baseUrl: `${github.url}${prefix}`, authStrategy: createAppAuth, auth, log: silentLog });
}

/** Creates a client with an installation token for the repository and these permissions. */
export async function tokenClient(shop: Shop, permissions: Permissions, prefix = ''): Promise<Octokit> {
  const { data } = await appClient(shop, prefix).rest.apps.createInstallationAccessToken({
    installation_id: shop.installation.id,
    repository_ids: [shop.repository.id],
    permissions,
  });
  return new Octokit({ baseUrl: `${shop.github.url}${prefix}`, auth: data.token, log: silentLog });
}

const ignore = (): void => {};

export const silentLog = { debug: ignore, info: ignore, warn: ignore, error: ignore };

export const WRITE: Permissions = { contents: 'write', pull_requests: 'write', issues: 'read' };

export const READ: Permissions = { contents: 'read', pull_requests: 'read', issues: 'read' };
