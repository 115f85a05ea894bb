import { isIPv6 } from 'node:net';
import { openOperatorSocket } from '../adapters/http/operator-socket.ts';
import { createDeliveryHandler, type DeliveryHandler } from '../adapters/http/receive-delivery.ts';
import { createHealthRoutes, openHttpServer, type RequestHandler } from '../adapters/http/server.ts';
import { createRefusalLog, createWebhookHandler, isStrayWebhook } from '../adapters/http/webhook-endpoint.ts';
import { type OperatorAccess, openStore } from '../adapters/store/open.ts';
import type { Store } from '../adapters/store/store.ts';
import type { OperatorSettings } from '../core/settings/operator-file.ts';
import type { AppAccount } from '../core/step/ports.ts';
import { KnownFaultError } from '../lib/outage.ts';
import type { DeliveryReader } from '../worker/deliveries.ts';
import type { Worker } from '../worker/worker.ts';
import { createIdentityFault, fetchIdentity, pollIdentity } from './app-identity.ts';
import { type Config, describeOwners } from './config/env.ts';
import type { ProbeLoop } from './probes.ts';
import {
  createProbots,
  createServices,
  launchCleanup,
  launchDeliveryReader,
  launchProbes,
  launchWorker,
  type PinoLogger,
  type Services,
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
  /** Whether `/metrics` includes process metrics (CPU time, memory, event loop). */
  readonly withProcessMetrics?: boolean;
  /** The operator's settings as they are now; those of the start by default. */
  readonly operatorSettings?: () => OperatorSettings;
};

/** Parts that exist only once the App's identity is loaded. */
type RuntimeState = {
  identity: AppAccount | null;
  worker: Worker | null;
  deliveries: DeliveryReader | null;
  probes: ProbeLoop | null;
  readonly stopping: AbortController;
};

const HTTP_GRACE_MS = 3_000;

const WORKER_GRACE_MS = 17_000;

/**
 * Opens the store, listens, loads the App's identity and starts the worker, in this order.
 * Until the identity is loaded, deliveries are answered with 503.
 * Throws `StartupError`, `DatabaseError` or the socket's error, after closing everything again.
 */
export async function startServer(config: Config, log: PinoLogger, options: StartOptions = {}): Promise<RunningServer> {
  const { now = Date.now, withProcessMetrics = false, stopping } = options;
  const store = options.store ?? (await openConfiguredStore(config, stopping));
  const { operatorSettings = () => config.operator.settings } = options;
  const services = { ...createServices(config, log, store, now, withProcessMetrics), operatorSettings };
  const runtime: RuntimeState = {
    identity: null,
    worker: null,
    deliveries: null,
    probes: null,
    stopping: new AbortController(),
  };
  stopping?.addEventListener('abort', () => runtime.stopping.abort());
  const handleDelivery = createServerDeliveryHandler(services, runtime);
  const closers: (() => Promise<void>)[] = [];
  const stop = async (): Promise<void> => {
    runtime.stopping.abort();
    const { worker, deliveries, probes } = runtime;
    await Promise.all([
      ...closers.map((close) => close()),
      ...[worker, deliveries, probes].map((loop) => loop?.stop(WORKER_GRACE_MS)),
    ]);
    await store.close();
  };
  try {
    const httpServer = await startHttp(services, runtime, handleDelivery);
    closers.push(() => httpServer.stop(HTTP_GRACE_MS), launchCleanup(services).stop);
    // A store that was given is not the one in DATA_DIR, whose socket another server may have.
    const operatorSocket = options.store === undefined ? await openConfiguredSocket(config, store, log) : null;
    if (operatorSocket !== null) closers.push(operatorSocket.stop);
    await loadAppIdentity(services, runtime, handleDelivery);
    let stopped: Promise<void> | null = null;
    const url = `http://${hostInUrl(config.http.host)}:${httpServer.port}`;
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
async function openConfiguredStore({ database }: Config, stopping: AbortSignal | undefined): Promise<ServerStore> {
  stopping?.throwIfAborted();
  const opening = openStore({ databaseUrl: database.url, dataDir: database.dataDir });
  const store = await (database.url === null ? opening : rejectOnAbort(opening, stopping));
  if (stopping?.aborted === true) await store.close();
  stopping?.throwIfAborted();
  return store;
}

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

/** A URL has an IPv6 address in brackets. */
function hostInUrl(host: string): string {
  return isIPv6(host) ? `[${host}]` : host;
}

function createServerDeliveryHandler({ store, log, metrics, now }: Services, runtime: RuntimeState): DeliveryHandler {
  return createDeliveryHandler({
    store,
    identity: () => runtime.identity,
    now,
    log,
    deliveries: metrics.deliveries,
  });
}

async function startHttp(services: Services, runtime: RuntimeState, handleDelivery: DeliveryHandler) {
  const { config, log, metrics, now } = services;
  const probots = await createProbots(services, handleDelivery);
  const logRefusal = createRefusalLog({ log, path: config.http.webhookPath, now });
  const webhook = createWebhookHandler({ receivers: probots.map(({ webhooks }) => webhooks), log, logRefusal });
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
      ...createHealthRoutes(() => checkReady({ ...services, ...runtime }), metrics, log),
    ],
    onNotFound: (request) => {
      if (isStrayWebhook(request)) logRefusal('wrong-path');
    },
  });
}

/** Loads the App's identity now, or keeps retrying in the background. */
async function loadAppIdentity(
  services: WorkerServices,
  runtime: RuntimeState,
  handleDelivery: DeliveryHandler,
): Promise<void> {
  const { githubApp, log } = services;
  const fault = createIdentityFault();
  const identity = await rejectOnAbort(fetchIdentity(githubApp, log, fault), runtime.stopping.signal);
  startProcessing(services, runtime, handleDelivery, identity);
  if (identity !== null) return;
  void pollIdentity(githubApp, log, fault, runtime.stopping.signal).then((loaded) =>
    startProcessing(services, runtime, handleDelivery, loaded),
  );
}

function startProcessing(
  services: WorkerServices,
  runtime: RuntimeState,
  handleDelivery: DeliveryHandler,
  identity: AppAccount | null,
): void {
  if (identity === null || runtime.stopping.signal.aborted) return;
  runtime.identity = identity;
  if (!services.config.paused) {
    runtime.worker = launchWorker(services, identity);
    runtime.deliveries = launchDeliveryReader(services, handleDelivery);
    runtime.probes = launchProbes(services);
  }
  const { allowedOwners, paused, pollMs } = services.config;
  const hears = pollMs === null ? 'webhooks' : `GitHub's log of deliveries, every ${pollMs / 1_000} s`;
  services.log.info(
    { app: identity.slug, owners: describeOwners(allowedOwners, identity.owner), hears, paused },
    'ready',
  );
}

/** The parts that decide whether this process is ready for traffic. */
export type ReadinessInput = {
  readonly store: Pick<Store, 'ping'>;
  readonly checkStorage: () => Promise<void>;
  /** Null until loaded from GitHub. */
  readonly identity: AppAccount | null;
  /** Null until the identity is known, and while paused. */
  readonly worker: Pick<Worker, 'isRunning'> | null;
  readonly config: { readonly paused: boolean };
};

/** Resolves if deliveries can be stored and, unless paused, processed. Rejects with the missing part. */
export async function checkReady({ store, checkStorage, identity, worker, config }: ReadinessInput): Promise<void> {
  if (identity === null) throw new KnownFaultError('app identity not loaded from GitHub yet');
  await checkStorage();
  await store.ping();
  if (!config.paused && worker?.isRunning() !== true) throw new KnownFaultError('the worker is not running');
}
