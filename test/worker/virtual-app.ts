import { GITHUB_LIMITS, type Limit } from '../../src/budget/limits.ts';
import type { PullRef } from '../../src/command/intent.ts';
import { openGitHubs } from '../../src/github/open-github.ts';
import { openTake, type Take } from '../../src/intake/take-delivery.ts';
import { memoryStore } from '../../src/simulation/store/memory-store.ts';
import { emptyTables } from '../../src/simulation/store/tables.ts';
import { appKey } from '../../src/simulator/http/app-key.ts';
import { createGateway, type Gateway } from '../../src/simulator/http/gateway.ts';
import { gatewayFetch } from '../../src/simulator/http/gateway-fetch.ts';
import { newGitHubState } from '../../src/simulator/http/github-state.ts';
import { GITHUB_COM_LIMITS, type GrantedLimits } from '../../src/simulator/http/usage.ts';
import { type Person, personOn } from '../../src/simulator/people/person.ts';
import type { Permission } from '../../src/simulator/world/access.ts';
import { newWorld } from '../../src/simulator/world/new-world.ts';
import { OPERATIONS } from '../../src/simulator/world/operations.ts';
import type { Operation, WebhookEvent } from '../../src/simulator/world/outcome.ts';
import type { App } from '../../src/simulator/world/state.ts';
import { claimEffect, claimPull } from '../../src/worker/claim-work.ts';
import type { Context } from '../../src/worker/context.ts';
import { workOutHere } from '../../src/worker/work-out.ts';

/** One line of the App's log. */
export type Line = { readonly level: string; readonly message: string; readonly fields: object };

/** A pull request of an account of its own, on which the App is installed. */
export type VirtualPull = {
  readonly ref: PullRef;
  readonly person: (login: string, permission?: Permission) => Person;
  /** What the App wrote into the conversation, oldest first. */
  readonly said: () => readonly string[];
};

/** The App and GitHub in one process and in virtual time: nothing is waited for. */
export type VirtualApp = {
  readonly gateway: Gateway;
  readonly violations: readonly string[];
  readonly logged: Line[];
  /** How often the model was asked. */
  readonly asked: () => number;
  readonly now: () => number;
  readonly pass: (ms: number) => void;
  readonly installedFor: (owner: string) => { readonly opens: () => VirtualPull };
  /** Delivers what GitHub told, and does all that is due now. */
  readonly settle: () => Promise<void>;
  /** The same again and again, with the clock jumping to what is due next, until nothing is left or that time has come. */
  readonly playOn: (until?: number) => Promise<void>;
  /** The process ends, and another one begins on what is stored. */
  readonly restart: () => void;
};

export type VirtualOptions = {
  /** Something of the worker's surroundings that is to be otherwise. */
  readonly bend?: (context: Context) => Context;
  /** What GitHub grants; as github.com does where nothing is said. */
  readonly granted?: GrantedLimits;
  /** What the App takes GitHub's limits for; GitHub's own where nothing is said. */
  readonly limits?: readonly Limit[];
};

const SITE = 'http://127.0.0.1';
const PERMISSIONS = { contents: 'write', pull_requests: 'write', issues: 'read', metadata: 'read' } as const;
const EVENTS = ['issue_comment', 'pull_request', 'pull_request_review', 'pull_request_review_comment', 'push'];
const HAND = { worker: 'virtual', stopping: new AbortController().signal, mayGoOn: () => true, gaveBack: () => {} };

/** What the parts of one virtual App share. */
type Stage = {
  readonly clock: { now: number };
  readonly gateway: Gateway;
  readonly app: App;
  readonly told: WebhookEvent[];
  readonly tables: ReturnType<typeof emptyTables>;
  readonly logged: Line[];
  readonly options: VirtualOptions;
  processes: number;
  asked: number;
};

export function openVirtualApp(options: VirtualOptions = {}): VirtualApp {
  const clock = { now: Date.UTC(2030, 0, 1) };
  const told: WebhookEvent[] = [];
  const violations: string[] = [];
  const gateway = createGateway({
    state: newGitHubState(newWorld({ api: SITE, html: SITE }), new Map()),
    operations: OPERATIONS,
    now: () => clock.now,
    violations,
    onWebhooks: (events) => void told.push(...events),
  });
  const owner = must(gateway, OPERATIONS.addAccount, { login: 'app-maker' });
  const registered = { slug: 'countersign', ownerId: owner.id, permissions: PERMISSIONS, events: EVENTS };
  const app = must(gateway, OPERATIONS.addApp, registered);
  const known = newGitHubState(gateway.state().world, new Map([[app.id, appKey().publicKeyPem]]));
  gateway.replaceState({ ...known, limits: options.granted ?? GITHUB_COM_LIMITS });
  const stage: Stage = {
    ...{ clock, gateway, app, told, options },
    tables: emptyTables(),
    logged: [],
    processes: 0,
    asked: 0,
  };
  let process = begin(stage);
  return {
    ...{ gateway, violations, logged: stage.logged },
    asked: () => stage.asked,
    now: () => clock.now,
    pass: (ms) => {
      clock.now += ms;
    },
    installedFor: (login) => installed(stage, login),
    settle: () => settle(stage, process),
    playOn: async (until) => {
      for (;;) {
        await settle(stage, process);
        const { pull, free } = await process.context.store.nextDue(clock.now);
        const next = Math.min(pull ?? Number.POSITIVE_INFINITY, free ?? Number.POSITIVE_INFINITY);
        if (next > (until ?? Number.MAX_SAFE_INTEGER)) break;
        clock.now = Math.max(clock.now, next);
      }
      clock.now = Math.max(clock.now, until ?? 0);
    },
    restart: () => {
      stage.tables.holders.delete(stage.processes);
      process = begin(stage);
    },
  };
}

