import { randomBytes } from 'node:crypto';
import { type ApplicationFunction, Probot } from 'probot';
import { createGitHub, type GitHubAppClient } from '../adapters/github/create-github.ts';
import { apiBaseUrl, CountersignOctokit } from '../adapters/github/requests/client.ts';
import type { DeliveryHandler } from '../adapters/http/webhook-endpoint.ts';
import { createModel } from '../adapters/model/openai.ts';
import type { Store } from '../adapters/store/store.ts';
import type { createLogger } from '../adapters/telemetry/log.ts';
import { createMetrics, type Metrics } from '../adapters/telemetry/metrics.ts';
import type { PullRequestRef } from '../core/state/intent.ts';
import { toolDefinitions } from '../core/state/tools.ts';
import type { Model } from '../core/step/model-port.ts';
import type { AppAccount } from '../core/step/ports.ts';
import { readVersion } from '../lib/package.ts';
import { asProbotOctokit, isRecord } from '../lib/trust.ts';
import { startCleanup } from '../worker/cleanup.ts';
import { type DeliveryReader, LOOK_INTERVAL_MS, startDeliveryReader } from '../worker/deliveries.ts';
import type { MetricEvent, WorkerContext } from '../worker/jobs/job.ts';
import { startWorker, type Worker } from '../worker/worker.ts';
import { createIdentityProbe } from './app-identity.ts';
import { createAppSetupProbe, createWebhookProbe } from './app-setup-probes.ts';
import { type Config, createOwnerCheck, readEnvironment } from './config/env.ts';
import {
  CHECK_TOOL,
  createClockProbe,
  createDatabaseProbe,
  createModelProbe,
  createProxyProbe,
  createRoomProbe,
  createStoreProbe,
  readMachineRoom,
} from './environment-probes.ts';
import { timedCommits, timedModel, withFailureLog } from './observed-requests.ts';
import { type Probe, type ProbeLoop, startProbes } from './probes.ts';

export type PinoLogger = ReturnType<typeof createLogger>;

/** Whether the last request to each was answered. */
export type Neighbours = { github: boolean; model: boolean };

/** The adapters that need no database. */
export type Outside = {
  readonly config: Config;
  readonly log: PinoLogger;
  readonly metrics: Metrics;
  readonly neighbours: Neighbours;
  readonly githubApp: GitHubAppClient;
  readonly now: () => number;
};

/** The adapters that live as long as the process. */
type Services = Outside & {
  readonly store: Store;
  /** Rejects while no delivery can be stored. */
  readonly checkStorage: () => Promise<void>;
};

/** The adapters, and the operator's settings as they are now. */
export type WorkerServices = Services & Pick<WorkerContext, 'operatorSettings'>;

/** Creates the adapters around GitHub and the model. Sends no request yet. */
export function createOutside(
  config: Config,
  log: PinoLogger,
  now: () => number,
  withProcessMetrics: boolean,
): Outside {
  const measured = createMetrics({ withProcessMetrics });
  const neighbours = { github: true, model: true };
  const setModelUp = (value: number): void => {
    measured.modelUp.set(value);
    neighbours.model = value === 1;
  };
  const metrics = { ...measured, modelUp: { set: setModelUp } };
  const githubApp = timedCommits(openGitHub({ config, log, metrics, neighbours, now }), metrics);
  return { config, log, metrics, neighbours, githubApp, now };
}

/** GitHub as the App. Sends no request yet. */
function openGitHub({ config, log, metrics, neighbours, now }: Omit<Outside, 'githubApp'>) {
  return createGitHub({
    appId: config.app.id,
    privateKey: config.app.privateKey,
    baseUrl: apiBaseUrl(config.github.host, config.github.protocol),
    site: siteOf(config),
    logListed: config.pollMs === null ? 'failed' : 'all',
    version: readVersion(),
    onWait: (source) => metrics.rateLimitWaits.inc({ source }),
    log,
    startTimer: () => metrics.githubRequests.startTimer(),
    onAvailability: (isUp) => {
      neighbours.github = isUp;
      metrics.githubUp.set(isUp ? 1 : 0);
    },
    onQuota: metrics.setQuota,
    now,
  });
}

/** The address of GitHub's pages. */
function siteOf({ github }: Config): string {
  return `${github.protocol}://${github.host}`;
}

/**
 * One Probot for each webhook secret, as an event dispatcher only: its server, logger and throttling are not used.
 */
export function createProbots({ config, log }: Outside, handleDelivery: DeliveryHandler): Promise<readonly Probot[]> {
  return Promise.all(
    config.app.webhookSecrets.map(async (secret) => {
      const probot = new Probot({
        appId: config.app.id,
        privateKey: config.app.privateKey,
        secret,
        Octokit: asProbotOctokit(CountersignOctokit),
        baseUrl: apiBaseUrl(config.github.host, config.github.protocol),
        // Our own log has the same events, without payloads.
        log: log.child({}, { level: 'silent' }),
      });
      await probot.load(createProbotApp(handleDelivery));
      return probot;
    }),
  );
}

