import { createAppEnvironment, type FakeGitHub, startFakeGitHub } from '../../fakes/github/fake-github.ts';
import { OPERATIONS } from '../../fakes/github/operations/operations.ts';
import type { FakePullRequest } from '../../fakes/github/state/github-state.ts';
import type { ChatRequest, ScriptedTurn } from '../../fakes/model/script.ts';
import { type ScriptedModel, startScriptedModel } from '../../fakes/model/scripted-model.ts';
import { createPerson, type FakePerson } from '../../fakes/people/person.ts';
import { SETTINGS_PATH } from '../../src/core/settings/repo-settings.ts';

/** A fake GitHub with one repository and its pull requests, and a fake model. */
export type TestSite = {
  readonly github: FakeGitHub;
  readonly model: ScriptedModel;
  readonly repositoryId: number;
  readonly pulls: readonly TestPull[];
  /** GitHub's time in ms, which is ahead of the real one. */
  readonly now: () => number;
  readonly advanceClock: (ms: number) => void;
  /** Environment variables of the App for this site. The App listens on any free port. */
  readonly environment: Readonly<Record<string, string>>;
  readonly close: () => Promise<void>;
};

/** A pull request and the person who works on it. */
export type TestPull = {
  readonly number: number;
  readonly branch: string;
  readonly current: () => FakePullRequest;
  /** Lets the person act. Each action gets its own second, because GitHub's times are whole seconds. */
  readonly act: <Value>(action: (person: FakePerson) => Value) => Value;
};

export async function startTestSite(pullCount: number): Promise<TestSite> {
  let aheadMs = 0;
  const now = (): number => Date.now() + aheadMs;
  const advanceClock = (ms: number): void => {
    aheadMs += ms;
  };
  const github = await startFakeGitHub({ now, webhookSecret: 'the secret of the trial' });
  liftRateLimits(github);
  const model = await startScriptedModel({ apiKey: 'model-key' });
  model.setFallback(answerAsModel);
  const { apply } = github;
  const owner = apply(OPERATIONS.addAccount, { login: 'acme', type: 'Organization' });
  const ana = apply(OPERATIONS.addAccount, { login: 'ana' });
  const readme = ['README.md', { mode: '100644', bytes: Buffer.from('# Rows\n') }] as const;
  const settings = [
    SETTINGS_PATH,
    { mode: '100644', bytes: Buffer.from('limits:\n  runs_per_day: 100000\n') },
  ] as const;
  const files = new Map([readme, settings]);
  const repository = apply(OPERATIONS.addRepository, { ownerId: owner.id, name: 'rows', files });
  apply(OPERATIONS.installApp, { appId: github.app.id, accountId: owner.id });
  apply(OPERATIONS.setPermission, { repositoryId: repository.id, accountId: ana.id, permission: 'write' });
  const base = repository.refs.get('refs/heads/main') ?? '';
  const context = { actor: { accountId: ana.id, viaAppId: null }, repositoryId: repository.id };
  const pulls = Array.from({ length: pullCount }, (_, index): TestPull => {
    const branch = `rows-${index + 1}`;
    apply(OPERATIONS.createGitRef, { ...context, ref: `refs/heads/${branch}`, sha: base });
    apply(OPERATIONS.pushFiles, { ...context, branch, files: new Map([[ROWS_PATH, rowsFileText(new Map())]]) });
    const { number } = apply(OPERATIONS.createPullRequest, { ...context, title: `Rows ${index + 1}`, head: branch });
    const person = createPerson(apply, { accountId: ana.id, repositoryId: repository.id, number, branch });
    const current = (): FakePullRequest => {
      const pull = github.state().repositories.get(repository.id)?.pulls.get(number);
      if (pull === undefined) throw new Error(`Pull request #${number} is missing on the fake GitHub.`);
      return pull;
    };
    const act: TestPull['act'] = (action) => {
      advanceClock(1_100);
      const value = action(person);
      advanceClock(1_100);
      return value;
    };
    return { number, branch, current, act };
  });
  return {
    github,
    model,
    repositoryId: repository.id,
    pulls,
    now,
    advanceClock,
    environment: createAppEnvironment(github, model),
    close: async () => {
      await Promise.all([github.close(), model.close()]);
    },
  };
}

/** Many runs exceed GitHub's hourly request limit, and no trial measures the wait for it. */
function liftRateLimits({ apiServer }: FakeGitHub): void {
  apiServer.replaceServerState({
    ...apiServer.serverState(),
    rateLimits: { requestsPerHour: 1_000_000_000, secondary: null },
  });
}

/** Each pull request adds one file of rows. Each task changes three rows that no other task changes. */
const ROW_COUNT = 3_000;

const ROWS_PER_TASK = 30;

const CHANGED_ROW_OFFSETS = [1, 11, 21] as const;

export const CHANGES_PER_TASK = CHANGED_ROW_OFFSETS.length;

/** The rows of a pull request are enough for this many tasks. */
export const MAX_TASKS = ROW_COUNT / ROWS_PER_TASK;

export const ROWS_PATH = 'rows.txt';

function rowLine(row: number, task: number | undefined): string {
  return `row ${row}: ${task === undefined ? 'open' : `done by task ${task}`}`;
}

/** The text of the rows file. `taskByRow` has the rows that are done. */
export function rowsFileText(taskByRow: ReadonlyMap<number, number>): string {
  return Array.from({ length: ROW_COUNT }, (_, index) => `${rowLine(index + 1, taskByRow.get(index + 1))}\n`).join('');
}

/** The comment that gives a task. Tasks are numbered from 0. */
export function taskComment(task: number): string {
  return `/countersign do the rows of task ${task}`;
}

/** The row and the task of a shown diff; null if it is not a change of a row. */
export function parseRowChange(body: string): { readonly row: number; readonly task: number } | null {
  const match = /^\+?row (\d+): done by task (\d+)$/m.exec(body);
  return match === null ? null : { row: Number(match[1]), task: Number(match[2]) };
}

/** Proposes the three changes of the task in one response, and ends after their results. Notes on pushes can follow both. */
export function answerAsModel({ messages }: ChatRequest): ScriptedTurn {
  if (messages.some(({ role }) => role === 'tool')) return { content: 'That is all.' };
  const words = messages.filter(({ role }) => role === 'user').map(({ content }) => content ?? '');
  const tasks = [...words.join('\n').matchAll(/rows of task (\d+)/g)];
  const task = Number(tasks.at(-1)?.[1] ?? 0);
  const calls = CHANGED_ROW_OFFSETS.map((offset) => {
    const row = task * ROWS_PER_TASK + offset;
    return {
      name: 'edit_file',
      arguments: { path: ROWS_PATH, old_string: rowLine(row, undefined), new_string: rowLine(row, task) },
    };
  });
  return { content: 'Three rows.', calls };
}
