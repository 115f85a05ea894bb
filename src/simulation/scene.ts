import type { PullRef } from '../command/intent.ts';
import { SUBSCRIPTIONS } from '../intake/subscriptions.ts';
import { EMPTY_HISTORY } from '../simulator/world/history.ts';
import { newWorld } from '../simulator/world/new-world.ts';
import { OPERATIONS } from '../simulator/world/operations.ts';
import type { Operation } from '../simulator/world/outcome.ts';
import type { AccountType, App, PullRequest, Repository, World } from '../simulator/world/state.ts';
import { openChance } from './chance.ts';

/** Who is there, and where: ids in the simulated GitHub. */
export type Scene = {
  readonly world: World;
  readonly appId: number;
  readonly botId: number;
  readonly slug: string;
  readonly repositoryId: number;
  readonly ref: PullRef;
  /** Two who may write, the author who may read, somebody passing by, and another App's bot. */
  readonly people: Readonly<Record<Name, number>>;
};

export const NAMES = ['ana', 'ben', 'carl', 'dora', 'helper[bot]', 'acme'] as const;
export type Name = (typeof NAMES)[number];

export const START = Date.UTC(2030, 0, 1);
export const SITE = 'https://github.example';
export const BRANCH = 'topic';
export const OTHER_BASE = 'release';
const SLUG = 'countersign';

/** The files of the pull request; every line stands once. */
export const PATHS = ['src/total.ts', 'src/cart.ts', 'docs/notes.md'] as const;
const LINES = 14;

function textOf(path: string): string {
  const chance = openChance(path.length);
  const lines = Array.from({ length: LINES }, (_, index) => `${path} line ${index} ${chance.whole(1_000)}\n`);
  return lines.join('');
}

/** Where the pull request's branch lies: in the repository itself, or in its author's fork of it. */
export type Origin = 'branch' | 'fork';

const prepared = new Map<Origin, Scene>();

/** The scene that every case of this origin begins with; made once, because it is the same. */
export function openScene(origin: Origin): Scene {
  const scene = prepared.get(origin) ?? prepare(origin);
  prepared.set(origin, scene);
  const { world } = scene;
  return { ...scene, world: { ...world, store: { objects: new Map(world.store.objects) }, history: EMPTY_HISTORY } };
}

function prepare(origin: Origin): Scene {
  let world = newWorld({ api: `${SITE}/api/v3`, html: SITE });
  const apply: Applying = (operation, input) => {
    const outcome = operation(world, input, START);
    if (!outcome.ok) throw new Error(outcome.error.message);
    world = outcome.state;
    return outcome.value;
  };
  const people = gather(apply);
  const app = register(apply, people.acme);
  const files = new Map(PATHS.map((path) => [path, { mode: '100644' as const, bytes: Buffer.from(textOf(path)) }]));
  const { id: repositoryId, refs } = apply(OPERATIONS.addRepository, { ownerId: people.acme, name: 'shop', files });
  const installation = apply(OPERATIONS.installApp, { appId: app.id, accountId: people.acme });
  for (const login of ['ana', 'ben', 'carl'] as const)
    apply(OPERATIONS.setPermission, { repositoryId, accountId: people[login], permission: 'write' });
  const { number } = openPull(apply, { id: repositoryId, refs }, people.carl, origin);
  apply(OPERATIONS.setPermission, { repositoryId, accountId: people.carl, permission: 'read' });
  const ref = { installationId: installation.id, repositoryId, owner: 'acme', repo: 'shop', number };
  return { world, appId: app.id, botId: app.botId, slug: app.slug, repositoryId, ref, people };
}

function gather(apply: Applying): Scene['people'] {
  const join = (login: Name, type: AccountType): number => apply(OPERATIONS.addAccount, { login, type }).id;
  return {
    acme: join('acme', 'Organization'),
    ana: join('ana', 'User'),
    ben: join('ben', 'User'),
    carl: join('carl', 'User'),
    dora: join('dora', 'User'),
    'helper[bot]': join('helper[bot]', 'Bot'),
  };
}

function register(apply: Applying, ownerId: number): App {
  const permissions = { contents: 'write', pull_requests: 'write', issues: 'read', metadata: 'read' } as const;
  return apply(OPERATIONS.addApp, { slug: SLUG, ownerId, permissions, events: SUBSCRIPTIONS });
}

type Applying = <Input, Value>(operation: Operation<Input, Value>, input: Input) => Value;

/**
 * The pull request puts a line on top of two of the three files. Where it comes from a fork, the repository has a branch
 * of the same name with other work on it.
 */
function openPull(
  apply: Applying,
  repository: Pick<Repository, 'id' | 'refs'>,
  accountId: number,
  origin: Origin,
): PullRequest {
  const here = { actor: { accountId, viaAppId: null }, repositoryId: repository.id };
  const sha = repository.refs.get('refs/heads/main') ?? '';
  for (const name of [BRANCH, OTHER_BASE]) apply(OPERATIONS.createRef, { ...here, ref: `refs/heads/${name}`, sha });
  const changed = PATHS.slice(0, 2).map((path) => [path, `touched\n${textOf(path)}`] as const);
  const open = { ...here, title: 'Work on the shop', base: 'main' };
  if (origin === 'branch') {
    apply(OPERATIONS.pushFiles, { ...here, branch: BRANCH, files: new Map(changed) });
    return apply(OPERATIONS.openPull, { ...open, head: BRANCH });
  }
  const { id: forkId } = apply(OPERATIONS.forkRepository, { repositoryId: repository.id, ownerId: accountId });
  apply(OPERATIONS.pushFiles, { ...here, repositoryId: forkId, branch: BRANCH, files: new Map(changed) });
  apply(OPERATIONS.pushFiles, { ...here, branch: BRANCH, files: new Map(changed.slice(1)) });
  return apply(OPERATIONS.openPull, { ...open, head: { repositoryId: forkId, branch: BRANCH } });
}
