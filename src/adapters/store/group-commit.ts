import { setImmediate as yieldToEventLoop } from 'node:timers/promises';

/** Items of one caller that wait for the next insert. */
type QueuedGroup<Item, Answer> = {
  readonly items: readonly Item[];
  readonly resolve: (answers: readonly Answer[]) => void;
  readonly reject: (error: unknown) => void;
};

/**
 * Combines the items of callers that arrive while an insert runs into the next insert, so that they share one disk
 * sync. `insert` returns one result for each item, in order, all or none; `limit` bounds the items of several callers.
 * If a combined insert fails, each caller's items are retried alone.
 */
export function groupCommit<Item, Answer>(
  insert: (items: readonly Item[]) => Promise<readonly Answer[]>,
  limit: number,
): (items: readonly Item[]) => Promise<readonly Answer[]> {
  const queue: QueuedGroup<Item, Answer>[] = [];
  let running = false;

  async function drain(): Promise<void> {
    running = true;
    while (queue.length > 0) {
      await waitForMore(queue, limit);
      await insertGroup(insert, takeGroup(queue, limit));
    }
    running = false;
  }

  return (items) =>
    new Promise((resolve, reject) => {
      queue.push({ items, resolve, reject });
      if (!running) void drain();
    });
}

/**
 * Waits until a turn of the event loop adds nothing, so that requests already in the sockets join. PGlite blocks the
 * event loop while it works; without this the queue would always look empty.
 */
async function waitForMore(queue: readonly unknown[], limit: number): Promise<void> {
  for (let before = -1; before < queue.length && queue.length < limit; ) {
    before = queue.length;
    await yieldToEventLoop();
  }
}

function takeGroup<Item, Answer>(queue: QueuedGroup<Item, Answer>[], limit: number): QueuedGroup<Item, Answer>[] {
  let count = 0;
  const end = queue.findIndex((waiting, place) => {
    count += waiting.items.length;
    return place > 0 && count > limit;
  });
  return queue.splice(0, end === -1 ? queue.length : end);
}

type InsertGroup<Item, Answer> = (items: readonly Item[]) => Promise<readonly Answer[]>;

async function insertGroup<Item, Answer>(
  insert: InsertGroup<Item, Answer>,
  group: readonly QueuedGroup<Item, Answer>[],
) {
  try {
    const answers = await insert(group.flatMap((waiting) => waiting.items));
    let at = 0;
    for (const waiting of group) {
      waiting.resolve(answers.slice(at, at + waiting.items.length));
      at += waiting.items.length;
    }
  } catch (error) {
    if (group.length === 1) for (const waiting of group) waiting.reject(error);
    else for (const waiting of group) await insertGroup(insert, [waiting]);
  }
}
