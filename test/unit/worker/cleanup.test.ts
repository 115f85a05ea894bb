import { describe, expect, it } from 'vitest';
import { startCleanup } from '../../../src/worker/cleanup.ts';

const HOUR = 3_600_000;

/** A manual clock, and a store with this many batches to delete in each run. */
function scene(batches: number) {
  let now = 0;
  let ticking: (() => void) | null = null;
  const asked: number[] = [];
  const warned: string[] = [];
  const state = { left: batches, broken: false };
  const retention = startCleanup({
    clock: {
      now: () => now,
      every: (_ms, tick) => {
        ticking = tick;
        return () => {
          ticking = null;
        };
      },
    },
    store: {
      async deleteExpired(at) {
        asked.push(at);
        if (state.broken) throw new Error('away');
        state.left -= 1;
        return state.left > 0;
      },
    },
    log: { warn: (_fields: object, message: string) => void warned.push(message) },
  });
  const tick = async (ms: number): Promise<void> => {
    now += ms;
    ticking?.();
    for (let turn = 0; turn < 20; turn += 1) await Promise.resolve();
  };
  return { retention, tick, asked, warned, state, ticks: () => ticking !== null };
}

describe('startCleanup', () => {
  it('deletes all batches, and runs again after an hour', async () => {
    const { tick, asked, state } = scene(3);
    await tick(1);
    expect(asked).toEqual([1, 1, 1]);
    state.left = 1;
    await tick(HOUR - 1);
    expect(asked).toHaveLength(3);
    await tick(1);
    expect(asked).toHaveLength(4);
  });

  it('continues after an error, and not after a stop', async () => {
    const { retention, tick, asked, warned, state, ticks } = scene(1);
    state.broken = true;
    await tick(1);
    expect(warned).toHaveLength(1);
    state.broken = false;
    await tick(HOUR);
    expect(asked).toHaveLength(2);
    await retention.stop();
    expect(ticks()).toBe(false);
  });
});
