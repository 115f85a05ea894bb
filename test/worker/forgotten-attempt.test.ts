import { expect, it } from 'vitest';
import { memoryStore } from '../../src/simulation/store/memory-store.ts';
import { emptyTables } from '../../src/simulation/store/tables.ts';
import type { Delay, StoredEffect } from '../../src/store/store.ts';
import type { Context } from '../../src/worker/context.ts';
import { takeEffect, UNCLAIMED } from '../../src/worker/drain.ts';
import { GitHubFault } from '../../src/worker/ports.ts';
import { workOutHere } from '../../src/worker/work-out.ts';
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

/** How a commit that has been wanted for an hour is put back after GitHub failed, while the database dies or does not. */
async function putBack(dies: boolean): Promise<readonly Delay[]> {
  const delays: Delay[] = [];
  const nothing = (): never => {
    throw new GitHubFault('down', 502, null);
  };
  let tenure = {};
  const context: Context = {
    store: {
      ...memoryStore(emptyTables(), 1),
      tenure: () => tenure,
      async load() {
        if (dies) tenure = {};
        return nothing();
      },
      postponeEffect: async (_effect, delay) => void delays.push(delay),
    },
    githubs: { for: nothing, self: nothing, ahead: () => 0 },
    model: { ask: nothing, askForWords: nothing },
    clock: { now: () => 3_600_000, every: () => () => {} },
    log: { info() {}, warn() {}, error() {} },
    self: { slug: 'countersign', botId: 1 },
    serves: () => true,
    workOut: workOutHere,
    links: () => ({ repository: 'https://github.example/acme/shop' }),
    count() {},
  };
  const effect = { type: 'commit', runId: 'r', proposalIds: ['p1'], place: null } as const;
  const since = new Date(0).toISOString();
  const stored: StoredEffect = { id: 1, pullKey: '1/2/1', effect, attempts: 3, limited: 0, faults: 0, since };
  await takeEffect(context, stored, new AbortController().signal, UNCLAIMED);
  return delays;
}

it('S87, G7: a commit that is delayed is put back with word of it, but not one that the database may have forgotten', async () => {
  expect(await putBack(false)).toMatchObject([{ signal: { type: 'commit-delayed', proposalIds: ['p1'] } }]);
  expect(await putBack(true)).toEqual([]);
});
