import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { limitsOf } from '../src/budget/limits.ts';
import { openScene, type Scene } from '../src/fidelity/scene.ts';
import { openGitHubs } from '../src/github/open-github.ts';
import { openTake } from '../src/intake/take-delivery.ts';
import { openModel } from '../src/model/openai-model.ts';
import { appKey } from '../src/simulator/http/app-key.ts';
import { createGateway, type Gateway } from '../src/simulator/http/gateway.ts';
import { gatewayFetch } from '../src/simulator/http/gateway-fetch.ts';
import { newGitHubState } from '../src/simulator/http/github-state.ts';
import { personOn } from '../src/simulator/people/person.ts';
import { OPERATIONS } from '../src/simulator/world/operations.ts';
import type { WebhookEvent } from '../src/simulator/world/outcome.ts';
import { openStore, type StorePlace } from '../src/store/open-store.ts';
import type { Store } from '../src/store/store.ts';
import { toolDefinitions } from '../src/tools/definitions.ts';
import type { Context } from '../src/worker/context.ts';
import { workOutHere } from '../src/worker/work-out.ts';
import { startWorker } from '../src/worker/worker.ts';

/**
 * Turns that only read, between the first request to the model and the last: two hops each, the model's and the tools'.
 */
const READS = 4;
export const HOPS = READS * 2;
const PATH = 'read-me.txt';
/** Between two tasks: far enough apart for GitHub's limits not to be what is measured. */
const STEP_MS = 10_000;
/** Chains that are played first, and not counted: they make what a server that has worked a while finds (tokens, compiled code, plans). */
const WARM_UP = 10;

/**
 * One chain of hops (ms): from the model's first answer to the request after its last, what of that GitHub and the
 * model took themselves, and how long this process worked meanwhile, which a busy machine does not change.
 */
export type Chain = { readonly whole: number; readonly answering: number; readonly worked: number };

/** What plays GitHub and the model, and how long they have taken so far (ms). */
type Site = { readonly gateway: Gateway; readonly scene: Scene; readonly events: WebhookEvent[]; answering: number };

/**
 * How long the App takes for a chain of hops, signal to signal through the store, where GitHub and the model answer at
 * once: both are played in this very process, and the time of their own work is told apart. Real are the store, the
 * worker, the adapters with Octokit and the OpenAI client, and the budget; sockets are left out.
 */
export async function measureHops(place: StorePlace, rounds: number): Promise<readonly Chain[]> {
  const clock = { ahead: 0 };
  const now = (): number => Date.now() + clock.ahead;
  const site = openSite(now);
  const store = await openStore(place);
  const asked: Chain[] = [];
  const context = contextOf(site, store, now, asked);
  const worker = startWorker(context, { name: randomUUID() });
  const chains: Chain[] = [];
  try {
    for (let round = 0; round < WARM_UP + rounds; round += 1) {
      clock.ahead += STEP_MS;
      asked.length = 0;
      await task(site, store, context);
      await until(() => asked.length > READS);
      chains.push(between(asked[0], asked[READS]));
      await until(() => !worker.busy());
    }
  } finally {
    await worker.stop(5_000);
    await store.close();
  }
  return chains.slice(WARM_UP);
}

/** What stood on the clocks at a request to the model. */
function clocks({ answering }: Site): Chain {
  const { user, system } = process.cpuUsage();
  return { whole: performance.now(), answering, worked: (user + system) / 1_000 };
}

function between(first: Chain | undefined, last: Chain | undefined): Chain {
  if (first === undefined || last === undefined) throw new Error('The model was not asked.');
  const { whole, answering, worked } = last;
  return { whole: whole - first.whole, answering: answering - first.answering, worked: worked - first.worked };
}

