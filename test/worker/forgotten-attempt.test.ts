import { expect, it } from 'vitest';
import type { StoredEffect } from '../../src/store/store.ts';
import type { Context } from '../../src/worker/context.ts';
import { takeEffect, UNCLAIMED } from '../../src/worker/drain.ts';
import { openVirtualApp } from './virtual-app.ts';

/** A database server that dies under the first answer, comes back without the attempt, and gives it to somebody else. */
function diesUnderAnAnswer(context: Context): Context {
  const { store } = context;
  const [before, after] = [{}, {}];
  let tenure = before;
  let answering: StoredEffect | null = null;
  return {
    ...context,
    store: {
      ...store,
      tenure: () => tenure,
      async nextWork(claim, now) {
        const work = await store.nextWork(claim, now);
        if (work?.kind === 'effect' && work.effect.effect.type === 'answer') answering ??= work.effect;
        return work;
      },
      async refOf(pullKey) {
        if (answering !== null && tenure === before) {
          tenure = after;
          await takeEffect(context, answering, new AbortController().signal, UNCLAIMED);
        }
        return store.refOf(pullKey);
      },
    },
  };
}

it('G7: an attempt that the database may have forgotten writes nothing: whoever has it now does not look for that', async () => {
  const app = openVirtualApp({ bend: diesUnderAnAnswer });
  const pull = app.installedFor('acme').opens();
  pull.person('ana', 'write').says('/countersign /help');
  await app.playOn();
  expect(pull.said()).toHaveLength(1);
  expect(app.violations).toEqual([]);
});

/** A process that hangs, as it is to write its first answer, until its lease has passed, while another one writes it. */
function hangsBeforeAnAnswer(context: Context): Context {
  const { store } = context;
  let answering: StoredEffect | null = null;
  let hung = false;
  return {
    ...context,
    store: {
      ...store,
      async nextWork(claim, now) {
        const work = await store.nextWork(claim, now);
        if (work?.kind === 'effect' && work.effect.effect.type === 'answer') answering ??= work.effect;
        return work;
      },
      async refOf(pullKey) {
        if (answering !== null && !hung) {
          hung = true;
          const late = { ...UNCLAIMED, isLeased: () => false };
          await takeEffect(context, answering, new AbortController().signal, late);
        }
        return store.refOf(pullKey);
      },
    },
  };
}

it('G7: a process that hung past its lease writes nothing: whoever took over may have written it', async () => {
  const app = openVirtualApp({ bend: hangsBeforeAnAnswer });
  const pull = app.installedFor('acme').opens();
  pull.person('ana', 'write').says('/countersign /help');
  await app.playOn();
  expect(pull.said()).toHaveLength(1);
  expect(app.violations).toEqual([]);
});
