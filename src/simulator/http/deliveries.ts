import { createHmac, randomUUID } from 'node:crypto';
import { isRecord, parseJson } from '../../trust.ts';
import type { Referee } from '../referee/referee.ts';
import type { WebhookEvent } from '../world/outcome.ts';
import type { App, Installation, Site, World } from '../world/state.ts';

/** A webhook request as it is sent: headers with GitHub's names, and the bytes the signature covers. */
export type WebhookRequest = { readonly headers: Readonly<Record<string, string>>; readonly body: string };

/** One delivery and what became of it: a status for each time it was sent, null when nobody answered. */
export type Delivery = {
  readonly id: number;
  readonly guid: string;
  readonly event: string;
  readonly action: string | null;
  readonly repositoryId: number | null;
  readonly installationId: number | null;
  readonly request: WebhookRequest;
  readonly statuses: (number | null)[];
};

/** One time a delivery was sent, as the App's log keeps it. `statusCode` is 0 where nobody answered; `at` is in ms. */
export type Attempt = {
  readonly id: number;
  readonly delivery: Delivery;
  readonly at: number;
  readonly statusCode: number;
  readonly redelivery: boolean;
};

/** What to do with a delivery: `hold` keeps it until `release`, `drop` loses it, `duplicate` sends it twice. */
export type DeliveryFate = 'send' | 'drop' | 'duplicate' | 'hold';

export type DeliveriesOptions = {
  readonly appId: number;
  readonly secret: string;
  /** Sends one request and answers the status. Rejects when nobody answers. */
  readonly send: (request: WebhookRequest) => Promise<number>;
  readonly referee?: Referee;
  readonly violations: string[];
  readonly newGuid?: () => string;
  /** Milliseconds; the real clock when absent. */
  readonly now?: () => number;
};

/** The webhooks of one App: queued in order for each repository, kept in a log. */
export type Deliveries = {
  readonly enqueue: (event: WebhookEvent, world: World) => void;
  readonly log: readonly Delivery[];
  /** Every time that anything was sent, oldest first; what was dropped counts as answered by nobody. */
  readonly attempts: readonly Attempt[];
  /** Asked for each new delivery; undefined sends everything again. */
  readonly decide: (fate: ((delivery: Delivery) => DeliveryFate) | undefined) => void;
  /** Sends what was held, in order. */
  readonly release: () => void;
  /** Sends a delivery of the log again with the same GUID. */
  readonly redeliver: (delivery: Delivery) => void;
  /** Resolves when everything queued was answered, also what was queued meanwhile. */
  readonly settled: () => Promise<void>;
};

type Queue = {
  readonly options: DeliveriesOptions;
  readonly log: Delivery[];
  readonly attempts: Attempt[];
  /** What has an attempt. */
  readonly sent: Set<Delivery>;
  readonly held: Delivery[];
  readonly tails: Map<number | null, Promise<void>>;
  fate: (delivery: Delivery) => DeliveryFate;
};

const sendAll = (): DeliveryFate => 'send';

/** An empty queue. */
export function createDeliveries(options: DeliveriesOptions): Deliveries {
  const queue: Queue = { options, log: [], attempts: [], sent: new Set(), held: [], tails: new Map(), fate: sendAll };
  return {
    enqueue: (event, world) => enqueue(queue, event, world),
    log: queue.log,
    attempts: queue.attempts,
    decide: (fate) => {
      queue.fate = fate ?? sendAll;
    },
    release: () => {
      for (const delivery of queue.held.splice(0)) line(queue, delivery);
    },
    redeliver: (delivery) => line(queue, delivery),
    settled: () => settled(queue),
  };
}

function enqueue(queue: Queue, event: WebhookEvent, world: World): void {
  const app = world.apps.get(queue.options.appId);
  if (app === undefined || !isSubscribed(app, event.name)) return;
  const installation = installationFor(world, app, event);
  if (installation === undefined) return;
  const payload = { ...event.payload, installation };
  queue.options.violations.push(...(queue.options.referee?.webhook(event.name, throughText(payload)) ?? []));
  const delivery = makeDelivery(queue, event, JSON.stringify(payload), {
    installationId: idOf(installation),
    site: world.site,
  });
  queue.log.push(delivery);
  dispatch(queue, delivery, queue.fate(delivery));
}

