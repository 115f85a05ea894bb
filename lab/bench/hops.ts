import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { type ApiServer, createApiServer, createFetch } from '../../fakes/github/api-server.ts';
import { getAppKey } from '../../fakes/github/http/auth.ts';
import { createServerState } from '../../fakes/github/http/server-state.ts';
import { OPERATIONS } from '../../fakes/github/operations/operations.ts';
import type { WebhookEvent } from '../../fakes/github/state/operation.ts';
import { createPerson } from '../../fakes/people/person.ts';
import { createGitHub } from '../../src/adapters/github/create-github.ts';
import { createDeliveryHandler } from '../../src/adapters/http/receive-delivery.ts';
import { createModel } from '../../src/adapters/model/openai.ts';
import { type DatabaseLocation, openStore } from '../../src/adapters/store/open.ts';
import type { Store } from '../../src/adapters/store/store.ts';
import { rateLimitsFor } from '../../src/core/state/rate-limit.ts';
import { toolDefinitions } from '../../src/core/state/tools.ts';
import type { WorkerContext } from '../../src/worker/jobs/job.ts';
import { offloadInline } from '../../src/worker/offload/offload.ts';
import { startWorker } from '../../src/worker/worker.ts';
import { createPullRequestFixture, type PullRequestFixture } from '../fidelity/session.ts';

/**
 * Turns that only read, between the first request to the model and the last: two hops each, the model's and the tools'.
 */
const READ_TURNS = 4;

export const CHAIN_HOPS = READ_TURNS * 2;

const FILE_PATH = 'read-me.txt';

/** Between two tasks: far enough apart for GitHub's limits not to be what is measured. */
const TASK_INTERVAL_MS = 10_000;

/** Chains that are played first, and not counted: they make what a server that has worked a while finds (tokens, compiled code, plans). */
const WARM_UP_ROUNDS = 10;

/**
 * One chain of hops (ms): from the model's first answer to the request after its last, what of that GitHub and the
 * model took themselves, and how long this process worked meanwhile, which a busy machine does not change.
 */
type HopChain = { readonly totalMs: number; readonly answeringMs: number; readonly cpuMs: number };

/** What plays GitHub and the model, and how long they have taken so far (ms). */
type InProcessSite = {
  readonly gateway: ApiServer;
  readonly fixture: PullRequestFixture;
  readonly events: WebhookEvent[];
  answeringMs: number;
};

/**
 * How long the App takes for a chain of hops, signal to signal through the store, where GitHub and the model answer at
 * once: both are played in this very process, and the time of their own work is told apart. Real are the store, the
 * worker, the adapters with Octokit and the OpenAI client, and the budget; sockets are left out.
 */
export async function measureHops(place: DatabaseLocation, rounds: number): Promise<readonly HopChain[]> {
  const clock = { ahead: 0 };
  const now = (): number => Date.now() + clock.ahead;
  const site = createInProcessSite(now);
  const store = await openStore(place);
  const asked: HopChain[] = [];
  const context = createWorkerContext(site, store, now, asked);
  const worker = startWorker(context, { name: randomUUID() });
  const chains: HopChain[] = [];
  try {
    for (let round = 0; round < WARM_UP_ROUNDS + rounds; round += 1) {
      clock.ahead += TASK_INTERVAL_MS;
      asked.length = 0;
      await giveTask(site, store, context);
      await waitUntil(() => asked.length > READ_TURNS);
      chains.push(elapsed(asked[0], asked[READ_TURNS]));
      await waitUntil(() => !worker.isBusy());
    }
  } finally {
    await worker.stop(5_000);
    await store.close();
  }
  return chains.slice(WARM_UP_ROUNDS);
}

/** What stood on the clocks at a request to the model. */
function readClocks({ answeringMs }: InProcessSite): HopChain {
  const { user, system } = process.cpuUsage();
  return { totalMs: performance.now(), answeringMs, cpuMs: (user + system) / 1_000 };
}

function elapsed(first: HopChain | undefined, last: HopChain | undefined): HopChain {
  if (first === undefined || last === undefined) throw new Error('The model was not asked.');
  const { totalMs, answeringMs, cpuMs } = last;
  return { totalMs: totalMs - first.totalMs, answeringMs: answeringMs - first.answeringMs, cpuMs: cpuMs - first.cpuMs };
}

