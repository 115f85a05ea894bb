import { randomUUID } from 'node:crypto';
import process from 'node:process';
import type { ApiServer } from '../../fakes/github/api-server.ts';
import type { WebhookEvent } from '../../fakes/github/state/operation.ts';
import { createModel } from '../../src/adapters/model/openai.ts';
import { type DatabaseLocation, openStore } from '../../src/adapters/store/open.ts';
import type { Store } from '../../src/adapters/store/store.ts';
import { toolDefinitions } from '../../src/core/state/tools.ts';
import type { WorkerContext } from '../../src/worker/jobs/job.ts';
import { startWorker } from '../../src/worker/worker.ts';
import {
  createFixtureContext,
  createFixturePerson,
  createFixtureReceiver,
  createFixtureServer,
  createPullRequestFixture,
  type PullRequestFixture,
} from './pull-request-fixture.ts';
import { SETTINGS_FOR_MANY_RUNS } from '../shared/settings-for-many-runs.ts';
import { FINE_POLL, pollUntil } from './measure.ts';

/** Model responses of a task that call `read_file`. One more response ends the task. */
const READ_TURNS = 4;

/** Each turn is two hops: a request to the model, then its tool call. */
export const HOPS_PER_CHAIN = READ_TURNS * 2;

/** The task that starts a chain of hops. */
const READ_TASK = 'read it again and again';

/** Model responses since the last message of a user. */
function countTurns(messages: readonly { readonly role: string }[]): number {
  const start = messages.findLastIndex(({ role }) => role === 'user');
  return messages.slice(start).filter(({ role }) => role === 'assistant').length;
}

const FILE_PATH = 'read-me.txt';

/** Clock time between two tasks, long enough to stay below GitHub's rate limits. */
const TASK_INTERVAL_MS = 10_000;

/** Chains that are not counted. They bring tokens, compiled code and query plans to the state of a running server. */
const WARM_UP_ROUNDS = 10;

/**
 * A chain of hops in ms, from the first request to the model until the last: elapsed time, the share of the fakes, and
 * CPU time of this process, which other load on the machine does not change.
 */
type HopChain = { readonly totalMs: number; readonly fakesMs: number; readonly cpuMs: number };

/** A fake GitHub in this process. `fakesMs` is the time that GitHub and the model have taken so far. */
type InProcessSite = {
  readonly server: ApiServer;
  readonly fixture: PullRequestFixture;
  readonly events: WebhookEvent[];
  fakesMs: number;
};

/**
 * Measures chains of hops, from signal to signal through the store. GitHub and the model run in this process, and
 * sockets are left out. The store, worker, adapters with Octokit and the OpenAI client, and rate limits are real.
 */
export async function measureHops(database: DatabaseLocation, rounds: number): Promise<readonly HopChain[]> {
  const clock = { aheadMs: 0 };
  const now = (): number => Date.now() + clock.aheadMs;
  const site = createInProcessSite(now);
  const store = await openStore(database);
  const modelRequests: HopChain[] = [];
  const context = createBenchContext(site, store, now, modelRequests);
  const worker = startWorker(context);
  const chains: HopChain[] = [];
  try {
    for (let round = 0; round < WARM_UP_ROUNDS + rounds; round += 1) {
      clock.aheadMs += TASK_INTERVAL_MS;
      modelRequests.length = 0;
      await giveTask(site, context);
      await pollUntil(() => modelRequests.length > READ_TURNS, FINE_POLL);
      chains.push(subtract(modelRequests[READ_TURNS], modelRequests[0]));
      await pollUntil(() => !worker.isBusy(), FINE_POLL);
    }
  } finally {
    await worker.stop(5_000);
    await store.close();
  }
  return chains.slice(WARM_UP_ROUNDS);
}

function readClocks({ fakesMs }: InProcessSite): HopChain {
  const { user, system } = process.cpuUsage();
  return { totalMs: performance.now(), fakesMs, cpuMs: (user + system) / 1_000 };
}

function subtract(last: HopChain | undefined, first: HopChain | undefined): HopChain {
  if (first === undefined || last === undefined) throw new Error('The model received no request.');
  return {
    totalMs: last.totalMs - first.totalMs,
    fakesMs: last.fakesMs - first.fakesMs,
    cpuMs: last.cpuMs - first.cpuMs,
  };
}

function createInProcessSite(now: () => number): InProcessSite {
  const filesWith = (text: string) =>
    new Map([[FILE_PATH, { mode: '100644', bytes: Buffer.from(text) }] as const, SETTINGS_FOR_MANY_RUNS]);
  const fixture = createPullRequestFixture({ base: filesWith('one\n'), head: filesWith('one\ntwo\n') }, now());
  const events: WebhookEvent[] = [];
  const server = createFixtureServer(fixture, now, events);
  const site: InProcessSite = { fixture, events, fakesMs: 0, server };
  const exchange: ApiServer['exchange'] = (request) => timeFakes(site, () => server.exchange(request));
  return Object.assign(site, { server: { ...server, exchange } });
}

function timeFakes<Value>(site: InProcessSite, work: () => Value): Value {
  const startedAt = performance.now();
  try {
    return work();
  } finally {
    site.fakesMs += performance.now() - startedAt;
  }
}

/** Adds the clocks at each request to the model to `modelRequests`. */
function createBenchContext(
  site: InProcessSite,
  store: Store,
  now: () => number,
  modelRequests: HopChain[],
): WorkerContext {
  const model = createModel({
    apiKey: null,
    baseURL: null,
    model: 'fake',
    tools: toolDefinitions(),
    contextTokens: null,
    parameters: { maxOutputTokens: null, reasoningEffort: null, temperature: null },
    limits: { timeoutMs: 120_000, idleTimeoutMs: 60_000 },
    log: { debug: () => undefined, warn: () => undefined },
    now,
    fetch: async (_address, options) => {
      modelRequests.push(readClocks(site));
      return timeFakes(site, () => respondAsModel(String(options?.body)));
    },
  });
  return createFixtureContext({
    fixture: site.fixture,
    server: site.server,
    store,
    model,
    now,
  });
}

/** Reads the file `READ_TURNS` times, then ends the task. */
function respondAsModel(body: string): Response {
  const { messages }: { messages: readonly { readonly role: string }[] } = JSON.parse(body);
  const hasCall = countTurns(messages) < READ_TURNS;
  const call = { name: 'read_file', arguments: JSON.stringify({ path: FILE_PATH, limit: 5 }) };
  const message = hasCall
    ? { role: 'assistant', content: null, tool_calls: [{ id: randomUUID(), type: 'function', function: call }] }
    : { role: 'assistant', content: 'Read.' };
  return Response.json({ choices: [{ index: 0, message, finish_reason: hasCall ? 'tool_calls' : 'stop' }] });
}

/** A person posts a task, and the App receives its webhooks. */
async function giveTask({ server, fixture, events }: InProcessSite, context: WorkerContext): Promise<void> {
  events.length = 0;
  createFixturePerson(fixture, server).says(`/countersign ${READ_TASK}`);
  const receive = createFixtureReceiver(fixture, context);
  for (const event of events) await receive(randomUUID(), event);
}
