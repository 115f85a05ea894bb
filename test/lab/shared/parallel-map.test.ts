import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { type JobResult, type JobRunner, parallelMap } from '../../../lab/shared/parallel-map.ts';

/** Creates runners that double numbers and crash on 3. Records the items of each runner. */
function createDoublers() {
  const received: number[][] = [];
  let closed = 0;
  const createRunner = (): JobRunner<number, number> => {
    const items: number[] = [];
    received.push(items);
    return {
      async run(item) {
        items.push(item);
        await setImmediate();
        if (item === 3) throw new Error('broke on three');
        return item * 2;
      },
      async close() {
        closed += 1;
      },
    };
  };
  return { createRunner, received, closedCount: () => closed };
}

async function mapWithDoublers(concurrency: number, items: Iterable<number>) {
  const results = new Map<number, JobResult<number>>();
  const { createRunner, received, closedCount } = createDoublers();
  await parallelMap({ items, concurrency, createRunner, onResult: (item, result) => results.set(item, result) });
  return { results, received, closedCount: closedCount() };
}

describe('mapping in parallel', () => {
  it.each([1, 2, 7])('reports the result of each item once, with %i runners', async (concurrency) => {
    const { results, received } = await mapWithDoublers(concurrency, [1, 2, 4, 5]);
    expect(received.flat().toSorted()).toEqual([1, 2, 4, 5]);
    expect([...results].toSorted()).toEqual([1, 2, 4, 5].map((item) => [item, { kind: 'done', value: item * 2 }]));
  });

  it('names the item that a runner crashed on, and continues with another runner', async () => {
    const { results, received, closedCount } = await mapWithDoublers(1, [1, 2, 3, 4, 5]);
    expect(received).toEqual([
      [1, 2, 3],
      [4, 5],
    ]);
    expect(results.get(3)).toEqual({ kind: 'crashed', error: new Error('broke on three') });
    expect(results.get(5)).toEqual({ kind: 'done', value: 10 });
    expect(closedCount).toBe(1);
  });

  it('creates no runner without an item', async () => {
    expect((await mapWithDoublers(4, [1])).received).toEqual([[1]]);
  });

  it('closes all runners if a result is not accepted', async () => {
    const { createRunner, received, closedCount } = createDoublers();
    const onResult = (item: number): void => {
      if (item === 1) throw new Error('not accepted');
    };
    await expect(parallelMap({ items: [1, 2], concurrency: 2, createRunner, onResult })).rejects.toThrow(
      'not accepted',
    );
    expect(closedCount()).toBe(received.length);
  });
});
