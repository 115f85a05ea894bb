import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type FakeGitHub, startFakeGitHub } from '../../fakes/github/fake-github.ts';
import { putFiles } from '../../fakes/github/git/trees.ts';
import { OPERATIONS } from '../../fakes/github/operations/operations.ts';
import type { FakeRepository } from '../../fakes/github/state/github-state.ts';
import type { ChatRequest, ScriptedReply } from '../../fakes/model/script.ts';
import { type ScriptedModel, startScriptedModel } from '../../fakes/model/scripted-model.ts';
import { createPerson, type FakePerson } from '../../fakes/people/person.ts';
import { listHunkLines, openPull, type PullAddress } from '../pull-request.ts';
import { addCollaborators, addPeople, type People, type PersonName } from '../scenes/people.ts';
import { answerByScript } from '../scenes/scene-script.ts';
import type { Scene } from '../scenes/scenes.ts';
import { createScriptedAgent } from '../script.ts';
import { createDemoSettings, MODEL_KEY } from '../settings.ts';
import { type AppControl, createAppControl, forkApp } from './app-control.ts';
import type { SeenLine, SeenStep } from './app-messages.ts';
import { createCi } from './ci.ts';

/** A pull request that somebody plays on. `step` is the number of the scene's steps that are done. */
export type Play = PullAddress & {
  readonly scene: Scene;
  /** `owner/repo#number`. */
  readonly name: string;
  readonly branch: string;
  /** The head when it was opened. */
  readonly firstHead: string;
  readonly answer: ((request: ChatRequest) => ScriptedReply) | null;
  step: number;
  /** The step that was clicked, and may not be done yet: a second click would do it twice. */
  clicked: number | null;
};

/** The fake GitHub, the model and the App of one page, and all that the App has told. */
export type Session = {
  readonly github: FakeGitHub;
  /** Null when a real model is used. */
  readonly model: ScriptedModel | null;
  readonly app: AppControl;
  readonly people: People;
  readonly plays: ReadonlyMap<string, Play>;
  readonly seen: readonly (SeenStep | SeenLine)[];
  /** Opens a new pull request for a scene. */
  readonly play: (scene: Scene) => Play;
  /** Runs an action of a person. Throws `OperationRefusedError` where GitHub refuses it. */
  readonly act: (
    play: PullAddress & { readonly branch: string },
    name: PersonName,
    action: (person: FakePerson) => unknown,
  ) => void;
  /** Resolves once the App takes webhooks; what is done before is heard of then. Rejects with a `StartupError`. */
  readonly ready: Promise<void>;
  /** Starts the App again if it was killed; a second click has nothing left to do. */
  readonly restartApp: () => Promise<void>;
  /** Calls back after each change; `isInside` if only the drawer shows it. Returns a function that unsubscribes. */
  readonly onChange: (listener: (isInside: boolean) => void) => () => void;
  readonly changed: () => void;
  readonly close: () => Promise<void>;
};

/** How often GitHub's state is compared (ms), so that a change is on the page at once. */
const WATCH_MS = 25;

const MAX_SEEN = 2_000;

/** The phases in which a run waits for others; null is no run. */
const WAITING_PHASES: ReadonlySet<string | null> = new Set([null, 'awaiting-decisions', 'awaiting-checks', 'ended']);

/** After a decision the agent goes on within this time (ms). */
const QUIET_MS = 1_000;

/** How long the claims of a dead process last (ms). The demo's clock skips them when it starts again. */
const LEASE_MS = 15_000;

/** Short, so that a person sees the App go on after a lost webhook or a silent model. */
const SHORT_WAITS = { POLL: '5s', LOG_LEVEL: 'debug' };

const SHORT_MODEL_WAITS = { MODEL_IDLE_TIMEOUT: '3', MODEL_TIMEOUT: '6' };

