import { describe, expect, it, vi } from 'vitest';
import type { DeliveryEvent } from '../../src/intake/delivery-event.ts';
import { memoryStore } from '../../src/simulation/store/memory-store.ts';
import { emptyTables } from '../../src/simulation/store/tables.ts';
import type { DeliveryLog, LoggedDelivery } from '../../src/sweep/delivery-log.ts';
import { openHeartbeat } from '../../src/sweep/heartbeat.ts';
import { SLACK_MS } from '../../src/sweep/list-log.ts';
import { newMemory } from '../../src/sweep/memory.ts';
import { EVERY_MS, GO_ON_MS, MOST_REQUESTS, type SweepResult, sweep } from '../../src/sweep/sweep.ts';
import { startSweeper } from '../../src/sweep/sweeper.ts';
import { FAMILIES } from '../../src/telemetry/families.ts';
import { openMetrics } from '../../src/telemetry/metrics.ts';
import { GitHubFault } from '../../src/worker/ports.ts';
import { present } from '../store/bench.ts';
import { delivery } from '../store/samples.ts';

const NOW = Date.parse('2026-11-21T12:00:00Z');
const PAGE = 100;
const QUIET = { debug() {}, info() {}, warn() {}, error() {} };

/** Attempts at comments that nobody answered, oldest first. */
function unanswered(count: number, from = 1): readonly LoggedDelivery[] {
  return Array.from({ length: count }, (_, place) => {
    const id = String(from + place);
    const about = { event: 'issue_comment', action: 'created', repositoryId: 2, answered: false };
    return { id, guid: `g${id}`, deliveredAt: NOW - 100_000 + (from + place) * 10, ...about };
  });
}

/** Attempts at comments that were answered at once, oldest first, the first one at `at`. */
function answered(count: number, at: number, from = 1): readonly LoggedDelivery[] {
  return Array.from({ length: count }, (_, place) => {
    const id = `answered-${from + place}`;
    const about = { event: 'issue_comment', action: 'created', repositoryId: 2, answered: true };
    return { id, guid: id, deliveredAt: at + place, ...about };
  });
}

/** A log, a clock and a store for any number of processes; `fails` says which request GitHub answers with a fault. */
function scene(fails: (request: string) => GitHubFault | null = () => null) {
  const tables = emptyTables();
  const attempts: LoggedDelivery[] = [];
  const asked: string[] = [];
  const taken: string[] = [];
  const clock = { now: NOW };
  const ask = (request: string): void => {
    asked.push(request);
    const fault = fails(request);
    if (fault !== null) throw fault;
  };
  const deliveries: DeliveryLog = {
    async page(cursor, which) {
      ask(`page ${cursor}`);
      const all = attempts.filter(({ answered }) => which === 'all' || !answered).toReversed();
      const from = Number(cursor ?? 0);
      return { deliveries: all.slice(from, from + PAGE), next: all.length > from + PAGE ? String(from + PAGE) : null };
    },
    async payload(id) {
      ask(`payload ${id}`);
      return { action: 'created', issue: { number: 1 } };
    },
  };
  const metrics = openMetrics();
  let holders = 0;
  /** One more process on the same database; each call is one sweep. */
  const process = () => {
    holders += 1;
    const memory = newMemory();
    const store = memoryStore(tables, holders);
    const options = {
      deliveries,
      store,
      heartbeat: openHeartbeat({ store, onCut() {}, githubTime: () => clock.now }),
      asItStands: async (event: DeliveryEvent) => event,
      take: async ({ id }: { readonly id: string }) => {
        taken.push(id);
        tables.deliveryIds.add(id);
        return 'stored';
      },
      now: () => clock.now,
      githubTime: () => clock.now,
      log: QUIET,
      lost: { add() {} },
    };
    const run = (): Promise<SweepResult> => sweep(memory, options, new AbortController().signal);
    return { run, options };
  };
  /** Something goes on on the pull request that all comments are about. */
  const goesOn = () => memoryStore(tables, 0).receive([delivery('task', 1)], NOW);
  const catchesUp = () =>
    [...tables.pulls.values()].flatMap(({ wanted }) =>
      wanted.flatMap(({ effect }) => (effect.type === 'catch-up' ? [effect.since] : [])),
    );
  const aliveUntil = () => tables.sweep?.aliveUntil;
  /** A backup is of all tables. */
  const restore = { take: () => tables, put: (backup: typeof tables) => void Object.assign(tables, backup) };
  return { attempts, asked, taken, clock, metrics, process, goesOn, catchesUp, aliveUntil, restore };
}

const guids = (count: number, from = 1): readonly string[] => unanswered(count, from).map(({ guid }) => guid);

