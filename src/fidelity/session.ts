import { openGitHubs } from '../github/open-github.ts';
import { openTake, type Take } from '../intake/take-delivery.ts';
import type { Message, ModelReply, ToolCall } from '../prompt/message.ts';
import { NONE_NAMED } from '../run/named-proposals.ts';
import { type Pull, pullKey } from '../run/run.ts';
import { memoryStore } from '../simulation/store/memory-store.ts';
import { emptyTables } from '../simulation/store/tables.ts';
import { readBlob } from '../simulator/git/blob.ts';
import { readCommit } from '../simulator/git/commit-object.ts';
import { entryAt } from '../simulator/git/trees.ts';
import { appKey } from '../simulator/http/app-key.ts';
import { createGateway, type Gateway } from '../simulator/http/gateway.ts';
import { gatewayFetch } from '../simulator/http/gateway-fetch.ts';
import { newGitHubState } from '../simulator/http/github-state.ts';
import { type Person, personOn } from '../simulator/people/person.ts';
import { OPERATIONS } from '../simulator/world/operations.ts';
import type { WebhookEvent } from '../simulator/world/outcome.ts';
import type { PullRequest, World } from '../simulator/world/state.ts';
import type { Store } from '../store/store.ts';
import { claimEffect, claimPull } from '../worker/claim-work.ts';
import type { Context } from '../worker/context.ts';
import { workOutHere } from '../worker/work-out.ts';
import { openScene, type Scene, type SceneFiles } from './scene.ts';

/** One run of the App on one simulated pull request, whose model asks for the given calls and then for nothing more. */
export type Session = {
  /** May write. */
  readonly ana: Person;
  /** What the App has stored. */
  readonly pull: () => Promise<Pull>;
  /** What the model was told of each call that became no proposal, by the call's id. */
  readonly answers: () => Promise<ReadonlyMap<string, string>>;
  readonly world: () => World;
  readonly onGitHub: () => PullRequest;
  /** Lets the App do all that it will do by itself. */
  readonly settle: () => Promise<void>;
};

const SILENT = { debug() {}, info() {}, warn() {}, error() {} };
const USAGE = { input: 0, cachedInput: 0, output: 0 };
/** Between two acts of people: GitHub's times are whole seconds, and nothing acts on what came in the same one. */
const STEP_MS = 2_000;
const BEGIN = Date.UTC(2026, 0, 1);

type Clock = { now: number };

/**
 * Opens a pull request with these files and gives the App a task. Real are: reading webhooks, deciding, every effect,
 * the adapter to GitHub, and GitHub as simulated. Not there are sockets, Probot, a database and a model.
 */
export async function openSession(files: SceneFiles, calls: readonly ToolCall[]): Promise<Session> {
  const clock: Clock = { now: BEGIN };
  const scene = openScene(files, clock.now);
  const events: WebhookEvent[] = [];
  const gateway = createGateway({
    state: newGitHubState(scene.world, new Map([[scene.app.id, appKey().publicKeyPem]])),
    operations: OPERATIONS,
    now: () => clock.now,
    violations: [],
    onWebhooks: (told) => void events.push(...told),
  });
  const store = memoryStore(emptyTables(), 1);
  const context = contextOf({ scene, gateway, store, clock, calls });
  const take = takeOf(store, context);
  const settle = async (): Promise<void> => {
    await workOff(context, take, scene, events);
    clock.now += STEP_MS;
  };
  const { repositoryId, number } = scene;
  const apply: Parameters<typeof personOn>[0] = (operation, input) => {
    const outcome = gateway.apply(operation, input);
    if (!outcome.ok) throw new Error(outcome.error.message);
    return outcome.value;
  };
  const ana = personOn(apply, { accountId: scene.anaId, repositoryId, number, branch: scene.branch });
  clock.now += STEP_MS;
  ana.says('/countersign go');
  await settle();
  const world = (): World => gateway.state().world;
  const pull = (): Promise<Pull> => store.load(pullKey(scene.ref), NONE_NAMED);
  return { ana, pull, answers: () => answersIn(store, pull), world, onGitHub: () => pullIn(world(), scene), settle };
}

type Parts = {
  readonly scene: Scene;
  readonly gateway: Gateway;
  readonly store: Store;
  readonly clock: Clock;
  readonly calls: readonly ToolCall[];
};

function contextOf({ scene, gateway, store, clock, calls }: Parts): Context {
  const { id: appId, slug, botId } = scene.app;
  const now = (): number => clock.now;
  const asked = { times: 0 };
  const ask = async (): Promise<ModelReply> => {
    asked.times += 1;
    const wanted = asked.times === 1 ? calls : [];
    return { content: 'Done.', calls: wanted, finishReason: wanted.length > 0 ? 'tool_calls' : 'stop', usage: USAGE };
  };
  const fetch = gatewayFetch(gateway);
  return {
    store,
    githubs: openGitHubs({
      appId,
      privateKey: appKey().privateKeyPem,
      baseUrl: `${scene.world.site.api}/api/v3`,
      version: 'fidelity',
      fetch: (address, options) => fetch(address, options),
      now,
    }),
    model: { ask, askForWords: ask },
    clock: { now, every: () => () => {} },
    log: SILENT,
    self: { slug, botId },
    serves: () => true,
    workOut: workOutHere,
    links: ({ owner, repo }) => ({ repository: `${scene.world.site.html}/${owner}/${repo}` }),
    count: () => {},
  };
}

function takeOf(store: Store, { self, clock }: Context): Take {
  return openTake({ store, self: () => self, now: clock.now, log: SILENT, deliveries: { add() {} } });
}

/** Delivers what GitHub tells and performs what the App wants, until neither has anything left. */
async function workOff(context: Context, take: Take, scene: Scene, events: WebhookEvent[]): Promise<void> {
  const hand = {
    context,
    worker: 'fidelity',
    stopping: new AbortController().signal,
    mayGoOn: () => true,
    gaveBack: () => {},
  };
  const installation = { id: scene.ref.installationId, node_id: 'installation' };
  for (let id = 1; ; id += 1) {
    const event = events.shift();
    if (event !== undefined) {
      const { name, payload } = event;
      await take({ id: `${context.clock.now()}-${id}`, name, payload: { ...payload, installation } });
      continue;
    }
    const work = (await claimPull(hand)) ?? (await claimEffect(hand));
    if (work === null) return;
    await work();
  }
}

async function answersIn(store: Store, load: () => Promise<Pull>): Promise<ReadonlyMap<string, string>> {
  const { run } = await load();
  if (run === null) return new Map();
  const told = (await store.transcript(run.id)).flatMap((message: Message) =>
    message.role === 'tool' ? [[message.callId, message.content] as const] : [],
  );
  const waiting = (run.batch?.calls ?? []).flatMap(({ call, status }) =>
    status.kind === 'answered' ? [[call.id, status.output] as const] : [],
  );
  return new Map([...told, ...waiting]);
}

function pullIn(world: World, { repositoryId, number }: Scene): PullRequest {
  const pull = world.repositories.get(repositoryId)?.pulls.get(number);
  if (pull === undefined) throw new Error('The pull request is not on the simulated GitHub.');
  return pull;
}

/** A file at a commit. */
export type Standing = { readonly mode: string; readonly bytes: Uint8Array };

/** Null where the file is not there. */
export function fileAt({ store }: World, commit: string, path: string): Standing | null {
  const entry = entryAt(store, readCommit(store, commit)?.tree ?? '', path);
  const bytes = entry === undefined ? undefined : readBlob(store, entry.sha);
  return entry === undefined || bytes === undefined ? null : { mode: entry.mode, bytes };
}
