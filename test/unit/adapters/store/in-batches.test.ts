import { expect, it } from 'vitest';
import { inBatches } from '../../../../src/adapters/store/in-batches.ts';

/** The batches that were inserted. A batch with 13 fails. */
function recorder(limit: number) {
  const batches: (readonly number[])[] = [];
  const add = inBatches(async (items: readonly number[]) => {
    batches.push(items);
    await new Promise(setImmediate);
    if (items.includes(13)) throw new Error('bad item');
    return items.map((item) => `got ${item}`);
  }, limit);
  return { batches, add };
}

it('items that arrive together or during an insert share one, and each caller gets its own answers', async () => {
  const { batches, add } = recorder(10);
  const first = Promise.all([add([1]), add([2, 3]), add([])]);
  await expect.poll(() => batches).toHaveLength(1);
  const later = Promise.all([add([4]), add([5])]);
  expect(await first).toEqual([['got 1'], ['got 2', 'got 3'], []]);
  expect(await later).toEqual([['got 4'], ['got 5']]);
  expect(batches).toEqual([
    [1, 2, 3],
    [4, 5],
  ]);
});

it('a batch is bounded, and a call is never split', async () => {
  const { batches, add } = recorder(3);
  await Promise.all([add([1]), add([2, 3]), add([4]), add([5]), add([6, 7, 8, 9]), add([10])]);
  expect(batches).toEqual([[1, 2, 3], [4, 5, 6, 7, 8, 9], [10]]);
});

it('a failure reaches only its own caller', async () => {
  const { add } = recorder(10);
  const settled = await Promise.allSettled([add([1]), add([13])]);
  expect(settled.map(({ status }) => status)).toEqual(['fulfilled', 'rejected']);
  expect(await add([4])).toEqual(['got 4']);
});
