import { extname } from 'node:path';
import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { isRecord, offloadOutputAs } from '../../lib/trust.ts';
import {
  isLargeInput,
  type Offload,
  OffloadError,
  type OffloadInput,
  type OffloadName,
  offloadInline,
  timeLimitOf,
} from './offload.ts';

/** A thread that runs large computations one after the other. */
export type OffloadThread = {
  readonly offload: Offload;
  /** Ends the thread. Pending and later large computations fail. */
  stop(): Promise<void>;
};

export type OffloadThreadOptions = {
  readonly log: { warn(fields: object, message: string): void };
  /** Time limit of one computation (ms), including the start of the thread. */
  readonly timeoutMs?: number;
  /** Heap limit of the thread. */
  readonly maxMegabytes?: number;
  /** The main module of the thread. */
  readonly module?: URL;
};

/** 100 times as long as any known computation. */
const OFFLOAD_TIMEOUT_MS = 15_000;

/** Several times as much as any known computation needs. If it is exceeded, only the thread ends. */
const MAX_MEGABYTES = 768;

/** The extension is `.ts` in the sources and `.js` in the built package. */
const THREAD_MODULE = new URL(`thread-main${extname(import.meta.url)}`, import.meta.url);

/** A list entry is sent before its request: copying a whole list at once would block the event loop. */
export type OffloadMessage = { readonly entry: unknown; readonly list: string } | OffloadRequest;

type OffloadRequest<Name extends OffloadName = OffloadName> = {
  readonly name: Name;
  readonly input: OffloadInput<Name>;
};

/** The thread sends one reply to each request, in order. */
export type OffloadReply =
  | { readonly kind: 'done'; readonly output: unknown }
  | { readonly kind: 'failed'; readonly error: unknown };

/**
 * Creates an `Offload` that starts its thread for the first large input, and again after a crash. Small inputs are
 * computed inline, which takes no longer than copying them.
 */
export function createOffloadThread(options: OffloadThreadOptions): OffloadThread {
  const state: ThreadState = {
    timeoutMs: OFFLOAD_TIMEOUT_MS,
    maxMegabytes: MAX_MEGABYTES,
    module: THREAD_MODULE,
    ...options,
    current: null,
    stopped: false,
  };
  // Each computation can need much memory, so only one runs at a time.
  let previous: Promise<unknown> = Promise.resolve();
  return {
    async offload(name, input) {
      if (!isLargeInput(name, input)) return offloadInline(name, input);
      const response = previous.then(() => requestReply(state, { name, input }));
      previous = response.then(ignore, ignore);
      const reply = await response;
      if (reply.kind === 'failed') throw reply.error;
      return offloadOutputAs(reply.output);
    },
    async stop() {
      state.stopped = true;
      if (state.current !== null) await endThread(state, state.current, stoppedError());
    },
  };
}

/** `current` is null before the first large input, and after the thread has ended. */
type ThreadState = Required<OffloadThreadOptions> & { current: RunningThread | null; stopped: boolean };

type RunningThread = { readonly worker: Worker; pending: PromiseWithResolvers<OffloadReply> | null };

function ignore(): void {}

function stoppedError(): Error {
  return new Error('the offload thread was stopped');
}

async function requestReply(state: ThreadState, request: OffloadRequest): Promise<OffloadReply> {
  if (state.stopped) throw stoppedError();
  const thread = state.current ?? startThread(state);
  const { worker } = thread;
  const pending = Promise.withResolvers<OffloadReply>();
  thread.pending = pending;
  const timer = setTimeout(() => timeOut(state, thread, request), timeLimitOf(request.name, state.timeoutMs));
  // Only a thread with a pending request keeps the process running.
  worker.ref();
  // The thread can end while the request is still being posted, before the reply is awaited.
  pending.promise.catch(ignore);
  try {
    await postRequest(worker, request);
    return await pending.promise;
  } finally {
    clearTimeout(timer);
    worker.unref();
    thread.pending = null;
  }
}

/** Posts the request in pieces, so that other work can run in between. */
async function postRequest(worker: Worker, { name, input }: OffloadRequest): Promise<void> {
  const lists = Object.entries(input).filter(([, value]) => isObjectList(value));
  for (const [list, entries] of lists) {
    for (const entry of entries) {
      worker.postMessage({ list, entry });
      await yieldToEventLoop();
    }
  }
  worker.postMessage({ name, input: { ...input, ...Object.fromEntries(lists.map(([list]) => [list, []])) } });
}

/** Excludes lists of lines, which are copied quickly. */
function isObjectList(value: unknown): value is readonly object[] {
  return Array.isArray(value) && value.length > 0 && value.every((entry) => isRecord(entry));
}

function startThread(state: ThreadState): RunningThread {
  const worker = new Worker(state.module, {
    // The input is untrusted, so the thread gets no secrets.
    env: {},
    execArgv: [],
    resourceLimits: { maxOldGenerationSizeMb: state.maxMegabytes },
  });
  const thread: RunningThread = { worker, pending: null };
  const onCrash = (cause: unknown): void => {
    // After a timeout or `stop` the exit is expected.
    if (state.current !== thread) return;
    state.log.warn({ err: cause }, 'offload thread crashed');
    void endThread(state, thread, new OffloadError('crash', 'the thread ended', { cause }));
  };
  worker.on('message', (reply: OffloadReply) => thread.pending?.resolve(reply));
  worker.on('messageerror', onCrash);
  worker.on('error', onCrash);
  worker.on('exit', (code) => onCrash(new Error(`it ended with code ${code}`)));
  state.current = thread;
  return thread;
}

function timeOut(state: ThreadState, thread: RunningThread, { name }: OffloadRequest): void {
  const { log } = state;
  const timeoutMs = timeLimitOf(name, state.timeoutMs);
  log.warn({ name, timeoutMs }, 'offloaded computation timed out');
  void endThread(state, thread, new OffloadError('timeout', `${name} took longer than ${timeoutMs} ms`));
}

/** The pending computation fails; the next one starts another thread. */
async function endThread(state: ThreadState, thread: RunningThread, error: Error): Promise<void> {
  state.current = null;
  thread.pending?.reject(error);
  await thread.worker.terminate();
}
