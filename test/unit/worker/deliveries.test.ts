import { describe, expect, it } from 'vitest';
import { SILENT_LOG } from '../../../lab/shared/silent.ts';
import { createMemoryStore } from '../../../lab/simulation/memory-store/memory-store.ts';
import { createMemoryTables } from '../../../lab/simulation/memory-store/tables.ts';
import { createMetrics } from '../../../src/adapters/telemetry/metrics.ts';
import type { CheckEvent } from '../../../src/core/state/checks.ts';
import { type DeliveryLog, GitHubError, type LoggedDelivery } from '../../../src/core/step/ports.ts';
import {
  createLookMemory,
  LOOK_INTERVAL_MS,
  type LookResult,
  lookForDeliveries,
  startDeliveryReader,
} from '../../../src/worker/deliveries.ts';
import { delivery } from '../../contracts/store/samples.ts';

const NOW = Date.parse('2026-11-21T12:00:00Z');

const DAY = 86_400_000;

const PAGE = 100;

/** Failed attempts to deliver comments, oldest first. */
function failed(count: number, from = 1): readonly LoggedDelivery[] {
  return Array.from({ length: count }, (_, place) => {
    const id = String(from + place);
    const about = { event: 'issue_comment', action: 'created', repositoryId: 1 };
    return { id, guid: `g${id}`, deliveredAt: NOW - 100_000 + (from + place) * 10, ...about };
  });
}

const guids = (count: number): readonly string[] => failed(count).map(({ guid }) => guid);

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
    async fetchPage(cursor) {
      ask(`page ${cursor}`);
      const newestFirst = attempts.toReversed();
      const from = Number(cursor ?? 0);
      const next = newestFirst.length > from + PAGE ? String(from + PAGE) : null;
      return { deliveries: newestFirst.slice(from, from + PAGE), nextCursor: next };
    },
    async fetchPayload(id) {
      ask(`payload ${id}`);
      return { action: 'created', issue: { number: 1 } };
    },
  };
  const process = () => {
    const store = createMemoryStore(tables);
    const memory = createLookMemory();
    const options = {
      ...{ deliveries, store, log: SILENT_LOG, recoveredDeliveries: { inc() {} } },
      handleDelivery: async ({ id }: { readonly id: string }) => {
        taken.push(id);
        tables.deliveryIds.add(id);
        return 'stored';
      },
      now: () => clock.now,
      intervalMs: LOOK_INTERVAL_MS,
    };
    return { options, look: (): Promise<LookResult> => lookForDeliveries(memory, options) };
  };
  const wait = (ms = LOOK_INTERVAL_MS): void => {
    clock.now += ms;
    asked.length = 0;
  };
  /** The signals of the only pull request, which has a task. */
  const signals = () =>
    [...tables.pulls.values()].flatMap(({ pendingSignals }) => pendingSignals.map(({ signal }) => signal?.type));
  return { attempts, asked, taken, clock, wait, process, signals };
}

