import { describe, expect, it } from 'vitest';
import { UnsupportedSchemaError } from '../../../src/adapters/store/engine/errors.ts';
import type { Model } from '../../../src/core/step/model-port.ts';
import { type GitHub, GitHubError } from '../../../src/core/step/ports.ts';
import type { WorkerContext } from '../../../src/worker/jobs/job.ts';
import { openVirtualApp } from './virtual-app.ts';

const HOUR = 3_600_000;

const OTHER_VERSION_REPLY = 'stored by another version of Countersign';

/** An App with a run that another version has `stored` while `isOther` is set. */
async function openAppWithRun() {
  const schema = { isOther: false };
  const wrapContext = (context: WorkerContext): WorkerContext => ({
    ...context,
    store: {
      ...context.store,
      load: async (key, named) => {
        if (schema.isOther) throw new UnsupportedSchemaError(key, 99);
        return context.store.load(key, named);
      },
    },
  });
  const app = openVirtualApp({ wrapContext });
  const pull = app.installedFor('acme').opens();
  const ana = pull.person('ana', 'write');
  app.pass(2_000);
  ana.says('/countersign look at it');
  await app.runUntilIdle();
  schema.isOther = true;
  app.pass(2_000);
  return { app, pull, ana, schema };
}

it('replies once per comment that another version stored the run (S84)', async () => {
  const { app, pull, ana, schema } = await openAppWithRun();
  const before = pull.appComments().length;
  ana.says('/approve');
  await app.runUntilIdle(app.now() + 45_000);
  expect(pull.appComments()).toHaveLength(before + 1);
  await app.runUntilIdle(app.now() + HOUR);
  ana.says('/deny all');
  await app.runUntilIdle(app.now() + HOUR);
  const replies = pull.appComments().slice(before);
  expect(replies.map((body) => [body.includes(OTHER_VERSION_REPLY), body.includes('post it again')])).toEqual([
    [true, false],
    [true, false],
  ]);
  schema.isOther = false;
  ana.says('/status');
  await app.runUntilIdle();
  expect(pull.appComments().filter((body) => body.includes(OTHER_VERSION_REPLY))).toHaveLength(2);
  expect(pull.appComments()).toHaveLength(before + 3);
});

it('holds comments back while the other version is about to take over (S84)', async () => {
  const { app, pull, ana, schema } = await openAppWithRun();
  const before = pull.appComments().length;
  ana.says('/status');
  await app.runUntilIdle(app.now() + 20_000);
  expect(pull.appComments()).toHaveLength(before);
  schema.isOther = false;
  await app.runUntilIdle();
  expect(pull.appComments()).toHaveLength(before + 1);
  expect(pull.appComments().at(-1)).not.toContain(OTHER_VERSION_REPLY);
});

describe('a /deny that an older version puts aside', () => {
  const CALL = { id: 'one', name: 'write_file', arguments: JSON.stringify({ path: 'b.txt', content: 'new\n' }) };

  const ask: Model['ask'] = async (messages) => {
    const toolCalls = messages.some(({ role }) => role === 'tool') ? [] : [CALL];
    const usage = { inputTokens: 0, cachedInputTokens: 0, outputTokens: 0 };
    return { content: 'So.', toolCalls, finishReason: 'stop', usage };
  };

  /** A change that ana approved. GitHub accepts commits again after ben's comment is a dead letter. */
  async function deadLetter(words: string) {
    const now = { version: 'newer', acceptsCommits: false, commits: 0 };
    const counted = (github: GitHub): GitHub => ({
      ...github,
      commit: async (plan) => {
        if (!now.acceptsCommits) throw new GitHubError('bad gateway', 502, null);
        now.commits += 1;
        return github.commit(plan);
      },
    });
    const app = openVirtualApp({
      wrapContext: (context) => ({
        ...context,
        model: { ...context.model, ask },
        githubApp: { ...context.githubApp, forPull: (...given) => counted(context.githubApp.forPull(...given)) },
        store: {
          ...context.store,
          load: async (key, named) => {
            if (now.version === 'older') throw new UnsupportedSchemaError(key, 99);
            return context.store.load(key, named);
          },
        },
      }),
    });
    const pull = app.installedFor('acme').opens();
    const [ana, ben] = [pull.person('ana', 'write'), pull.person('ben', 'write')];
    ana.says('/countersign write it');
    await app.runUntilIdle(app.now() + 60_000);
    ana.says('/approve all');
    await app.runUntilIdle(app.now() + 5_000);
    now.version = 'older';
    app.pass(2_000);
    ben.says(words);
    await app.runUntilIdle(app.now() + 3 * HOUR);
    now.acceptsCommits = true;
    now.version = 'newer';
    return { app, pull, ana, now };
  }

  it('withdraws the approvals that were given before, however long the older version runs (S84, V4)', async () => {
    const { app, pull, now } = await deadLetter('/deny all');
    expect(now.commits).toBe(0);
    await app.runUntilIdle(app.now() + HOUR);
    expect(now.commits).toBe(0);
    expect(pull.appComments().join()).toContain('could be a denial was not read');
  });

  it('leaves later approvals valid (S84, V4)', async () => {
    const { app, ana, now } = await deadLetter('/deny all');
    await app.runUntilIdle(app.now() + 60_000);
    ana.says('/approve all');
    await app.runUntilIdle(app.now() + HOUR);
    expect(now.commits).toBe(1);
  });
});
