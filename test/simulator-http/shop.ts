import { createAppAuth } from '@octokit/auth-app';
import { Octokit } from '@octokit/rest';
import type { Files } from '../../src/simulator/git/commit-files.ts';
import { person, type Simulator, type SimulatorOptions, startSimulator } from '../../src/simulator/simulator.ts';
import { addAccount, installApp } from '../../src/simulator/world/accounts.ts';
import { OPERATIONS } from '../../src/simulator/world/operations.ts';
import type { Account, Installation, PullRequest, Repository } from '../../src/simulator/world/state.ts';
import { referee } from '../referee.ts';

/** A shop with one pull request by Ana, and the App installed on it. */
export type Shop = {
  readonly simulator: Simulator;
  readonly ana: Account;
  readonly repository: Repository;
  readonly pull: PullRequest;
  readonly installation: Installation;
  readonly place: { readonly owner: string; readonly repo: string; readonly pull_number: number };
};

const BEFORE = 'one\ntwo\nthree\nfour\nfive\nsix\nseven\neight\nnine\n';
export const AFTER = BEFORE.replace('five', 'FIVE');

function files(entries: Readonly<Record<string, string>>): Files {
  return new Map(
    Object.entries(entries).map(([path, text]) => [path, { mode: '100644' as const, bytes: Buffer.from(text) }]),
  );
}

/** Starts the simulator with the referee on. */
export async function openShop(options: SimulatorOptions = {}): Promise<Shop> {
  const simulator = await startSimulator({ referee, ...options });
  const ana = simulator.apply(addAccount, { login: 'ana' });
  const { apply } = simulator;
  const added = apply(OPERATIONS.addRepository, {
    ownerId: ana.id,
    name: 'shop',
    private: true,
    files: files({ 'src/total.ts': BEFORE, 'README.md': '# Shop\n' }),
  });
  const installation = apply(installApp, { appId: simulator.app.id, accountId: ana.id, repositories: [added.id] });
  const actor = person(ana.id);
  const onRepository = { actor, repositoryId: added.id };
  const base = added.refs.get('refs/heads/main') ?? '';
  apply(OPERATIONS.createRef, { ...onRepository, ref: 'refs/heads/topic', sha: base });
  apply(OPERATIONS.pushFiles, { ...onRepository, branch: 'topic', files: new Map([['src/total.ts', AFTER]]) });
  const pull = apply(OPERATIONS.openPull, { ...onRepository, title: 'Count', body: 'Please', head: 'topic' });
  const repository = simulator.world().repositories.get(added.id) ?? added;
  const place = { owner: 'ana', repo: 'shop', pull_number: pull.number };
  return { simulator, ana, repository, pull, installation, place };
}

type Permissions = Readonly<Record<string, 'read' | 'write'>>;

/** The App's own client: mints tokens and asks about itself. */
export function appClient({ simulator }: Shop, prefix = ''): Octokit {
  const auth = { appId: simulator.app.id, privateKey: simulator.app.privateKeyPem };
  return new Octokit({ baseUrl: `${simulator.url}${prefix}`, authStrategy: createAppAuth, auth, log: silent });
}

/** A client with a token for this repository only, and these permissions. */
export async function tokenClient(shop: Shop, permissions: Permissions, prefix = ''): Promise<Octokit> {
  const { data } = await appClient(shop, prefix).rest.apps.createInstallationAccessToken({
    installation_id: shop.installation.id,
    repository_ids: [shop.repository.id],
    permissions,
  });
  return new Octokit({ baseUrl: `${shop.simulator.url}${prefix}`, auth: data.token, log: silent });
}

const silence = (): void => {};
export const silent = { debug: silence, info: silence, warn: silence, error: silence };

export const WRITE: Permissions = { contents: 'write', pull_requests: 'write', issues: 'read' };
export const READ: Permissions = { contents: 'read', pull_requests: 'read', issues: 'read' };
