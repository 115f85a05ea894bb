import { setTimeout as sleep } from 'node:timers/promises';
import { startDemoEnvironment } from '../../demo/environment.ts';
import type { FakeGitHub } from '../../fakes/github/fake-github.ts';
import { readBlob, readGitCommit } from '../../fakes/github/git/objects.ts';
import { listTreeEntries } from '../../fakes/github/git/trees.ts';
import { OPERATIONS } from '../../fakes/github/operations/operations.ts';
import type { FakeAccount, FakeActor, FakePullRequest, FakeRepository } from '../../fakes/github/state/github-state.ts';
import type { ScriptedModel } from '../../fakes/model/scripted-model.ts';
import { createPerson, type FakePerson } from '../../fakes/people/person.ts';
import type { Store } from '../../src/adapters/store/store.ts';
import { type PullState, pullRequestKey } from '../../src/core/state/pull-state.ts';
import { createMemoryStore } from '../simulation/memory-store/memory-store.ts';
import { createMemoryTables } from '../simulation/memory-store/tables.ts';
import { runTests } from './run-tests.ts';
import type { EvalTask, Files, PersonName } from './tasks/task.ts';

/** The pull request of one task on a fake GitHub of its own, with the real App. */
export type Scene = {
  readonly people: Readonly<Record<PersonName, FakePerson>>;
  readonly github: FakeGitHub;
  /** Null for a real model. */
  readonly model: ScriptedModel | null;
  readonly repositoryId: number;
  readonly pull: () => FakePullRequest;
  /** The stored state of the pull request. */
  readonly state: () => Promise<PullState>;
  /** The files of the head branch. */
  readonly headFiles: () => Files;
  /** A person's action before the App was ever called. */
  readonly prepare: (action: () => unknown) => Promise<void>;
  /** A person's action, and what the App does then. Resolves once the App waits for people or has ended its run. */
  readonly act: (action: () => unknown) => Promise<void>;
  readonly close: () => Promise<void>;
};

/** So long it takes until the checks of a commit have begun and ended. */
const CHECKS_SECONDS = 61;

/** The App did not come to rest in time. The message is one line. */
export class TimeLimitError extends Error {}

const BRANCH = 'topic';

/**
 * Opens the pull request of a task, with the comments that were before. `modelName` is null for the scripted model.
 * Throws `StartupError` for an unusable configuration.
 */
export async function openScene(
  task: EvalTask,
  { modelName, deadline }: { readonly modelName: string | null; readonly deadline: number },
): Promise<Scene> {
  const store = createMemoryStore(createMemoryTables());
  const environment = await startDemoEnvironment(modelName, store, task.ci !== undefined);
  const { github, model, advanceClock, advanceAppClock, waitUntilIdle, close } = environment;
  const { repository, pull, accounts } = openPull(github, task);
  const key = keyOf(github, repository, pull);
  const state = (): Promise<PullState> => store.load(key, { ids: [], commentId: null });
  const current = (): FakePullRequest => pullOf(github, repository.id, pull.number);
  const location = { repositoryId: repository.id, number: pull.number, branch: BRANCH };
  const person = (name: PersonName): FakePerson =>
    createPerson(github.apply, { accountId: accounts[name].id, ...location });
  const prepare = async (action: () => unknown): Promise<void> => {
    advanceClock(2);
    action();
    advanceClock(2);
    await waitUntilIdle();
  };
  const actions = task.ci === undefined ? null : addActions(github);
  const check = async (): Promise<void> => {
    if (actions === null || task.ci === undefined) return;
    const { sha } = current().head;
    const { passed, output } = await runTests({ ...readFiles(github, sha), ...task.ci });
    const conclusion = passed ? 'success' : 'failure';
    const job = { actor: actions, repositoryId: repository.id, headSha: sha, name: 'test', log: `${output}\n` };
    github.apply(OPERATIONS.createCheckRun, { ...job, conclusion });
  };
  await check();
  const act = async (action: () => unknown): Promise<void> => {
    await prepare(action);
    for (let now = await state(); !isAtRest(now) || (await hasWorkSoon(store, now)); now = await state()) {
      if (Date.now() > deadline) throw new TimeLimitError('The time of the task is over.');
      if (now.run?.phase.kind === 'awaiting-checks') {
        await check();
        advanceAppClock(CHECKS_SECONDS);
      }
      await sleep(50);
      await waitUntilIdle();
    }
  };
  return {
    people: { ana: person('ana'), ben: person('ben'), carl: person('carl'), stranger: person('stranger') },
    github,
    model,
    repositoryId: repository.id,
    pull: current,
    state,
    headFiles: () => readFiles(github, current().head.sha),
    prepare,
    act,
    close,
  };
}

