import { describe, expect, it } from 'vitest';
import type { Effect } from '../../src/run/effect.ts';
import type { Pull } from '../../src/run/run.ts';
import type { Store } from '../../src/store/store.ts';
import { expire, seeDeadline } from '../../src/worker/deadlines.ts';
import type { Job } from '../../src/worker/job.ts';
import { workOutHere } from '../../src/worker/work-out.ts';
import { posted, pullOf, run } from '../store/samples.ts';

const AT = '2030-01-08T12:00:00.000Z';
const NOW = Date.parse(AT);

const refuse = (): never => {
  throw new Error('nothing else is asked');
};

/** A look at this pull request, so many ms after the deadline by our clock, with GitHub's so far ahead of it. */
function look(pull: Pull, late: number, ahead: number): Job<'see-deadline'> {
  const effect: Effect = { type: 'see-deadline', at: AT, wantedAt: '2030-01-01T12:00:00.000Z' };
  const stored = { id: 1, pullKey: '1/2/1', effect, attempts: 1, limited: 0, faults: 0, since: AT };
  const store: Pick<Store, 'load'> = { load: async () => pull };
  return {
    context: {
      store: Object.assign(Object.create(null), store),
      githubs: { for: refuse, self: refuse, ahead: () => ahead },
      model: { ask: refuse, askForWords: refuse },
      clock: { now: () => NOW + late, every: refuse },
      log: { info() {}, warn() {}, error() {} },
      self: { slug: 'countersign', botId: 1 },
      serves: () => true,
      workOut: workOutHere,
      links: refuse,
      count() {},
    },
    ...{ stored, effect, attempts: 1, stopping: new AbortController().signal },
    known: null,
    decideNow: refuse,
    wordsDue: async () => null,
  };
}

const waits = pullOf(1, { run: run('r'), proposals: [posted('p1', 'r', 71)] });
const reached = { kind: 'done', signal: { type: 'deadline-reached' } };

describe('a deadline', () => {
  it('F19, S85: is reached by GitHub’s clock, whatever ours says', async () => {
    expect(await seeDeadline(look(waits, 0, 0))).toEqual(reached);
    expect(await seeDeadline(look(waits, -600_000, 600_000))).toEqual(reached);
    expect(await seeDeadline(look(waits, 0, -600_000))).toMatchObject({ kind: 'again', at: NOW + 600_000 });
  });

  it('S85: is nobody’s business where nothing waits any more', async () => {
    expect(await seeDeadline(look({ ...waits, proposals: [] }, 0, 0))).toEqual({ kind: 'done', signal: null });
  });

  it('S85: comes after everything that is known to have been said', async () => {
    const job = look(waits, 0, 0);
    const decided = { ...job, decideNow: async () => waits };
    expect(await expire(decided)).toEqual({ kind: 'done', signal: null });
    const held = { ...decided, wordsDue: async () => NOW + 5_000 };
    expect(await expire(held)).toMatchObject({ kind: 'again', at: NOW + 5_000 });
    expect(await expire({ ...job, decideNow: async () => null })).toMatchObject({ kind: 'again', at: NOW + 100 });
  });
});
