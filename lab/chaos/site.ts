import { createAppEnvironment, type FakeGitHub, startFakeGitHub } from '../../fakes/github/fake-github.ts';
import { OPERATIONS } from '../../fakes/github/operations/operations.ts';
import type { FakePullRequest } from '../../fakes/github/state/github-state.ts';
import type { ChatRequest, ScriptedTurn } from '../../fakes/model/script.ts';
import { type ScriptedModel, startScriptedModel } from '../../fakes/model/scripted-model.ts';
import { createPerson, type FakePerson } from '../../fakes/people/person.ts';

/** A simulated GitHub with one repository, its pull requests, and a model. */
export type TestSite = {
  readonly github: FakeGitHub;
  readonly model: ScriptedModel;
  readonly repositoryId: number;
  readonly pulls: readonly TestPull[];
  /** The variables that point the App here; it listens on any free port. */
  readonly environment: Readonly<Record<string, string>>;
  readonly close: () => Promise<void>;
};

/** A pull request and the person who works on it. */
export type TestPull = {
  readonly number: number;
  readonly branch: string;
  readonly current: () => FakePullRequest;
  /** Lets the person do something, in a second of its own: GitHub's times are whole ones. */
  readonly act: <Value>(deed: (person: FakePerson) => Value) => Value;
};

export async function startTestSite(pulls: number): Promise<TestSite> {
  let ahead = 0;
  const github = await startFakeGitHub({ now: () => Date.now() + ahead, webhookSecret: 'the secret of the trial' });
  const model = await startScriptedModel({ apiKey: 'model-key' });
  model.setFallback(answerAsModel);
  const { apply } = github;
  const owner = apply(OPERATIONS.addAccount, { login: 'acme', type: 'Organization' });
  const ana = apply(OPERATIONS.addAccount, { login: 'ana' });
  const files = new Map([['README.md', { mode: '100644' as const, bytes: Buffer.from('# Rows\n') }]]);
  const repository = apply(OPERATIONS.addRepository, { ownerId: owner.id, name: 'rows', files });
  apply(OPERATIONS.installApp, { appId: github.app.id, accountId: owner.id });
  apply(OPERATIONS.setPermission, { repositoryId: repository.id, accountId: ana.id, permission: 'write' });
  const base = repository.refs.get('refs/heads/main') ?? '';
  const there = { actor: { accountId: ana.id, viaAppId: null }, repositoryId: repository.id };
  const opened = Array.from({ length: pulls }, (_, index) => {
    const branch = `rows-${index + 1}`;
    apply(OPERATIONS.createGitRef, { ...there, ref: `refs/heads/${branch}`, sha: base });
    apply(OPERATIONS.pushFiles, { ...there, branch, files: new Map([[ROWS_PATH, rowsFileText(new Map())]]) });
    const { number } = apply(OPERATIONS.createPullRequest, { ...there, title: `Rows ${index + 1}`, head: branch });
    const person = createPerson(apply, { accountId: ana.id, repositoryId: repository.id, number, branch });
    const current = (): FakePullRequest => {
      const pull = github.state().repositories.get(repository.id)?.pulls.get(number);
      if (pull === undefined) throw new Error(`There is no pull request ${number}.`);
      return pull;
    };
    const act: TestPull['act'] = (deed) => {
      ahead += 1_100;
      const value = deed(person);
      ahead += 1_100;
      return value;
    };
    return { number, branch, current: current, act };
  });
  return {
    ...{ github, model, repositoryId: repository.id, pulls: opened },
    environment: createAppEnvironment(github, model),
    close: async () => {
      await Promise.all([github.close(), model.close()]);
    },
  };
}

/** Every pull request adds one file of rows, and every task changes three of them that no other task touches. */
const ROW_COUNT = 3_000;

const ROWS_PER_TASK = 30;

const CHANGED_ROW_OFFSETS = [1, 11, 21] as const;

/** Changes that a task leads to. */
export const CHANGES_PER_TASK = CHANGED_ROW_OFFSETS.length;

/** Tasks that the rows of one pull request are enough for. */
export const MAX_TASKS = ROW_COUNT / ROWS_PER_TASK;

export const ROWS_PATH = 'rows.txt';

function rowLine(n: number, task: number | undefined): string {
  return `row ${n}: ${task === undefined ? 'open' : `done by task ${task}`}`;
}

/** The file once the given rows are done, each by its task. */
export function rowsFileText(done: ReadonlyMap<number, number>): string {
  return Array.from({ length: ROW_COUNT }, (_, index) => `${rowLine(index + 1, done.get(index + 1))}\n`).join('');
}

/** The task as a person gives it; tasks count from 0. */
export function taskComment(task: number): string {
  return `/countersign do the rows of task ${task}`;
}

/** Which row a diff that people were shown does, and for which task; null where it shows none of ours. */
export function parseRowChange(body: string): { readonly row: number; readonly task: number } | null {
  const found = /^\+?row (\d+): done by task (\d+)$/m.exec(body);
  return found === null ? null : { row: Number(found[1]), task: Number(found[2]) };
}

/** What plays the model: it asks for the task's three changes at once, and has nothing to add once it heard of them. */
export function answerAsModel({ messages }: ChatRequest): ScriptedTurn {
  const last = messages.at(-1);
  if (last?.role === 'tool') return { content: 'That is all.' };
  const tasks = [...(messages.findLast(({ role }) => role === 'user')?.content ?? '').matchAll(/rows of task (\d+)/g)];
  const task = Number(tasks.at(-1)?.[1] ?? 0);
  const calls = CHANGED_ROW_OFFSETS.map((offset) => {
    const n = task * ROWS_PER_TASK + offset;
    return {
      name: 'edit_file',
      arguments: { path: ROWS_PATH, old_string: rowLine(n, undefined), new_string: rowLine(n, task) },
    };
  });
  return { content: 'Three rows.', calls };
}
