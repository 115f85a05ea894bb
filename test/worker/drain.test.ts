import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { PullRef } from '../../src/command/intent.ts';
import type { Effect } from '../../src/run/effect.ts';
import type { Run } from '../../src/run/run.ts';
import type { Claim, Claimed, Store } from '../../src/store/store.ts';
import { storeOn } from '../../src/store/store-on.ts';
import type { Context } from '../../src/worker/context.ts';
import { drain, NEVER, takeEffect, UNCLAIMED, waitOf } from '../../src/worker/drain.ts';
import { GitHubFault, type GitHubs } from '../../src/worker/ports.ts';
import { workOutHere } from '../../src/worker/work-out.ts';
import { type BorrowedPglite, borrowPglite } from '../borrowed-pglite.ts';
import { nextEffect, nextSignal, present } from '../store/bench.ts';
import { delivery, pullOf, refOf, run, step } from '../store/samples.ts';

let pglite: BorrowedPglite;
let store: Store;
beforeAll(async () => {
  pglite = await borrowPglite();
  const backend = await pglite.open();
  store = storeOn(backend);
});
afterAll(async () => {
  await store.close();
  pglite.giveBack();
});

/** A worker whose every signal failed so often before, on a GitHub that answers this. */
function tired(attempts: number, status: number): Context {
  const refuse = (): never => {
    throw new GitHubFault('no', status, null);
  };
  const given: Pick<Store, 'nextWork'> = {
    async nextWork(claim, now) {
      const work = await store.nextWork(claim, now);
      if (work?.kind !== 'signal' || work.signal.signal.type === 'access-lost') return work;
      return { ...work, signal: { ...work.signal, attempts } };
    },
  };
  return {
    store: { ...store, ...given },
    githubs: { for: refuse, self: refuse, ahead: () => 0 },
    model: { ask: refuse, askForWords: refuse },
    clock: { now: () => 100, every: () => () => {} },
    log: { info() {}, warn() {}, error() {} },
    self: { slug: 'countersign', botId: 1 },
    serves: () => true,
    workOut: workOutHere,
    links: () => {
      throw new Error('nothing is written');
    },
    count() {},
  };
}

/** A claim of a pull request on which a run has begun. */
async function begun(number: number, changed: Partial<Run>, effects: readonly Effect[] = []): Promise<Claim> {
  await store.receive([delivery(`begins ${number}`, number)], 1);
  const claim = present(await store.claimPull('w', 10, 1_000));
  const signal = present(await nextSignal(store, claim, 10));
  await store.save(claim, signal, step(pullOf(number, { run: run(`r${number}`, changed) }), { effects }), 10);
  return claim;
}

/** A later claim of that pull request, whatever other tests have left. */
async function claimOf(number: number, now: number): Promise<Claimed> {
  for (;;) {
    const claim = present(await store.claimPull('w', now, 1_000));
    if (claim.pullKey === `1/2/${number}`) return claim;
  }
}

async function drained(context: Context, claim: Claim): Promise<void> {
  await drain({ context, claim, stopping: new AbortController().signal, mayTake: NEVER, isLeased: () => true }, null);
}

async function parkedBy(context: Context, claim: Claim): Promise<number> {
  const before = (await store.parked(100)).length;
  await drained(context, claim);
  return (await store.parked(100)).length - before;
}

describe('a repository that got another name', () => {
  it('F14: is asked for under that name from the first words on', async () => {
    const intent = delivery('renamed', 3).intent;
    const pull = { ...refOf(3), owner: 'acme', repo: 'store' };
    const claim = await begun(3, {});
    await store.receive([{ id: 'renamed', intent: { ...intent, pull }, naturalKey: null }], 11);
    const asked: PullRef[] = [];
    const context = tired(0, 502);
    const githubs: GitHubs = {
      ...context.githubs,
      for(ref) {
        asked.push(ref);
        return context.githubs.for(ref);
      },
    };
    await drained({ ...context, githubs }, claim);
    expect(asked).toEqual([pull]);
    await store.release(claim);
  });
});

describe('words that wait for what is under way', () => {
  it.each([
    [0, 1_000],
    [3_000, 1_000],
    [60_000, 15_000],
    [3 * 86_400_000, 300_000],
  ])('after %i ms are looked at again in %i ms', (waited, again) => {
    expect(waitOf({ receivedAt: 500 }, 500 + waited)).toBe(again);
  });
});

describe('what GitHub refuses for good', () => {
  it('S87: what people said is put aside after days, not minutes', async () => {
    const claim = await begun(1, {});
    await store.receive([delivery('again', 1)], 11);
    expect(await parkedBy(tired(100, 403), claim)).toBe(0);
    const later = { ...tired(1_000, 403), clock: { now: () => 10_000_000, every: () => () => {} } };
    expect(await parkedBy(later, await claimOf(1, 10_000_000))).toBe(1);
  });

  /** What a commit that was tried so often before leads to, on a GitHub that answers this. */
  async function committing(number: number, attempts: number, status: number, retryAt: number | null) {
    const commit = { type: 'commit', runId: `r${number}`, proposalIds: ['p1'], place: null } as const;
    const claim = await begun(number, {}, [commit]);
    const stored = { ...present(await nextEffect(store, claim, 10)), attempts };
    const context = tired(0, status);
    const refuse = (): never => {
      throw new GitHubFault('no', status, retryAt);
    };
    const failing = { ...context, store: { ...store, load: refuse } };
    await takeEffect(failing, stored, new AbortController().signal, UNCLAIMED);
    const work = await store.nextWork(claim, 100);
    await store.release(claim);
    return work?.kind === 'signal' ? work.signal.signal : null;
  }

  it.each([
    [11, 2, 404, null, null],
    [12, 869, 404, null, null],
    [13, 870, 404, null, { type: 'access-lost', loss: 'unreachable' }],
    [14, 870, 403, null, { type: 'access-lost', loss: 'unreachable' }],
    [15, 5_000, 403, 1_000_000, null],
    [16, 5_000, 502, null, null],
  ] as const)(
    'S90b: %i: a commit tried %i times that GitHub answers %i',
    async (number, tries, status, retryAt, signal) => {
      expect(await committing(number, tries, status, retryAt)).toEqual(signal);
    },
  );

  it('S78, S90b: what came of an effect is looked after as long, and then its run is over: it would stand still', async () => {
    const effects = [{ type: 'post-review', runId: 'r2', turn: 1, proposalIds: [] }] as const;
    const claim = await begun(2, { phase: { kind: 'posting', turn: 1 } }, effects);
    const posted = { type: 'review-posted', runId: 'r2', turn: 1, proposals: [], reviews: [], unshown: [] } as const;
    await store.finishEffect(present(await nextEffect(store, claim, 10)), posted, 11);
    expect(await parkedBy(tired(868, 404), claim)).toBe(0);
    const again = await claimOf(2, 20_000_000);
    expect(present(again.first).signal).toEqual(posted);
    const later = { ...tired(869, 404), clock: { now: () => 20_000_000, every: () => () => {} } };
    expect(await parkedBy(later, again)).toBe(1);
    const last = await claimOf(2, 30_000_000);
    expect(present(last.first).signal).toEqual({ type: 'access-lost', loss: 'unreachable' });
    await store.release(last);
  });
});
