import { describe, expect, it } from 'vitest';
import { createThrottle } from '../../../../src/adapters/telemetry/log.ts';

describe('createThrottle', () => {
  it('allows one line a minute of each kind, and says how many it suppressed (O4, O14)', () => {
    let now = 1_000;
    const throttle = createThrottle<'one' | 'other'>(() => now);
    expect(throttle('one')).toEqual({ suppressed: 0 });
    expect([throttle('one'), throttle('one')]).toEqual([null, null]);
    expect(throttle('other')).toEqual({ suppressed: 0 });
    now += 59_999;
    expect(throttle('one')).toBeNull();
    now += 1;
    expect(throttle('one')).toEqual({ suppressed: 3 });
    now += 60_000;
    expect(throttle('one')).toEqual({ suppressed: 0 });
  });
});
