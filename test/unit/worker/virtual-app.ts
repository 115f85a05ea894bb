import { type ApiServer, createApiServer, createFetch } from '../../../fakes/github/api-server.ts';
import { getAppKey } from '../../../fakes/github/http/auth.ts';
import { createServerState, type FakeRateLimits, GITHUB_COM_LIMITS } from '../../../fakes/github/http/server-state.ts';
import { OPERATIONS } from '../../../fakes/github/operations/operations.ts';
import type { CollaboratorPermission, FakeApp } from '../../../fakes/github/state/github-state.ts';
import type { Operation, WebhookEvent } from '../../../fakes/github/state/operation.ts';
import { createGitHubState } from '../../../fakes/github/state/update.ts';
import { createPerson, type FakePerson } from '../../../fakes/people/person.ts';
import { createMemoryStore } from '../../../lab/simulation/memory-store/memory-store.ts';
import { createMemoryTables } from '../../../lab/simulation/memory-store/tables.ts';
import { createGitHub } from '../../../src/adapters/github/create-github.ts';
import { createDeliveryHandler, type DeliveryHandler } from '../../../src/adapters/http/webhook-endpoint.ts';
import type { Logger } from '../../../src/adapters/telemetry/log.ts';
import { NO_OPERATOR_SETTINGS } from '../../../src/core/settings/operator-file.ts';
import type { PullRequestRef } from '../../../src/core/state/intent.ts';
import type { WorkerContext } from '../../../src/worker/jobs/job.ts';
import { claimNextEffect, claimNextPull } from '../../../src/worker/process-pull.ts';

/** One line of the App's log. */
export type Line = { readonly level: string; readonly message: string; readonly fields: object };

/** A pull request in an account with an installation of the App. */
export type VirtualPull = {
  readonly ref: PullRequestRef;
  readonly person: (login: string, permission?: CollaboratorPermission) => FakePerson;
  /** The App's comments on the pull request, oldest first. */
  readonly appComments: () => readonly string[];
};

/** The App and a fake GitHub in one process, in virtual time. */
export type VirtualApp = {
  readonly gateway: ApiServer;
  readonly violations: readonly string[];
  readonly logged: Line[];
  /** Number of model calls. */
  readonly asked: () => number;
  readonly now: () => number;
  readonly pass: (ms: number) => void;
  readonly installedFor: (owner: string) => { readonly opens: () => VirtualPull };
  /** Delivers pending webhooks and performs all due work. */
  readonly settle: () => Promise<void>;
  /** Repeats `settle` and moves the clock to the next due time, until no work is left or `until` (ms). */
  readonly runUntilIdle: (until?: number) => Promise<void>;
  /** Replaces the process by a new one with the same store. */
  readonly restart: () => void;
};

type VirtualOptions = {
  /** Modifies the context of the worker. */
  readonly wrapContext?: (context: WorkerContext) => WorkerContext;
  /** The rate limits of GitHub; those of github.com by default. */
  readonly granted?: FakeRateLimits;
};

const SITE = 'http://127.0.0.1';

const PERMISSIONS = { contents: 'write', pull_requests: 'write', issues: 'read', metadata: 'read' } as const;

const EVENTS = ['issue_comment', 'pull_request', 'pull_request_review', 'pull_request_review_comment'];

const HANDLE = {
  stopping: new AbortController().signal,
  canContinue: () => true,
  onReleased: () => {},
};

/** The shared state of one virtual App. */
type Stage = {
  readonly clock: { now: number };
  readonly gateway: ApiServer;
  readonly app: FakeApp;
  readonly webhooks: WebhookEvent[];
  readonly tables: ReturnType<typeof createMemoryTables>;
  readonly logged: Line[];
  readonly options: VirtualOptions;
  asked: number;
};

export function openVirtualApp(options: VirtualOptions = {}): VirtualApp {
  const clock = { now: Date.UTC(2030, 0, 1) };
  const webhooks: WebhookEvent[] = [];
  const violations: string[] = [];
  const gateway = createApiServer({
    state: createServerState(createGitHubState({ apiUrl: SITE, webUrl: SITE }), new Map()),
    operations: OPERATIONS,
    now: () => clock.now,
    violations,
    onWebhooks: (events) => void webhooks.push(...events),
  });
  const owner = must(gateway, OPERATIONS.addAccount, { login: 'app-maker' });
  const registered = { slug: 'countersign', ownerId: owner.id, permissions: PERMISSIONS, events: EVENTS };
  const app = must(gateway, OPERATIONS.addApp, registered);
  const known = createServerState(gateway.serverState().github, new Map([[app.id, getAppKey().publicKeyPem]]));
  gateway.replaceServerState({ ...known, rateLimits: options.granted ?? GITHUB_COM_LIMITS });
  const stage: Stage = {
    ...{ clock, gateway, app, webhooks, options },
    tables: createMemoryTables(),
    logged: [],
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
    runUntilIdle: async (until) => {
      for (;;) {
        await settle(stage, process);
        const next = (await process.context.store.nextDue()) ?? Number.POSITIVE_INFINITY;
        if (next > (until ?? Number.MAX_SAFE_INTEGER)) break;
        clock.now = Math.max(clock.now, next);
      }
      clock.now = Math.max(clock.now, until ?? 0);
    },
    restart: () => {
      process = begin(stage);
    },
  };
}

