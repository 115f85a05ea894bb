import { setImmediate as turn } from 'node:timers/promises';

/** Items of several callers that wait for one insert. */
type Waiting<Item, Answer> = {
  readonly items: readonly Item[];
  readonly resolve: (answers: readonly Answer[]) => void;
  readonly reject: (error: unknown) => void;
};

/**
 * Combines what callers hand in while an insert runs into the next one: under load, many wait for one sync of the disk,
 * and a lone caller waits for nobody but those who come in the same turn of the event loop. `insert` answers one for
 * each item, in order, all or none; `most` bounds the items of one insert where they come from several callers. If a
 * combined insert fails, each caller's items are tried alone, so that nobody's fail for another's.
 */
export function groupCommit<Item, Answer>(
  insert: (items: readonly Item[]) => Promise<readonly Answer[]>,
  most: number,
): (items: readonly Item[]) => Promise<readonly Answer[]> {
  const queue: Waiting<Item, Answer>[] = [];
  let running = false;

  async function drain(): Promise<void> {
    running = true;
    while (queue.length > 0) {
      await gathered(queue, most);
      await insertGroup(insert, takeGroup(queue, most));
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
 * Waits until a turn of the event loop brings no more, so that what lies in the sockets already goes along: an embedded
 * database keeps the loop while it works, and would find the queue empty each time.
 */
async function gathered(queue: readonly unknown[], most: number): Promise<void> {
  for (let before = -1; before < queue.length && queue.length < most; ) {
    before = queue.length;
    await turn();
  }
}

function takeGroup<Item, Answer>(queue: Waiting<Item, Answer>[], most: number): Waiting<Item, Answer>[] {
  let count = 0;
  const end = queue.findIndex((waiting, place) => {
    count += waiting.items.length;
    return place > 0 && count > most;
  });
  return queue.splice(0, end === -1 ? queue.length : end);
}

type Insert<Item, Answer> = (items: readonly Item[]) => Promise<readonly Answer[]>;

async function insertGroup<Item, Answer>(insert: Insert<Item, Answer>, group: readonly Waiting<Item, Answer>[]) {
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
