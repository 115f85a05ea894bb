import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createMemoryStore } from '../../../lab/simulation/memory-store/memory-store.ts';
import { createMemoryTables } from '../../../lab/simulation/memory-store/tables.ts';
import { createLogger } from '../../../src/adapters/telemetry/log.ts';
import { watchStorage } from '../../../src/app/storage-health.ts';
import { isRecord, parseJson } from '../../../src/lib/trust.ts';
import { delivery } from '../../contracts/store/samples.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => {
  vi.restoreAllMocks();
  vi.useRealTimers();
});

const FULL = Object.assign(new Error('could not extend file: No space left on device'), { code: '53100' });

function watched() {
  const lines: string[] = [];
  const log = createLogger({
    level: 'info',
    format: 'json',
    secrets: [],
    stream: { write: (line) => void lines.push(line) },
  });
  const inner = createMemoryStore(createMemoryTables(), 1);
  const rehearsal = vi.spyOn(inner, 'rehearseReceive');
  const { store, storage } = watchStorage({ store: inner, log, now: Date.now });
  const messages = () => lines.map(parseJson).map((line) => (isRecord(line) ? line['msg'] : null));
  return { inner, rehearsal, store, storage, messages };
}

describe('the health of the storage (O17)', () => {
  it('follows from the worker’s own writes, without further queries', async () => {
    const { store, storage, rehearsal } = watched();
    await store.receive([delivery('a')], 1);
    for (let second = 0; second < 40; second += 10) {
      await storage.check();
      vi.advanceTimersByTime(10_000);
      await store.recordHeartbeat(second, null);
    }
    expect(rehearsal).not.toHaveBeenCalled();
  });

  it('is rehearsed without other writes, once in 15 s for any number of checks', async () => {
    const { storage, rehearsal } = watched();
    for (let second = 0; second < 60; second += 1) {
      await Promise.all([storage.check(), storage.check()]);
      vi.advanceTimersByTime(1_000);
    }
    expect(rehearsal).toHaveBeenCalledTimes(4);
  });

  it('ends with a write that fails, and returns once a delivery could be stored, not with a smaller write', async () => {
    const { inner, store, storage, rehearsal, messages } = watched();
    await storage.check();
    rehearsal.mockRejectedValue(FULL);
    vi.spyOn(inner, 'receive').mockRejectedValueOnce(FULL);
    await expect(store.receive([delivery('a')], 1)).rejects.toThrow(FULL);
    await expect(storage.check()).rejects.toThrow(FULL);
    await store.recordHeartbeat(2, null);
    await expect(storage.check()).rejects.toThrow(FULL);
    await vi.advanceTimersByTimeAsync(90_000);
    await expect(storage.check()).rejects.toThrow(FULL);
    // One rehearsal every 2 s, however many ask.
    expect(rehearsal).toHaveBeenCalledTimes(46);
    rehearsal.mockResolvedValue();
    await vi.advanceTimersByTimeAsync(4_000);
    await storage.check();
    expect(messages()).toEqual(['database cannot store', 'database cannot store', 'database can store again']);
  });

  it('is not harmed by errors that are no outage, or by a lost race', async () => {
    const { inner, store, storage, messages } = watched();
    const deadlock = Object.assign(new Error('deadlock detected'), { code: '40P01' });
    vi.spyOn(inner, 'load').mockRejectedValueOnce(new TypeError('a bug')).mockRejectedValueOnce(deadlock);
    const load = () => store.load('1/2/3', { ids: [], commentId: null });
    await expect(load()).rejects.toThrow('a bug');
    await expect(load()).rejects.toThrow(deadlock);
    await storage.check();
    expect(messages()).toEqual([]);
  });

  it('rehearses no more once it is stopped', async () => {
    const { store, inner, storage, rehearsal } = watched();
    vi.spyOn(inner, 'nextDue').mockRejectedValue(FULL);
    await expect(store.nextDue(1)).rejects.toThrow(FULL);
    storage.stop();
    await expect(store.nextDue(1)).rejects.toThrow(FULL);
    await vi.advanceTimersByTimeAsync(10_000);
    expect(rehearsal).not.toHaveBeenCalled();
  });
});
