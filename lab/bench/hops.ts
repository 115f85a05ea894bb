import { randomUUID } from 'node:crypto';
import process from 'node:process';
import { createFetch } from '../../fakes/github/api-server.ts';
import { createGitHub } from '../../src/adapters/github/create-github.ts';
import { createDeliveryHandler, type DeliveryHandler } from '../../src/adapters/http/receive-delivery.ts';
import { createModel } from '../../src/adapters/model/openai.ts';
import { type DatabaseLocation, openStore } from '../../src/adapters/store/open.ts';
import type { Store } from '../../src/adapters/store/store.ts';
import { NO_OPERATOR_SETTINGS } from '../../src/core/settings/operator-file.ts';
import { toolDefinitions } from '../../src/core/state/tools.ts';
import { isRecord, parseJson } from '../../src/lib/trust.ts';
import type { WorkerContext } from '../../src/worker/jobs/job.ts';
import { startWorker } from '../../src/worker/worker.ts';
import { startTestSite, type TestSite } from '../chaos/site.ts';
import { SILENT_COUNTER, SILENT_LOG } from '../shared/silent.ts';
import { pollUntil } from './measure.ts';

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

const FILE_PATH = 'README.md';

/** Clock time between two tasks, long enough to stay below GitHub's rate limits. */
const TASK_INTERVAL_MS = 10_000;

/** Chains that are not counted. They bring tokens, compiled code and query plans to the state of a running server. */
const WARM_UP_ROUNDS = 10;

/**
 * A chain of hops in ms, from the first request to the model until the last: elapsed time, the share of the fakes, and
 * CPU time of this process, which other load on the machine does not change.
 */
type HopChain = { readonly totalMs: number; readonly fakesMs: number; readonly cpuMs: number };

/** The clocks of a measurement. `fakesMs` is the time that GitHub and the model have taken so far. */
type Meter = { readonly site: TestSite; readonly modelRequests: HopChain[]; fakesMs: number };

/**
 * Measures chains of hops, from signal to signal through the store. GitHub and the model answer in this process, without
 * sockets. The store, worker, adapters with Octokit and the OpenAI client, and rate limits are real.
 */
export async function measureHops(database: DatabaseLocation, rounds: number): Promise<readonly HopChain[]> {
  const meter: Meter = { site: await startTestSite(1), modelRequests: [], fakesMs: 0 };
  const { site, modelRequests } = meter;
  // Webhooks are received from the log instead.
  site.github.deliveries.intercept(() => 'drop');
  const store = await openStore(database);
  const context = createBenchContext(meter, store);
  const { clock, self, log } = context;
  const receive = createDeliveryHandler({
    store,
    identity: () => self,
    now: clock.now,
    log,
    deliveries: SILENT_COUNTER,
  });
  const worker = startWorker(context);
  const chains: HopChain[] = [];
  try {
    for (let round = 0; round < WARM_UP_ROUNDS + rounds; round += 1) {
      site.advanceClock(TASK_INTERVAL_MS);
      modelRequests.length = 0;
      await giveTask(site, receive);
      await pollUntil(() => modelRequests.length > READ_TURNS);
      chains.push(subtract(modelRequests[READ_TURNS], modelRequests[0]));
      await pollUntil(() => !worker.isBusy());
    }
  } finally {
    await worker.stop(5_000);
    await Promise.all([store.close(), site.close()]);
  }
  return chains.slice(WARM_UP_ROUNDS);
}

function readClocks({ fakesMs }: Meter): HopChain {
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

function timeFakes<Value>(meter: Meter, work: () => Value): Value {
  const startedAt = performance.now();
  try {
    return work();
  } finally {
    meter.fakesMs += performance.now() - startedAt;
  }
}

/** A worker's context with the real adapters. Each request to the model adds the clocks to `modelRequests`. */
function createBenchContext(meter: Meter, store: Store): WorkerContext {
  const { github, now } = meter.site;
  const { app, apiServer, url } = github;
  const fetch = createFetch({
    ...apiServer,
    exchange: (request) => timeFakes(meter, () => apiServer.exchange(request)),
  });
  const model = createModel({
    apiKey: null,
    baseURL: null,
    api: 'chat',
    model: 'fake',
    tools: toolDefinitions(),
    contextTokens: null,
    parameters: { maxOutputTokens: null, reasoningEffort: null, temperature: null },
    limits: { timeoutMs: 120_000, idleTimeoutMs: 60_000 },
    log: { debug: () => undefined, warn: () => undefined },
    now,
    fetch: async (_address, options) => {
      meter.modelRequests.push(readClocks(meter));
      return timeFakes(meter, () => respondAsModel(String(options?.body)));
    },
  });
  return {
    store,
    githubApp: createGitHub({
      ...{ appId: app.id, privateKey: app.privateKeyPem, baseUrl: `${url}/api/v3`, version: 'lab', now },
      fetch: (address, options) => fetch(address, options),
    }),
    model,
    clock: { now, every: () => () => {} },
    log: SILENT_LOG,
    self: { slug: app.slug, botId: app.botId },
    idKey: 'lab',
    isServedOwner: () => true,
    operatorSettings: () => NO_OPERATOR_SETTINGS,
    links: ({ owner, repo }) => ({ repository: `${url}/${owner}/${repo}` }),
    recordMetric: () => {},
  };
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
async function giveTask({ github, pulls }: TestSite, receive: DeliveryHandler): Promise<void> {
  const known = github.deliveries.log.length;
  pulls[0]?.act((person) => person.says(`/countersign ${READ_TASK}`));
  for (const { guid, event, request } of github.deliveries.log.slice(known)) {
    const payload = parseJson(request.body);
    if (isRecord(payload)) await receive({ id: guid, name: event, payload });
  }
}
