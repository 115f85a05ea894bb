import { describe, expect, it } from 'vitest';
import { Wakener } from '../../src/worker/wakener.ts';

const LONG = 60_000;

describe('Wakener', () => {
  it('rouses everybody who sleeps', async () => {
    const wakener = new Wakener();
    const both = Promise.all([wakener.wait(LONG, wakener.calls), wakener.wait(LONG, wakener.calls)]);
    wakener.wake();
    await expect(both).resolves.toEqual([undefined, undefined]);
  });

  it('does not let somebody sleep over a call that came while they looked for work', async () => {
    const wakener = new Wakener();
    const { calls } = wakener;
    const other = wakener.wait(LONG, calls);
    wakener.wake();
    await other;
    await expect(wakener.wait(LONG, calls)).resolves.toBeUndefined();
  });

  it('lets sleep on when nothing new came', async () => {
    const wakener = new Wakener();
    wakener.wake();
    const waited = wakener.wait(30, wakener.calls).then(() => 'slept');
    expect(await Promise.race([waited, Promise.resolve('awake')])).toBe('awake');
    expect(await waited).toBe('slept');
  });
});
