import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { type DemoEnvironment, startDemoEnvironment } from '../../../demo/environment.ts';
import { exportBareRepository } from '../../../fakes/github/git/export.ts';
import { OPERATIONS } from '../../../fakes/github/operations/operations.ts';
import type { ChatRequest, ScriptedTurn } from '../../../fakes/model/script.ts';
import { createPersonOnGitHub } from '../../../lab/smoke/github.ts';
import { SMOKE_COMMAND, verifyFolder } from '../../../lab/smoke/main.ts';
import { formatStep, playTrial, type Step } from '../../../lab/smoke/play.ts';
import { type AppAccess, createQuestions } from '../../../lab/smoke/questions.ts';
import { createClientFactory } from '../../../src/adapters/github/requests/client.ts';
import { parseOptions } from '../../../src/cli/options.ts';
import { openPersonDoor } from './person-door.ts';

const closers: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

const edit = (name: string, words: string) => ({
  name: 'edit_file',
  arguments: { path: 'countersign-trial.txt', old_string: `${name}: one`, new_string: `${name}: ${words}` },
});

/** A model that does the task, and what people say of it. */
function answerAsModel({ messages }: ChatRequest): ScriptedTurn {
  const calls = messages.flatMap((message) => message.calls);
  const isTold = messages.some(({ content }) => content?.includes('beta: three'));
  if (calls.length === 0) return { calls: [edit('alpha', 'two'), edit('beta', 'two'), edit('gamma', 'two')] };
  if (isTold && calls.length === 3) return { calls: [edit('beta', 'three')] };
  return { content: 'All done.' };
}

/** The App on the fake GitHub, and a person with a token of their own. */
async function startTrial({ github, model, advanceClock, waitUntilIdle }: DemoEnvironment) {
  model?.setFallback(answerAsModel);
  const owner = github.apply(OPERATIONS.addAccount, { login: 'acme', type: 'Organization' });
  const ana = github.apply(OPERATIONS.addAccount, { login: 'ana' });
  const files = new Map([['README.md', { mode: '100644', bytes: Buffer.from('# Trials\n') } as const]]);
  const { id: repositoryId } = github.apply(OPERATIONS.addRepository, { ownerId: owner.id, name: 'trials', files });
  github.apply(OPERATIONS.setPermission, { repositoryId, accountId: ana.id, permission: 'write' });
  github.apply(OPERATIONS.installApp, { appId: github.app.id, accountId: owner.id });
  const app = { appId: String(github.app.id), privateKey: github.app.privateKeyPem, baseUrl: `${github.url}/api/v3` };
  const readToken = await installationToken(app);
  const door = await openPersonDoor({ github, repositoryId, accountId: ana.id, readToken });
  closers.push(door.close);
  const person = createPersonOnGitHub({ baseUrl: door.url, token: 'ghp_ana', repository: 'acme/trials' });
  let ahead = 0;
  const now = (): number => Date.now() + ahead;
  const lines: string[] = [];
  const trial = {
    person,
    now,
    patienceMs: 60_000,
    sleep: async (ms: number) => {
      await waitUntilIdle();
      advanceClock(ms / 1000);
      ahead += ms;
    },
    verify: (commits: { readonly base: string; readonly head: string; readonly slug: string }) => {
      const folder = mkdtempSync(join(tmpdir(), 'countersign-smoke-test-'));
      closers.push(() => rmSync(folder, { recursive: true }));
      const { store, repositories } = github.state();
      const refs = repositories.get(repositoryId)?.refs ?? new Map();
      exportBareRepository(store, { refs, defaultBranch: 'main' }, folder);
      return verifyFolder(folder, { ...commits, host: 'github.com' });
    },
    ask: createQuestions({ person, app, now }),
    print: (line: string) => void lines.push(line),
  };
  return { trial, lines, pulls: () => [...(github.state().repositories.get(repositoryId)?.pulls.values() ?? [])] };
}

/** What the App itself would use; it lets the person read here. */
async function installationToken({ baseUrl, ...credentials }: AppAccess): Promise<string> {
  const client = createClientFactory({ baseUrl, version: 'test', now: Date.now })(credentials, null);
  const { data: installation } = await client.request('GET /repos/{owner}/{repo}/installation', TRIALS);
  const route = 'POST /app/installations/{installation_id}/access_tokens';
  return (await client.request(route, { installation_id: installation.id })).data.token;
}

const TRIALS = { owner: 'acme', repo: 'trials' };

describe('npm run smoke (O29)', { timeout: 240_000 }, () => {
  it('plays task, proposal, approve, deny, instruct, undo and verify, asks GitHub, and closes its pull request', async () => {
    const environment = await startDemoEnvironment(null);
    closers.push(environment.close);
    const { trial, lines, pulls } = await startTrial(environment);
    const steps = await playTrial(trial);
    expect(steps.filter(({ problem }) => problem !== null)).toEqual([]);
    const notes = Object.fromEntries(steps.map(({ name, note }) => [name, note]));
    expect(Object.keys(notes)).toEqual([
      ...['pull request', 'task', 'proposal'],
      ...['is .invalid logged?', 'are times equal?', 'does a new token work?', 'are there buttons?'],
      ...['approve', 'deny', 'instruct', 'approve the new version', 'undo', 'verify'],
    ]);
    expect(notes['is .invalid logged?']).toMatch(/^not asked: the webhook leads to countersign\.example/);
    expect(notes['are times equal?']).toMatch(/^yes, \d{4}-/);
    expect(notes['does a new token work?']).toBe('yes, 5 of them');
    expect(lines).toEqual(steps.map(formatStep));
    expect(pulls().map(({ state }) => state)).toEqual(['closed']);
  });

  it('ends at the step that failed, says why, and still closes its pull request', async () => {
    const environment = await startDemoEnvironment(null);
    closers.push(environment.close);
    const { trial, pulls } = await startTrial(environment);
    environment.github.setWebhookTarget('http://127.0.0.1:9/');
    const steps = await playTrial({ ...trial, ask: async (): Promise<readonly Step[]> => [] });
    expect(steps.map(({ name, problem }) => [name, problem])).toEqual([
      ['pull request', null],
      ['task', 'a reaction did not come within 60 s'],
    ]);
    expect(pulls().map(({ state }) => state)).toEqual(['closed']);
  });

  it('says what is open where the key of the App is not at hand', async () => {
    const person = createPersonOnGitHub({ baseUrl: 'http://127.0.0.1:9', token: 'ghp_ana', repository: 'acme/trials' });
    const task = { id: 1, createdAt: '', place: 'conversation' } as const;
    const answers = await createQuestions({ person, app: null, now: Date.now })({ head: '', task });
    expect(answers.map(({ note }) => note)).toEqual(Array(4).fill(expect.stringMatching(/^not asked: APP_ID/)));
  });

  it.each([
    [
      ['--repo', 'acme/trials', '--minutes', '3'],
      { kind: 'options', options: { repository: 'acme/trials', minutes: 3 } },
    ],
    [[], { kind: 'problem', problem: expect.stringContaining('--repo needs a name') }],
    [['--repo', 'trials'], { kind: 'problem' }],
    [['--repo', 'acme/trials', '--minutes', '0'], { kind: 'problem' }],
  ])('reads %j', (argv, expected) => {
    expect(parseOptions(SMOKE_COMMAND, argv)).toMatchObject(expected);
  });
});