/** Starts everything on 127.0.0.1, the App last, in a process that may be begun already. */
export async function startSession(modelName: string | null, appProcess = forkApp()): Promise<Session> {
  const clock = { ahead: 0, lastChange: 0 };
  const now = (): number => Date.now() + clock.ahead;
  const github = await startFakeGitHub({ now, webhookSecret: 'webhook-secret-of-the-demo' });
  const model = modelName === null ? await startScriptedModel({ apiKey: MODEL_KEY }) : null;
  const dataDir = await mkdtemp(join(tmpdir(), 'countersign-demo-data-'));
  const listeners = new Set<(isInside: boolean) => void>();
  const changed = (isInside = false): void => {
    for (const listener of listeners) listener(isInside);
  };
  const seen: (SeenStep | SeenLine)[] = [];
  const app = createAppControl(
    appProcess,
    {
      ...createDemoSettings(github, model, modelName),
      ...SHORT_WAITS,
      ...(model === null ? {} : SHORT_MODEL_WAITS),
      DATA_DIR: dataDir,
    },
    (message) => {
      if (message.kind !== 'step' && message.kind !== 'line') return;
      seen.push(message);
      if (seen.length > MAX_SEEN) seen.splice(0, MAX_SEEN / 2);
      changed(true);
    },
  );
  const passTime = (ms: number): void => {
    clock.ahead += ms;
    app.setClock(clock.ahead);
  };
  const startApp = async (): Promise<void> => {
    const url = await app.start();
    github.setWebhookTarget(`${url}/api/github/webhooks`);
    changed();
  };
  const people = addPeople(github);
  const plays = new Map<string, Play>();
  model?.setFallback(
    (request) => findPlay(plays, request)?.answer?.(request) ?? { content: 'I do not know this pull request.' },
  );
  const look = createCi(github, passTime);
  const isAgentAtWork = ({ name }: Play): boolean => {
    const last = seen.findLast((one) => one.kind === 'step' && one.pull === name);
    return last?.kind === 'step' && (!WAITING_PHASES.has(last.phase) || now() - last.at < QUIET_MS);
  };
  let known = github.state();
  const watch = setInterval(() => {
    for (const play of plays.values())
      if (play.scene.test !== null) look(play, play.scene.test, () => isAgentAtWork(play));
    if (github.state() === known) return;
    known = github.state();
    clock.lastChange = now();
    changed();
  }, WATCH_MS);
  const close = async (): Promise<void> => {
    clearInterval(watch);
    await app.kill();
    await Promise.all([github.close(), model?.close(), rm(dataDir, { recursive: true, force: true })]);
  };
  const ready = startApp();
  // Whoever waits for it hears of an error.
  ready.catch(() => {});
  return {
    ...{ github, model, app, people, plays, seen, changed, close, ready },
    restartApp: async () => {
      if (app.state() !== 'killed') return;
      passTime(LEASE_MS);
      const started = startApp();
      changed();
      await started;
    },
    play: (scene) => {
      const play = openPlay(github, people, plays.size + 1, scene);
      plays.set(play.name, play);
      changed();
      return play;
    },
    act: ({ repositoryId, number, branch }, name, action) => {
      // GitHub counts seconds, and whoever acts in the second of a comment may not have read it.
      if (Math.floor(clock.lastChange / 1000) >= Math.floor(now() / 1000)) passTime(1000 - (now() % 1000));
      action(createPerson(github.apply, { accountId: people[name].id, repositoryId, number, branch }));
      changed();
    },
    onChange: (listener) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}

/** The pull request that a request to the model is about: its first message has it as data. */
function findPlay(plays: ReadonlyMap<string, Play>, { messages }: ChatRequest): Play | undefined {
  const first = messages.find(({ role }) => role === 'user')?.content ?? '';
  const [, repository, number] = /"repository": "([^"]+)",\s+"pull_request": (\d+)/.exec(first) ?? [];
  return plays.get(`${repository}#${number}`);
}

const OWNER = 'acme';

function openPlay(github: FakeGitHub, people: People, count: number, scene: Scene): Play {
  const known = [...github.state().repositories.values()].find(({ name }) => name === scene.repository);
  const repository = known ?? addRepository(github, people, scene);
  const branch = `topic-${count}`;
  const { pullTitle: title, pullBody: body } = scene;
  const tree = putFiles(github.state().store, scene.head);
  const { number, head } = openPull(github, { repository, author: people.carl, title, body, branch, tree });
  const repositoryId = repository.id;
  const address = { repositoryId, number };
  return {
    ...address,
    ...{ scene, branch, firstHead: head.sha, step: 0, clicked: null, name: `${OWNER}/${scene.repository}#${number}` },
    answer: createAnswer(github, address, scene),
  };
}

function createAnswer(github: FakeGitHub, address: PullAddress, { script }: Scene): Play['answer'] {
  if (script !== null) return (request) => answerByScript(script, request);
  return createScriptedAgent(listHunkLines(github, address)).answer;
}

function addRepository(github: FakeGitHub, people: People, { repository: name, base }: Scene): FakeRepository {
  const existing = [...github.state().accounts.values()].find(({ login }) => login === OWNER);
  const owner = existing ?? github.apply(OPERATIONS.addAccount, { login: OWNER, type: 'Organization' });
  if (existing === undefined) github.apply(OPERATIONS.installApp, { appId: github.app.id, accountId: owner.id });
  const repository = github.apply(OPERATIONS.addRepository, { ownerId: owner.id, name, files: base });
  addCollaborators(github, repository.id, people);
  const label = { name: 'countersign: waiting', color: 'fbca04', repositoryId: repository.id };
  github.apply(OPERATIONS.createLabel, { actor: { accountId: owner.id, viaAppId: null }, ...label });
  return repository;
}