function openSite(now: () => number): Site {
  const file = (text: string) => new Map([[PATH, { mode: '100644' as const, bytes: Buffer.from(text) }]]);
  const scene = openScene({ base: file('one\n'), head: file('one\ntwo\n') }, now());
  const events: WebhookEvent[] = [];
  const gateway = createGateway({
    state: newGitHubState(scene.world, new Map([[scene.app.id, appKey().publicKeyPem]])),
    operations: OPERATIONS,
    now,
    violations: [],
    onWebhooks: (told) => void events.push(...told),
  });
  const site: Site = { scene, events, answering: 0, gateway };
  const exchange: Gateway['exchange'] = (request) => timed(site, () => gateway.exchange(request));
  return Object.assign(site, { gateway: { ...gateway, exchange } });
}

function timed<Value>(site: Site, work: () => Value): Value {
  const begun = performance.now();
  try {
    return work();
  } finally {
    site.answering += performance.now() - begun;
  }
}

function contextOf(site: Site, store: Store, now: () => number, asked: Chain[]): Context {
  const { app, world } = site.scene;
  const fetch = gatewayFetch(site.gateway);
  const limits = limitsOf('github.com');
  const hear = (): void => {
    asked.push(clocks(site));
  };
  return {
    store,
    githubs: openGitHubs({
      appId: app.id,
      privateKey: appKey().privateKeyPem,
      baseUrl: `${world.site.api}/api/v3`,
      version: 'bench',
      fetch: (address, options) => fetch(address, options),
      budget: {
        spend: (installation, wish) => store.spend(installation, wish, limits, now()),
        rest: (installation, until) => store.rest(installation, until),
      },
      now,
    }),
    model: openModel({
      apiKey: null,
      baseURL: null,
      model: 'played',
      tools: toolDefinitions(),
      now,
      fetch: async (_address, options) => {
        hear();
        return timed(site, () => reply(String(options?.body)));
      },
    }),
    clock: { now, every: () => () => {} },
    log: { info() {}, warn() {}, error() {} },
    self: { slug: app.slug, botId: app.botId },
    serves: () => true,
    workOut: workOutHere,
    links: ({ owner, repo }) => ({ repository: `${world.site.html}/${owner}/${repo}` }),
    count: () => {},
  };
}

/** Reads the file so many times, and has then nothing more to say. */
function reply(body: string): Response {
  const { messages }: { messages: readonly { readonly role: string }[] } = JSON.parse(body);
  const begun = messages.findLastIndex(({ role }) => role === 'user');
  const turns = messages.slice(begun).filter(({ role }) => role === 'assistant').length;
  const call = { name: 'read_file', arguments: JSON.stringify({ path: PATH, limit: 5 }) };
  const message =
    turns < READS
      ? { role: 'assistant', content: null, tool_calls: [{ id: randomUUID(), type: 'function', function: call }] }
      : { role: 'assistant', content: 'Read.' };
  return Response.json({ choices: [{ index: 0, message, finish_reason: turns < READS ? 'tool_calls' : 'stop' }] });
}

/** A person gives a task, and the App hears of it. */
async function task({ gateway, scene, events }: Site, store: Store, { self, clock, log }: Context): Promise<void> {
  const { anaId, repositoryId, number, branch, ref } = scene;
  const apply: Parameters<typeof personOn>[0] = (operation, input) => {
    const outcome = gateway.apply(operation, input);
    if (!outcome.ok) throw new Error(outcome.error.message);
    return outcome.value;
  };
  events.length = 0;
  personOn(apply, { accountId: anaId, repositoryId, number, branch }).says('/countersign read it again and again');
  const take = openTake({
    store,
    self: () => self,
    now: clock.now,
    log: { ...log, debug() {} },
    deliveries: { add() {} },
  });
  const installation = { id: ref.installationId, node_id: 'installation' };
  for (const { name, payload } of events) await take({ id: randomUUID(), name, payload: { ...payload, installation } });
}

async function until(done: () => boolean): Promise<void> {
  const deadline = performance.now() + 60_000;
  while (!done()) {
    if (performance.now() > deadline) throw new Error('It did not happen within a minute.');
    await sleep(2);
  }
}
