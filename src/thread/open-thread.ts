import { extname } from 'node:path';
import { setImmediate as breath } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { answeredAs, isRecord } from '../trust.ts';
import { isLarge, WorkGivenUp, type WorkOut, workOutHere } from '../worker/work-out.ts';
import type { Answer, Asked } from './messages.ts';

/** One thread beside this one, in which what is large is worked out, one thing after the other. */
export type Thread = {
  readonly workOut: WorkOut;
  /** Ends it; what waits for it fails, and so does whatever is large from now on. */
  stop(): Promise<void>;
};

export type ThreadOptions = {
  readonly log: { warn(fields: object, message: string): void };
  /** How long one thing may take (ms), the thread's start included. */
  readonly limitMs?: number;
  /** How much memory its heap may take. */
  readonly megabytes?: number;
  /** The module that the thread runs. */
  readonly module?: URL;
};

/** A hundred times what anything known takes. */
const LIMIT_MS = 15_000;
/** Several times what anything known needs; where it is not enough this thread ends, and nothing else does. */
const MEGABYTES = 768;
/** Beside this module and written as it is: in TypeScript among the sources, in JavaScript once it is built. */
const MODULE = new URL(`work-thread${extname(import.meta.url)}`, import.meta.url);

/** A thread that lives, and what waits for its answer. */
type Living = { readonly worker: Worker; waiting: PromiseWithResolvers<Answer> | null };

/** What a thread and whoever ends it have in common; `living` is null before it is needed, and after it has ended. */
type Shared = Required<ThreadOptions> & { living: Living | null; stopped: boolean };

/**
 * Opens the way to a thread that is started when something large is to be worked out, and anew after it has ended. What is
 * small is worked out here: that takes no longer than to copy it. What the work throws is thrown here as well.
 */
export function openThread(options: ThreadOptions): Thread {
  const shared: Shared = {
    limitMs: LIMIT_MS,
    megabytes: MEGABYTES,
    module: MODULE,
    ...options,
    living: null,
    stopped: false,
  };
  // One after the other: each may need much memory.
  let last: Promise<unknown> = Promise.resolve();
  return {
    async workOut(name, input) {
      if (!isLarge(name, input)) return workOutHere(name, input);
      const answer = last.then(() => ask(shared, { name, input }));
      last = answer.then(nothing, nothing);
      const answered = await answer;
      if (answered.kind === 'failed') throw answered.error;
      return answeredAs(answered.output);
    },
    async stop() {
      shared.stopped = true;
      if (shared.living !== null) await end(shared, shared.living, stoppedError());
    },
  };
}

function nothing(): void {}

function stoppedError(): Error {
  return new Error('the thread for large work was stopped');
}

async function ask(shared: Shared, asked: Asked): Promise<Answer> {
  if (shared.stopped) throw stoppedError();
  const living = shared.living ?? start(shared);
  const { worker } = living;
  const waiting = Promise.withResolvers<Answer>();
  living.waiting = waiting;
  const limit = setTimeout(() => giveUp(shared, living, asked), shared.limitMs);
  // The process waits for what is under way, not for a thread that has nothing to do.
  worker.ref();
  // It may be ended while it is still being asked.
  waiting.promise.catch(nothing);
  try {
    await send(worker, asked);
    return await waiting.promise;
  } finally {
    clearTimeout(limit);
    worker.unref();
    living.waiting = null;
  }
}

/** In pieces, so that what waits for the process comes in between. */
async function send(worker: Worker, { name, input }: Asked): Promise<void> {
  const lists = Object.entries(input).filter(([, value]) => isList(value));
  for (const [of, list] of lists) {
    for (const entry of list) {
      worker.postMessage({ of, entry });
      await breath();
    }
  }
  worker.postMessage({ name, input: { ...input, ...Object.fromEntries(lists.map(([of]) => [of, []])) } });
}

/** Lines are no such list: they are sent together. */
function isList(value: unknown): value is readonly object[] {
  return Array.isArray(value) && value.length > 0 && value.every((entry) => isRecord(entry));
}

function start(shared: Shared): Living {
  const worker = new Worker(shared.module, {
    // What it works on was written by others: it gets nothing else.
    env: {},
    execArgv: [],
    resourceLimits: { maxOldGenerationSizeMb: shared.megabytes },
  });
  const living: Living = { worker, waiting: null };
  const crashed = (cause: unknown): void => {
    // Whoever ended it knows.
    if (shared.living !== living) return;
    shared.log.warn({ err: cause }, 'the thread for large work ended by itself');
    void end(shared, living, new WorkGivenUp('crash', 'the thread ended', { cause }));
  };
  worker.on('message', (answer: Answer) => living.waiting?.resolve(answer));
  worker.on('messageerror', crashed);
  worker.on('error', crashed);
  worker.on('exit', (code) => crashed(new Error(`it ended with code ${code}`)));
  shared.living = living;
  return living;
}

function giveUp(shared: Shared, living: Living, { name }: Asked): void {
  const { limitMs, log } = shared;
  log.warn({ work: name, limitMs }, 'something took too long to work out');
  void end(shared, living, new WorkGivenUp('time', `${name} took longer than ${limitMs} ms`));
}

/** What waits for its answer fails; whatever comes next starts another one. */
async function end(shared: Shared, living: Living, error: Error): Promise<void> {
  shared.living = null;
  living.waiting?.reject(error);
  await living.worker.terminate();
}
