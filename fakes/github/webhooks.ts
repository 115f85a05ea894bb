import { createHmac, randomUUID } from 'node:crypto';
import { Agent, request } from 'node:http';
import { isRecord, parseJson } from '../../src/lib/trust.ts';
import {
  createWebhookConfig,
  type FakeDelivery,
  type FakeDeliveryAttempt,
  type WebhookConfig,
  type WebhookRequest,
} from './http/server-state.ts';
import type { OpenApiValidator } from './openapi-validator.ts';
import type { FakeApp, FakeInstallation, GitHubHost, GitHubState } from './state/github-state.ts';
import { isInstalledOn } from './state/lookup.ts';
import type { WebhookEvent } from './state/operation.ts';

/** `hold` delays the delivery until `releaseHeld`, `drop` never sends it, `duplicate` sends it twice. */
type DeliveryAction = 'send' | 'drop' | 'duplicate' | 'hold';

type FakeDeliveriesOptions = {
  readonly appId: number;
  readonly secret: string;
  /** Sends a request and returns the status. Rejects if there is no response. */
  readonly send: (request: WebhookRequest) => Promise<number>;
  readonly openApiValidator?: OpenApiValidator;
  readonly violations: string[];
  readonly newGuid?: () => string;
  /** Time in ms; the real clock when absent. */
  readonly now?: () => number;
};

/** The webhook deliveries of one App. Deliveries of one repository are sent in order. */
export type FakeDeliveries = {
  readonly enqueue: (event: WebhookEvent, github: GitHubState) => void;
  readonly log: readonly FakeDelivery[];
  /** All attempts, oldest first. A dropped delivery is an attempt without a response. */
  readonly attempts: readonly FakeDeliveryAttempt[];
  /** Chooses the action for each new delivery; undefined sends them all. */
  readonly intercept: (chooseAction: ((delivery: FakeDelivery) => DeliveryAction) | undefined) => void;
  /** Changes each new event before it is signed; undefined leaves them as they are. */
  readonly alter: (change: ((event: WebhookEvent) => WebhookEvent) | undefined) => void;
  /** Sends the held deliveries in order. */
  readonly releaseHeld: () => void;
  /** Sends a delivery again with the same GUID. */
  readonly redeliver: (delivery: FakeDelivery) => void;
  /** Resolves when every queued delivery has been sent and answered. */
  readonly whenIdle: () => Promise<void>;
  /** What the App's page says of its webhook. */
  readonly hook: WebhookConfig;
};

type DeliveryQueue = {
  readonly options: FakeDeliveriesOptions;
  readonly log: FakeDelivery[];
  readonly attempts: FakeDeliveryAttempt[];
  /** Deliveries with at least one attempt. */
  readonly attempted: Set<FakeDelivery>;
  readonly held: FakeDelivery[];
  readonly tails: Map<number | null, Promise<void>>;
  chooseAction: (delivery: FakeDelivery) => DeliveryAction;
  change: (event: WebhookEvent) => WebhookEvent;
};

const unchanged = (event: WebhookEvent): WebhookEvent => event;

const sendAll = (): DeliveryAction => 'send';

export function createDeliveries(options: FakeDeliveriesOptions): FakeDeliveries {
  const queue: DeliveryQueue = {
    options,
    log: [],
    attempts: [],
    attempted: new Set(),
    held: [],
    tails: new Map(),
    chooseAction: sendAll,
    change: unchanged,
  };
  return {
    enqueue: (event, github) => enqueue(queue, queue.change(event), github),
    log: queue.log,
    attempts: queue.attempts,
    intercept: (chooseAction) => {
      queue.chooseAction = chooseAction ?? sendAll;
    },
    alter: (change) => {
      queue.change = change ?? unchanged;
    },
    releaseHeld: () => {
      for (const delivery of queue.held.splice(0)) enqueueAttempt(queue, delivery);
    },
    redeliver: (delivery) => enqueueAttempt(queue, delivery),
    whenIdle: () => waitUntilIdle(queue),
    hook: createWebhookConfig(),
  };
}

function enqueue(queue: DeliveryQueue, event: WebhookEvent, github: GitHubState): void {
  const app = github.apps.get(queue.options.appId);
  if (app === undefined || !isSubscribed(app, event.name)) return;
  if (event.onlyAppId !== undefined && event.onlyAppId !== app.id) return;
  const installation = findInstallationFor(github, app, event);
  if (installation === undefined) return;
  const body = JSON.stringify({ ...event.payload, installation });
  const { openApiValidator, violations } = queue.options;
  // The value that the client parses from JSON.
  violations.push(...(openApiValidator?.checkWebhook(event.name, parseJson(body)) ?? []));
  const delivery = createDelivery(queue, event, body, {
    installationId: installationIdOf(installation),
    host: github.host,
  });
  queue.log.push(delivery);
  dispatch(queue, delivery, queue.chooseAction(delivery));
}

function dispatch(queue: DeliveryQueue, delivery: FakeDelivery, action: DeliveryAction): void {
  switch (action) {
    case 'send':
      enqueueAttempt(queue, delivery);
      break;
    case 'duplicate':
      enqueueAttempt(queue, delivery);
      enqueueAttempt(queue, delivery);
      break;
    case 'hold':
      queue.held.push(delivery);
      break;
    case 'drop':
      recordAttempt(queue, delivery, 0);
      break;
  }
}

/** GitHub sends installation events without a subscription. */
function isSubscribed(app: FakeApp, name: string): boolean {
  return name.startsWith('installation') || app.events.includes(name);
}

