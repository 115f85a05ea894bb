import { describe, expect, it, vi } from 'vitest';
import { SILENT_LOG } from '../../../../lab/shared/silent.ts';
import { createMemoryStore } from '../../../../lab/simulation/memory-store/memory-store.ts';
import { createMemoryTables } from '../../../../lab/simulation/memory-store/tables.ts';
import { createMetrics, METRIC_DEFINITIONS } from '../../../../src/adapters/telemetry/metrics.ts';
import {
  type DeliveryEvent,
  type DeliveryLog,
  GitHubError,
  type LoggedDelivery,
} from '../../../../src/core/step/ports.ts';
import { CLOCK_SLACK_MS, createRecoveryMemory } from '../../../../src/worker/recovery/delivery-log.ts';
import { createHeartbeat } from '../../../../src/worker/recovery/heartbeat.ts';
import {
  CONTINUE_AFTER_MS,
  MAX_REQUESTS_PER_RUN,
  RECOVERY_INTERVAL_MS,
  type RecoveryResult,
  recoverLostDeliveries,
} from '../../../../src/worker/recovery/recover-deliveries.ts';
import { startRecovery } from '../../../../src/worker/recovery/recovery-loop.ts';
import { delivery } from '../../../contracts/store/samples.ts';
import { present } from '../../../contracts/store/store-under-test.ts';

const NOW = Date.parse('2026-11-21T12:00:00Z');

const PAGE = 100;

/** Unacknowledged delivery attempts for comments, oldest first. */
function unanswered(count: number, from = 1): readonly LoggedDelivery[] {
  return Array.from({ length: count }, (_, place) => {
    const id = String(from + place);
    const about = { event: 'issue_comment', action: 'created', repositoryId: 2 };
    const response = { acknowledged: false, status: 'failed to connect to host' };
    return { id, guid: `g${id}`, deliveredAt: NOW - 100_000 + (from + place) * 10, ...about, ...response };
  });
}

/** Acknowledged delivery attempts for comments, oldest first, starting at `at`. */
function answered(count: number, at: number, from = 1): readonly LoggedDelivery[] {
  return Array.from({ length: count }, (_, place) => {
    const id = `answered-${from + place}`;
    const about = { event: 'issue_comment', action: 'created', repositoryId: 2 };
    return { id, guid: id, deliveredAt: at + place, ...about, acknowledged: true, status: 'OK' };
  });
}

/** A delivery log, a clock and a store for several processes; `fails` selects the requests that fail. */
function scene(fails: (request: string) => GitHubError | null = () => null) {
  const tables = createMemoryTables();
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
    async fetchPage(cursor, which) {
      ask(`page ${cursor}`);
      const all = attempts.filter(({ acknowledged }) => which === 'all' || !acknowledged).toReversed();
      const from = Number(cursor ?? 0);
      return {
        deliveries: all.slice(from, from + PAGE),
        nextCursor: all.length > from + PAGE ? String(from + PAGE) : null,
      };
    },
    async fetchPayload(id) {
      ask(`payload ${id}`);
      return { action: 'created', issue: { number: 1 } };
    },
  };
  const metrics = createMetrics();
  let holders = 0;
  /** Another process on the same database; each call is one run. */
  const process = () => {
    holders += 1;
    const memory = createRecoveryMemory();
    const store = createMemoryStore(tables, holders);
    const options = {
      deliveries,
      store,
      heartbeat: createHeartbeat({ store, onDisconnect() {}, githubTime: () => clock.now }),
      withCurrentText: async (event: DeliveryEvent) => event,
      handleDelivery: async ({ id }: { readonly id: string }) => {
        taken.push(id);
        tables.deliveryIds.add(id);
        return 'stored';
      },
      now: () => clock.now,
      githubTime: () => clock.now,
      log: SILENT_LOG,
      recoveredDeliveries: { inc() {} },
    };
    const run = (): Promise<RecoveryResult> => recoverLostDeliveries(memory, options, new AbortController().signal);
    return { run, options };
  };
  /** Starts a run on the pull request of all comments. */
  const goesOn = () => createMemoryStore(tables, 0).receive([delivery('task', 1)], NOW);
  const catchesUp = () =>
    [...tables.pulls.values()].flatMap(({ pendingEffects }) =>
      pendingEffects.flatMap(({ effect }) => (effect.type === 'catch-up' ? [effect.since] : [])),
    );
  const aliveUntil = () => tables.recovery?.aliveUntil;
  /** A backup is of all tables. */
  const restore = { take: () => tables, put: (backup: typeof tables) => void Object.assign(tables, backup) };
  return { attempts, asked, taken, clock, metrics, process, goesOn, catchesUp, aliveUntil, restore };
}

