import { describe, expect, it } from 'vitest';
import type { LoggedDelivery } from '../../src/sweep/delivery-log.ts';
import { isWanted, type LostDelivery, lostAmong } from '../../src/sweep/lost.ts';

const NOWHERE: ReadonlySet<number> = new Set();

/** An attempt that nobody answered at a comment in repository 2. */
function attempt(id: number, more: Partial<LoggedDelivery> = {}): LoggedDelivery {
  const about = { event: 'issue_comment', action: 'created', repositoryId: 2 };
  return { id: String(id), guid: `g${id}`, deliveredAt: id * 1000, answered: false, ...about, ...more };
}

const idsOf = (lost: readonly LostDelivery[]): readonly string[] => lost.map(({ id }) => id);

describe('which webhooks of the log were lost', () => {
  it('F8: each once, by its oldest attempt, oldest first', () => {
    const log = [attempt(5, { guid: 'a' }), attempt(4), attempt(3, { guid: 'a' }), attempt(2)];
    expect(idsOf(lostAmong(log, NOWHERE))).toEqual(['2', '3', '4']);
  });

  it('F4, F8: none of which any attempt was answered, before or after one that was not', () => {
    const log = [attempt(4, { guid: 'a', answered: true }), attempt(3, { guid: 'a' }), attempt(2, { answered: true })];
    expect(lostAmong([...log, attempt(1, { guid: 'g2' })], NOWHERE)).toEqual([]);
  });

  it('F8: what can mean nothing is not asked for', () => {
    const nothing = [
      { event: 'push', action: null },
      { event: 'pull_request', action: 'labeled' },
      { event: 'installation', action: 'created' },
      { event: 'constructor', action: 'toString' },
    ].map((about, place) => attempt(place, about));
    expect(lostAmong(nothing, NOWHERE)).toEqual([]);
    const something = [
      { event: 'pull_request', action: 'synchronize' },
      { event: 'pull_request_review', action: 'submitted' },
      { event: 'installation', action: 'deleted', repositoryId: null },
    ].map((about, place) => attempt(place, about));
    expect(lostAmong(something, NOWHERE)).toHaveLength(3);
  });

  it('G13: what was answered is asked for only where something goes on here, or where it is about an installation', () => {
    const gone = { event: 'installation', action: 'deleted', repositoryId: null };
    const log = [{ repositoryId: 3 }, { repositoryId: 2 }, gone].map((about, place) =>
      attempt(place, { ...about, answered: true }),
    );
    expect(idsOf(lostAmong(log, new Set([2])))).toEqual(['2', '1']);
  });
});

describe('whether a lost webhook is taken, now that it was read', () => {
  const active = [{ repositoryId: 2, number: 7 }];
  const [answered] = lostAmong([attempt(1, { answered: true })], new Set([2]));
  const [unanswered] = lostAmong([attempt(1)], NOWHERE);

  it('F8: one that nobody answered always is', () => {
    expect(unanswered && isWanted(unanswered, {}, [])).toBe(true);
  });

  it('G13: one that was answered is where a run goes on, whether it names the pull request as such or as an issue', () => {
    const wanted = (payload: unknown) => answered && isWanted(answered, payload, active);
    expect(wanted({ issue: { number: 7 } })).toBe(true);
    expect(wanted({ pull_request: { number: 7 } })).toBe(true);
    expect(wanted({ issue: { number: 8 } })).toBe(false);
    expect(wanted({ issue: { number: '7' } })).toBe(false);
    expect(wanted(null)).toBe(false);
  });
});
