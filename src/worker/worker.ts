import type { Due, Hint } from '../store/store.ts';
import { claimEffect, claimPull, type GoingOn, type Work } from './claim-work.ts';
import type { Context } from './context.ts';
import { Lane } from './lane.ts';
import { type Amounts, News } from './news.ts';
import { Wakener } from './wakener.ts';

export type WorkerOptions = {
  /** Names this worker in claims; unique among processes. */
  readonly name: string;
  /** Pull requests and long effects worked on at the same time. */
  readonly pulls: number;
  readonly longEffects: number;
  /** The safety net below wake-ups (ms). Nobody tells that a process died: its work is taken up within so long. */
  readonly pollMs: number;
};

/** A running worker. */
export type Worker = {
  /** Work may have come. */
  wake(): void;
  running(): boolean;
  /** True while something is worked on or due: nothing more will happen by itself once this is false. */
  busy(): boolean;
  /** Takes no more work and waits for what is under way, at most this long (ms); what is left is taken up by the next process. */
  stop(graceMs: number): Promise<void>;
};

const DEFAULTS = { pulls: 4, longEffects: 8, pollMs: 800 } as const;
const MIN_PAUSE_MS = 20;
/** What becomes due this soon counts as due: it is a matter of the next moment. */
const SOON_MS = 1_500;

type Lanes = Readonly<Record<keyof Due, Lane>>;

/** What the loop works with. */
type Loop = {
  readonly context: Context;
  readonly lanes: Lanes;
  readonly news: News;
  readonly wakener: Wakener;
  readonly pollMs: number;
  readonly stopping: AbortSignal;
  /** What was known when it last went to sleep: nothing to do before `until` (ms), unless a call has come since. */
  rest: { readonly until: number; readonly calls: number };
};

/** Starts the loop that takes signals and performs effects. */
export function startWorker(context: Context, options: Pick<WorkerOptions, 'name'> & Partial<WorkerOptions>): Worker {
  const settled = { ...DEFAULTS, ...options };
  const stopping = new AbortController();
  const loop = openLoop(context, settled, stopping.signal);
  const { news, wakener } = loop;
  const hear = (hint: Hint | null): void => {
    news.heard(hint);
    wakener.wake();
  };
  const unsubscribe = context.store.onWake(hear);
  const ended = run(loop);
  return {
    wake: () => hear(null),
    running: () => !stopping.signal.aborted,
    busy() {
      const resting = isIdle(loop) && loop.rest.calls === wakener.calls;
      return !resting || loop.rest.until <= context.clock.now() + SOON_MS;
    },
    async stop(graceMs) {
      stopping.abort();
      wakener.wake();
      unsubscribe();
      await Promise.race([ended, after(graceMs)]);
    },
  };
}

function openLoop(context: Context, options: WorkerOptions, stopping: AbortSignal): Loop {
  const { name, pulls, longEffects, pollMs } = options;
  const [news, wakener] = [new News(), new Wakener()];
  const lane = (kind: keyof Due, limit: number, claim: () => Promise<Work | null>): Lane =>
    new Lane({
      limit,
      claim: () => safely(context, claim),
      carryOut: async (work) => void (await safely(context, work)),
      ended(wasFull) {
        news.ended(kind, wasFull, context.clock.now());
        wakener.wake();
      },
    });
  const hand = { context, worker: name, stopping };
  const goingOn: GoingOn = {
    ...hand,
    // While there is room for others nobody waits for its place.
    mayGoOn: () => lanes.free.hasRoom && !stopping.aborted,
    gaveBack() {
      news.ended('pull', false, context.clock.now());
      wakener.wake();
    },
  };
  const lanes: Lanes = {
    pull: lane('pull', pulls, () => claimPull(hand)),
    free: lane('free', longEffects, () => claimEffect(goingOn)),
  };
  return { context, lanes, news, wakener, pollMs, stopping, rest: { until: 0, calls: -1 } };
}

async function run(loop: Loop): Promise<void> {
  const { context, lanes, news, wakener, pollMs, stopping } = loop;
  const { now } = context.clock;
  while (!stopping.aborted) {
    const { calls } = wakener;
    const hinted = news.take();
    if (hinted !== null && (await begin(lanes, hinted, stopping))) continue;
    // A hint that led to nothing says that somebody else knows more.
    if (hinted !== null) news.doubt();
    if (news.mustLook(now(), isIdle(loop)) && (await look(loop, calls))) {
      news.doubt(now());
      continue;
    }
    const pause = Math.max(MIN_PAUSE_MS, Math.min(loop.rest.until, news.looksAt()) - now());
    await wakener.wait(Math.min(pollMs, pause), calls);
    if (calls === wakener.calls) news.doubt();
  }
  await Promise.all([lanes.pull.settled(), lanes.free.settled()]);
}

function isIdle({ lanes }: Loop): boolean {
  return lanes.pull.isIdle && lanes.free.isIdle;
}

/** Begins what is due, as much as there is room for, or learns until when nothing is; true where that was anything. */
async function look(loop: Loop, calls: number): Promise<boolean> {
  const { context, lanes, news, pollMs, stopping } = loop;
  const { now } = context.clock;
  news.looked();
  const due = await safely(context, () => context.store.nextDue(now()));
  if (due !== null && (await begin(lanes, dueBy(due, now()), stopping))) return true;
  loop.rest = { until: due === null ? now() + pollMs : nextChance(lanes, due), calls };
  return false;
}

/** Begins work of each lane, at most so much; true where that was anything. */
async function begin(lanes: Lanes, most: Amounts, stopping: AbortSignal): Promise<boolean> {
  const begun = await Promise.all([lanes.pull.fill(stopping, most.pull), lanes.free.fill(stopping, most.free)]);
  return begun.includes(true);
}

/** Where something is due, as much of it as there is; nobody tells how much. */
function dueBy({ pull, free }: Due, now: number): Amounts {
  const amount = (at: number | null): number => (at !== null && at <= now ? Number.POSITIVE_INFINITY : 0);
  return { pull: amount(pull), free: amount(free) };
}

/** When something can be begun (ms), as far as time alone decides: a full lane has to wait for its own. */
function nextChance(lanes: Lanes, due: Due): number {
  const pull = lanes.pull.hasRoom ? due.pull : null;
  const free = lanes.free.hasRoom ? due.free : null;
  return Math.min(pull ?? Number.POSITIVE_INFINITY, free ?? Number.POSITIVE_INFINITY);
}

/** A fault of one piece of work must not end the loop that others depend on. */
async function safely<T>(context: Context, work: () => Promise<T>): Promise<T | null> {
  try {
    return await work();
  } catch (error) {
    context.log.error({ err: error }, 'work failed; it stays stored and is taken up again');
    return null;
  }
}

async function after(ms: number): Promise<void> {
  await new Promise<void>((resolve) => {
    setTimeout(resolve, ms).unref();
  });
}
