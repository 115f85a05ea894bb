import type { ScriptedModel } from '../model/scripted-model.ts';
import { type ApiServer, createApiServer, type RequestLogEntry, serveOverHttp } from './api-server.ts';
import type { FaultInjector } from './faults.ts';
import { getAppKey } from './http/auth.ts';
import { createServerState, type WebhookRequest } from './http/server-state.ts';
import type { OpenApiValidator } from './openapi-validator.ts';
import { addAccount, addApp } from './operations/accounts.ts';
import { OPERATIONS } from './operations/operations.ts';
import type {
  AppPermissions,
  EnterpriseServer,
  FakeActor,
  FakeApp,
  GitHubHost,
  GitHubState,
} from './state/github-state.ts';
import type { ApiError, Operation, OperationResult } from './state/operation.ts';
import { createGitHubState, withHost } from './state/update.ts';
import { createDeliveries, type FakeDeliveries, postWebhook } from './webhooks.ts';

export type FakeGitHubOptions = {
  readonly slug?: string;
  readonly permissions?: AppPermissions;
  readonly events?: readonly string[];
  readonly webhookSecret?: string;
  /** Time in ms; the real clock when absent. */
  readonly now?: () => number;
  readonly port?: number;
  /** Simulates an Enterprise Server in private mode, which serves only paths below `/api`. */
  readonly enterpriseServer?: EnterpriseServer;
  /** Checks every request, response and webhook; each error becomes a violation. */
  readonly openApiValidator?: OpenApiValidator;
  /** Creates delivery GUIDs; random when absent. */
  readonly newGuid?: () => string;
};

/** Identity and credentials of the App under test. */
type FakeAppCredentials = {
  readonly id: number;
  readonly slug: string;
  readonly botId: number;
  readonly privateKeyPem: string;
  readonly webhookSecret: string;
};

/** A fake GitHub on 127.0.0.1 with one registered App. */
export type FakeGitHub = {
  /**
   * The origin. REST is at `/` and `/api/v3`, GraphQL at `/graphql` and `/api/graphql`; an Enterprise Server has only
   * the paths below `/api`.
   */
  readonly url: string;
  readonly app: FakeAppCredentials;
  readonly state: () => GitHubState;
  /** Runs an operation and returns its value. Throws `OperationRefusedError`. */
  readonly apply: <Input, Value>(operation: Operation<Input, Value>, input: Input) => Value;
  /** Runs an operation and returns its result, also if it is refused. */
  readonly tryApply: <Input, Value>(operation: Operation<Input, Value>, input: Input) => OperationResult<Value>;
  readonly faults: FaultInjector;
  readonly requests: readonly RequestLogEntry[];
  readonly deliveries: FakeDeliveries;
  /** Violations of GitHub’s rules by the client or by the fake GitHub. Tests expect none. */
  readonly violations: readonly string[];
  /** Sets the webhook URL. Until then every delivery fails. */
  readonly setWebhookTarget: (url: string) => void;
  /** Resolves when every webhook has a response. */
  readonly whenIdle: () => Promise<void>;
  readonly apiServer: ApiServer;
  readonly close: () => Promise<void>;
};

export class OperationRefusedError extends Error {
  readonly apiError: ApiError;

  constructor(apiError: ApiError) {
    super(`${apiError.status} ${apiError.message} ${JSON.stringify(apiError.errors ?? [])}`);
    this.apiError = apiError;
  }
}

/** Creates the actor for a person in the browser. */
export function createUserActor(accountId: number): FakeActor {
  return { accountId, viaAppId: null };
}

/** The permissions and events of the product. */
const DEFAULT_APP_PERMISSIONS: AppPermissions = {
  contents: 'write',
  pull_requests: 'write',
  issues: 'read',
  metadata: 'read',
  actions: 'read',
  checks: 'write',
  merge_queues: 'read',
  statuses: 'read',
};

const DEFAULT_APP_EVENTS: readonly string[] = [
  'issue_comment',
  'pull_request',
  'pull_request_review',
  'pull_request_review_comment',
  'check_run',
  'check_suite',
  'merge_group',
  'status',
];

