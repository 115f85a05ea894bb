import { setImmediate as nextTurn } from 'node:timers/promises';

type Waiting<Item, Answer> = {
  readonly items: readonly Item[];
  readonly resolve: (answers: readonly Answer[]) => void;
  readonly reject: (error: unknown) => void;
};

/**
 * Inserts the items of callers that arrive during an insert together, in one insert of at most about `limit` items.
 * `insert` returns one answer for each item, in order, all or none.
 */
export function inBatches<Item, Answer>(
  insert: (items: readonly Item[]) => Promise<readonly Answer[]>,
  limit: number,
): (items: readonly Item[]) => Promise<readonly Answer[]> {
  const queue: Waiting<Item, Answer>[] = [];
  let running = false;

  /** If an insert fails, the items of each caller are inserted alone. */
  async function insertBatch(batch: readonly Waiting<Item, Answer>[]): Promise<void> {
    try {
      const answers = [...(await insert(batch.flatMap(({ items }) => items)))];
      for (const { items, resolve } of batch) resolve(answers.splice(0, items.length));
    } catch (error) {
      if (batch.length === 1) batch[0]?.reject(error);
      else for (const waiting of batch) await insertBatch([waiting]);
    }
  }

  async function insertAll(): Promise<void> {
    running = true;
    while (queue.length > 0) {
      // PGlite blocks the event loop while it works: requests that came meanwhile are still in their sockets.
      for (let before = 0; before < queue.length && queue.length < limit; await nextTurn()) before = queue.length;
      const batch: Waiting<Item, Answer>[] = [];
      for (let count = 0; count < limit && queue[0] !== undefined; count += batch.at(-1)?.items.length ?? 0)
        batch.push(...queue.splice(0, 1));
      await insertBatch(batch);
    }
    running = false;
  }

  return (items) =>
    new Promise((resolve, reject) => {
      queue.push({ items, resolve, reject });
      if (!running) void insertAll();
    });
}