describe('a sweep', () => {
  it('F8: takes what was lost in the order in which GitHub sent it, and a later one takes only what is new', async () => {
    const { attempts, asked, taken, clock, process } = scene();
    const { run } = process();
    attempts.push(...unanswered(3));
    expect(await run()).toBe('done');
    expect(taken).toEqual(guids(3));
    attempts.push(...unanswered(1, 4));
    clock.now += EVERY_MS;
    asked.length = 0;
    expect(await run()).toBe('done');
    expect(taken).toEqual(guids(4));
    expect(asked).toEqual(['page null', 'payload 4']);
  });

  it('H8: sends so many requests at most, and the next one goes on where it stopped', async () => {
    const { attempts, asked, taken, clock, process } = scene();
    const { run } = process();
    attempts.push(...unanswered(MOST_REQUESTS + 50));
    expect(await run()).toBe('unfinished');
    expect(asked).toHaveLength(MOST_REQUESTS);
    clock.now += EVERY_MS;
    expect(await run()).toBe('done');
    expect(taken).toEqual(guids(MOST_REQUESTS + 50));
    expect(asked).toHaveLength(MOST_REQUESTS + 50 + 3);
  });

  it('H8: a log longer than all requests of one sweep is read on, not from its beginning', async () => {
    const { attempts, asked, clock, process } = scene();
    const { run } = process();
    const nothing = { event: 'push', action: null };
    attempts.push(...unanswered((MOST_REQUESTS + 1) * PAGE).map((one) => ({ ...one, ...nothing })));
    expect(await run()).toBe('unfinished');
    clock.now += EVERY_MS;
    expect(await run()).toBe('done');
    expect(new Set(asked).size).toBe(MOST_REQUESTS + 1);
    expect(asked).toHaveLength(MOST_REQUESTS + 1);
  });

  it('F8, G2: of two processes at once one looks, and after a crash the other goes on behind what was taken', async () => {
    const { attempts, asked, taken, clock, process } = scene();
    attempts.push(...unanswered(MOST_REQUESTS + 50));
    const [one, other] = [process(), process()];
    expect((await Promise.all([one.run(), other.run()])).toSorted()).toEqual(['elsewhere', 'unfinished']);
    expect(asked).toHaveLength(MOST_REQUESTS);
    clock.now += EVERY_MS;
    await other.run();
    expect(new Set(taken)).toEqual(new Set(guids(MOST_REQUESTS + 50)));
  });

  it('F8: what was read before GitHub failed is taken, and nothing behind it', async () => {
    let down = true;
    const fault = new GitHubFault('down', 502, null);
    const { attempts, taken, clock, process } = scene((request) => (down && request === 'payload 3' ? fault : null));
    const { run } = process();
    attempts.push(...unanswered(4));
    await expect(run()).rejects.toBe(fault);
    expect(taken).toEqual(guids(2));
    down = false;
    clock.now += EVERY_MS;
    expect(await run()).toBe('done');
    expect(taken).toEqual(guids(4));
  });

  it('F8: a database that died under it keeps nobody waiting longer than it was away', async () => {
    const { attempts, taken, clock, process } = scene();
    const [first, second] = [process(), process()];
    attempts.push(...unanswered(2));
    const died = vi.spyOn(first.options.store, 'endSweep').mockRejectedValueOnce(new Error('Connection terminated'));
    await expect(first.run()).rejects.toThrow('Connection terminated');
    attempts.push(...unanswered(1, 3));
    clock.now += 60_000;
    expect(await first.run()).toBe('done');
    expect(taken).toEqual(guids(3));
    died.mockRestore();
    expect(await second.run()).toBe('done');
  });

  it('F8: one that GitHub cannot show keeps the others waiting three times, not for ever', async () => {
    const fault = new GitHubFault('broken', 500, null);
    const { attempts, taken, clock, process } = scene((request) => (request === 'payload 1' ? fault : null));
    const { run } = process();
    attempts.push(...unanswered(2));
    for (let n = 0; n < 2; n += 1) {
      await expect(run()).rejects.toBe(fault);
      clock.now += EVERY_MS;
    }
    expect(await run()).toBe('done');
    expect(taken).toEqual(['g2']);
  });

  it('G13: what was answered while nobody knows the database to be in use is compared too', async () => {
    const { attempts, asked, clock, process } = scene();
    await process().run();
    clock.now += EVERY_MS;
    attempts.push(...answered(1, clock.now));
    const { run } = process();
    await run();
    // Answered, and nothing goes on there: nobody needs it.
    expect(asked).toEqual(['page null', 'page null', 'page null']);
  });

  it('F8, G2: after a crash what was lost is taken at once, however much was answered before', async () => {
    const { attempts, taken, clock, process, goesOn } = scene();
    await goesOn();
    const died = process();
    await died.run();
    attempts.push(...answered(3 * MOST_REQUESTS, clock.now));
    clock.now += 2 * SLACK_MS;
    await died.options.heartbeat();
    clock.now += 1_000;
    attempts.push(...unanswered(3, 0).map((one) => ({ ...one, deliveredAt: clock.now })));
    expect(await process().run()).toBe('done');
    expect(taken).toEqual(guids(3, 0));
  });

  it('G13: a restored database hears first what was said first, whether it was answered then or not', async () => {
    const { attempts, taken, clock, process, goesOn } = scene();
    await goesOn();
    await process().run();
    attempts.push(...answered(1, clock.now + 1_000));
    attempts.push(...unanswered(1).map((one) => ({ ...one, deliveredAt: clock.now + 2_000 })));
    attempts.push(...answered(1, clock.now + 3_000, 2));
    clock.now += 2 * EVERY_MS;
    expect(await process().run()).toBe('done');
    expect(taken).toEqual(['answered-1', 'g1', 'answered-2']);
  });

  it('G13, H8: one that has forgotten thousands looks at what goes on instead of reading each', async () => {
    const { attempts, asked, taken, clock, process, goesOn, catchesUp } = scene();
    await goesOn();
    const before = clock.now;
    await process().run();
    attempts.push(...answered(5_000, before));
    attempts.push({
      ...present(answered(1, before + 60_000, 9_999)[0]),
      event: 'pull_request_review',
      action: 'submitted',
    });
    clock.now += 2 * EVERY_MS;
    asked.length = 0;
    expect(await process().run()).toBe('done');
    expect(catchesUp()).toEqual([new Date(before - SLACK_MS).toISOString()]);
    expect(taken).toEqual(['answered-9999']);
    expect(asked.length).toBeLessThan(60);
  });

  it('G13, H8: and still looks there where the store was away when it was to', async () => {
    const { attempts, asked, clock, process, goesOn, catchesUp } = scene();
    await goesOn();
    const before = clock.now;
    await process().run();
    attempts.push(...answered(1_000, before));
    clock.now += 2 * EVERY_MS;
    const { run, options } = process();
    vi.spyOn(options.store, 'catchUpAll').mockRejectedValueOnce(new Error('away'));
    await expect(run()).rejects.toThrow('away');
    clock.now += EVERY_MS;
    asked.length = 0;
    expect(await run()).toBe('done');
    expect(catchesUp()).toHaveLength(1);
    expect(asked).toEqual([]);
  });

  it('H8: the inbox is asked once what it holds of all that a sweep found', async () => {
    const { attempts, taken, process } = scene();
    const { run, options } = process();
    attempts.push(...unanswered(3));
    const known = vi.spyOn(options.store, 'knownDeliveries');
    await run();
    expect(taken).toHaveLength(3);
    expect(known).toHaveBeenCalledTimes(1);
  });

  it('G13: what was taken under one database is taken again under an older one that was restored meanwhile', async () => {
    const { attempts, taken, clock, process, restore } = scene();
    const { run } = process();
    await run();
    const backup = structuredClone(restore.take());
    clock.now += EVERY_MS;
    attempts.push(...unanswered(1).map((one) => ({ ...one, deliveredAt: clock.now - 1_000 })));
    expect(await run()).toBe('done');
    restore.put(backup);
    clock.now += EVERY_MS;
    expect(await run()).toBe('done');
    expect(taken).toEqual(['g1', 'g1']);
  });

  it('G13: nor does what is left of the sweep before hide what it had taken', async () => {
    const { attempts, taken, clock, process, restore } = scene();
    const { run, options } = process();
    await run();
    clock.now += EVERY_MS;
    attempts.push(...unanswered(MOST_REQUESTS + 50).map((one, place) => ({ ...one, deliveredAt: clock.now + place })));
    clock.now += EVERY_MS;
    await options.heartbeat();
    const backup = structuredClone(restore.take());
    clock.now += 1_000;
    expect(await run()).toBe('unfinished');
    taken.length = 0;
    restore.put(backup);
    for (let n = 0; n < 3; n += 1) {
      clock.now += EVERY_MS;
      await run();
    }
    expect(new Set(taken)).toEqual(new Set(guids(MOST_REQUESTS + 50)));
  });

  it('G13, H8: what goes on catches up again where the same backup is restored once more', async () => {
    const { attempts, clock, process, goesOn, catchesUp, restore } = scene();
    await goesOn();
    const { run, options } = process();
    await run();
    const backup = structuredClone(restore.take());
    clock.now += 1_000;
    await options.heartbeat();
    attempts.push(...answered(1_000, clock.now));
    for (let times = 0; times < 2; times += 1) {
      clock.now += 2 * EVERY_MS;
      restore.put(structuredClone(backup));
      await run();
      expect(catchesUp()).toHaveLength(1);
    }
  });

  it('G13: a database that was away is as one that nobody knows, whatever it remembers', async () => {
    const { clock } = scene();
    const told: (number | null)[] = [];
    const answers = [null, null, new Error('away'), null, null];
    const store = {
      heartbeat: async (_at: number, last: number | null) => {
        told.push(last);
        const error = answers[told.length - 1] ?? null;
        if (error !== null) throw error;
      },
    };
    const heartbeat = openHeartbeat({ store, onCut() {}, githubTime: () => clock.now });
    for (const error of answers) {
      clock.now += 1_000;
      await heartbeat().catch((thrown) => expect(thrown).toBe(error));
    }
    expect(told).toEqual([null, NOW + 1_000, NOW + 2_000, null, NOW + 4_000]);
  });

  it('G13: so is one whose connection broke between two looks or during one, however soon it was back', async () => {
    const { clock } = scene();
    const told: (number | null)[] = [];
    let cut = (): void => {};
    const store = {
      heartbeat: async (_at: number, last: number | null) => {
        told.push(last);
        if (told.length === 3) cut();
      },
    };
    const onCut = (listener: () => void): void => {
      cut = listener;
    };
    const heartbeat = openHeartbeat({ store, onCut, githubTime: () => clock.now });
    for (const breaks of [false, true, false, false]) {
      clock.now += 1_000;
      if (breaks) cut();
      await heartbeat();
    }
    clock.now += 1_000;
    await heartbeat();
    expect(told).toEqual([null, null, NOW + 2_000, null, NOW + 4_000]);
  });

  it('F8: what goes on catches up where the first of all sweeps came to nothing and days went by', async () => {
    const { clock, process, goesOn, catchesUp } = scene();
    await goesOn();
    const before = clock.now;
    await process().options.heartbeat();
    clock.now += 5 * 24 * 60 * 60_000;
    await process().run();
    expect(catchesUp()).toEqual([new Date(before - SLACK_MS).toISOString()]);
  });
});

