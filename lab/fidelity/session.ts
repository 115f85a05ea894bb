import { type ApiServer, createApiServer, createFetch } from '../../fakes/github/api-server.ts';
import { putGitCommit, readBlob, readGitCommit } from '../../fakes/github/git/objects.ts';
import { findTreeEntry, type GitFiles, putFiles } from '../../fakes/github/git/trees.ts';
import { getAppKey } from '../../fakes/github/http/auth.ts';
import { createServerState } from '../../fakes/github/http/server-state.ts';
import { OPERATIONS } from '../../fakes/github/operations/operations.ts';
import { createGitSignature } from '../../fakes/github/state/commits.ts';
import type { FakeApp, FakePullRequest, GitHubState } from '../../fakes/github/state/github-state.ts';
import type { Operation, WebhookEvent } from '../../fakes/github/state/operation.ts';
import { createGitHubState } from '../../fakes/github/state/update.ts';
import { createPerson, type FakePerson } from '../../fakes/people/person.ts';
import { createGitHub } from '../../src/adapters/github/create-github.ts';
import { createDeliveryHandler, type DeliveryHandler } from '../../src/adapters/http/receive-delivery.ts';
import type { Store } from '../../src/adapters/store/store.ts';
import type { ModelResponse, ToolCall, TranscriptMessage } from '../../src/core/state/conversation.ts';
import { NO_PROPOSALS } from '../../src/core/state/facts.ts';
import type { PullRequestRef } from '../../src/core/state/intent.ts';
import { type PullState, pullRequestKey } from '../../src/core/state/run.ts';
import type { WorkerContext } from '../../src/worker/jobs/job.ts';
import { offloadInline } from '../../src/worker/offload/offload.ts';
import { claimNextEffect, claimNextPull } from '../../src/worker/process-pull.ts';
import { createMemoryStore } from '../simulation/memory-store/memory-store.ts';
import { createMemoryTables } from '../simulation/memory-store/tables.ts';

/** One run of the App on one simulated pull request, whose model asks for the given calls and then for nothing more. */
export type Session = {
  /** May write. */
  readonly ana: FakePerson;
  /** What the App has stored. */
  readonly pull: () => Promise<PullState>;
  /** What the model was told of each call that became no proposal, by the call's id. */
  readonly answers: () => Promise<ReadonlyMap<string, string>>;
  readonly state: () => GitHubState;
  readonly pullRequest: () => FakePullRequest;
  /** Lets the App do all that it will do by itself. */
  readonly settle: () => Promise<void>;
};

const SILENT_LOG = { debug() {}, info() {}, warn() {}, error() {} };

const TOKEN_USAGE = { inputTokens: 0, cachedInputTokens: 0, outputTokens: 0 };

/** Between two acts of people: GitHub's times are whole seconds, and nothing acts on what came in the same one. */
const ACTION_INTERVAL_MS = 2_000;

const START_TIME = Date.UTC(2026, 0, 1);

type SessionClock = { now: number };

/**
 * Opens a pull request with these files and gives the App a task. Real are: reading webhooks, deciding, every effect,
 * the adapter to GitHub, and GitHub as simulated. Not there are sockets, Probot, a database and a model.
 */
export async function startSession(files: FixtureFiles, calls: readonly ToolCall[]): Promise<Session> {
  const clock: SessionClock = { now: START_TIME };
  const fixture = createPullRequestFixture(files, clock.now);
  const events: WebhookEvent[] = [];
  const gateway = createApiServer({
    state: createServerState(fixture.state, new Map([[fixture.app.id, getAppKey().publicKeyPem]])),
    operations: OPERATIONS,
    now: () => clock.now,
    violations: [],
    onWebhooks: (told) => void events.push(...told),
  });
  const store = createMemoryStore(createMemoryTables(), 1);
  const context = createWorkerContext({ fixture, gateway, store, clock, calls });
  const take = createSessionDeliveryHandler(store, context);
  const settle = async (): Promise<void> => {
    await processAllWork(context, take, fixture, events);
    clock.now += ACTION_INTERVAL_MS;
  };
  const { repositoryId, number } = fixture;
  const apply: Parameters<typeof createPerson>[0] = (operation, input) => {
    const outcome = gateway.apply(operation, input);
    if (!outcome.ok) throw new Error(outcome.error.message);
    return outcome.value;
  };
  const ana = createPerson(apply, { accountId: fixture.anaId, repositoryId, number, branch: fixture.branch });
  clock.now += ACTION_INTERVAL_MS;
  ana.says('/countersign go');
  await settle();
  const state = (): GitHubState => gateway.serverState().github;
  const pull = (): Promise<PullState> => store.load(pullRequestKey(fixture.ref), NO_PROPOSALS);
  return {
    ana,
    pull,
    answers: () => readToolAnswers(store, pull),
    state,
    pullRequest: () => readPullRequest(state(), fixture),
    settle,
  };
}

type SessionParts = {
  readonly fixture: PullRequestFixture;
  readonly gateway: ApiServer;
  readonly store: Store;
  readonly clock: SessionClock;
  readonly calls: readonly ToolCall[];
};