/** Returns the `installation` field for this App; undefined if the App does not get the event. */
function findInstallationFor(github: GitHubState, app: FakeApp, event: WebhookEvent): unknown {
  const own = event.payload['installation'];
  if (isRecord(own)) return own['app_id'] === app.id ? own : undefined;
  const repository = event.repositoryId === null ? undefined : github.repositories.get(event.repositoryId);
  if (repository === undefined) return undefined;
  // A suspended App gets only events of its own installation.
  const found = [...github.installations.values()].find(
    (one) => one.appId === app.id && one.suspendedAt === null && isInstalledOn(one, repository),
  );
  return found === undefined ? undefined : shortInstallationPayload(found);
}

function shortInstallationPayload(installation: FakeInstallation): Readonly<Record<string, unknown>> {
  const nodeId = Buffer.from(`023:IntegrationInstallation${installation.id}`).toString('base64');
  return { id: installation.id, node_id: nodeId };
}

function installationIdOf(installation: unknown): number | null {
  return isRecord(installation) && typeof installation['id'] === 'number' ? installation['id'] : null;
}

type DeliveryOrigin = { readonly installationId: number | null; readonly host: GitHubHost };

function enterpriseHeaders({ enterpriseServer, webUrl }: GitHubHost): Readonly<Record<string, string>> {
  if (enterpriseServer === undefined) return {};
  return {
    'x-github-enterprise-host': new URL(webUrl).hostname,
    'x-github-enterprise-version': enterpriseServer.version,
  };
}

function createDelivery(
  queue: DeliveryQueue,
  event: WebhookEvent,
  body: string,
  { installationId, host }: DeliveryOrigin,
): FakeDelivery {
  const { appId, secret, newGuid = randomUUID } = queue.options;
  const guid = newGuid();
  const headers = {
    ...enterpriseHeaders(host),
    accept: '*/*',
    'content-type': 'application/json',
    'user-agent': 'GitHub-Hookshot/51a0b3c',
    'x-github-delivery': guid,
    'x-github-event': event.name,
    'x-github-hook-id': String(appId),
    'x-github-hook-installation-target-id': String(appId),
    'x-github-hook-installation-target-type': 'integration',
    'x-hub-signature-256': `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`,
  };
  const { name, action, repositoryId } = event;
  return {
    id: queue.log.length + 1,
    guid,
    event: name,
    action,
    repositoryId,
    installationId,
    request: { headers, body },
    statuses: [],
  };
}

/** Sends a delivery after all earlier deliveries of its repository. */
function enqueueAttempt(queue: DeliveryQueue, delivery: FakeDelivery): void {
  const tail = queue.tails.get(delivery.repositoryId) ?? Promise.resolve();
  const next = tail.then(() => attemptDelivery(queue, delivery));
  queue.tails.set(delivery.repositoryId, next);
}

async function attemptDelivery(queue: DeliveryQueue, delivery: FakeDelivery): Promise<void> {
  const status = await queue.options.send(delivery.request).catch(() => null);
  delivery.statuses.push(status);
  recordAttempt(queue, delivery, status ?? 0);
}

/** Ids increase with gaps, as on GitHub. */
function recordAttempt(queue: DeliveryQueue, delivery: FakeDelivery, statusCode: number): void {
  const { attempts, options } = queue;
  const redelivery = queue.attempted.has(delivery);
  queue.attempted.add(delivery);
  const at = (options.now ?? Date.now)();
  attempts.push({ id: (attempts.at(-1)?.id ?? 9_000) + 7, delivery, at, statusCode, redelivery });
}

async function waitUntilIdle(queue: DeliveryQueue): Promise<void> {
  let finished: readonly Promise<void>[] = [];
  for (;;) {
    const tails = [...queue.tails.values()];
    if (tails.every((tail) => finished.includes(tail))) return;
    await Promise.all(tails);
    finished = tails;
  }
}

/** GitHub waits 10 s for a response. */
const WEBHOOK_TIMEOUT_MS = 10_000;

/** Connections are kept: opening one for each webhook takes longer than all else. */
const connections = new Agent({ keepAlive: true });

/** Sends a webhook and returns the status. Rejects if there is no response in time. Not with `fetch`, which is slow. */
export function postWebhook(target: string, webhook: WebhookRequest): Promise<number> {
  const { headers, body } = webhook;
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  const withLength = { ...headers, 'content-length': Buffer.byteLength(body) };
  const sent = request(target, { method: 'POST', headers: withLength, agent: connections }, (response) => {
    response
      .resume()
      .once('end', () => resolve(response.statusCode ?? 0))
      .once('error', reject);
  });
  sent.setTimeout(WEBHOOK_TIMEOUT_MS, () => sent.destroy(new Error('The receiver did not answer in time.')));
  // The receiver can close an idle connection at any time.
  const isClosed = (error: Error): boolean => sent.reusedSocket && 'code' in error && error.code === 'ECONNRESET';
  sent.once('error', (error) => (isClosed(error) ? resolve(postWebhook(target, webhook)) : reject(error))).end(body);
  return promise;
}

/** Creates an action that drops this share of the deliveries. The choice is pseudorandom and follows from the seed. */
export function createDeliveryDropper(share: number, seed: number): (delivery: FakeDelivery) => DeliveryAction {
  // The Park–Miller generator.
  let state = (seed % 2_147_483_646) + 1;
  return () => {
    state = (state * 48_271) % 2_147_483_647;
    return state / 2_147_483_647 < share ? 'drop' : 'send';
  };
}