describe('the loop that sweeps', () => {
  function looping(fails: (request: string) => GitHubFault | null) {
    const { process, asked, attempts, clock, metrics, aliveUntil } = scene(fails);
    const ticks: (() => void)[] = [];
    const every = (_ms: number, tick: () => void) => {
      ticks.push(tick);
      return () => void ticks.splice(0);
    };
    const sweeps = metrics.counter(FAMILIES.sweeps);
    const sweeper = startSweeper({ ...process().options, clock: { now: () => clock.now, every }, sweeps });
    const settled = async (): Promise<void> => {
      for (const tick of ticks) tick();
      while (sweeper.busy()) await new Promise((resolve) => setImmediate(resolve));
    };
    return { asked, attempts, clock, metrics, sweeper, settled, aliveUntil };
  }

  it('H8: a server without such a log is asked once', async () => {
    const { asked, clock, metrics, settled } = looping(() => new GitHubFault('Not Found', 404, null));
    await settled();
    clock.now += 10 * EVERY_MS;
    await settled();
    expect(asked).toEqual(['page null']);
    expect(metrics.page()).toContain('sweeps_total{result="refused"} 1');
  });

  it('H8, F8: what is left over goes on after a pause that keeps it below what an App is granted', async () => {
    const { asked, attempts, clock, settled } = looping(() => null);
    attempts.push(...unanswered(MOST_REQUESTS + 50));
    await settled();
    clock.now = NOW + GO_ON_MS - 1;
    await settled();
    expect(asked).toHaveLength(MOST_REQUESTS);
    clock.now = NOW + GO_ON_MS;
    await settled();
    expect(asked.length).toBeGreaterThan(MOST_REQUESTS);
    expect((MOST_REQUESTS * 60 * 60_000) / GO_ON_MS).toBeLessThan(5_000);
  });

  it('G13: while it waits the database hears again and again that it is in use', async () => {
    const { clock, settled, aliveUntil } = looping(() => null);
    await settled();
    clock.now = NOW + 60_000;
    await settled();
    expect(aliveUntil()).toBe(NOW + 60_000);
  });

  it('H8: where GitHub names a time, nothing is asked before it', async () => {
    let limited = true;
    const until = NOW + 20 * 60_000;
    const { asked, clock, settled } = looping(() => (limited ? new GitHubFault('limit', 403, until) : null));
    await settled();
    clock.now = until - 1;
    await settled();
    expect(asked).toHaveLength(1);
    limited = false;
    clock.now = until;
    await settled();
    expect(asked).toHaveLength(2);
  });
});