/** Through text and back, so that the referee sees what the client will. */
function throughText(payload: unknown): unknown {
  return parseJson(JSON.stringify(payload));
}

function dispatch(queue: Queue, delivery: Delivery, fate: DeliveryFate): void {
  switch (fate) {
    case 'send':
      line(queue, delivery);
      break;
    case 'duplicate':
      line(queue, delivery);
      line(queue, delivery);
      break;
    case 'hold':
      queue.held.push(delivery);
      break;
    case 'drop':
      note(queue, delivery, 0);
      break;
  }
}

/** Installation events reach an App whether it subscribes or not. */
function isSubscribed(app: App, name: string): boolean {
  return name.startsWith('installation') || app.events.includes(name);
}

/** What stands under `installation` in this App's copy of the payload; undefined when the event is not for it. */
function installationFor(world: World, app: App, event: WebhookEvent): unknown {
  const own = event.payload['installation'];
  if (isRecord(own)) return own['app_id'] === app.id ? own : undefined;
  // A suspended App hears of its own installation only.
  const repository = event.repositoryId === null ? undefined : world.repositories.get(event.repositoryId);
  const found = [...world.installations.values()].find(
    ({ appId, accountId, repositories, suspendedAt }) =>
      appId === app.id &&
      suspendedAt === null &&
      accountId === repository?.ownerId &&
      (repositories === 'all' || repositories.includes(repository.id)),
  );
  return found === undefined ? undefined : short(found);
}

function short(installation: Installation): Readonly<Record<string, unknown>> {
  const nodeId = Buffer.from(`023:IntegrationInstallation${installation.id}`).toString('base64');
  return { id: installation.id, node_id: nodeId };
}

function idOf(installation: unknown): number | null {
  return isRecord(installation) && typeof installation['id'] === 'number' ? installation['id'] : null;
}

type Sender = { readonly installationId: number | null; readonly site: Site };

function serverHeaders({ server, html }: Site): Readonly<Record<string, string>> {
  if (server === undefined) return {};
  return { 'x-github-enterprise-host': new URL(html).hostname, 'x-github-enterprise-version': server.version };
}

function makeDelivery(queue: Queue, event: WebhookEvent, body: string, { installationId, site }: Sender): Delivery {
  const { appId, secret, newGuid = randomUUID } = queue.options;
  const guid = newGuid();
  const headers = {
    ...serverHeaders(site),
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

/** Puts a delivery behind the others of its repository. */
function line(queue: Queue, delivery: Delivery): void {
  const tail = queue.tails.get(delivery.repositoryId) ?? Promise.resolve();
  const next = tail.then(() => attempt(queue, delivery));
  queue.tails.set(delivery.repositoryId, next);
}

async function attempt(queue: Queue, delivery: Delivery): Promise<void> {
  const status = await queue.options.send(delivery.request).catch(() => null);
  delivery.statuses.push(status);
  note(queue, delivery, status ?? 0);
}

/** Ids of attempts rise, with gaps, as GitHub's do. */
function note(queue: Queue, delivery: Delivery, statusCode: number): void {
  const { attempts, options } = queue;
  const redelivery = queue.sent.has(delivery);
  queue.sent.add(delivery);
  const at = (options.now ?? Date.now)();
  attempts.push({ id: (attempts.at(-1)?.id ?? 9_000) + 7, delivery, at, statusCode, redelivery });
}

async function settled(queue: Queue): Promise<void> {
  let seen: readonly Promise<void>[] = [];
  for (
    let tails = [...queue.tails.values()];
    tails.some((tail) => !seen.includes(tail));
    tails = [...queue.tails.values()]
  ) {
    await Promise.all(tails);
    seen = tails;
  }
}
