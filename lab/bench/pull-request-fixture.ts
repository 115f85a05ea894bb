import { type ApiServer, createApiServer, createFetch } from '../../fakes/github/api-server.ts';
import { putGitCommit } from '../../fakes/github/git/objects.ts';
import { type GitFiles, putFiles } from '../../fakes/github/git/trees.ts';
import { getAppKey } from '../../fakes/github/http/auth.ts';
import { createServerState } from '../../fakes/github/http/server-state.ts';
import { OPERATIONS } from '../../fakes/github/operations/operations.ts';
import { createGitSignature } from '../../fakes/github/state/commits.ts';
import type { FakeApp, GitHubState } from '../../fakes/github/state/github-state.ts';
import type { Operation, WebhookEvent } from '../../fakes/github/state/operation.ts';
import { createGitHubState } from '../../fakes/github/state/update.ts';
import { createPerson, type FakePerson } from '../../fakes/people/person.ts';
import { createGitHub } from '../../src/adapters/github/create-github.ts';
import { createDeliveryHandler } from '../../src/adapters/http/receive-delivery.ts';
import type { Store } from '../../src/adapters/store/store.ts';
import { NO_OPERATOR_SETTINGS } from '../../src/core/settings/operator-file.ts';
import type { PullRequestRef } from '../../src/core/state/intent.ts';
import type { WorkerContext } from '../../src/worker/jobs/job.ts';
import { SILENT_COUNTER, SILENT_LOG } from '../shared/silent.ts';

/** The files at the base and at the head of a pull request. */
export type FixtureFiles = { readonly base: GitFiles; readonly head: GitFiles };

/** A fake GitHub with one repository, one pull request, the installed App and one person with write permission. */
export type PullRequestFixture = {
  readonly state: GitHubState;
  readonly app: FakeApp;
  readonly ref: PullRequestRef;
  readonly repositoryId: number;
  readonly number: number;
  readonly branch: string;
  readonly anaId: number;
};

const HEAD_BRANCH = 'topic';

const APP_PERMISSIONS = { contents: 'write', pull_requests: 'write', issues: 'read', metadata: 'read' } as const;

const SUBSCRIBED_EVENTS = ['issue_comment', 'pull_request', 'pull_request_review', 'pull_request_review_comment'];

const GITHUB_URL = 'http://127.0.0.1';

/** `now` is in ms since the epoch. Each fixture has its own state, so its memory is free after the session. */
export function createPullRequestFixture(files: FixtureFiles, now: number): PullRequestFixture {
  let state = createGitHubState({ apiUrl: GITHUB_URL, webUrl: GITHUB_URL });
  const apply = <Input, Value>(operation: Operation<Input, Value>, input: Input): Value => {
    const outcome = operation(state, input, now);
    if (!outcome.ok) throw new Error(outcome.error.message);
    state = outcome.state;
    return outcome.value;
  };
  const owner = apply(OPERATIONS.addAccount, { login: 'acme', type: 'Organization' });
  const ana = apply(OPERATIONS.addAccount, { login: 'ana' });
  const app = apply(OPERATIONS.addApp, {
    slug: 'countersign',
    ownerId: owner.id,
    permissions: APP_PERMISSIONS,
    events: SUBSCRIBED_EVENTS,
  });
  const repository = apply(OPERATIONS.addRepository, { ownerId: owner.id, name: 'repository', files: files.base });
  const repositoryId = repository.id;
  const installation = apply(OPERATIONS.installApp, { appId: app.id, accountId: owner.id });
  apply(OPERATIONS.setPermission, { repositoryId, accountId: ana.id, permission: 'write' });
  const signature = createGitSignature(state, ana, now);
  const sha = putGitCommit(state.store, {
    tree: putFiles(state.store, files.head),
    parents: [repository.refs.get('refs/heads/main') ?? ''],
    author: signature,
    committer: signature,
    signature: null,
    message: 'The parent commit\n',
  });
  const context = { actor: { accountId: ana.id, viaAppId: null }, repositoryId };
  apply(OPERATIONS.createGitRef, { ...context, ref: `refs/heads/${HEAD_BRANCH}`, sha });
  const { number } = apply(OPERATIONS.createPullRequest, { ...context, title: 'The parent commit', head: HEAD_BRANCH });
  const ref = { installationId: installation.id, repositoryId, owner: owner.login, repo: repository.name, number };
  return { state, app, ref, repositoryId, number, branch: HEAD_BRANCH, anaId: ana.id };
}

/** A fake GitHub without sockets. Its webhooks are added to `events`. */
export function createFixtureServer(fixture: PullRequestFixture, now: () => number, events: WebhookEvent[]): ApiServer {
  return createApiServer({
    state: createServerState(fixture.state, new Map([[fixture.app.id, getAppKey().publicKeyPem]])),
    operations: OPERATIONS,
    now,
    violations: [],
    onWebhooks: (sent) => void events.push(...sent),
  });
}

/** The person with write permission. Their actions throw if the fake GitHub refuses them. */
export function createFixturePerson(
  { anaId, repositoryId, number, branch }: PullRequestFixture,
  server: ApiServer,
): FakePerson {
  const apply: Parameters<typeof createPerson>[0] = (operation, input) => {
    const outcome = server.apply(operation, input);
    if (!outcome.ok) throw new Error(outcome.error.message);
    return outcome.value;
  };
  return createPerson(apply, { accountId: anaId, repositoryId, number, branch });
}

type FixtureContextParts = {
  readonly fixture: PullRequestFixture;
  readonly server: ApiServer;
  readonly store: Store;
  readonly model: WorkerContext['model'];
  readonly now: () => number;
};

/** A worker's context with the real GitHub adapter, in front of the fake GitHub. */
export function createFixtureContext(parts: FixtureContextParts): WorkerContext {
  const { fixture, server, store, model, now } = parts;
  const { host } = fixture.state;
  const fetch = createFetch(server);
  return {
    store,
    githubApp: createGitHub({
      appId: fixture.app.id,
      privateKey: getAppKey().privateKeyPem,
      baseUrl: `${host.apiUrl}/api/v3`,
      version: 'lab',
      fetch: (address, options) => fetch(address, options),
      now,
    }),
    model,
    clock: { now, every: () => () => {} },
    log: SILENT_LOG,
    self: { slug: fixture.app.slug, botId: fixture.app.botId },
    isServedOwner: () => true,
    operatorSettings: () => NO_OPERATOR_SETTINGS,
    links: ({ owner, repo }) => ({ repository: `${host.webUrl}/${owner}/${repo}` }),
    recordMetric: () => {},
  };
}

/** Receives webhooks of the fixture's server as the App's webhook endpoint does, after the signature check. */
export function createFixtureReceiver(
  { ref }: PullRequestFixture,
  { store, self, clock }: WorkerContext,
): (id: string, event: WebhookEvent) => Promise<void> {
  const handleDelivery = createDeliveryHandler({
    store,
    identity: () => self,
    now: clock.now,
    log: SILENT_LOG,
    deliveries: SILENT_COUNTER,
  });
  const installation = { id: ref.installationId, node_id: 'installation' };
  return async (id, { name, payload }) => {
    await handleDelivery({ id, name, payload: { ...payload, installation } });
  };
}