const guids = (count: number, from = 1): readonly string[] => unanswered(count, from).map(({ guid }) => guid);

describe('recoverLostDeliveries', () => {
  it('handles lost webhooks in GitHub’s order, and only new ones in the next run (F8)', async () => {
    const { attempts, asked, taken, clock, process } = scene();
    const { run } = process();
    attempts.push(...unanswered(3));
    expect(await run()).toBe('done');
    expect(taken).toEqual(guids(3));
    attempts.push(...unanswered(1, 4));
    clock.now += RECOVERY_INTERVAL_MS;
    asked.length = 0;
    expect(await run()).toBe('done');
    expect(taken).toEqual(guids(4));
    expect(asked).toEqual(['page null', 'payload 4']);
  });

  it('limits its requests, and the next run continues (H8)', async () => {
    const { attempts, asked, taken, clock, process } = scene();
    const { run } = process();
    attempts.push(...unanswered(MAX_REQUESTS_PER_RUN + 50));
    expect(await run()).toBe('unfinished');
    expect(asked).toHaveLength(MAX_REQUESTS_PER_RUN);
    clock.now += RECOVERY_INTERVAL_MS;
    expect(await run()).toBe('done');
    expect(taken).toEqual(guids(MAX_REQUESTS_PER_RUN + 50));
    expect(asked).toHaveLength(MAX_REQUESTS_PER_RUN + 50 + 3);
  });

  it('continues the scan of a long log instead of starting again (H8)', async () => {
    const { attempts, asked, clock, process } = scene();
    const { run } = process();
    const nothing = { event: 'push', action: null };
    attempts.push(...unanswered((MAX_REQUESTS_PER_RUN + 1) * PAGE).map((one) => ({ ...one, ...nothing })));
    expect(await run()).toBe('unfinished');
    clock.now += RECOVERY_INTERVAL_MS;
    expect(await run()).toBe('done');
    expect(new Set(asked).size).toBe(MAX_REQUESTS_PER_RUN + 1);
    expect(asked).toHaveLength(MAX_REQUESTS_PER_RUN + 1);
  });

  it('runs in one process at a time, and after a crash another continues (F8, G2)', async () => {
    const { attempts, asked, taken, clock, process } = scene();
    attempts.push(...unanswered(MAX_REQUESTS_PER_RUN + 50));
    const [one, other] = [process(), process()];
    expect((await Promise.all([one.run(), other.run()])).toSorted()).toEqual(['elsewhere', 'unfinished']);
    expect(asked).toHaveLength(MAX_REQUESTS_PER_RUN);
    clock.now += RECOVERY_INTERVAL_MS;
    await other.run();
    expect(new Set(taken)).toEqual(new Set(guids(MAX_REQUESTS_PER_RUN + 50)));
  });

  it('handles the webhooks before a GitHub error, and none after it (F8)', async () => {
    let down = true;
    const fault = new GitHubError('down', 502, null);
    const { attempts, taken, clock, process } = scene((request) => (down && request === 'payload 3' ? fault : null));
    const { run } = process();
    attempts.push(...unanswered(4));
    await expect(run()).rejects.toBe(fault);
    expect(taken).toEqual(guids(2));
    down = false;
    clock.now += RECOVERY_INTERVAL_MS;
    expect(await run()).toBe('done');
    expect(taken).toEqual(guids(4));
  });

  it('resumes at its time after an outage of the database (F8, H8)', async () => {
    const { attempts, asked, taken, clock, process } = scene();
    const [first, second] = [process(), process()];
    attempts.push(...unanswered(2));
    const died = vi.spyOn(first.options.store, 'endRecovery').mockRejectedValueOnce(new Error('Connection terminated'));
    await expect(first.run()).rejects.toThrow('Connection terminated');
    attempts.push(...unanswered(1, 3));
    asked.length = 0;
    clock.now += 60_000;
    expect(await first.run()).toBe('elsewhere');
    expect(asked).toEqual([]);
    clock.now += RECOVERY_INTERVAL_MS - 60_000;
    expect(await first.run()).toBe('done');
    expect(taken).toEqual(guids(3));
    died.mockRestore();
    expect(await second.run()).toBe('done');
  });

  it('sends a bounded number of requests while the database dies 50 times (H8)', async () => {
    const { attempts, asked, clock, process, restore } = scene();
    attempts.push(...unanswered((MAX_REQUESTS_PER_RUN + 1) * PAGE).map((one) => ({ ...one, event: 'push' })));
    const processes = [process(), process(), process()];
    for (const { options } of processes) {
      const { recordHeartbeat, endRecovery } = options.store;
      let askedBefore = 0;
      vi.spyOn(options.store, 'recordHeartbeat').mockImplementation((at) => recordHeartbeat(at, null));
      // The database dies during each run, and all leases with it. Afterwards it is back.
      vi.spyOn(options.store, 'endRecovery').mockImplementation(async (...given) => {
        const tables = restore.take();
        const isDuringRun = asked.length > askedBefore;
        askedBefore = asked.length;
        if (!isDuringRun || tables.recovery === null) return endRecovery(...given);
        tables.recovery = { ...tables.recovery, lease: null };
        throw new Error('Connection terminated');
      });
    }
    const began = clock.now;
    for (let death = 0; death < 50; death += 1) {
      for (const { run } of processes) await run().catch(() => {});
      clock.now += 60_000;
    }
    const runs = processes.length + Math.ceil((clock.now - began) / CONTINUE_AFTER_MS);
    expect(asked.length).toBeGreaterThan(MAX_REQUESTS_PER_RUN);
    expect(asked.length).toBeLessThanOrEqual(runs * MAX_REQUESTS_PER_RUN);
  });

  it('skips deliveries that another process has handled since (H8)', async () => {
    const { attempts, asked, clock, process } = scene();
    const MINUTE = 60_000;
    const lost = unanswered(MAX_REQUESTS_PER_RUN + 100);
    attempts.push(...lost.map((one, place) => ({ ...one, deliveredAt: NOW - (lost.length - place) * MINUTE })));
    const [first, second] = [process(), process()];
    for (const { options } of [first, second]) options.handleDelivery = async () => 'ignored';
    expect(await first.run()).toBe('unfinished');
    expect(await second.run()).toBe('done');
    clock.now += RECOVERY_INTERVAL_MS;
    asked.length = 0;
    expect(await first.run()).toBe('done');
    expect(asked.length).toBeLessThan(15);
  });

  it('ends a scan early if another process has reached its end since (H8)', async () => {
    const { attempts, asked, clock, process } = scene();
    const nothing = (MAX_REQUESTS_PER_RUN + 100) * PAGE;
    attempts.push(
      ...unanswered(nothing).map((one, place) => ({ ...one, event: 'push', deliveredAt: NOW + place * 100 })),
    );
    clock.now += nothing * 100;
    const [first, second] = [process(), process()];
    expect(await first.run()).toBe('unfinished');
    expect(await second.run()).toBe('unfinished');
    clock.now += RECOVERY_INTERVAL_MS;
    expect(await second.run()).toBe('done');
    clock.now += RECOVERY_INTERVAL_MS;
    asked.length = 0;
    expect(await first.run()).toBe('done');
    expect(asked.length).toBeLessThan(5);
  });

  it('skips an unreadable webhook at the third run (F8)', async () => {
    const fault = new GitHubError('broken', 500, null);
    const { attempts, taken, clock, process } = scene((request) => (request === 'payload 1' ? fault : null));
    const { run } = process();
    attempts.push(...unanswered(2));
    for (let n = 0; n < 2; n += 1) {
      await expect(run()).rejects.toBe(fault);
      clock.now += RECOVERY_INTERVAL_MS;
    }
    expect(await run()).toBe('done');
    expect(taken).toEqual(['g2']);
  });

  it('also checks acknowledged webhooks in a gap (G13)', async () => {
    const { attempts, asked, clock, process } = scene();
    await process().run();
    clock.now += RECOVERY_INTERVAL_MS;
    attempts.push(...answered(1, clock.now));
    const { run } = process();
    await run();
    // Acknowledged, and the pull request is not active: it needs no recovery.
    expect(asked).toEqual(['page null', 'page null', 'page null']);
  });

  it('handles lost webhooks at once after a crash, despite many acknowledged ones (F8, G2)', async () => {
    const { attempts, taken, clock, process, goesOn } = scene();
    await goesOn();
    const died = process();
    await died.run();
    attempts.push(...answered(3 * MAX_REQUESTS_PER_RUN, clock.now));
    clock.now += 2 * CLOCK_SLACK_MS;
    await died.options.heartbeat();
    clock.now += 1_000;
    attempts.push(...unanswered(3, 0).map((one) => ({ ...one, deliveredAt: clock.now })));
    expect(await process().run()).toBe('done');
    expect(taken).toEqual(guids(3, 0));
  });

  it('handles acknowledged and failed webhooks in one order after a restore (G13)', async () => {
    const { attempts, taken, clock, process, goesOn } = scene();
    await goesOn();
    await process().run();
    attempts.push(...answered(1, clock.now + 1_000));
    attempts.push(...unanswered(1).map((one) => ({ ...one, deliveredAt: clock.now + 2_000 })));
    attempts.push(...answered(1, clock.now + 3_000, 2));
    clock.now += 2 * RECOVERY_INTERVAL_MS;
    expect(await process().run()).toBe('done');
    expect(taken).toEqual(['answered-1', 'g1', 'answered-2']);
  });

  it('schedules catch-ups instead of reading thousands of webhooks (G13, H8)', async () => {
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
    clock.now += 2 * RECOVERY_INTERVAL_MS;
    asked.length = 0;
    expect(await process().run()).toBe('done');
    expect(catchesUp()).toEqual([new Date(before - CLOCK_SLACK_MS).toISOString()]);
    expect(taken).toEqual(['answered-9999']);
    expect(asked.length).toBeLessThan(60);
  });

  it('schedules these catch-ups later if the store fails (G13, H8)', async () => {
    const { attempts, asked, clock, process, goesOn, catchesUp } = scene();
    await goesOn();
    const before = clock.now;
    await process().run();
    attempts.push(...answered(1_000, before));
    clock.now += 2 * RECOVERY_INTERVAL_MS;
    const { run, options } = process();
    vi.spyOn(options.store, 'scheduleCatchUps').mockRejectedValueOnce(new Error('away'));
    await expect(run()).rejects.toThrow('away');
    clock.now += RECOVERY_INTERVAL_MS;
    asked.length = 0;
    expect(await run()).toBe('done');
    expect(catchesUp()).toHaveLength(1);
    expect(asked).toEqual([]);
  });

  it('looks up all found webhooks in the inbox at once (H8)', async () => {
    const { attempts, taken, process } = scene();
    const { run, options } = process();
    attempts.push(...unanswered(3));
    const known = vi.spyOn(options.store, 'findKnownDeliveries');
    await run();
    expect(taken).toHaveLength(3);
    expect(known).toHaveBeenCalledTimes(1);
  });

  it('handles webhooks again after an older backup was restored (G13)', async () => {
    const { attempts, taken, clock, process, restore } = scene();
    const { run } = process();
    await run();
    const backup = structuredClone(restore.take());
    clock.now += RECOVERY_INTERVAL_MS;
    attempts.push(...unanswered(1).map((one) => ({ ...one, deliveredAt: clock.now - 1_000 })));
    expect(await run()).toBe('done');
    restore.put(backup);
    clock.now += RECOVERY_INTERVAL_MS;
    expect(await run()).toBe('done');
    expect(taken).toEqual(['g1', 'g1']);
  });

  it('handles them again even if the earlier run was unfinished (G13)', async () => {
    const { attempts, taken, clock, process, restore } = scene();
    const { run, options } = process();
    await run();
    clock.now += RECOVERY_INTERVAL_MS;
    attempts.push(
      ...unanswered(MAX_REQUESTS_PER_RUN + 50).map((one, place) => ({ ...one, deliveredAt: clock.now + place })),
    );
    clock.now += RECOVERY_INTERVAL_MS;
    await options.heartbeat();
    const backup = structuredClone(restore.take());
    clock.now += 1_000;
    expect(await run()).toBe('unfinished');
    taken.length = 0;
    restore.put(backup);
    for (let n = 0; n < 3; n += 1) {
      clock.now += RECOVERY_INTERVAL_MS;
      await run();
    }
    expect(new Set(taken)).toEqual(new Set(guids(MAX_REQUESTS_PER_RUN + 50)));
  });

  it('schedules catch-ups again if the same backup is restored twice (G13, H8)', async () => {
    const { attempts, clock, process, goesOn, catchesUp, restore } = scene();
    await goesOn();
    const { run, options } = process();
    await run();
    const backup = structuredClone(restore.take());
    clock.now += 1_000;
    await options.heartbeat();
    attempts.push(...answered(1_000, clock.now));
    for (let times = 0; times < 2; times += 1) {
      clock.now += 2 * RECOVERY_INTERVAL_MS;
      restore.put(structuredClone(backup));
      await run();
      expect(catchesUp()).toHaveLength(1);
    }
  });

  it('opens a gap after a database outage (G13)', async () => {
    const { clock } = scene();
    const lastHeartbeats: (number | null)[] = [];
    const answers = [null, null, new Error('away'), null, null];
    const store = {
      recordHeartbeat: async (_at: number, last: number | null) => {
        lastHeartbeats.push(last);
        const error = answers[lastHeartbeats.length - 1] ?? null;
        if (error !== null) throw error;
      },
    };
    const heartbeat = createHeartbeat({ store, onDisconnect() {}, githubTime: () => clock.now });
    for (const error of answers) {
      clock.now += 1_000;
      await heartbeat().catch((thrown) => expect(thrown).toBe(error));
    }
    expect(lastHeartbeats).toEqual([null, NOW + 1_000, NOW + 2_000, null, NOW + 4_000]);
  });

  it('opens a gap after a disconnect between or during heartbeats (G13)', async () => {
    const { clock } = scene();
    const lastHeartbeats: (number | null)[] = [];
    let cut = (): void => {};
    const store = {
      recordHeartbeat: async (_at: number, last: number | null) => {
        lastHeartbeats.push(last);
        if (lastHeartbeats.length === 3) cut();
      },
    };
    const onDisconnect = (listener: () => void): void => {
      cut = listener;
    };
    const heartbeat = createHeartbeat({ store, onDisconnect, githubTime: () => clock.now });
    for (const breaks of [false, true, false, false]) {
      clock.now += 1_000;
      if (breaks) cut();
      await heartbeat();
    }
    clock.now += 1_000;
    await heartbeat();
    expect(lastHeartbeats).toEqual([null, null, NOW + 2_000, null, NOW + 4_000]);
  });

  it('schedules catch-ups if the first run failed and days have passed (F8)', async () => {
    const { clock, process, goesOn, catchesUp } = scene();
    await goesOn();
    const before = clock.now;
    await process().options.heartbeat();
    clock.now += 5 * 24 * 60 * 60_000;
    await process().run();
    expect(catchesUp()).toEqual([new Date(before - CLOCK_SLACK_MS).toISOString()]);
  });
});

