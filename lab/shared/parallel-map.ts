import { once } from 'node:events';
import { Worker } from 'node:worker_threads';

/** Processes one item at a time, for example in a thread. */
export type JobRunner<Item, Result> = {
  /** A rejection means that the runner is broken: it gets no further items. */
  readonly run: (item: Item) => Promise<Result>;
  readonly close: () => Promise<unknown>;
};

export type JobResult<Result> =
  | { readonly kind: 'done'; readonly value: Result }
  | { readonly kind: 'crashed'; readonly error: unknown };

type ParallelMapOptions<Item, Result> = {
  readonly items: Iterable<Item>;
  /** The number of runners. */
  readonly concurrency: number;
  readonly createRunner: () => JobRunner<Item, Result>;
  /** Called once for each item, in the order of completion. If it throws, all runners are closed and the map rejects. */
  readonly onResult: (item: Item, result: JobResult<Result>) => void;
};

/** Gives each runner the next item as soon as it is free. A new runner replaces a crashed one. */
export async function parallelMap<Item, Result>(options: ParallelMapOptions<Item, Result>): Promise<void> {
  const { items, concurrency, createRunner, onResult } = options;
  const iterator = items[Symbol.iterator]();
  const runners = new Set<JobRunner<Item, Result>>();
  const work = async (): Promise<void> => {
    let runner: JobRunner<Item, Result> | null = null;
    for (let next = iterator.next(); next.done !== true; next = iterator.next()) {
      runner ??= createRunner();
      runners.add(runner);
      const result = await runItem(runner, next.value);
      if (result.kind === 'crashed') {
        runners.delete(runner);
        runner = null;
      }
      onResult(next.value, result);
    }
  };
  try {
    await Promise.all(Array.from({ length: concurrency }, work));
  } finally {
    await Promise.all([...runners].map((runner) => runner.close()));
  }
}

async function runItem<Item, Result>(runner: JobRunner<Item, Result>, item: Item): Promise<JobResult<Result>> {
  try {
    return { kind: 'done', value: await runner.run(item) };
  } catch (error) {
    return { kind: 'crashed', error };
  }
}

/** A runner in a thread. The module at `url` answers each message (an item) with one message (its result). */
export function createThreadRunner<Item, Result>(url: URL): JobRunner<Item, Result> {
  const thread = new Worker(url);
  const crashed = new Promise<never>((_resolve, reject) => {
    thread.once('error', reject);
    thread.once('exit', (code) => reject(new Error(`a thread ended with ${code}`)));
  });
  // The thread can crash between two items. Then the next `run` rejects.
  crashed.catch(() => {});
  return {
    async run(item) {
      thread.postMessage(item);
      const [result] = await Promise.race([once(thread, 'message'), crashed]);
      return result;
    },
    close: () => thread.terminate(),
  };
}
