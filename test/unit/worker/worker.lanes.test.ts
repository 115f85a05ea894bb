import { expect, it, onTestFinished, vi } from 'vitest';
import { createMemoryStore } from '../../../lab/simulation/memory-store/memory-store.ts';
import { createMemoryTables } from '../../../lab/simulation/memory-store/tables.ts';
import { startWorker } from '../../../src/worker/worker.ts';
import { createWorkerContext } from './effects/worker-context.ts';

/** A resting worker in front of due pull requests that it is not told of. Their work lasts until `end`. */
async function openWorker() {
  const { promise: ended, resolve: end } = Promise.withResolvers<null>();
  const queue = { due: 0, hits: 0, misses: 0, onHit() {} };
  let announce: (kind: 'pull', atMost: number) => void = () => {};
  const store = {
    ...createMemoryStore(createMemoryTables()),
    async claimPull(now: number) {
      queue[queue.due > 0 ? 'hits' : 'misses'] += 1;
      if (queue.due === 0) return null;
      queue.due -= 1;
      if (queue.hits === 1) queue.onHit();
      return { pullRequestKey: `1/2/${queue.hits}`, fencingToken: 1, leaseUntil: now + 15_000 };
    },
    nextWork: () => ended,
    nextDue: async (kind: unknown) => (kind === 'pull' && queue.due > 0 ? 1 : null),
    onWorkAvailable: (listener: typeof announce) => {
      announce = listener;
      return () => {};
    },
  };
  const worker = startWorker(createWorkerContext(store, Date.now));
  onTestFinished(() => worker.stop(0));
  await vi.waitUntil(() => !worker.isBusy());
  queue.misses = 0;
  return {
    ...{ queue, end },
    announce: (atMost: number) => announce('pull', atMost),
    claimed: (hits: number) => vi.waitUntil(() => queue.hits === hits, 5_000),
    rest: () => vi.waitUntil(() => !worker.isBusy()),
  };
}

it('work is claimed as often as it is announced, also during a claim, and never in vain', async () => {
  const { queue, announce, claimed, end, rest } = await openWorker();
  queue.due = 2;
  queue.onHit = () => announce(1);
  announce(1);
  await claimed(2);
  end(null);
  await rest();
  expect(queue).toMatchObject({ due: 0, hits: 2, misses: 0 });
});

it('of the work of many pull requests, more than the limit is claimed as soon as other work ends', async () => {
  const { queue, announce, claimed, end, rest } = await openWorker();
  queue.due = 9;
  announce(Number.POSITIVE_INFINITY);
  await claimed(4);
  end(null);
  await rest();
  expect(queue).toMatchObject({ due: 0, hits: 9, misses: 1 });
});

it('the work of another process is found while own work goes on', async () => {
  const { queue, announce, claimed } = await openWorker();
  queue.due = 1;
  announce(1);
  await claimed(1);
  queue.due = 1;
  await claimed(2);
});
