import { describe, expect, it } from 'vitest';
import { PollTimer } from '../../../src/worker/worker.ts';

const LONG_MS = 60_000;

describe('PollTimer', () => {
  it('wakes all sleepers', async () => {
    const timer = new PollTimer();
    const both = Promise.all([timer.wait(LONG_MS, timer.wakeCount), timer.wait(LONG_MS, timer.wakeCount)]);
    timer.wake();
    await expect(both).resolves.toEqual([undefined, undefined]);
  });

  it('does not sleep if it was woken during the look for work', async () => {
    const timer = new PollTimer();
    const { wakeCount } = timer;
    const other = timer.wait(LONG_MS, wakeCount);
    timer.wake();
    await other;
    await expect(timer.wait(LONG_MS, wakeCount)).resolves.toBeUndefined();
  });

  it('sleeps the whole time if it is not woken again', async () => {
    const timer = new PollTimer();
    timer.wake();
    const waited = timer.wait(30, timer.wakeCount).then(() => 'slept');
    expect(await Promise.race([waited, Promise.resolve('awake')])).toBe('awake');
    expect(await waited).toBe('slept');
  });
});