describe('a look at the delivery log', () => {
  it('reads all that is lost before it stores it, oldest first; the next look finds only what is new (F8, V4)', async () => {
    const { attempts, asked, taken, wait, process } = scene((request) => {
      expect(taken).toEqual(request.startsWith('payload') && request !== 'payload 251' ? [] : taken);
      return null;
    });
    attempts.push(...failed(250));
    const { look } = process();
    expect(await look()).toBe('done');
    expect(taken).toEqual(guids(250));
    attempts.push(...failed(1, 251));
    wait();
    expect(await look()).toBe('done');
    expect(taken).toEqual(guids(251));
    expect(asked).toEqual(['page null', 'page 100', 'page 200', 'payload 251']);
    wait(3 * LOOK_INTERVAL_MS);
    await look();
    wait(3 * LOOK_INTERVAL_MS);
    await look();
    expect(asked).toEqual(['page null']);
  });

  it('takes each webhook once, and none that is stored or can mean nothing (F4, F8)', async () => {
    const { attempts, asked, process } = scene();
    const [one, other, third] = failed(3);
    if (one === undefined || other === undefined || third === undefined) throw new Error('three');
    attempts.push(one, { ...other, guid: one.guid }, { ...third, event: 'star' });
    await process().look();
    expect(asked).toEqual(['page null', 'payload 1']);
    const again = process();
    await again.look();
    expect(asked).toEqual(['page null', 'payload 1', 'page null']);
  });

  it('is made by one process at a time, every five minutes, and at the start of a process (F8, G2)', async () => {
    const { attempts, taken, wait, process } = scene();
    const [first, second] = [process(), process()];
    attempts.push(...failed(1));
    expect(await first.look()).toBe('done');
    expect(await second.look()).toBe('done');
    expect([await first.look(), await second.look()]).toEqual(['elsewhere', 'elsewhere']);
    wait();
    expect([await first.look(), await second.look()]).toEqual(['done', 'elsewhere']);
    expect(taken).toEqual(['g1']);
  });

  it('stores nothing if GitHub fails, and everything at the next look (F8)', async () => {
    let away = true;
    const { attempts, taken, wait, process } = scene((request) =>
      away && request === 'payload 3' ? new GitHubError('away', null, null) : null,
    );
    attempts.push(...failed(5));
    const { look } = process();
    await expect(look()).rejects.toThrow('away');
    expect(taken).toEqual([]);
    away = false;
    wait();
    expect(await look()).toBe('done');
    expect(taken).toEqual(guids(5));
  });

  it('R2: asks for all payloads before it waits for those that are not found', async () => {
    let isFirst = true;
    const { attempts, asked, taken, wait, process } = scene((request) =>
      isFirst && request.startsWith('payload') ? new GitHubError('Not Found', 404, NOW + 5_000) : null,
    );
    attempts.push(...failed(3));
    const { look } = process();
    await expect(look()).rejects.toThrow('Not Found');
    expect(asked.slice(1)).toEqual(['payload 1', 'payload 2', 'payload 3']);
    expect(taken).toEqual([]);
    isFirst = false;
    wait();
    expect(await look()).toBe('done');
    expect(taken).toEqual(guids(3));
  });

  it('skips a payload that GitHub refuses three times (F8)', async () => {
    const { attempts, taken, wait, process } = scene((request) =>
      request === 'payload 1' ? new GitHubError('broken', 500, null) : null,
    );
    attempts.push(...failed(2));
    const { look } = process();
    for (let n = 0; n < 2; n += 1) {
      await expect(look()).rejects.toThrow('broken');
      wait();
    }
    expect(await look()).toBe('done');
    expect(taken).toEqual(['g2']);
  });

  it('O3: reads of check events only a pressed button, and tells once of each that is completed', async () => {
    const { attempts, taken, process, wait } = scene();
    const rows = ['check_run requested_action', 'check_run completed', 'check_suite completed', 'status'];
    for (const [at, row] of rows.entries()) {
      const [event = '', action = null] = row.split(' ');
      attempts.push(...failed(1, at + 1).map((one) => ({ ...one, event, action })));
    }
    const { options } = process();
    const told: string[] = [];
    const noticeChecks = async (event: CheckEvent) => void told.push(`${event.key} in ${event.repositoryId}`);
    const store = { ...options.store, noticeChecks };
    const memory = createLookMemory();
    await lookForDeliveries(memory, { ...options, store });
    wait();
    await lookForDeliveries(memory, { ...options, store });
    expect(taken).toEqual(['g1']);
    expect(told.toSorted()).toEqual(['g3 in 1', 'g4 in 1']);
  });

  it.each([
    ['after a gap that the log does not reach', 4 * DAY, 1, true],
    ['not within three days', 2 * DAY, 1, false],
    ['where more is lost than one look can store', LOOK_INTERVAL_MS, 1_001, true],
  ])('voids votes %s (F8, V4)', async (_, ms, count, voids) => {
    const { attempts, taken, wait, process, signals } = scene();
    const { look, options } = process();
    await options.store.receive(delivery('task', 1), NOW);
    await look();
    expect(signals()).toEqual(['intent']);
    wait(ms);
    attempts.push(...failed(count).map((one) => ({ ...one, deliveredAt: one.deliveredAt + ms })));
    expect(await look()).toBe(count > 1_000 ? 'unfinished' : 'done');
    expect(signals().includes('dead-lettered')).toBe(voids);
    expect(taken).toHaveLength(Math.min(count, 1_000));
    wait();
    await look();
    expect(taken).toHaveLength(count);
  });
});

describe('the reader of the delivery log', () => {
  async function start(fault: GitHubError, intervalMs = LOOK_INTERVAL_MS) {
    const { asked, clock, process } = scene(() => fault);
    const metrics = createMetrics();
    let tick = (): void => {};
    const every = (_ms: number, call: () => void): (() => void) => {
      tick = call;
      return () => {};
    };
    const { options } = process();
    const recoveryRuns = metrics.recoveryRuns;
    const reader = startDeliveryReader({
      ...options,
      intervalMs,
      clock: { now: () => clock.now, every },
      recoveryRuns,
    });
    const at = async (ms: number): Promise<number> => {
      clock.now = NOW + ms;
      tick();
      await new Promise(setImmediate);
      return asked.length;
    };
    await at(0);
    return { at, reader, metrics };
  }

  it('asks a server without a delivery log every hour (H8, R3)', async () => {
    const { at, metrics, reader } = await start(new GitHubError('no log', 404, null));
    expect(await at(59 * 60_000)).toBe(1);
    expect(reader.isBusy()).toBe(false);
    expect(await metrics.render()).toContain('recovery_runs_total{result="refused"} 1');
    expect(await at(60 * 60_000)).toBe(2);
  });

  it('O3: looks at the interval of a poll, also after an error', async () => {
    const { at } = await start(new GitHubError('away', 502, null), 5_000);
    expect([await at(4_900), await at(5_000), await at(9_900), await at(10_000)]).toEqual([1, 2, 2, 3]);
    const limited = await start(new GitHubError('limit', 403, NOW + 600_000), 5_000);
    expect([await limited.at(599_000), await limited.at(600_000)]).toEqual([1, 2]);
  });

  it('asks again after a minute, or at the time that GitHub names (H8)', async () => {
    const { at } = await start(new GitHubError('away', 502, null));
    expect([await at(59_000), await at(LOOK_INTERVAL_MS)]).toEqual([1, 2]);
    const limited = await start(new GitHubError('limit', 403, NOW + 600_000));
    expect([await limited.at(LOOK_INTERVAL_MS), await limited.at(600_000)]).toEqual([1, 2]);
  });
});
