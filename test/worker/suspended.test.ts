import { describe, expect, it } from 'vitest';
import { NONE_NAMED } from '../../src/run/named-proposals.ts';
import { pullKey } from '../../src/run/run.ts';
import { OPERATIONS } from '../../src/simulator/world/operations.ts';
import type { Context } from '../../src/worker/context.ts';
import { type GitHub, GitHubFault, type Model } from '../../src/worker/ports.ts';
import { openVirtualApp } from './virtual-app.ts';

const MINUTE = 60_000;
const USAGE = { input: 0, cachedInput: 0, output: 0 };
const CALL = { id: 'one', name: 'write_file', arguments: JSON.stringify({ path: 'b.txt', content: 'new\n' }) };

/** A pull request of Ana's and Ben's; GitHub answers nothing to what is `away`, and the model proposes a file. */
function opened() {
  const away = new Set<keyof GitHub>();
  const contexts: Context[] = [];
  const flaky = (github: GitHub): GitHub =>
    new Proxy(github, {
      get: (target, name, receiver) => {
        const method: unknown = Reflect.get(target, name, receiver);
        const isAway = [...away].some((one) => one === name);
        return isAway ? () => Promise.reject(new GitHubFault('bad gateway', 502, null)) : method;
      },
    });
  const ask: Model['ask'] = async (messages) => {
    const calls = messages.some(({ role }) => role === 'tool') ? [] : [CALL];
    return { content: 'So.', calls, finishReason: 'stop', usage: USAGE };
  };
  const app = openVirtualApp({
    bend: (context) => {
      contexts.push(context);
      const githubs = {
        ...context.githubs,
        for: (...given: Parameters<Context['githubs']['for']>) => flaky(context.githubs.for(...given)),
      };
      return { ...context, githubs, model: { ...context.model, ask } };
    },
  });
  const pull = app.installedFor('acme').opens();
  const [ana, ben] = [pull.person('ana', 'write'), pull.person('ben', 'write')];
  const load = () => contexts[0]?.store.load(pullKey(pull.ref), NONE_NAMED);
  const later = (minutes: number) => app.playOn(app.now() + minutes * MINUTE);
  const suspend = (suspended: boolean) => {
    const { installationId } = pull.ref;
    app.gateway.apply(OPERATIONS.suspendApp, { installationId, suspended });
  };
  return { app, ana, ben, away, load, later, suspend, said: pull.said };
}

const states = async ({ load }: ReturnType<typeof opened>) => (await load())?.proposals.map(({ state }) => state);

it('F16: a /stop that was said while the App was suspended is heard, though its task was decided after that', async () => {
  const stage = opened();
  const { app, ana, ben, away, load, later, suspend } = stage;
  away.add('permission');
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
  expect((await load())?.run?.phase).toMatchObject({ kind: 'ended', how: 'stopped' });
});

it('F16: what was said meanwhile to a run that ends before it is heard is answered, and decides nothing', async () => {
  const stage = opened();
  const { app, ana, ben, later, suspend, said } = stage;
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
  expect(said().at(-1)).toContain('No change was waiting for a decision');
});

describe('F16: what GitHub will not list once the App may act again', () => {
  /** A change was approved before, and is denied meanwhile. */
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
    away.add('saidSince');
    suspend(false);
    await later(30);
    expect(await states(stage)).not.toContain('completed');
    return stage;
  }

  it('holds back commits until it is read', async () => {
    const stage = await unlisted();
    stage.away.clear();
    await stage.later(10);
    expect(await states(stage)).toEqual(['rejected']);
  });

  it('holds them back for an hour at most', async () => {
    const stage = await unlisted();
    await stage.later(60);
    expect(await states(stage)).toEqual(['completed']);
  });
});