/** Starts a fake GitHub with one App. The caller must close it. */
export async function startFakeGitHub(options: FakeGitHubOptions = {}): Promise<FakeGitHub> {
  const now = options.now ?? Date.now;
  const { github, app } = registerApp(options, now());
  const webhookSecret = options.webhookSecret ?? 'secret-of-the-fake-app';
  const violations: string[] = [];
  const webhookTarget: WebhookTarget = { url: undefined };
  const shared = { violations, now, ...pickOptions(options) };
  const deliveries = createDeliveries({
    appId: app.id,
    secret: webhookSecret,
    send: createWebhookSender(webhookTarget),
    ...shared,
  });
  const apiServer = createApiServer({
    state: createServerState(github, new Map([[app.id, getAppKey().publicKeyPem]]), deliveries),
    operations: OPERATIONS,
    onWebhooks: (events, after) => {
      for (const event of events) deliveries.enqueue(event, after);
    },
    ...shared,
  });
  const server = await serveOverHttp(apiServer, options.port);
  const { serverState, replaceServerState } = apiServer;
  replaceServerState({
    ...serverState(),
    github: withHost(serverState().github, createHost(server.url, options.enterpriseServer)),
  });
  const { id, slug, botId } = app;
  return {
    url: server.url,
    app: { id, slug, botId, privateKeyPem: getAppKey().privateKeyPem, webhookSecret },
    ...createControls(apiServer, deliveries, violations),
    setWebhookTarget: (url) => {
      webhookTarget.url = url;
    },
    close: server.close,
  };
}

function createHost(origin: string, enterpriseServer: EnterpriseServer | undefined): GitHubHost {
  return enterpriseServer === undefined
    ? { apiUrl: origin, webUrl: origin }
    : { apiUrl: `${origin}/api/v3`, webUrl: origin, enterpriseServer };
}

type FakeGitHubControls = Omit<FakeGitHub, 'url' | 'app' | 'setWebhookTarget' | 'close'>;

function createControls(
  apiServer: ApiServer,
  deliveries: FakeDeliveries,
  violations: readonly string[],
): FakeGitHubControls {
  const { apply, faults, requests, serverState } = apiServer;
  return {
    state: () => serverState().github,
    apply: (operation, input) => requireValue(apply(operation, input)),
    tryApply: apply,
    faults,
    requests,
    deliveries,
    violations,
    whenIdle: deliveries.whenIdle,
    apiServer,
  };
}

type WebhookTarget = { url: string | undefined };

function createWebhookSender(webhookTarget: WebhookTarget): (request: WebhookRequest) => Promise<number> {
  return async (request) => {
    if (webhookTarget.url === undefined) throw new Error('The fake GitHub has no webhook URL.');
    return postWebhook(webhookTarget.url, request);
  };
}

function pickOptions({
  openApiValidator,
  newGuid,
}: FakeGitHubOptions): Pick<FakeGitHubOptions, 'openApiValidator' | 'newGuid'> {
  return {
    ...(openApiValidator === undefined ? {} : { openApiValidator }),
    ...(newGuid === undefined ? {} : { newGuid }),
  };
}

function registerApp(options: FakeGitHubOptions, now: number): { readonly github: GitHubState; readonly app: FakeApp } {
  const empty = createGitHubState({ apiUrl: 'http://127.0.0.1', webUrl: 'http://127.0.0.1' });
  const owner = addAccount(empty, { login: 'app-maker' }, now);
  const { slug = 'countersign', permissions = DEFAULT_APP_PERMISSIONS, events = DEFAULT_APP_EVENTS } = options;
  const added = addApp(owner.state, { slug, ownerId: requireValue(owner).id, permissions, events }, now);
  return { github: added.state, app: requireValue(added) };
}

function requireValue<Value>(outcome: OperationResult<Value>): Value {
  if (!outcome.ok) throw new OperationRefusedError(outcome.error);
  return outcome.value;
}

/** Creates environment variables for an App that uses this fake GitHub, the scripted model and any free port. */
export function createAppEnvironment(
  { app, url }: FakeGitHub,
  model: ScriptedModel | null,
): Readonly<Record<string, string>> {
  return {
    APP_ID: String(app.id),
    PRIVATE_KEY: app.privateKeyPem,
    WEBHOOK_SECRET: app.webhookSecret,
    GHE_HOST: new URL(url).host,
    GHE_PROTOCOL: 'http',
    PORT: '0',
    HOST: '127.0.0.1',
    ALLOWED_OWNERS: '*',
    ...(model === null
      ? {}
      : { OPENAI_MODEL: 'scripted', OPENAI_API_KEY: model.apiKey ?? '', OPENAI_BASE_URL: model.url }),
  };
}
