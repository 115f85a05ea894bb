import { expect, it } from 'vitest';
import { createMemoryStore } from '../../../../lab/simulation/memory-store/memory-store.ts';
import { createMemoryTables } from '../../../../lab/simulation/memory-store/tables.ts';
import type { Run } from '../../../../src/core/state/run.ts';
import type { FoundComment, GitHub } from '../../../../src/core/step/ports.ts';
import { updateRunComment } from '../../../../src/worker/effects/comments.ts';
import { delivery, posted, pullOf, run, step } from '../../../contracts/store/samples.ts';
import { nextEffect, nextSignal, present } from '../../../contracts/store/store-under-test.ts';
import { createWorkerContext, refuse } from './worker-context.ts';

/** Lists only comments since the task, because earlier runs might have hundreds. */
const FIND = `find since ${run('r').task.requestedAt}`;

/** The number of the update and its attempt, and the run that started meanwhile. */
type Showing = { readonly first?: true; readonly attempts?: number; readonly next?: Run | null };

/** Updates the comment of a run whose comment exists but is not stored yet; returns the requests to GitHub. */
async function requestsOfUpdate(
  changed: Partial<Run>,
  { first, attempts, next = null }: Showing = {},
): Promise<readonly string[]> {
  const store = createMemoryStore(createMemoryTables());
  await store.receive(delivery('a'), 1);
  const claim = present(await store.claimPull(1, 1_000));
  const signal = present(await nextSignal(store, claim, 1));
  const effect = { type: 'update-run-comment', runId: 'r', ...(first ? { first } : {}) } as const;
  await store.save(claim, signal, step(pullOf(1, { run: run('r', changed) }), { effects: [effect] }), 1);
  const stored = present(await nextEffect(store, claim, 1));
  if (next !== null) {
    await store.receive(delivery('b'), 1);
    await store.save(claim, present(await nextSignal(store, claim, 1)), step(pullOf(1, { run: next })), 1);
  }
  const standing: FoundComment = { ...present(posted('p', 'r', 7).comment), body: 'as it was' };
  const asked: string[] = [];
  const told = <Value>(name: string, value: Value) => {
    asked.push(name);
    return Promise.resolve(value);
  };
  const github: Pick<GitHub, 'findCommentsByMarker' | 'createComment' | 'updateComment'> = {
    findCommentsByMarker: ([marker = ''], since) => told(`find since ${since}`, new Map([[marker, standing]])),
    createComment: () => told('create', standing),
    updateComment: () => told('update', { bodyHash: '' }),
  };
  const others = new Proxy<GitHub>(Object.create(null), {
    get: (_target, name) => Reflect.get(github, name) ?? refuse,
  });
  await updateRunComment({
    context: { ...createWorkerContext(store, () => 1), githubApp: { forPull: () => others, identity: refuse } },
    stored,
    effect,
    attempts: attempts ?? 1,
    stopping: new AbortController().signal,
    decideNow: refuse,
    pendingCommentsDueAt: refuse,
  });
  return asked;
}

it('a run comment that exists but is not stored yet is updated instead of duplicated (S78)', async () => {
  expect(await requestsOfUpdate({ turns: 1 })).toEqual([FIND, 'update']);
  expect(await requestsOfUpdate({ phase: { kind: 'awaiting-decisions', turn: 1 } })).toEqual([FIND, 'update']);
});

it('a second attempt first looks for the comment of the first one (S78)', async () => {
  expect(await requestsOfUpdate({}, { first: true, attempts: 2 })).toEqual([FIND, 'update']);
});

it('a run comment gets its final state even after the next run has started', async () => {
  const { comment } = posted('p', 'r', 7);
  const phase = { kind: 'ended', reason: 'finished', by: null, note: null, at: '2030-01-01T00:00:00.000Z' } as const;
  expect(await requestsOfUpdate({ phase, comment }, { next: run('next') })).toEqual(['update']);
  expect(await requestsOfUpdate({ phase }, { next: run('next') })).toEqual([FIND, 'update']);
});
