import { isIPv6 } from 'node:net';
import { openOperatorSocket } from '../adapters/http/operator-socket.ts';
import {
  createHealthRoutes,
  NotReadyError,
  openHttpServer,
  type Readiness,
  type RequestHandler,
} from '../adapters/http/server.ts';
import {
  createDeliveryHandler,
  createRefusalLog,
  createWebhookHandler,
  type DeliveryHandler,
  isStrayWebhook,
} from '../adapters/http/webhook-endpoint.ts';
import { mustMakeDatabase } from '../adapters/store/engine/data-directory.ts';
import { type OperatorAccess, openStore } from '../adapters/store/open.ts';
import type { Store } from '../adapters/store/store.ts';
import type { Fault } from '../adapters/telemetry/log.ts';
import type { OperatorSettings } from '../core/settings/operator-file.ts';
import type { AppAccount } from '../core/step/ports.ts';
import { KnownFaultError } from '../lib/outage.ts';
import { readVersion } from '../lib/package.ts';
import type { DeliveryReader } from '../worker/deliveries.ts';
import type { Worker } from '../worker/worker.ts';
import { createIdentityFault, fetchIdentity, pollIdentity } from './app-identity.ts';
import { type Config, describeOwners } from './config/env.ts';
import { endpointHost } from './observed-requests.ts';
import { createStorageCheck, type ProbeLoop } from './probes.ts';
import { renderStatusPage } from './status-page.ts';
import {
  createOutside,
  createProbots,
  launchCleanup,
  launchDeliveryReader,
  launchProbes,
  launchWorker,
  type Neighbours,
  type Outside,
  type PinoLogger,
  type WorkerServices,
} from './wiring.ts';

/** A running server. `stop` waits for current work for a limited time; a second call waits for the first. */
export type RunningServer = {
  readonly url: string;
  /** Whether work is running or due in a moment. Work that waits longer, such as an expiry, does not count. */
  isBusy(): boolean;
  stop(): Promise<void>;
};

/** A store in memory has nothing that an operator could ask. */
type ServerStore = Store & Partial<OperatorAccess>;

type StartOptions = {
  /** An open store to use instead of the configured one; `stop` closes it. */
  readonly store?: ServerStore | undefined;
  /** Milliseconds since the epoch. */
  readonly now?: () => number;
  /** Ends the start early; then it rejects, unless the server already listens. */
  readonly stopping?: AbortSignal;
  /** Told what the start does next. */
  readonly onStep?: (step: string) => void;
  /** Whether `/metrics` includes process metrics (CPU time, memory, event loop). */
  readonly withProcessMetrics?: boolean;
  /** The operator's settings as they are now; those of the start by default. */
  readonly operatorSettings?: () => OperatorSettings;
};

/** The adapters once the store is open. `url` is the address of the status page. */
type Opened = WorkerServices & { readonly url: string };

/** What appears while the server starts. */
type RuntimeState = {
  /** Refuses every delivery until the store is open. */
  handleDelivery: DeliveryHandler;
  checkStorage: () => Promise<void>;
  store: ServerStore | null;
  /** Whether the store can be used. */
  isOpen: boolean;
  readonly identityFault: Fault;
  identity: AppAccount | null;
  worker: Worker | null;
  deliveries: DeliveryReader | null;
  probes: ProbeLoop | null;
  readonly stopping: AbortController;
};

const HTTP_GRACE_MS = 3_000;

const WORKER_GRACE_MS = 17_000;

/**
 * Listens, asks GitHub who the App is, opens the store and starts the worker, in this order: what is wrong most often
 * costs the least. Until all of it is there, deliveries are answered with 503.
 * Throws `StartupError`, `DatabaseError` or the socket's error, after closing everything again.
 */