function must<Input, Value>(gateway: Gateway, operation: Operation<Input, Value>, input: Input): Value {
  const outcome = gateway.apply(operation, input);
  if (!outcome.ok) throw new Error(outcome.error.message);
  return outcome.value;
}

type Process = { readonly context: Context; readonly take: Take };

function begin(stage: Stage): Process {
  stage.processes += 1;
  const { clock, gateway, app, logged, options } = stage;
  const now = (): number => clock.now;
  const store = memoryStore(stage.tables, stage.processes);
  const fetch = gatewayFetch(gateway);
  const write =
    (level: string) =>
    (fields: object, message: string): void =>
      void logged.push({ level, message, fields });
  const log = { debug: write('debug'), info: write('info'), warn: write('warn'), error: write('error') };
  const nothingMore = async () => {
    stage.asked += 1;
    return { content: 'Done.', calls: [], finishReason: 'stop', usage: { input: 0, cachedInput: 0, output: 0 } };
  };
  const self = { slug: app.slug, botId: app.botId };
  const context: Context = {
    store,
    githubs: openGitHubs({
      appId: app.id,
      privateKey: appKey().privateKeyPem,
      baseUrl: `${SITE}/api/v3`,
      version: 'virtual',
      budget: {
        spend: (installationId, wish) => store.spend(installationId, wish, options.limits ?? GITHUB_LIMITS, now()),
        rest: (installationId, until) => store.rest(installationId, until),
      },
      fetch: (address, given) => fetch(address, given),
      now,
    }),
    model: { ask: nothingMore, askForWords: nothingMore },
    clock: { now, every: () => () => {} },
    log,
    self,
    serves: () => true,
    workOut: workOutHere,
    links: ({ owner, repo }) => ({ repository: `${SITE}/${owner}/${repo}` }),
    count: () => {},
  };
  const take = openTake({ store, self: () => self, now, log, deliveries: { add() {} } });
  return { context: options.bend?.(context) ?? context, take };
}

async function settle({ told, clock, gateway }: Stage, { context, take }: Process): Promise<void> {
  const hand = { ...HAND, context };
  for (;;) {
    const event = told.shift();
    if (event !== undefined) {
      const payload = addressed(gateway, event);
      const id = `${clock.now}-${told.length}-${Math.random()}`;
      if (payload !== null) await take({ id, name: event.name, payload });
      continue;
    }
    const work = (await claimPull(hand)) ?? (await claimEffect(hand));
    if (work === null) return;
    await work();
  }
}

/** With the installation that hears of it; null where that is suspended, and of that it hears. */
function addressed(gateway: Gateway, { payload, repositoryId }: WebhookEvent): WebhookEvent['payload'] | null {
  if (Object.hasOwn(payload, 'installation')) return payload;
  const { installations, repositories } = gateway.state().world;
  const accountId = repositories.get(repositoryId ?? 0)?.ownerId;
  const installation = [...installations.values()].find((one) => one.accountId === accountId);
  if (installation !== undefined && installation.suspendedAt !== null) return null;
  return { ...payload, installation: { id: installation?.id ?? 0, node_id: 'I' } };
}

function installed({ gateway, app }: Stage, login: string): { readonly opens: () => VirtualPull } {
  const apply = <Input, Value>(operation: Operation<Input, Value>, input: Input): Value =>
    must(gateway, operation, input);
  const ownerId = apply(OPERATIONS.addAccount, { login, type: 'Organization' }).id;
  const files = new Map([['a.txt', { mode: '100644' as const, bytes: Buffer.from('one\ntwo\n') }]]);
  const { id: repositoryId, name, refs } = apply(OPERATIONS.addRepository, { ownerId, name: 'shop', files });
  const installationId = apply(OPERATIONS.installApp, { appId: app.id, accountId: ownerId }).id;
  const here = { actor: { accountId: ownerId, viaAppId: null }, repositoryId };
  let opened = 0;
  return {
    opens: () => {
      opened += 1;
      const branch = `topic-${opened}`;
      const sha = refs.get('refs/heads/main') ?? '';
      apply(OPERATIONS.createRef, { ...here, ref: `refs/heads/${branch}`, sha });
      apply(OPERATIONS.pushFiles, { ...here, branch, files: new Map([['a.txt', `${opened}\n`]]) });
      const { number } = apply(OPERATIONS.openPull, { ...here, title: 'Work', head: branch });
      const ref = { installationId, repositoryId, owner: login, repo: name, number };
      return {
        ref,
        person: (who, permission) => {
          const accountId = apply(OPERATIONS.addAccount, { login: who }).id;
          if (permission !== undefined) apply(OPERATIONS.setPermission, { repositoryId, accountId, permission });
          return personOn(apply, { accountId, repositoryId, number, branch });
        },
        said: () => {
          const pull = gateway.state().world.repositories.get(repositoryId)?.pulls.get(number);
          const comments = [...(pull?.comments.values() ?? [])];
          return comments.filter(({ authorId }) => authorId === app.botId).map(({ body }) => body);
        },
      };
    },
  };
}
