import { appKey } from './http/app-key.ts';
import { createDeliveries, type Deliveries, type WebhookRequest } from './http/deliveries.ts';
import type { FaultTable } from './http/fault-table.ts';
import { type CallRecord, createGateway, type Gateway } from './http/gateway.ts';
import { newGitHubState } from './http/github-state.ts';
import { postWebhook } from './http/post-webhook.ts';
import { serveGateway } from './http/serve-gateway.ts';
import type { Referee } from './referee/referee.ts';
import type { Actor } from './world/access.ts';
import { addAccount, addApp } from './world/accounts.ts';
import { atSite, newWorld } from './world/new-world.ts';
import { OPERATIONS } from './world/operations.ts';
import type { ApiError, Operation, Outcome } from './world/outcome.ts';
import type { App, EnterpriseServer, Permissions, Site, World } from './world/state.ts';

export type SimulatorOptions = {
  readonly slug?: string;
  readonly permissions?: Permissions;
  readonly events?: readonly string[];
  readonly webhookSecret?: string;
  /** Milliseconds; the real clock when absent. */
  readonly now?: () => number;
  readonly port?: number;
  /** It is an Enterprise Server in private mode, reached below `/api` alone. */
  readonly server?: EnterpriseServer;
  /** Judges every request, answer and webhook; what it finds is a violation. */
  readonly referee?: Referee;
  /** GUIDs of deliveries; random when absent. */
  readonly newGuid?: () => string;
};

/** Credentials and identity of the one App under test. */
export type SimulatedApp = {
  readonly id: number;
  readonly slug: string;
  readonly botId: number;
  readonly privateKeyPem: string;
  readonly webhookSecret: string;
};

/** A GitHub of its own on 127.0.0.1, with one App registered and nobody else there yet. */
export type Simulator = {
  /**
   * Origin, REST at `/` and `/api/v3`, GraphQL at `/graphql` and `/api/graphql`; of an Enterprise Server at the latter
   * alone.
   */
  readonly url: string;
  readonly app: SimulatedApp;
  readonly world: () => World;
  /** Does a write and answers its value. Throws a `RefusedWrite` when GitHub would refuse it. */
  readonly apply: <Input, Value>(operation: Operation<Input, Value>, input: Input) => Value;
  /** The same, with a refusal as a value. */
  readonly attempt: <Input, Value>(operation: Operation<Input, Value>, input: Input) => Outcome<Value>;
  readonly faults: FaultTable;
  readonly requests: readonly CallRecord[];
  readonly deliveries: Deliveries;
  /** Every breach of GitHub's rules by the client or by the simulator itself; a story ends with none. */
  readonly violations: readonly string[];
  /** Where webhooks go from now on; until then they are logged and answered by nobody. */
  readonly webhookTarget: (url: string) => void;
  /** Resolves when all webhooks were answered. */
  readonly settled: () => Promise<void>;
  readonly gateway: Gateway;
  readonly close: () => Promise<void>;
};

/** A write that the simulated GitHub refused. */
export class RefusedWrite extends Error {
  readonly refusal: ApiError;

  constructor(refusal: ApiError) {
    super(`${refusal.status} ${refusal.message} ${JSON.stringify(refusal.errors ?? [])}`);
    this.refusal = refusal;
  }
}

/** An actor that is a person in the browser. */
export function person(accountId: number): Actor {
  return { accountId, viaAppId: null };
}

/** The permissions and events the product registers with. */
const PERMISSIONS: Permissions = { contents: 'write', pull_requests: 'write', issues: 'read', metadata: 'read' };
const EVENTS: readonly string[] = [
  'issue_comment',
  'pull_request',
  'pull_request_review',
  'pull_request_review_comment',
  'pull_request_review_thread',
  'push',
];

/** Starts a simulated GitHub with one App. Close it after use. */
export async function startSimulator(options: SimulatorOptions = {}): Promise<Simulator> {
  const now = options.now ?? Date.now;
  const { world: registered, app } = registerApp(options, now());
  const webhookSecret = options.webhookSecret ?? 'a secret of the simulated App';
  const violations: string[] = [];
  const mailbox: Mailbox = { target: undefined };
  const shared = { violations, now, ...chosen(options) };
  const deliveries = createDeliveries({ appId: app.id, secret: webhookSecret, send: sendTo(mailbox), ...shared });
  const gateway = createGateway({
    state: newGitHubState(registered, new Map([[app.id, appKey().publicKeyPem]]), deliveries),
    operations: OPERATIONS,
    onWebhooks: (events, world) => {
      for (const event of events) deliveries.enqueue(event, world);
    },
    ...shared,
  });
  const server = await serveGateway(gateway, options.port);
  const { state, replaceState } = gateway;
  replaceState({ ...state(), world: atSite(state().world, siteAt(server.url, options.server)) });
  const { id, slug, botId } = app;
  return {
    url: server.url,
    app: { id, slug, botId, privateKeyPem: appKey().privateKeyPem, webhookSecret },
    ...handles(gateway, deliveries, violations),
    webhookTarget: (url) => {
      mailbox.target = url;
    },
    close: server.close,
  };
}

function siteAt(origin: string, server: EnterpriseServer | undefined): Site {
  return server === undefined ? { api: origin, html: origin } : { api: `${origin}/api/v3`, html: origin, server };
}

type Handles = Omit<Simulator, 'url' | 'app' | 'webhookTarget' | 'close'>;

function handles(gateway: Gateway, deliveries: Deliveries, violations: readonly string[]): Handles {
  const { apply, faults, requests, state } = gateway;
  return {
    world: () => state().world,
    apply: (operation, input) => accepted(apply(operation, input)),
    attempt: apply,
    faults,
    requests,
    deliveries,
    violations,
    settled: deliveries.settled,
    gateway,
  };
}

type Mailbox = { target: string | undefined };

function sendTo(mailbox: Mailbox): (request: WebhookRequest) => Promise<number> {
  return async (request) => {
    if (mailbox.target === undefined) throw new Error('Nobody told the simulator where webhooks go.');
    return postWebhook(mailbox.target, request);
  };
}

function chosen({ referee, newGuid }: SimulatorOptions): Pick<SimulatorOptions, 'referee' | 'newGuid'> {
  return { ...(referee === undefined ? {} : { referee }), ...(newGuid === undefined ? {} : { newGuid }) };
}

function registerApp(options: SimulatorOptions, now: number): { readonly world: World; readonly app: App } {
  const empty = newWorld({ api: 'http://127.0.0.1', html: 'http://127.0.0.1' });
  const owner = addAccount(empty, { login: 'app-maker' }, now);
  const { slug = 'countersign', permissions = PERMISSIONS, events = EVENTS } = options;
  const added = addApp(owner.state, { slug, ownerId: accepted(owner).id, permissions, events }, now);
  return { world: added.state, app: accepted(added) };
}

function accepted<Value>(outcome: Outcome<Value>): Value {
  if (!outcome.ok) throw new RefusedWrite(outcome.error);
  return outcome.value;
}
