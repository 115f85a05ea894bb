import { expect, it } from 'vitest';

import { memoryStore } from '../../src/simulation/store/memory-store.ts';
import { emptyTables } from '../../src/simulation/store/tables.ts';
import type { Claimed, Store, StoredEffect } from '../../src/store/store.ts';
import { claimEffect } from '../../src/worker/claim-work.ts';
import type { Context } from '../../src/worker/context.ts';
import type { GitHub } from '../../src/worker/ports.ts';
import { workOutHere } from '../../src/worker/work-out.ts';
import { present } from '../store/bench.ts';
import { delivery, pullOf, step } from '../store/samples.ts';

const OVER = { type: 'model-failed', runId: 'gone', turn: 1, message: 'no' } as const;
const ask = (turn: number) => ({ type: 'ask-model', runId: 'gone', turn }) as const;

/** A store on which one long effect leads to the next, `turns` of them, and what was asked of it. */
function chain(turns: number) {
  const store = memoryStore(emptyTables(), 1);
  const asked: string[] = [];
  let turn = 1;
  const told: Pick<Store, 'finishEffect' | 'save'> = {
    finishEffect: (effect: StoredEffect, _outcome, now, lease): Promise<Claimed | null> => {
      asked.push(`finished ${effect.effect.type}${lease === undefined ? '' : ', may claim'}`);
      return store.finishEffect(effect, { ...OVER, turn }, now, lease);
    },
    save: (claim, signal, decided, now, ending) => {
      turn += 1;
      asked.push(`saved${ending?.lease ? ', may take' : ''}`);
      const effects = turn <= turns ? [ask(turn)] : [];
      return store.save(claim, signal, { ...decided, effects }, now, ending);
    },
  };
  return { store: { ...store, ...told }, inner: store, asked };
}

function contextOf(store: Store): Context {
  const refuse = (): never => {
    throw new Error('nothing is asked');
  };
  return {
    store,
    // Asked for with every signal, and not used for one that needs no facts.
    githubs: { for: () => new Proxy<GitHub>(Object.create(null), { get: refuse }), self: refuse, ahead: () => 0 },
    model: { ask: refuse, askForWords: refuse },
    clock: { now: () => 100, every: () => () => {} },
    log: { info() {}, warn() {}, error() {} },
    self: { slug: 'countersign', botId: 1 },
    serves: () => true,
    workOut: workOutHere,
    links: refuse,
    count() {},
  };
}

async function begun(inner: Store): Promise<void> {
  await inner.receive([delivery('a')], 1);
  const claim = present(await inner.claimPull('w', 1, 1_000));
  await inner.save(claim, present(claim.first), step(pullOf(1), { effects: [ask(1)] }), 1, { lease: null });
}

it('a run goes on where it is, and each time its pull request is given back the others are told', async () => {
  const { store, inner, asked } = chain(3);
  await begun(inner);
  let given = 0;
  const gaveBack = (): void => {
    given += 1;
  };
  const stopping = new AbortController().signal;
  const work = await claimEffect({ context: contextOf(store), worker: 'w', stopping, mayGoOn: () => true, gaveBack });
  await present(work)();
  expect(given).toBe(2);
  const turn = ['finished ask-model, may claim', 'saved, may take'];
  expect(asked).toEqual([...turn, ...turn, ...turn]);
  expect(await inner.nextDue(100)).toEqual({ pull: null, free: null });
});

it('where others wait for its place it goes no further, and what follows is there for them', async () => {
  const { store, inner, asked } = chain(3);
  await begun(inner);
  const hand = { context: contextOf(store), worker: 'w', stopping: new AbortController().signal };
  await present(await claimEffect({ ...hand, mayGoOn: () => false, gaveBack: () => {} }))();
  expect(asked).toEqual(['finished ask-model']);
  expect((await inner.claimPull('v', 100, 1_000))?.first?.signal).toEqual(OVER);
});