function createInProcessSite(now: () => number): InProcessSite {
  const file = (text: string) => new Map([[FILE_PATH, { mode: '100644' as const, bytes: Buffer.from(text) }]]);
  const setup = createPullRequestFixture({ base: file('one\n'), head: file('one\ntwo\n') }, now());
  const events: WebhookEvent[] = [];
  const gateway = createApiServer({
    state: createServerState(setup.state, new Map([[setup.app.id, getAppKey().publicKeyPem]])),
    operations: OPERATIONS,
    now,
    violations: [],
    onWebhooks: (told) => void events.push(...told),
  });
  const site: InProcessSite = { fixture: setup, events, answeringMs: 0, gateway };
  const exchange: ApiServer['exchange'] = (request) => countAnswering(site, () => gateway.exchange(request));
  return Object.assign(site, { gateway: { ...gateway, exchange } });
}

function countAnswering<Value>(site: InProcessSite, work: () => Value): Value {
  const startedAt = performance.now();
  try {
    return work();
  } finally {
    site.answeringMs += performance.now() - startedAt;
  }
}

function createWorkerContext(site: InProcessSite, store: Store, now: () => number, asked: HopChain[]): WorkerContext {
  const { app, state } = site.fixture;
  const fetch = createFetch(site.gateway);
  const limits = rateLimitsFor('github.com');
  const hear = (): void => {
    asked.push(readClocks(site));
  };
  return {
    store,
    githubApp: createGitHub({
      appId: app.id,
      privateKey: getAppKey().privateKeyPem,
      baseUrl: `${state.host.apiUrl}/api/v3`,
      version: 'bench',
      fetch: (address, options) => fetch(address, options),
      rateLimiter: {
        acquire: (installation, wish) => store.acquireRateLimit(installation, wish, limits, now()),
        pauseUntil: (installation, until) => store.pauseInstallation(installation, until),
      },
      now,
    }),
    model: createModel({
      apiKey: null,
      baseURL: null,
      model: 'played',
      tools: toolDefinitions(),
      now,
      fetch: async (_address, options) => {
        hear();
        return countAnswering(site, () => answerRequest(String(options?.body)));
      },
    }),
    clock: { now, every: () => () => {} },
    log: { info() {}, warn() {}, error() {} },
    self: { slug: app.slug, botId: app.botId },
    isServedOwner: () => true,
    offload: offloadInline,
    links: ({ owner, repo }) => ({ repository: `${state.host.webUrl}/${owner}/${repo}` }),
    recordMetric: () => {},
  };
}

/** Reads the file so many times, and has then nothing more to say. */
function answerRequest(body: string): Response {
  const { messages }: { messages: readonly { readonly role: string }[] } = JSON.parse(body);
  const startedAt = messages.findLastIndex(({ role }) => role === 'user');
  const turns = messages.slice(startedAt).filter(({ role }) => role === 'assistant').length;
  const call = { name: 'read_file', arguments: JSON.stringify({ path: FILE_PATH, limit: 5 }) };
  const message =
    turns < READ_TURNS
      ? { role: 'assistant', content: null, tool_calls: [{ id: randomUUID(), type: 'function', function: call }] }
      : { role: 'assistant', content: 'Read.' };
  return Response.json({ choices: [{ index: 0, message, finish_reason: turns < READ_TURNS ? 'tool_calls' : 'stop' }] });
}

/** A person gives a task, and the App hears of it. */
async function giveTask(
  { gateway, fixture: setup, events }: InProcessSite,
  store: Store,
  { self, clock, log }: WorkerContext,
): Promise<void> {
  const { anaId, repositoryId, number, branch, ref } = setup;
  const apply: Parameters<typeof createPerson>[0] = (operation, input) => {
    const outcome = gateway.apply(operation, input);
    if (!outcome.ok) throw new Error(outcome.error.message);
    return outcome.value;
  };
  events.length = 0;
  createPerson(apply, { accountId: anaId, repositoryId, number, branch }).says('/countersign read it again and again');
  const take = createDeliveryHandler({
    store,
    identity: () => self,
    now: clock.now,
    log: { ...log, debug() {} },
    deliveries: { inc() {} },
  });
  const installation = { id: ref.installationId, node_id: 'installation' };
  for (const { name, payload } of events) await take({ id: randomUUID(), name, payload: { ...payload, installation } });
}

async function waitUntil(done: () => boolean): Promise<void> {
  const deadline = performance.now() + 60_000;
  while (!done()) {
    if (performance.now() > deadline) throw new Error('It did not happen within a minute.');
    await sleep(2);
  }
}