describe('startRecovery', () => {
  function looping(fails: (request: string) => GitHubError | null) {
    const { process, asked, attempts, clock, metrics, aliveUntil } = scene(fails);
    const ticks: (() => void)[] = [];
    const every = (_ms: number, tick: () => void) => {
      ticks.push(tick);
      return () => void ticks.splice(0);
    };
    const recoveryRuns = metrics.counter(METRIC_DEFINITIONS.recoveryRuns);
    const sweeper = startRecovery({ ...process().options, clock: { now: () => clock.now, every }, recoveryRuns });
    const settled = async (): Promise<void> => {
      for (const tick of ticks) tick();
      while (sweeper.isBusy()) await new Promise((resolve) => setImmediate(resolve));
    };
    return { asked, attempts, clock, metrics, sweeper, settled, aliveUntil };
  }

  it('stops after the first run on a server without a delivery log (H8)', async () => {
    const { asked, clock, metrics, settled } = looping(() => new GitHubError('Not Found', 404, null));
    await settled();
    clock.now += 10 * RECOVERY_INTERVAL_MS;
    await settled();
    expect(asked).toEqual(['page null']);
    expect(await metrics.render()).toContain('recovery_runs_total{result="refused"} 1');
  });

  it('continues an unfinished run after a pause that respects the App’s rate limit (H8, F8)', async () => {
    const { asked, attempts, clock, settled } = looping(() => null);
    attempts.push(...unanswered(MAX_REQUESTS_PER_RUN + 50));
    await settled();
    clock.now = NOW + CONTINUE_AFTER_MS - 1;
    await settled();
    expect(asked).toHaveLength(MAX_REQUESTS_PER_RUN);
    clock.now = NOW + CONTINUE_AFTER_MS;
    await settled();
    expect(asked.length).toBeGreaterThan(MAX_REQUESTS_PER_RUN);
    expect((MAX_REQUESTS_PER_RUN * 60 * 60_000) / CONTINUE_AFTER_MS).toBeLessThan(5_000);
  });

  it('sends heartbeats between the runs (G13)', async () => {
    const { clock, settled, aliveUntil } = looping(() => null);
    await settled();
    clock.now = NOW + 60_000;
    await settled();
    expect(aliveUntil()).toBe(NOW + 60_000);
  });

  it('sends no request before the time that GitHub requested (H8)', async () => {
    let limited = true;
    const until = NOW + 20 * 60_000;
    const { asked, clock, settled } = looping(() => (limited ? new GitHubError('limit', 403, until) : null));
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
