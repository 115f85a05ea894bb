import { describe, expect, it } from 'vitest';
import { WorkHints } from '../../../src/worker/work-pool.ts';

/** Hints after the first look for work. */
function hintsAfterLook(): WorkHints {
  const hints = new WorkHints();
  hints.lookStarted();
  return hints;
}

describe('WorkHints', () => {
  it('looks for due work at the start', () => {
    expect(new WorkHints().shouldLook(0, false)).toBe(true);
  });

  it('returns each hint of this process once, without a look', () => {
    const hints = hintsAfterLook();
    hints.addHint({ lane: 'exclusive', count: 2 });
    hints.addHint({ lane: 'exclusive', count: 1 });
    hints.addHint({ lane: 'concurrent', count: 1 });
    expect(hints.shouldLook(1_000, true)).toBe(false);
    expect(hints.takeHints()).toEqual({ exclusive: 3, concurrent: 1 });
    expect(hints.takeHints()).toBeNull();
  });

  it('looks at once for work that another process stored', () => {
    const hints = hintsAfterLook();
    hints.addHint(null);
    expect(hints.shouldLook(1_000, false)).toBe(true);
  });

  it('looks for follow-up work at once when idle, and otherwise after 100 ms', () => {
    const hints = hintsAfterLook();
    hints.workEnded('exclusive', false, 1_000);
    hints.workEnded('exclusive', false, 1_015);
    expect(hints.shouldLook(1_000, true)).toBe(true);
    expect(hints.shouldLook(1_099, false)).toBe(false);
    expect(hints.shouldLook(1_100, false)).toBe(true);
    hints.lookStarted();
    expect(hints.shouldLook(9_000, true)).toBe(false);
  });

  it('gives a hint when work ends in a full lane', () => {
    const hints = hintsAfterLook();
    hints.workEnded('concurrent', true, 1_000);
    expect(hints.takeHints()).toEqual({ exclusive: 0, concurrent: 1 });
  });
});
