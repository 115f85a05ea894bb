import { expect, it } from 'vitest';
import { UnknownSchema } from '../../src/store/unknown-schema.ts';
import type { Context } from '../../src/worker/context.ts';
import { openVirtualApp } from './virtual-app.ts';

const TOLD = 'stored by another version of Countersign';

/** An App with a run that waits for words, which another version has `stored` while that is said here. */
async function waitsForWords() {
  const form = { isOther: false };
  const bend = (context: Context): Context => ({
    ...context,
    store: {
      ...context.store,
      load: async (key, named) => {
        if (form.isOther) throw new UnknownSchema(key, 99);
        return context.store.load(key, named);
      },
    },
  });
  const app = openVirtualApp({ bend });
  const pull = app.installedFor('acme').opens();
  const ana = pull.person('ana', 'write');
  app.pass(2_000);
  ana.says('/countersign look at it');
  await app.playOn();
  form.isOther = true;
  app.pass(2_000);
  return { app, pull, ana, form };
}

it('S84: where another version stored a run, whoever speaks is told once why nothing comes of it', async () => {
  const { app, pull, ana, form } = await waitsForWords();
  const before = pull.said().length;
  ana.says('/approve');
  await app.playOn(app.now() + 45_000);
  expect(pull.said()).toHaveLength(before + 1);
  await app.playOn();
  ana.says('/deny all');
  await app.playOn();
  const told = pull.said().slice(before);
  expect(told.map((body) => [body.includes(TOLD), body.includes('once more')])).toEqual([
    [true, false],
    [true, false],
  ]);
  form.isOther = false;
  ana.says('/status');
  await app.playOn();
  expect(pull.said().filter((body) => body.includes(TOLD))).toHaveLength(2);
  expect(pull.said()).toHaveLength(before + 3);
});

it('S84: while that version is about to take over, words wait for it and are put aside by nobody', async () => {
  const { app, pull, ana, form } = await waitsForWords();
  const before = pull.said().length;
  ana.says('/status');
  await app.playOn(app.now() + 20_000);
  expect(pull.said()).toHaveLength(before);
  form.isOther = false;
  await app.playOn();
  expect(pull.said()).toHaveLength(before + 1);
  expect(pull.said().at(-1)).not.toContain(TOLD);
});