export async function startServer(config: Config, log: PinoLogger, options: StartOptions = {}): Promise<RunningServer> {
  const { now = Date.now, withProcessMetrics = false, stopping, onStep = () => {} } = options;
  const { operatorSettings = () => config.operator.settings } = options;
  const outside = createOutside(config, log, now, withProcessMetrics);
  const runtime: RuntimeState = {
    ...{
      handleDelivery: () => Promise.reject(new KnownFaultError('the server is still starting')),
      checkStorage: async () => {},
      store: options.store ?? null,
      isOpen: false,
    },
    ...{ identity: null, worker: null, deliveries: null, probes: null },
    ...{ identityFault: createIdentityFault(), stopping: new AbortController() },
  };
  stopping?.addEventListener('abort', () => runtime.stopping.abort());
  const closers: (() => Promise<void>)[] = [];
  const stop = async (): Promise<void> => {
    runtime.stopping.abort();
    const { worker, deliveries, probes } = runtime;
    await Promise.all([
      ...closers.map((close) => close()),
      ...[worker, deliveries, probes].map((loop) => loop?.stop(WORKER_GRACE_MS)),
    ]);
    await runtime.store?.close();
  };
  try {
    onStep(`listening on port ${config.http.port}`);
    const httpServer = await startHttp(outside, runtime);
    closers.push(() => httpServer.stop(HTTP_GRACE_MS));
    onStep(`asking ${config.github.host} who this App is`);
    const asked = fetchIdentity(outside.githubApp, log, runtime.identityFault);
    const identity = await rejectOnAbort(asked, runtime.stopping.signal);
    onStep('opening the database');
    const store = runtime.store ?? (await openConfiguredStore(outside, stopping));
    runtime.store = store;
    if (store.countWaiting !== undefined) outside.metrics.watchWaiting(store.countWaiting);
    const checkStorage = createStorageCheck({ store, log, now });
    const url = `http://${hostInUrl(config.http.host)}:${httpServer.port}`;
    const services = { ...outside, store, checkStorage, operatorSettings, url };
    Object.assign(runtime, {
      checkStorage,
      isOpen: true,
      handleDelivery: createDeliveryHandler({
        ...{ store, identity: () => runtime.identity, now, log, deliveries: outside.metrics.deliveries },
      }),
    });
    closers.push(launchCleanup(services).stop);
    // A store that was given is not the one in DATA_DIR, whose socket another server may have.
    const operatorSocket = options.store === undefined ? await openConfiguredSocket(config, store, log) : null;
    if (operatorSocket !== null) closers.push(operatorSocket.stop);
    await beginProcessing(services, runtime, identity);
    let stopped: Promise<void> | null = null;
    const isBusy = () => [runtime.worker, runtime.deliveries, runtime.probes].some((loop) => loop?.isBusy() === true);
    return { url, isBusy, stop: () => (stopped ??= stop()) };
  } catch (error) {
    await stop();
    throw error;
  }
}

/**
 * Opens the store, or rejects once `stopping` aborts. The embedded database is opened completely nevertheless: its
 * first start creates it, and half a database could not be opened again.
 */
async function openConfiguredStore(
  { config: { database }, log }: Outside,
  stopping: AbortSignal | undefined,
): Promise<ServerStore> {
  stopping?.throwIfAborted();
  const location = { databaseUrl: database.url, dataDir: database.dataDir };
  if (database.url === null && mustMakeDatabase(database.dataDir))
    log.info({ fix: PREPARE_FIX }, 'the installation prepared no database for this version, so this start makes one');
  const opening = openStore(location, (migrated) => log.info(migrated, 'the database was migrated'));
  const store = await (database.url === null ? opening : rejectOnAbort(opening, stopping));
  if (stopping?.aborted === true) await store.close();
  stopping?.throwIfAborted();
  return store;
}

const PREPARE_FIX =
  'Nothing: it takes up to a minute, and 1.1 GB of memory. “npm run prepare” in a checkout avoids it.';

/** The embedded database is open in this process only, which therefore answers the commands of its operator. */
function openConfiguredSocket({ database }: Config, { answerOperator }: ServerStore, log: PinoLogger) {
  const { url, dataDir } = database;
  return url === null && dataDir !== null && answerOperator !== undefined
    ? openOperatorSocket(dataDir, answerOperator, log)
    : null;
}

/** Settles like `work`, or rejects once `stopping` aborts. The work itself continues. */
function rejectOnAbort<Result>(work: Promise<Result>, stopping: AbortSignal | undefined): Promise<Result> {
  if (stopping === undefined) return work;
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  stopping.addEventListener('abort', () => reject(stopping.reason), { once: true });
  return Promise.race([work, aborted]);
}

/** A URL has an IPv6 address in brackets, and a browser opens no address that stands for all. */
function hostInUrl(host: string): string {
  if (host === '0.0.0.0' || host === '::') return 'localhost';
  return isIPv6(host) ? `[${host}]` : host;
}

