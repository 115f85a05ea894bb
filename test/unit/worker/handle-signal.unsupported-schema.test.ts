import { expect, it } from 'vitest';
import { UnsupportedSchemaError } from '../../../src/adapters/store/engine/errors.ts';
import type { WorkerContext } from '../../../src/worker/jobs/job.ts';
import { openVirtualApp } from './virtual-app.ts';

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
  await app.runUntilIdle();
  ana.says('/deny all');
  await app.runUntilIdle();
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
