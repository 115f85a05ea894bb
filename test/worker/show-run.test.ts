import { expect, it } from 'vitest';
import type { Run } from '../../src/run/run.ts';
import { memoryStore } from '../../src/simulation/store/memory-store.ts';
import { emptyTables } from '../../src/simulation/store/tables.ts';
import type { FoundComment, GitHub } from '../../src/worker/ports.ts';
import { showRun } from '../../src/worker/show-run.ts';
import { workOutHere } from '../../src/worker/work-out.ts';
import { nextEffect, nextSignal, present } from '../store/bench.ts';
import { delivery, posted, pullOf, run, step } from '../store/samples.ts';

/** Only what was written since the task: the pull request may hold hundreds of comments of earlier runs. */
const FIND = `find since ${run('r').task.askedAt}`;

/** Which wish of the run it is, and which try; the run that began meanwhile. */
type Showing = { readonly first?: true; readonly attempts?: number; readonly next?: Run | null };

/** Shows a run whose comment stands on the page although nobody has heard of it yet; answers what was asked of GitHub. */
async function shown(
  changed: Partial<Run>,
  { first, attempts, next = null }: Showing = {},
): Promise<readonly string[]> {
  const store = memoryStore(emptyTables(), 1);
  await store.receive([delivery('a')], 1);
  const claim = present(await store.claimPull('w', 1, 1_000));
  const signal = present(await nextSignal(store, claim, 1));
  const effect = { type: 'show-run', runId: 'r', ...(first ? { first } : {}) } as const;
  await store.save(claim, signal, step(pullOf(1, { run: run('r', changed) }), { effects: [effect] }), 1);
  const stored = present(await nextEffect(store, claim, 1));
  if (next !== null) {
    await store.receive([delivery('b')], 1);
    await store.save(claim, present(await nextSignal(store, claim, 1)), step(pullOf(1, { run: next })), 1);
  }
  const standing: FoundComment = { ...present(posted('p', 'r', 7).comment), body: 'as it was' };
  const asked: string[] = [];
  const told = <Value>(name: string, value: Value) => {
    asked.push(name);
    return Promise.resolve(value);
  };
  const github: Pick<GitHub, 'findByMarker' | 'createComment' | 'updateComment'> = {
    findByMarker: ([marker = ''], since) => told(`find since ${since}`, new Map([[marker, standing]])),
    createComment: () => told('create', standing),
    updateComment: () => told('update', { bodyHash: '', at: '' }),
  };
  const nothing = (): never => {
    throw new Error('nothing else is asked');
  };
  const others = new Proxy<GitHub>(Object.create(null), {
    get: (_target, name) => Reflect.get(github, name) ?? nothing,
  });
  await showRun({
    context: {
      store,
      githubs: { for: () => others, self: nothing, ahead: () => 0 },
      model: { ask: nothing, askForWords: nothing },
      clock: { now: () => 1, every: () => () => {} },
      log: { info() {}, warn() {}, error() {} },
      self: { slug: 'countersign', botId: 1 },
      serves: () => true,
      workOut: workOutHere,
      links: () => ({ repository: 'https://github.example/acme/shop' }),
      count() {},
    },
    stored,
    effect,
    attempts: attempts ?? 1,
    known: null,
    stopping: new AbortController().signal,
    decideNow: nothing,
    wordsDue: nothing,
  });
  return asked;
}

it('S78: a run that has gone on before we heard that its comment stands gets no second one', async () => {
  expect(await shown({ turns: 1 })).toEqual([FIND, 'update']);
  expect(await shown({ phase: { kind: 'waiting', turn: 1 } })).toEqual([FIND, 'update']);
});

it('the first try to show a run asks for nothing before it writes its comment, however far the agent is', async () => {
  expect(await shown({}, { first: true })).toEqual(['create']);
  expect(await shown({ turns: 1 }, { first: true })).toEqual(['create']);
});

it('S78: a second try looks whether the first one wrote it', async () => {
  expect(await shown({}, { first: true, attempts: 2 })).toEqual([FIND, 'update']);
});

it('a run says how it ended, also where the next one began before GitHub took that', async () => {
  const { comment } = posted('p', 'r', 7);
  const phase = { kind: 'ended', how: 'finished', by: null, note: null, at: '2030-01-01T00:00:00.000Z' } as const;
  expect(await shown({ phase, comment }, { next: run('next') })).toEqual(['update']);
  expect(await shown({ phase }, { next: run('next') })).toEqual([FIND, 'update']);
});