/**
 * Something is tried again soon. A check of the page, ten seconds after a commit, decides nothing and is not waited for;
 * but before the run there is no such check, so anything can be the task.
 */
async function hasWorkSoon(store: Store, { run }: PullState): Promise<boolean> {
  const due = await store.nextDue();
  return due !== null && due < Date.now() + (run === null ? 60_000 : 5_000);
}

/** Nothing happens before people do something. A model that is asked again later leaves the App idle, but not at rest. */
function isAtRest({ run, proposals, sideQuestions }: PullState): boolean {
  const isWaiting = run === null || run.phase.kind === 'awaiting-decisions' || run.phase.kind === 'ended';
  return isWaiting && sideQuestions.length === 0 && proposals.every(({ state }) => !UNSETTLED.has(state));
}

const UNSETTLED: ReadonlySet<string> = new Set(['approved', 'executing']);

type OpenedPull = {
  readonly repository: FakeRepository;
  readonly pull: FakePullRequest;
  readonly accounts: Readonly<Record<PersonName, FakeAccount>>;
};

/** GitHub Actions, as the actor of its jobs. */
function addActions(github: FakeGitHub): FakeActor {
  const { ownerId } = github.state().apps.get(github.app.id) ?? { ownerId: 0 };
  const app = { slug: 'github-actions', ownerId, permissions: { checks: 'write' }, events: [] } as const;
  const { id, botId } = github.apply(OPERATIONS.addApp, app);
  return { accountId: botId, viaAppId: id };
}

let scenes = 0;

/**
 * Uses some ids up, so that each scene of this process gets another installation id: by that id `@octokit/auth-app`
 * shares requests for tokens that are in progress, also between Apps.
 */
function skipIds(github: FakeGitHub): void {
  scenes += 1;
  for (let n = 1; n < scenes; n += 1) github.apply(OPERATIONS.addAccount, { login: `member-${n}` });
}

function openPull(github: FakeGitHub, { name, base, pull: { title, body, files } }: EvalTask): OpenedPull {
  skipIds(github);
  const join = (login: string): FakeAccount => github.apply(OPERATIONS.addAccount, { login });
  const owner = github.apply(OPERATIONS.addAccount, { login: 'acme', type: 'Organization' });
  const accounts = { ana: join('ana'), ben: join('ben'), carl: join('carl'), stranger: join('stranger') };
  const encoder = new TextEncoder();
  const content = Object.entries(base).map(
    ([path, text]) => [path, { mode: '100644', bytes: encoder.encode(text) }] as const,
  );
  const repository = github.apply(OPERATIONS.addRepository, { ownerId: owner.id, name, files: new Map(content) });
  github.apply(OPERATIONS.installApp, { appId: github.app.id, accountId: owner.id });
  for (const { id } of [accounts.ana, accounts.ben, accounts.carl])
    github.apply(OPERATIONS.setPermission, { repositoryId: repository.id, accountId: id, permission: 'write' });
  const there = { actor: { accountId: accounts.carl.id, viaAppId: null }, repositoryId: repository.id };
  const main = repository.refs.get(`refs/heads/${repository.defaultBranch}`) ?? '';
  github.apply(OPERATIONS.createGitRef, { ...there, ref: `refs/heads/${BRANCH}`, sha: main });
  github.apply(OPERATIONS.pushFiles, {
    ...there,
    branch: BRANCH,
    files: new Map(Object.entries(files)),
    message: title,
  });
  const pull = github.apply(OPERATIONS.createPullRequest, {
    ...{ ...there, title, head: BRANCH },
    ...(body === undefined ? {} : { body }),
  });
  return { repository, pull, accounts };
}

function keyOf(github: FakeGitHub, { id, ownerId, name }: FakeRepository, { number }: FakePullRequest): string {
  const installation = [...github.state().installations.values()].find(({ accountId }) => accountId === ownerId);
  const ref = { repositoryId: id, number, owner: '', repo: name };
  return pullRequestKey({ ...ref, installationId: installation?.id ?? 0 });
}

function pullOf(github: FakeGitHub, repositoryId: number, number: number): FakePullRequest {
  const pull = github.state().repositories.get(repositoryId)?.pulls.get(number);
  if (pull === undefined) throw new Error('The fake GitHub has lost the pull request.');
  return pull;
}

function readFiles(github: FakeGitHub, sha: string): Files {
  const { store } = github.state();
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  const entries = [...listTreeEntries(store, readGitCommit(store, sha)?.tree ?? '')];
  return Object.fromEntries(entries.map(([path, entry]) => [path, decoder.decode(readBlob(store, entry.sha))]));
}
