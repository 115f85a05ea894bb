import { describe, expect, it } from 'vitest';
import { OPERATIONS } from '../../../../fakes/github/operations/operations.ts';
import { pullRequestKey } from '../../../../src/core/state/pull-state.ts';
import { NO_PROPOSALS } from '../../../../src/core/step/facts.ts';
import type { Model } from '../../../../src/core/step/model-port.ts';
import { type GitHub, GitHubError } from '../../../../src/core/step/ports.ts';
import type { WorkerContext } from '../../../../src/worker/jobs/job.ts';
import { openVirtualApp } from '../virtual-app.ts';

const MINUTE = 60_000;

const USAGE = { inputTokens: 0, cachedInputTokens: 0, outputTokens: 0 };

const CALL = { id: 'one', name: 'write_file', arguments: JSON.stringify({ path: 'b.txt', content: 'new\n' }) };

/** A pull request of ana and ben. The calls of GitHub named in `away` fail, and the model proposes a file. */
function opened() {
  const away = new Set<keyof GitHub>();
  const contexts: WorkerContext[] = [];
  const flaky = (github: GitHub): GitHub =>
    new Proxy(github, {
      get: (target, name, receiver) => {
        const method: unknown = Reflect.get(target, name, receiver);
        const isAway = [...away].some((one) => one === name);
        return isAway ? () => Promise.reject(new GitHubError('bad gateway', 502, null)) : method;
      },
    });
  const ask: Model['ask'] = async (messages) => {
    const toolCalls = messages.some(({ role }) => role === 'tool') ? [] : [CALL];
    return { content: 'So.', toolCalls, finishReason: 'stop', usage: USAGE };
  };
  const app = openVirtualApp({
    wrapContext: (context) => {
      contexts.push(context);
      const githubApp = {
        ...context.githubApp,
        forPull: (...given: Parameters<WorkerContext['githubApp']['forPull']>) =>
          flaky(context.githubApp.forPull(...given)),
      };
      return { ...context, githubApp, model: { ...context.model, ask } };
    },
  });
  const pull = app.installedFor('acme').opens();
  const [ana, ben] = [pull.person('ana', 'write'), pull.person('ben', 'write')];
  const load = () => contexts[0]?.store.load(pullRequestKey(pull.ref), NO_PROPOSALS);
  const later = (minutes: number) => app.runUntilIdle(app.now() + minutes * MINUTE);
  const suspend = (suspended: boolean) => {
    const { installationId } = pull.ref;
    app.gateway.apply(OPERATIONS.suspendApp, { installationId, suspended });
  };
  return { app, ana, ben, away, load, later, suspend, appComments: pull.appComments };
}

const states = async ({ load }: ReturnType<typeof opened>) => (await load())?.proposals.map(({ state }) => state);

it('a /stop during a suspension takes effect, although its task was decided later (F16)', async () => {
  const stage = opened();
  const { app, ana, ben, away, load, later, suspend } = stage;
  away.add('fetchPermission');
  ana.says('/countersign write it');
  await app.settle();
  suspend(true);
  app.pass(2_000);
  ben.says('/countersign /stop');
  await later(5);
  suspend(false);
  await app.settle();
  away.clear();
  await later(20);
  expect((await load())?.run?.phase).toMatchObject({ kind: 'ended', reason: 'stopped' });
});

it('a comment during a suspension gets a reply and decides nothing if the run ends before it is read (F16)', async () => {
  const stage = opened();
  const { app, ana, ben, later, suspend, appComments } = stage;
  ana.says('/countersign write it');
  await later(1);
  suspend(true);
  app.pass(2_000);
  ben.says('/approve all');
  await later(5);
  suspend(false);
  app.pass(2_000);
  ana.says('/stop');
  await later(5);
  expect(await states(stage)).toEqual(['cancelled']);
  expect(appComments().at(-1)).toContain('no change was pending when you posted it');
});

describe('comments that GitHub fails to list after a suspension (F16)', () => {
  /** A change was approved before the suspension and denied during it. */
  async function unlisted() {
    const stage = opened();
    const { app, ana, ben, away, later, suspend } = stage;
    ana.says('/countersign write it');
    await later(1);
    expect(await states(stage)).toEqual(['proposed']);
    away.add('commit');
    app.pass(2_000);
    ana.says('/approve all');
    await app.settle();
    suspend(true);
    app.pass(2_000);
    ben.says('/deny all');
    await later(1);
    away.clear();
    away.add('listCommentsSince');
    suspend(false);
    await later(30);
    expect(await states(stage)).not.toContain('completed');
    return stage;
  }

  it('commits are held back until they are read', async () => {
    const stage = await unlisted();
    stage.away.clear();
    await stage.later(10);
    expect(await states(stage)).toEqual(['rejected']);
  });

  it('commits are held back for an hour at most', async () => {
    const stage = await unlisted();
    await stage.later(60);
    expect(await states(stage)).toEqual(['completed']);
  });
});
