import { Probot } from 'probot';
import { countersign, dispatch } from './app.ts';
import type { Config } from './config/config.ts';
import { servedBy } from './config/served-owners.ts';
import { version } from './config/version.ts';
import { apiUrl, CountersignOctokit } from './github/octokit.ts';
import { openGitHubs } from './github/open-github.ts';
import { openServer } from './intake/server.ts';
import { statusRoutes } from './intake/status-routes.ts';
import { openTake, type Take } from './intake/take-delivery.ts';
import { webhookHandle } from './intake/webhook.ts';
import { askIdentity, awaitIdentity, type Identity } from './introduce.ts';
import { openModel } from './model/openai-model.ts';
import { openStore } from './store/open-store.ts';
import type { Store } from './store/store.ts';
import type { openLog } from './telemetry/log.ts';
import { type Metrics, openMetrics } from './telemetry/metrics.ts';
import { MODEL_TOOLS } from './tools/definitions.ts';
import { asProbotOctokit } from './trust.ts';
import type { GitHubs } from './worker/ports.ts';
import { startWorker, type Worker } from './worker/worker.ts';

/** A server that takes deliveries. `stop` lets what is under way end or parks it; a second call waits for the first. */
export type RunningServer = { readonly url: string; stop(): Promise<void> };

type Logger = ReturnType<typeof openLog>;
type Parts = {
  readonly config: Config;
  readonly log: Logger;
  readonly metrics: Metrics;
  readonly store: Store;
  readonly githubs: GitHubs;
};

/** What comes to be only after GitHub told who we are. */
type Life = { identity: Identity | null; worker: Worker | null; readonly stopping: AbortController };

const HTTP_GRACE_MS = 3_000;
const WORKER_GRACE_MS = 17_000;

function openParts(config: Config, log: Logger, store: Store): Parts {
  const githubs = openGitHubs({
    appId: config.app.id,
    privateKey: config.app.privateKey,
    baseUrl: apiUrl(config.github.host, config.github.protocol),
    version: version(),
  });
  return { config, log, metrics: openMetrics(), store, githubs };
}

async function openProbot({ config, log }: Parts, take: Take): Promise<Probot> {
  const probot = new Probot({
    appId: config.app.id,
    privateKey: config.app.privateKey,
    secret: config.app.webhookSecrets[0],
    Octokit: asProbotOctokit(CountersignOctokit),
    baseUrl: apiUrl(config.github.host, config.github.protocol),
    // Whatever it would say we say ourselves, without payloads.
    log: log.child({}, { level: 'silent' }),
  });
  await probot.load(countersign(take));
  return probot;
}

function openWorker({ config, log, metrics, store, githubs }: Parts, identity: Identity): Worker {
  const counters = {
    signal: metrics.counter('countersign_signals_total', 'Decided signals by reason.'),
    effect: metrics.counter('countersign_effects_total', 'Performed effects by outcome.'),
  };
  const site = `${config.github.protocol}://${config.github.host}`;
  return startWorker({
    store,
    githubs,
    model: openModel({
      apiKey: config.model.apiKey,
      baseURL: config.model.baseUrl,
      model: config.model.name,
      tools: MODEL_TOOLS,
    }),
    clock: { now: Date.now },
    log,
    self: { slug: identity.slug, botId: identity.botId },
    serves: servedBy(config.allowedOwners, identity.owner),
    links: ({ owner, repo }) => ({ repository: `${site}/${owner}/${repo}` }),
    count: (metric, label) => counters[metric].add({ [metric === 'signal' ? 'reason' : 'outcome']: label }),
  });
}

function begin(parts: Parts, life: Life, identity: Identity | null): void {
  if (identity === null || life.stopping.signal.aborted) return;
  life.identity = identity;
  if (!parts.config.paused) life.worker = openWorker(parts, identity);
  parts.log.info({ app: identity.slug, paused: parts.config.paused }, 'ready');
}

async function checkReady({ store, config }: Parts, { identity, worker }: Life): Promise<void> {
  if (identity === null) throw new Error('GitHub has not told yet who we are');
  await store.ping();
  if (!config.paused && worker?.running() !== true) throw new Error('the worker does not run');
}

function openTakeOf({ store, log, metrics }: Parts, life: Life): Take {
  return openTake({
    store,
    self: () => life.identity,
    now: Date.now,
    wake: () => life.worker?.wake(),
    log,
    deliveries: metrics.counter('countersign_deliveries_total', 'Deliveries by event and outcome.'),
  });
}

async function openEntry(parts: Parts, life: Life) {
  const { config, log, metrics } = parts;
  const take = openTakeOf(parts, life);
  const probot = await openProbot(parts, take);
  const handle = webhookHandle({
    secrets: config.app.webhookSecrets,
    deliver: (event) => dispatch(probot, take, event),
    log,
  });
  return openServer({
    ...config.http,
    log,
    answers: metrics.counter('countersign_http_answers_total', 'HTTP answers by status.'),
    routes: [
      { method: 'POST', path: config.http.webhookPath, handle },
      ...statusRoutes(() => checkReady(parts, life), metrics, log),
    ],
  });
}

/** Learns who we are now, or goes on asking behind the running server. */
async function introduce(parts: Parts, life: Life): Promise<void> {
  const { githubs, log } = parts;
  const identity = await askIdentity(githubs, log);
  begin(parts, life, identity);
  if (identity !== null) return;
  awaitIdentity(githubs, log, life.stopping.signal).then(
    (found) => begin(parts, life, found),
    (error: unknown) => log.error({ err: error }, 'GitHub refuses this App; nothing is taken until a restart'),
  );
}

/**
 * Opens the store, listens, learns from GitHub who we are and starts the worker, in this order; deliveries that come
 * before GitHub told are answered 503. Throws `StartRefused`, `StoreUnusable` or the socket's error, with everything
 * closed again.
 */
export async function startServer(config: Config, log: Logger): Promise<RunningServer> {
  const store = await openStore({ databaseUrl: config.database.url, dataDir: config.database.dataDir });
  const parts = openParts(config, log, store);
  const life: Life = { identity: null, worker: null, stopping: new AbortController() };
  const closers: (() => Promise<void>)[] = [];
  const stop = async (): Promise<void> => {
    life.stopping.abort();
    await Promise.all([...closers.map((close) => close()), life.worker?.stop(WORKER_GRACE_MS)]);
    await store.close();
  };
  try {
    const entry = await openEntry(parts, life);
    closers.push(() => entry.stop(HTTP_GRACE_MS));
    await introduce(parts, life);
    let stopped: Promise<void> | null = null;
    const url = `http://${config.http.host}:${entry.port}`;
    return { url, stop: () => (stopped ??= stop()) };
  } catch (error) {
    await stop();
    throw error;
  }
}