function every(ms: number, tick: () => void): () => void {
  const timer = setInterval(tick, ms);
  return () => clearInterval(timer);
}

function createMetricRecorder(metrics: Metrics): (event: MetricEvent) => void {
  return (event) => {
    switch (event.kind) {
      case 'signal':
        return metrics.signals.inc({ reason: event.reason });
      case 'effect':
        return metrics.effects.inc({ effect: event.effect, outcome: event.outcome });
      case 'wait':
        return metrics.waits.observe({ until: event.until }, event.seconds);
    }
  };
}

type ModelTools = Parameters<typeof createModel>[0]['tools'];

function openModel({ config, log }: Pick<Services, 'config' | 'log'>, tools: ModelTools): Model {
  const { name: model, baseUrl: baseURL, ...options } = config.model;
  return createModel({ ...options, model, baseURL, tools, log });
}

/** Starts the worker, once the App's identity is known. */
export function launchWorker(
  { config, log, metrics, store, githubApp, now, operatorSettings }: WorkerServices,
  identity: AppAccount,
): Worker {
  const model = openModel({ config, log }, toolDefinitions());
  const priceOf = (name: string | null) => operatorSettings().prices.get(name ?? config.model.name) ?? null;
  const context = {
    store,
    githubApp,
    model: withFailureLog(timedModel(model, { metrics, priceOf }), {
      ...{ log, now, modelUp: metrics.modelUp },
      ...{ model: config.model.name, baseUrl: config.model.baseUrl },
    }),
    clock: { now, every },
    log,
    self: { slug: identity.slug, botId: identity.botId },
    idKey: randomBytes(16).toString('hex'),
    isServedOwner: createOwnerCheck(config.allowedOwners, identity.owner),
    operatorSettings,
    links: ({ owner, repo }: PullRequestRef) => ({ repository: `${siteOf(config)}/${owner}/${repo}` }),
    recordMetric: createMetricRecorder(metrics),
  };
  return startWorker(context);
}

/** Starts reading lost webhooks; `handleDelivery` receives them as if GitHub had just sent them. */
export function launchDeliveryReader(
  { config, log, metrics, store, githubApp, now }: Services,
  handleDelivery: DeliveryHandler,
): DeliveryReader {
  return startDeliveryReader({
    deliveries: githubApp.deliveries,
    store,
    handleDelivery,
    intervalMs: config.pollMs ?? LOOK_INTERVAL_MS,
    clock: { now, every },
    log,
    ...{ recoveryRuns: metrics.recoveryRuns, recoveredDeliveries: metrics.recoveredDeliveries },
  });
}

/** Starts the probes of all that the server needs. */
export function launchProbes(services: Services): ProbeLoop {
  const { store, checkStorage, now, log } = services;
  const probes = [...createProbes(services), createStoreProbe(store, checkStorage)];
  return startProbes(probes, { clock: { now, every }, log });
}

/** The probes for a process that is no server: the same ones, and the database from outside. */
export function createOutsideProbes(config: Config, log: PinoLogger): readonly Probe[] {
  return [...createProbes(createOutside(config, log, Date.now, false)), createDatabaseProbe(config.database)];
}

function createProbes({ config, log, metrics, githubApp, now }: Outside): readonly Probe[] {
  const { database, github, http, model, allowedOwners, pollMs } = config;
  const ownerCheck = async () => createOwnerCheck(allowedOwners, (await githubApp.identity()).owner);
  // Where GitHub does not tell who the App is, all fail alike, and one line is enough.
  const onceKnown =
    <Answer>(ask: () => Promise<Answer>) =>
    async () => {
      await githubApp.identity();
      return ask();
    };
  return [
    createIdentityProbe(githubApp, github.host),
    createAppSetupProbe({ fetchSetup: githubApp.fetchSetup, ownerCheck }),
    createWebhookProbe({
      ...{ fetchWebhook: onceKnown(githubApp.fetchWebhook), path: http.webhookPath, polls: pollMs !== null, now },
    }),
    createModelProbe({
      ...{ checked: openModel({ config, log }, [CHECK_TOOL]), modelUp: metrics.modelUp },
      ...{ model: model.name, baseUrl: model.baseUrl },
    }),
    createClockProbe({ fetchTime: onceKnown(githubApp.fetchTime), now: Date.now }),
    createRoomProbe(() => readMachineRoom(database.url === null ? database.dataDir : null)),
    createProxyProbe(readEnvironment()),
  ];
}

/** Starts deleting expired data. */
export function launchCleanup({ log, store, now }: Services) {
  return startCleanup({ store, clock: { now, every }, log });
}

/**
 * The product as a Probot application: one handler for every event, which interprets and stores the delivery. All other
 * work happens after the delivery was answered.
 */
export function createProbotApp(handleDelivery: DeliveryHandler): ApplicationFunction {
  return (app: Probot) => {
    app.onAny(async ({ id, name, payload }) => {
      const unchecked: unknown = payload;
      await handleDelivery({ id, name, payload: isRecord(unchecked) ? unchecked : {} });
    });
  };
}