async function startHttp(outside: Outside, runtime: RuntimeState) {
  const { config, log, metrics, neighbours, now } = outside;
  const probots = await createProbots(outside, (event) => runtime.handleDelivery(event));
  const logRefusal = createRefusalLog({ log, path: config.http.webhookPath, now });
  const webhook = createWebhookHandler({ receivers: probots.map(({ webhooks }) => webhooks), log, logRefusal });
  const check = () => checkReady({ ...runtime, store: runtime.isOpen ? runtime.store : null, config, neighbours });
  const startedAt = now();
  const renderPage = async (readiness: Readiness): Promise<string> =>
    renderStatusPage({
      ...{ version: readVersion(), app: runtime.identity?.slug ?? null, readiness, hears: describeHearing(config) },
      ...{ isPaused: config.paused, upMs: now() - startedAt, probes: runtime.probes?.latest() ?? [] },
      waiting: await metrics.waiting(),
    });
  const timer = metrics.webhooks;
  const webhookHandler: RequestHandler = async (request) => {
    const stop = timer.startTimer();
    const response = await webhook(request);
    stop({ status: String(response.status) });
    return response;
  };
  return openHttpServer({
    ...config.http,
    log,
    responses: metrics.httpResponses,
    routes: [
      { method: 'POST', path: config.http.webhookPath, handle: webhookHandler },
      ...createHealthRoutes({ check, metrics, log, renderPage }),
    ],
    onNotFound: (request) => {
      if (isStrayWebhook(request)) logRefusal('wrong-path');
    },
  });
}

/** Starts with this identity, or keeps asking for it in the background. */
async function beginProcessing(services: Opened, runtime: RuntimeState, identity: AppAccount | null): Promise<void> {
  const { githubApp, log, store } = services;
  const database = await store.describe().then(
    ({ server }) => server,
    () => 'unknown',
  );
  startProcessing(services, runtime, identity, database);
  if (identity !== null) return;
  void pollIdentity(githubApp, log, runtime.identityFault, runtime.stopping.signal).then((loaded) =>
    startProcessing(services, runtime, loaded, database),
  );
}

function startProcessing(services: Opened, runtime: RuntimeState, identity: AppAccount | null, database: string): void {
  if (identity === null || runtime.stopping.signal.aborted) return;
  const { config, log, url } = services;
  runtime.identity = identity;
  if (!config.paused) {
    runtime.worker = launchWorker(services, identity);
    runtime.deliveries = launchDeliveryReader(services, (event) => runtime.handleDelivery(event));
    runtime.probes = launchProbes(services);
  }
  const { allowedOwners, paused, github, model } = config;
  log.info(
    {
      ...{ version: readVersion(), database, github: github.host, app: identity.slug },
      ...{ model: model.name, endpoint: endpointHost(model.baseUrl) },
      ...{ owners: describeOwners(allowedOwners, identity.owner), installations: identity.installations },
      ...{ hears: describeHearing(config), paused, page: url },
    },
    'ready',
  );
}

function describeHearing({ pollMs }: Config): string {
  return pollMs === null ? 'webhooks' : `GitHub's log of deliveries, every ${pollMs / 1_000} s`;
}

/** The parts that decide whether this process is ready for traffic. */
export type ReadinessInput = {
  /** Null until it is open. */
  readonly store: Pick<Store, 'ping'> | null;
  readonly checkStorage: () => Promise<void>;
  /** Null until loaded from GitHub. */
  readonly identity: AppAccount | null;
  /** Null until the identity is known, and while paused. */
  readonly worker: Pick<Worker, 'isRunning'> | null;
  readonly config: { readonly paused: boolean };
  readonly neighbours: Neighbours;
};

/**
 * Resolves with the neighbours that do not answer, if deliveries can be stored and, unless paused, processed. Rejects
 * with the missing part.
 */
export async function checkReady(input: ReadinessInput): Promise<readonly string[]> {
  const { store, checkStorage, identity, worker, config, neighbours } = input;
  if (store === null) throw new NotReadyError('starting', 'the database is not open yet');
  if (identity === null) throw new NotReadyError('starting', 'app identity not loaded from GitHub yet');
  await checkStorage();
  await store.ping();
  if (!config.paused && worker?.isRunning() !== true) throw new NotReadyError('stopping', 'the worker is not running');
  return Object.entries(neighbours).flatMap(([name, isUp]) => (isUp ? [] : [name]));
}
