import { expect, it } from 'vitest';
import { groupCommit } from '../../src/store/group-commit.ts';

/** An insert that answers when told to, and what it was given. */
function slowInsert() {
  const groups: (readonly number[])[] = [];
  const ends: (() => void)[] = [];
  const insert = async (items: readonly number[]): Promise<readonly string[]> => {
    groups.push(items);
    await new Promise<void>((resolve) => ends.push(resolve));
    if (items.includes(13)) throw new Error('unlucky');
    return items.map((item) => `got ${item}`);
  };
  async function finishAll(): Promise<void> {
    for (let end = ends.shift(); end !== undefined; end = ends.shift()) {
      end();
      await new Promise((resolve) => setImmediate(resolve));
    }
  }
  return { groups, insert, finishAll };
}

it('a lone caller waits for nobody', () => {
  const { groups, insert } = slowInsert();
  void groupCommit(insert, 10)([1]);
  expect(groups).toEqual([[1]]);
});

it('what comes while an insert runs goes together into the next, and each hears its own', async () => {
  const { groups, insert, finishAll } = slowInsert();
  const add = groupCommit(insert, 10);
  const answers = Promise.all([add([1]), add([2, 3]), add([]), add([4])]);
  await finishAll();
  expect(groups).toEqual([[1], [2, 3, 4]]);
  expect(await answers).toEqual([['got 1'], ['got 2', 'got 3'], [], ['got 4']]);
});

it('a group is bounded, a call is never split', async () => {
  const { groups, insert, finishAll } = slowInsert();
  const add = groupCommit(insert, 3);
  const answers = Promise.all([add([1]), add([2, 3]), add([4]), add([5]), add([6, 7, 8, 9]), add([10])]);
  await finishAll();
  expect(groups).toEqual([[1], [2, 3, 4], [5], [6, 7, 8, 9], [10]]);
  expect((await answers).flat()).toHaveLength(10);
});

it('one caller’s failure is nobody else’s, and the next are served', async () => {
  const { insert, finishAll } = slowInsert();
  const add = groupCommit(insert, 10);
  const settled = Promise.allSettled([add([1]), add([2]), add([13]), add([3])]);
  await finishAll();
  expect((await settled).map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected', 'fulfilled']);
  const later = add([4]);
  await finishAll();
  expect(await later).toEqual(['got 4']);
});