function must<Input, Value>(gateway: ApiServer, operation: Operation<Input, Value>, input: Input): Value {
  const outcome = gateway.apply(operation, input);
  if (!outcome.ok) throw new Error(outcome.error.message);
  return outcome.value;
}

type Process = { readonly context: WorkerContext; readonly take: DeliveryHandler };

function begin(stage: Stage): Process {
  const { clock, gateway, app, logged, options } = stage;
  const now = (): number => clock.now;
  const store = createMemoryStore(stage.tables);
  const fetch = createFetch(gateway);
  const logWith = (bound: object): Logger => {
    const write = (level: string) => (fields: object, message: string) =>
      void logged.push({ level, message, fields: { ...bound, ...fields } });
    const child = (fields: object): Logger => logWith({ ...bound, ...fields });
    return { debug: write('debug'), info: write('info'), warn: write('warn'), error: write('error'), child };
  };
  const log = logWith({});
  const nothingMore = async () => {
    stage.asked += 1;
    return {
      content: 'Done.',
      toolCalls: [],
      finishReason: 'stop',
      usage: { inputTokens: 0, cachedInputTokens: 0, outputTokens: 0 },
    };
  };
  const self = { slug: app.slug, botId: app.botId };
  const context: WorkerContext = {
    store,
    githubApp: createGitHub({
      appId: app.id,
      privateKey: getAppKey().privateKeyPem,
      baseUrl: `${SITE}/api/v3`,
      version: 'virtual',
      countsWrites: true,
      fetch: (address, given) => fetch(address, given),
      now,
    }),
    model: { ask: nothingMore, answerQuestion: nothingMore, maxRequestTokens: async () => null },
    clock: { now, every: () => () => {} },
    log,
    self,
    idKey: 'key',
    isServedOwner: () => true,
    operatorSettings: () => NO_OPERATOR_SETTINGS,
    links: ({ owner, repo }) => ({ repository: `${SITE}/${owner}/${repo}` }),
    recordMetric: () => {},
  };
  const take = createDeliveryHandler({ store, identity: () => self, now, log, deliveries: { inc() {} } });
  return { context: options.wrapContext?.(context) ?? context, take };
}

async function settle({ webhooks, clock, gateway }: Stage, { context, take }: Process): Promise<void> {
  const handle = { ...HANDLE, context };
  for (;;) {
    const event = webhooks.shift();
    if (event !== undefined) {
      const payload = addressed(gateway, event);
      const id = `${clock.now}-${webhooks.length}-${Math.random()}`;
      if (payload !== null) await take({ id, name: event.name, payload });
      continue;
    }
    const work = (await claimNextPull(handle)) ?? (await claimNextEffect(handle));
    if (work === null) return;
    await work();
  }
}

/** The delivery with its installation; null if that is suspended, except for the suspension itself. */
function addressed(gateway: ApiServer, { payload, repositoryId }: WebhookEvent): WebhookEvent['payload'] | null {
  if (Object.hasOwn(payload, 'installation')) return payload;
  const { installations, repositories } = gateway.serverState().github;
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
      apply(OPERATIONS.createGitRef, { ...here, ref: `refs/heads/${branch}`, sha });
      apply(OPERATIONS.pushFiles, { ...here, branch, files: new Map([['a.txt', `${opened}\n`]]) });
      const { number } = apply(OPERATIONS.createPullRequest, { ...here, title: 'Work', head: branch });
      const ref = { installationId, repositoryId, owner: login, repo: name, number };
      return {
        ref,
        person: (who, permission) => {
          const accountId = apply(OPERATIONS.addAccount, { login: who }).id;
          if (permission !== undefined) apply(OPERATIONS.setPermission, { repositoryId, accountId, permission });
          return createPerson(apply, { accountId, repositoryId, number, branch });
        },
        appComments: () => {
          const pull = gateway.serverState().github.repositories.get(repositoryId)?.pulls.get(number);
          const comments = [...(pull?.comments.values() ?? [])];
          return comments.filter(({ authorId }) => authorId === app.botId).map(({ body }) => body);
        },
      };
    },
  };
}
