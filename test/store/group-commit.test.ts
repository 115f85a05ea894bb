import { setImmediate as turn } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { groupCommit } from '../../src/store/group-commit.ts';

/** Long enough for whoever gathers to find that nothing more comes. */
async function rest(): Promise<void> {
  for (let count = 0; count < 4; count += 1) await turn();
}

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
    await rest();
    for (let end = ends.shift(); end !== undefined; end = ends.shift()) {
      end();
      await rest();
    }
  }
  return { groups, insert, finishAll };
}

it('a lone caller waits for nobody', async () => {
  const { insert, finishAll } = slowInsert();
  const answer = groupCommit(insert, 10)([1]);
  await finishAll();
  expect(await answer).toEqual(['got 1']);
});

it('what comes while an insert runs goes together into the next, and each hears its own', async () => {
  const { groups, insert, finishAll } = slowInsert();
  const add = groupCommit(insert, 10);
  const first = add([1]);
  await rest();
  const answers = Promise.all([first, add([2, 3]), add([]), add([4])]);
  await finishAll();
  expect(groups).toEqual([[1], [2, 3, 4]]);
  expect(await answers).toEqual([['got 1'], ['got 2', 'got 3'], [], ['got 4']]);
});

it('what comes turn by turn goes along, though the insert itself lets nobody in between', async () => {
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

it('a group is bounded, a call is never split', async () => {
  const { groups, insert, finishAll } = slowInsert();
  const add = groupCommit(insert, 3);
  const answers = Promise.all([add([1]), add([2, 3]), add([4]), add([5]), add([6, 7, 8, 9]), add([10])]);
  await finishAll();
  expect(groups).toEqual([[1, 2, 3], [4, 5], [6, 7, 8, 9], [10]]);
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