function createWorkerContext({ fixture, gateway, store, clock, calls }: SessionParts): WorkerContext {
  const { id: appId, slug, botId } = fixture.app;
  const now = (): number => clock.now;
  const requested = { times: 0 };
  const ask = async (): Promise<ModelResponse> => {
    requested.times += 1;
    const wanted = requested.times === 1 ? calls : [];
    return {
      content: 'Done.',
      toolCalls: wanted,
      finishReason: wanted.length > 0 ? 'tool_calls' : 'stop',
      usage: TOKEN_USAGE,
    };
  };
  const fetch = createFetch(gateway);
  return {
    store,
    githubApp: createGitHub({
      appId,
      privateKey: getAppKey().privateKeyPem,
      baseUrl: `${fixture.state.host.apiUrl}/api/v3`,
      version: 'fidelity',
      fetch: (address, options) => fetch(address, options),
      now,
    }),
    model: { ask, askForText: ask },
    clock: { now, every: () => () => {} },
    log: SILENT_LOG,
    self: { slug, botId },
    isServedOwner: () => true,
    offload: offloadInline,
    links: ({ owner, repo }) => ({ repository: `${fixture.state.host.webUrl}/${owner}/${repo}` }),
    recordMetric: () => {},
  };
}

function createSessionDeliveryHandler(store: Store, { self, clock }: WorkerContext): DeliveryHandler {
  return createDeliveryHandler({
    store,
    identity: () => self,
    now: clock.now,
    log: SILENT_LOG,
    deliveries: { inc() {} },
  });
}

/** Delivers what GitHub tells and performs what the App wants, until neither has anything left. */
async function processAllWork(
  context: WorkerContext,
  take: DeliveryHandler,
  fixture: PullRequestFixture,
  events: WebhookEvent[],
): Promise<void> {
  const hand = {
    context,
    workerName: 'fidelity',
    stopping: new AbortController().signal,
    canContinue: () => true,
    onReleased: () => {},
  };
  const installation = { id: fixture.ref.installationId, node_id: 'installation' };
  for (let id = 1; ; id += 1) {
    const event = events.shift();
    if (event !== undefined) {
      const { name, payload } = event;
      await take({ id: `${context.clock.now()}-${id}`, name, payload: { ...payload, installation } });
      continue;
    }
    const work = (await claimNextPull(hand)) ?? (await claimNextEffect(hand));
    if (work === null) return;
    await work();
  }
}

async function readToolAnswers(store: Store, load: () => Promise<PullState>): Promise<ReadonlyMap<string, string>> {
  const { run } = await load();
  if (run === null) return new Map();
  const told = (await store.loadTranscript(run.id)).flatMap((message: TranscriptMessage) =>
    message.role === 'tool' ? [[message.toolCallId, message.content] as const] : [],
  );
  const waiting = (run.batch?.calls ?? []).flatMap(({ toolCall, status }) =>
    status.kind === 'answered' ? [[toolCall.id, status.output] as const] : [],
  );
  return new Map([...told, ...waiting]);
}

function readPullRequest(world: GitHubState, { repositoryId, number }: PullRequestFixture): FakePullRequest {
  const pull = world.repositories.get(repositoryId)?.pulls.get(number);
  if (pull === undefined) throw new Error('The pull request is not on the simulated GitHub.');
  return pull;
}

/** A file at a commit. */
type CommittedFile = { readonly mode: string; readonly bytes: Uint8Array };

/** Null where the file is not there. */
export function readCommittedFile({ store }: GitHubState, commit: string, path: string): CommittedFile | null {
  const entry = findTreeEntry(store, readGitCommit(store, commit)?.tree ?? '', path);
  const bytes = entry === undefined ? undefined : readBlob(store, entry.sha);
  return entry === undefined || bytes === undefined ? null : { mode: entry.mode, bytes };
}

/** What the base and the head of a pull request hold. */
export type FixtureFiles = { readonly base: GitFiles; readonly head: GitFiles };

/** A simulated GitHub with one repository, one pull request on it, the App installed and one person who may write. */
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

const SUBSCRIBED_EVENTS = [
  'issue_comment',
  'pull_request',
  'pull_request_review',
  'pull_request_review_comment',
  'push',
];

const GITHUB_URL = 'http://127.0.0.1';

/** Makes the world of one session. Everything is new, so that nothing is kept once the session is over. */
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
  const here = { actor: { accountId: ana.id, viaAppId: null }, repositoryId };
  apply(OPERATIONS.createGitRef, { ...here, ref: `refs/heads/${HEAD_BRANCH}`, sha });
  const { number } = apply(OPERATIONS.createPullRequest, { ...here, title: 'The parent commit', head: HEAD_BRANCH });
  const ref = { installationId: installation.id, repositoryId, owner: owner.login, repo: repository.name, number };
  return { state, app, ref, repositoryId, number, branch: HEAD_BRANCH, anaId: ana.id };
}
