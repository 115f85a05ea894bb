import { describe, expect, it } from 'vitest';
import { Alarm } from '../../../src/worker/worker.ts';

describe('the alarm of the worker', () => {
  it('does not sleep if it was woken during the look for work', async () => {
    const alarm = new Alarm();
    const { wakeCount } = alarm;
    const asleep = alarm.sleep(60_000, wakeCount);
    alarm.wake();
    await asleep;
    await expect(alarm.sleep(60_000, wakeCount)).resolves.toBeUndefined();
  });

  it('sleeps the whole time if it is not woken again', async () => {
    const alarm = new Alarm();
    alarm.wake();
    const slept = alarm.sleep(30, alarm.wakeCount).then(() => 'slept');
    expect(await Promise.race([slept, Promise.resolve('awake')])).toBe('awake');
    expect(await slept).toBe('slept');
  });
});
