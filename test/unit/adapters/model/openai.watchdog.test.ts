import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { startWatchdog } from '../../../../src/adapters/model/openai.ts';

beforeEach(() => void vi.useFakeTimers());

afterEach(() => void vi.useRealTimers());

const LIMITS = { timeoutMs: 900_000, idleTimeoutMs: 90_000 };

describe('startWatchdog', () => {
  it('lets a model think before its first byte for as long as a whole answer may take (S163)', () => {
    const watchdog = startWatchdog(LIMITS);
    vi.advanceTimersByTime(899_000);
    expect(watchdog.bite()).toBeNull();
    vi.advanceTimersByTime(1_000);
    expect(watchdog.bite()).toEqual({ kind: 'timeout', afterMs: 900_000 });
    expect(watchdog.signal.aborted).toBe(true);
  });

  it('ends silence after the first byte at the idle timeout (S163)', () => {
    const watchdog = startWatchdog(LIMITS);
    watchdog.onBytes();
    vi.advanceTimersByTime(80_000);
    watchdog.onBytes();
    vi.advanceTimersByTime(80_000);
    expect(watchdog.bite()).toBeNull();
    vi.advanceTimersByTime(20_000);
    expect(watchdog.bite()).toEqual({ kind: 'stalled' });
  });

  it('ends a lively answer at the whole timeout, and nothing once it is stopped (S163)', () => {
    const [lively, stopped] = [startWatchdog(LIMITS), startWatchdog(LIMITS)];
    stopped.stop();
    for (let second = 0; second < 1_000; second += 10) {
      vi.advanceTimersByTime(10_000);
      lively.onBytes();
    }
    expect(lively.bite()).toEqual({ kind: 'timeout', afterMs: 900_000 });
    expect(stopped.bite()).toBeNull();
    lively.stop();
    expect(vi.getTimerCount()).toBe(0);
  });
});
