import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { groupCommit } from '../../../../src/adapters/store/group-commit.ts';

/** Enough turns of the event loop for the group to close. */
async function waitTurns(): Promise<void> {
  for (let count = 0; count < 4; count += 1) await nextTurn();
}

/** An insert that completes on demand, and the groups it was given. */
function slowInsert() {
  const groups: (readonly number[])[] = [];
  const ends: (() => void)[] = [];
  const insert = async (items: readonly number[]): Promise<readonly string[]> => {
    groups.push(items);
    await new Promise<void>((resolve) => ends.push(resolve));
    if (items.includes(13)) throw new Error('bad item');
    return items.map((item) => `got ${item}`);
  };
  async function finishAll(): Promise<void> {
    await waitTurns();
    for (let end = ends.shift(); end !== undefined; end = ends.shift()) {
      end();
      await waitTurns();
    }
  }
  return { groups, insert, finishAll };
}

it('a lone caller does not wait', async () => {
  const { insert, finishAll } = slowInsert();
  const answer = groupCommit(insert, 10)([1]);
  await finishAll();
  expect(await answer).toEqual(['got 1']);
});

it('items that arrive during an insert share the next one, and each caller gets its own results', async () => {
  const { groups, insert, finishAll } = slowInsert();
  const add = groupCommit(insert, 10);
  const first = add([1]);
  await waitTurns();
  const answers = Promise.all([first, add([2, 3]), add([]), add([4])]);
  await finishAll();
  expect(groups).toEqual([[1], [2, 3, 4]]);
  expect(await answers).toEqual([['got 1'], ['got 2', 'got 3'], [], ['got 4']]);
});

it('items that arrive in the following turns of the event loop join the insert', async () => {
  const groups: (readonly number[])[] = [];
  const add = groupCommit(async (items: readonly number[]) => {
    groups.push(items);
    return items;
  }, 10);
  setImmediate(() => {
    void add([2]);
    setImmediate(() => void add([3]));
  });
  expect(await add([1])).toEqual([1]);
  expect(groups).toEqual([[1, 2, 3]]);
});

it('a group is bounded, and a call is never split', async () => {
  const { groups, insert, finishAll } = slowInsert();
  const add = groupCommit(insert, 3);
  const answers = Promise.all([add([1]), add([2, 3]), add([4]), add([5]), add([6, 7, 8, 9]), add([10])]);
  await finishAll();
  expect(groups).toEqual([[1, 2, 3], [4, 5], [6, 7, 8, 9], [10]]);
  expect((await answers).flat()).toHaveLength(10);
});

it('a failure of one caller does not affect the others or later calls', async () => {
  const { insert, finishAll } = slowInsert();
  const add = groupCommit(insert, 10);
  const settled = Promise.allSettled([add([1]), add([2]), add([13]), add([3])]);
  await finishAll();
  expect((await settled).map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected', 'fulfilled']);
  const later = add([4]);
  await finishAll();
  expect(await later).toEqual(['got 4']);
});
