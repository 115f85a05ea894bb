import { describe, expect, it } from 'vitest';
import { type Effect, THREAD_GRACE_MS } from '../../src/run/effect.ts';
import type { Claim, Delay } from '../../src/store/store.ts';
import { type Bench, LEASE, nextEffect, nextSignal, present } from './bench.ts';
import { delivery, pullOf, step } from './samples.ts';

const SHOW: Effect = { type: 'show-run', runId: 'r' };
const ASK: Effect = { type: 'ask-model', runId: 'r', turn: 1 };
const FAILED = { type: 'model-failed', runId: 'r', turn: 1, message: 'm' } as const;

function answer(once: string | null): Effect {
  return { type: 'answer', to: { at: 'pull' }, answer: { kind: 'help' }, once };
}

function put(notBefore: number, error: string | null): Delay {
  return { now: 30, notBefore, error, stoppedBy: 'other', signal: null };
}

/** What a step wants is performed in order, once, and never forgotten. */
export function effectsContract({ store, rows, claimed }: Bench): void {
  describe('effects', () => {
    it('those of the pull lane come in order, each with its attempt counted and its first time', async () => {
      const claim = await wanting('a', [answer(null), ASK, SHOW]);
      const first = present(await nextEffect(store(), claim, 30));
      expect(first).toMatchObject({ effect: answer(null), attempts: 1, since: new Date(20).toISOString() });
      await store().postponeEffect(first, put(40, 'no'));
      const second = present(await nextEffect(store(), claim, 39));
      expect(second.effect).toEqual(SHOW);
      await store().finishEffect(second, null, 39);
      expect(await nextEffect(store(), claim, 39)).toBeNull();
      const later = present(await store().claimPull('w', 40, LEASE));
      expect(await nextEffect(store(), later, 40)).toEqual({ ...first, attempts: 2 });
      expect((await rows('effects')).find(({ attempts }) => attempts === 2)).toMatchObject({ error: 'no' });
    });

    it('S53: one that is to wait first is due that much later, and holds up nothing behind it', async () => {
      const claim = await wanting('a', [{ type: 'see-thread', proposalId: 'k7q2', since: 'x' }, SHOW]);
      const second = present(await nextEffect(store(), claim, 30));
      expect(second.effect).toEqual(SHOW);
      await store().finishEffect(second, null, 30);
      expect(await nextEffect(store(), claim, 19 + THREAD_GRACE_MS)).toBeNull();
      expect(await store().nextDue(30)).toMatchObject({ pull: 20 + THREAD_GRACE_MS });
      const now = 20 + THREAD_GRACE_MS;
      const later = present(await store().claimPull('w', now, LEASE));
      expect(present(await nextEffect(store(), later, now)).effect.type).toBe('see-thread');
    });

    it('S96: what is to be committed is known, all of it and of one pull request alone, until it is done', async () => {
      const commit = (id: string): Effect => ({ type: 'commit', runId: 'r', proposalIds: [id], place: null });
      const claim = await wanting('a', [commit('p1'), SHOW, commit('p2')]);
      expect(await store().commitsWanted(claim.pullKey)).toEqual([commit('p1'), commit('p2')]);
      const first = present(await nextEffect(store(), claim, 30));
      expect(await store().commitsWanted(claim.pullKey)).toEqual([commit('p1'), commit('p2')]);
      await store().finishEffect(first, null, 30);
      expect(await store().commitsWanted(claim.pullKey)).toEqual([commit('p2')]);
      expect(await store().commitsWanted('1/2/999')).toEqual([]);
    });

    it('a free effect is leased to one of ten workers', async () => {
      await wanting('a', [ASK, SHOW]);
      const all = await Promise.all(Array.from({ length: 10 }, () => store().claimEffect('w', 30, LEASE)));
      expect(all.filter((effect) => effect !== null)).toHaveLength(1);
      expect(await store().claimEffect('v', 30 + LEASE - 1, LEASE)).toBeNull();
      expect(await store().claimEffect('v', 30 + LEASE, LEASE)).toMatchObject({ effect: ASK, attempts: 2 });
    });

    it('G7: whoever is at a free effect keeps it as long as it is renewed, and no longer', async () => {
      await wanting('a', [ASK]);
      const mine = present(await store().claimEffect('w', 30, LEASE));
      expect(await store().renewEffect(mine, 29 + LEASE, LEASE)).toBe(true);
      expect(await store().claimEffect('v', 30 + LEASE, LEASE)).toBeNull();
      const theirs = present(await store().claimEffect('v', 29 + 2 * LEASE, LEASE));
      expect(await store().renewEffect(mine, 30 + 2 * LEASE, LEASE)).toBe(false);
      await store().finishEffect(theirs, null, 31 + 2 * LEASE);
      expect(await store().renewEffect(theirs, 32 + 2 * LEASE, LEASE)).toBe(false);
    });

    it('G7: whoever is at an effect that a server forgot as it died changes nothing of the one that has its id now', async () => {
      await wanting('a', [ASK]);
      const now = present(await store().claimEffect('w', 30, LEASE));
      const forgotten = { ...now, since: new Date(Date.parse(now.since) - 1).toISOString() };
      const before = structuredClone(await rows('effects'));
      expect(await store().renewEffect(forgotten, 31, 9 * LEASE)).toBe(false);
      await store().postponeEffect(forgotten, put(99, 'late'));
      expect(await store().finishEffect(forgotten, FAILED, 31)).toBeNull();
      expect(await rows('effects')).toEqual(before);
      expect((await rows('inbox')).filter(({ kind }) => kind === 'outcome')).toEqual([]);
    });

    it('S78: an effect is finished once, whoever says so again', async () => {
      const claim = await wanting('a', [ASK]);
      const slow = present(await store().claimEffect('w', 30, LEASE));
      const quick = present(await store().claimEffect('v', 30 + LEASE, LEASE));
      await store().finishEffect(quick, FAILED, 2_000);
      await store().finishEffect(slow, FAILED, 2_001);
      await store().finishEffect(quick, FAILED, 2_002);
      await store().postponeEffect(quick, put(2_003, 'late'));
      expect((await rows('inbox')).filter(({ kind }) => kind === 'outcome')).toHaveLength(1);
      expect(present(await nextSignal(store(), claim, 2_000)).signal).toEqual(FAILED);
      expect(await store().claimEffect('w', 9_000, LEASE)).toBeNull();
    });

    it('G7: whoever lost an effect cannot put it back', async () => {
      await wanting('a', [ASK]);
      const slow = present(await store().claimEffect('w', 30, LEASE));
      await store().claimEffect('v', 30 + LEASE, LEASE);
      await store().postponeEffect(slow, put(0, 'late'));
      expect(await store().claimEffect('w', 31 + LEASE, LEASE)).toBeNull();
    });

    it('a postponed free effect is anybody’s from its time on', async () => {
      await wanting('a', [ASK]);
      await store().postponeEffect(present(await store().claimEffect('w', 30, LEASE)), put(50, null));
      expect(await store().claimEffect('v', 49, LEASE)).toBeNull();
      expect(await store().claimEffect('v', 50, LEASE)).toMatchObject({ attempts: 2 });
    });

    it('equal effects that have not begun are one, within a step and across steps', async () => {
      await wanting('a', [SHOW, { type: 'show-run', runId: 'other' }, SHOW]);
      await wanting('b', [SHOW]);
      expect(await rows('effects')).toHaveLength(2);
    });

    it('one that is being performed swallows nothing: what came since is shown afterwards', async () => {
      const claim = await wanting('a', [SHOW]);
      const begun = present(await nextEffect(store(), claim, 30));
      await wanting('b', [SHOW], claim);
      await wanting('c', [SHOW], claim);
      await store().finishEffect(begun, null, 40);
      const again = present(await nextEffect(store(), claim, 40));
      expect(again).toMatchObject({ effect: SHOW, attempts: 1 });
      await store().finishEffect(again, null, 40);
      expect(await nextEffect(store(), claim, 40)).toBeNull();
    });

    it('one that comes again tells what it has to tell at once, and once: not for another worker’s attempt', async () => {
      const claim = await wanting('a', [ASK]);
      const first = present(await store().claimEffect('w', 30, LEASE));
      await store().postponeEffect(first, { now: 31, notBefore: 50, error: 'no', stoppedBy: 'other', signal: FAILED });
      await store().postponeEffect(first, { now: 32, notBefore: 60, error: 'no', stoppedBy: 'other', signal: null });
      const second = present(await store().claimEffect('w', 70, LEASE));
      await store().postponeEffect(first, { now: 71, notBefore: 99, error: 'no', stoppedBy: 'other', signal: FAILED });
      const told = await nextSignal(store(), claim, 80);
      expect(told?.signal).toEqual(FAILED);
      expect((await rows('inbox')).filter(({ kind }) => kind === 'outcome')).toHaveLength(1);
      expect(second.attempts).toBe(2);
    });

    it('G8: tries that a fault of ours stopped are counted apart from the others, one after the other', async () => {
      const claim = await wanting('a', [SHOW]);
      const first = present(await nextEffect(store(), claim, 30));
      await store().postponeEffect(first, { ...put(30, 'broken'), stoppedBy: 'us' });
      const second = present(await nextEffect(store(), claim, 30));
      expect(second).toMatchObject({ attempts: 2, faults: 1 });
      await store().postponeEffect(second, put(30, 'GitHub was away'));
      const third = present(await nextEffect(store(), claim, 30));
      expect(third).toMatchObject({ attempts: 3, faults: 0 });
      await store().postponeEffect(third, { ...put(30, 'broken'), stoppedBy: 'us' });
      const fourth = present(await nextEffect(store(), claim, 30));
      await store().postponeEffect(fourth, { ...put(30, 'waits'), error: null });
      expect(await nextEffect(store(), claim, 30)).toMatchObject({ attempts: 5, faults: 1 });
    });

    it('F16: so are those that a limit stopped, from the first on', async () => {
      const claim = await wanting('a', [SHOW]);
      const first = present(await nextEffect(store(), claim, 30));
      await store().postponeEffect(first, { ...put(30, 'suspended'), stoppedBy: 'limit' });
      const second = present(await nextEffect(store(), claim, 30));
      expect(second).toMatchObject({ attempts: 2, limited: 1 });
      await store().postponeEffect(second, put(30, 'GitHub was away'));
      expect(await nextEffect(store(), claim, 30)).toMatchObject({ attempts: 3, limited: 1 });
    });

    it('one that waits to be tried again swallows its equals', async () => {
      const claim = await wanting('a', [SHOW]);
      await store().postponeEffect(present(await nextEffect(store(), claim, 30)), put(90, 'no'));
      await wanting('b', [SHOW], claim);
      expect(await rows('effects')).toHaveLength(1);
    });

    it('an answer with a once key is given once for ever, per pull request', async () => {
      const claim = await wanting('a', [answer('fork'), answer('fork'), answer(null), answer(null)]);
      for (const _ of ['fork', null, null])
        await store().finishEffect(present(await nextEffect(store(), claim, 30)), null, 30);
      await wanting('b', [answer('fork'), answer('other')], claim);
      await wanting('c', [answer('fork')], undefined, 2);
      expect((await rows('effects')).filter(({ onceKey }) => onceKey === 'fork')).toHaveLength(2);
      expect(await rows('effects')).toHaveLength(5);
    });

    it('wakes those who listen, until they stop', async () => {
      let heard = 0;
      const stop = store().onWake(() => {
        heard += 1;
      });
      await wanting('a', [ASK]);
      expect(heard).toBe(2);
      await store().finishEffect(present(await store().claimEffect('w', 30, LEASE)), FAILED, 30);
      expect(heard).toBe(3);
      await store().receive([delivery('a')], 40);
      expect(heard).toBe(3);
      stop();
      await store().receive([delivery('b')], 40);
      expect(heard).toBe(3);
    });

    it('answers a ping', async () => {
      await expect(store().ping()).resolves.toBeUndefined();
    });
  });

  /** Saves a step that wants these effects at time 20. */
  async function wanting(id: string, effects: readonly Effect[], claim?: Claim, number = 1): Promise<Claim> {
    if (claim !== undefined) await store().receive([delivery(id, number)], 10);
    const held = claim ?? (await claimed(id, number, id === 'b' ? 10 + LEASE : 10));
    const signal = present(await nextSignal(store(), held, 10 + LEASE));
    await store().save(held, signal, step(pullOf(number), { effects }), 20);
    return held;
  }
}
