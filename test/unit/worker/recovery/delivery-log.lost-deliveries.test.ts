import { describe, expect, it } from 'vitest';
import type { LoggedDelivery } from '../../../../src/core/step/ports.ts';
import { findLostDeliveries, type LostDelivery, shouldRecover } from '../../../../src/worker/recovery/delivery-log.ts';

const NOWHERE: ReadonlySet<number> = new Set();

/** An unacknowledged delivery attempt for a comment in repository 2. */
function attempt(id: number, more: Partial<LoggedDelivery> = {}): LoggedDelivery {
  const about = { event: 'issue_comment', action: 'created', repositoryId: 2, status: 'timed out' };
  return { id: String(id), guid: `g${id}`, deliveredAt: id * 1000, acknowledged: false, ...about, ...more };
}

const idsOf = (lost: readonly LostDelivery[]): readonly string[] => lost.map(({ id }) => id);

describe('findLostDeliveries', () => {
  it('returns each webhook once, by its oldest attempt, oldest first (F8)', () => {
    const log = [attempt(5, { guid: 'a' }), attempt(4), attempt(3, { guid: 'a' }), attempt(2)];
    expect(idsOf(findLostDeliveries(log, NOWHERE))).toEqual(['2', '3', '4']);
  });

  it('skips a webhook with an acknowledged attempt, before or after a failed one (F4, F8)', () => {
    const log = [
      attempt(4, { guid: 'a', acknowledged: true }),
      attempt(3, { guid: 'a' }),
      attempt(2, { acknowledged: true }),
    ];
    expect(findLostDeliveries([...log, attempt(1, { guid: 'g2' })], NOWHERE)).toEqual([]);
  });

  it('skips irrelevant events (F8)', () => {
    const nothing = [
      { event: 'push', action: null },
      { event: 'pull_request', action: 'labeled' },
      { event: 'installation', action: 'created' },
      { event: 'constructor', action: 'toString' },
    ].map((about, place) => attempt(place, about));
    expect(findLostDeliveries(nothing, NOWHERE)).toEqual([]);
    const something = [
      { event: 'pull_request', action: 'synchronize' },
      { event: 'pull_request_review', action: 'submitted' },
      { event: 'installation', action: 'deleted', repositoryId: null },
    ].map((about, place) => attempt(place, about));
    expect(findLostDeliveries(something, NOWHERE)).toHaveLength(3);
  });

  it('returns an acknowledged webhook only for active repositories and installations (G13)', () => {
    const gone = { event: 'installation', action: 'deleted', repositoryId: null };
    const log = [{ repositoryId: 3 }, { repositoryId: 2 }, gone].map((about, place) =>
      attempt(place, { ...about, acknowledged: true }),
    );
    expect(idsOf(findLostDeliveries(log, new Set([2])))).toEqual(['2', '1']);
  });
});

describe('shouldRecover', () => {
  const active = [{ repositoryId: 2, number: 7 }];
  const [answered] = findLostDeliveries([attempt(1, { acknowledged: true })], new Set([2]));
  const [unanswered] = findLostDeliveries([attempt(1)], NOWHERE);

  it('accepts every unacknowledged webhook (F8)', () => {
    expect(unanswered && shouldRecover(unanswered, {}, [])).toBe(true);
  });

  it('accepts an acknowledged webhook of an active pull request or its issue (G13)', () => {
    const wanted = (payload: unknown) => answered && shouldRecover(answered, payload, active);
    expect(wanted({ issue: { number: 7 } })).toBe(true);
    expect(wanted({ pull_request: { number: 7 } })).toBe(true);
    expect(wanted({ issue: { number: 8 } })).toBe(false);
    expect(wanted({ issue: { number: '7' } })).toBe(false);
    expect(wanted(null)).toBe(false);
  });
});
