import { describe, expect, it } from 'vitest';
import type { Claim, EffectRetry } from '../../../src/adapters/store/store.ts';
import { editedIntoCommand } from '../../../src/core/messages/replies.ts';
import { type Effect, ONCE_IN_REPOSITORY } from '../../../src/core/step/effects.ts';
import { delivery, pullOf, step } from './samples.ts';
import { LEASE, nextEffect, nextSignal, present, type StoreHarness } from './store-under-test.ts';

const SHOW: Effect = { type: 'update-run-comment', runId: 'r' };

const CHECK_DELAY_MS = 60_000;

const CHECK_LATER: Effect = {
  type: 'check-deadlines',
  at: new Date(CHECK_DELAY_MS).toISOString(),
  requestedAt: new Date(0).toISOString(),
};

const ASK: Effect = { type: 'ask-model', runId: 'r', turn: 1 };

const POST: Effect = { type: 'post-proposals', runId: 'r', turn: 1, proposalIds: ['a1b2'] };

const FAILED = { type: 'model-failed', runId: 'r', turn: 1, failure: null, message: 'm' } as const;

function reply(onceKey: string | null): Effect {
  return { type: 'reply', to: { at: 'pull-request' }, reply: editedIntoCommand(), onceKey };
}

function retryAt(notBefore: number, error: string): EffectRetry {
  return { now: 30, notBefore, error, failure: 'other', signal: null };
}

/** Effects run in order and once, and are never lost. */
export function effectsContract({ store, rows, receiveAndClaim }: StoreHarness): void {
  describe('effects', () => {
    it('runs exclusive effects in order, and counts each attempt', async () => {
      const claim = await saveEffects('a', [reply(null), ASK, SHOW]);
      const first = present(await nextEffect(store(), claim, 30));
      expect(first).toMatchObject({ effect: reply(null), attempts: 1, requestedAt: new Date(20).toISOString() });
      await store().postponeEffect(first, retryAt(40, 'no'));
      const second = present(await nextEffect(store(), claim, 39));
      expect(second.effect).toEqual(SHOW);
      await store().finishEffect(second, null, 39);
      expect(await nextEffect(store(), claim, 39)).toBeNull();
      const later = present(await store().claimPull(40, LEASE));
      expect(await nextEffect(store(), later, 40)).toEqual({ ...first, attempts: 2 });
      expect((await rows('effects')).find(({ attempts }) => attempts === 2)).toMatchObject({ error: 'no' });
    });

    it('delays an effect without blocking the effects behind it', async () => {
      const claim = await saveEffects('a', [CHECK_LATER, SHOW]);
      const second = present(await nextEffect(store(), claim, 30));
      expect(second.effect).toEqual(SHOW);
      await store().finishEffect(second, null, 30);
      expect(await nextEffect(store(), claim, 19 + CHECK_DELAY_MS)).toBeNull();
      expect(await store().nextDue()).toBe(20 + CHECK_DELAY_MS);
      const now = 20 + CHECK_DELAY_MS;
      const later = present(await store().claimPull(now, LEASE));
      expect(present(await nextEffect(store(), later, now)).effect).toEqual(CHECK_LATER);
    });

    it('lists the pending commits of one pull request (S96)', async () => {
      const commit = (id: string): Effect => ({ type: 'commit', runId: 'r', proposalIds: [id], location: null });
      const claim = await saveEffects('a', [commit('p1'), SHOW, commit('p2')]);
      expect(await store().listPendingCommits(claim.pullRequestKey)).toEqual([commit('p1'), commit('p2')]);
      const first = present(await nextEffect(store(), claim, 30));
      expect(await store().listPendingCommits(claim.pullRequestKey)).toEqual([commit('p1'), commit('p2')]);
      await store().finishEffect(first, null, 30);
      expect(await store().listPendingCommits(claim.pullRequestKey)).toEqual([commit('p2')]);
      expect(await store().listPendingCommits('1/2/999')).toEqual([]);
    });

    it('leases a concurrent effect to one of ten workers', async () => {
      await saveEffects('a', [ASK, SHOW]);
      const all = await Promise.all(Array.from({ length: 10 }, () => store().claimEffect(30, LEASE)));
      expect(all.filter((effect) => effect !== null)).toHaveLength(1);
      expect(await store().claimEffect(30 + LEASE - 1, LEASE)).toBeNull();
      expect(await store().claimEffect(30 + LEASE, LEASE)).toMatchObject({ effect: ASK, attempts: 2 });
    });

    it('keeps a renewed lease on a concurrent effect (G7)', async () => {
      await saveEffects('a', [ASK]);
      const mine = present(await store().claimEffect(30, LEASE));
      expect(await store().renewEffect(mine, 29 + LEASE, LEASE)).toBe(true);
      expect(await store().claimEffect(30 + LEASE, LEASE)).toBeNull();
      const theirs = present(await store().claimEffect(29 + 2 * LEASE, LEASE));
      expect(await store().renewEffect(mine, 30 + 2 * LEASE, LEASE)).toBe(false);
      await store().finishEffect(theirs, null, 31 + 2 * LEASE);
      expect(await store().renewEffect(theirs, 32 + 2 * LEASE, LEASE)).toBe(false);
    });

    it('finishes an effect once (S78)', async () => {
      const claim = await saveEffects('a', [ASK]);
      const slow = present(await store().claimEffect(30, LEASE));
      const quick = present(await store().claimEffect(30 + LEASE, LEASE));
      await store().finishEffect(quick, FAILED, 2_000);
      await store().finishEffect(slow, FAILED, 2_001);
      await store().finishEffect(quick, FAILED, 2_002);
      await store().postponeEffect(quick, retryAt(2_003, 'late'));
      expect((await rows('inbox')).filter(({ kind }) => kind === 'effect-result')).toHaveLength(1);
      expect(present(await nextSignal(store(), claim, 2_000)).signal).toEqual(FAILED);
      expect(await store().claimEffect(9_000, LEASE)).toBeNull();
    });

    it('an outdated attempt cannot finish an effect that has absorbed a later one (V5, G7)', async () => {
      const claim = await saveEffects('a', [SHOW]);
      const outdated = present(await nextEffect(store(), claim, 30));
      const second = present(await nextEffect(store(), claim, 31));
      await store().postponeEffect(second, retryAt(32, 'no'));
      await saveEffects('b', [SHOW], claim);
      await store().finishEffect(outdated, null, 33);
      expect(await nextEffect(store(), claim, 34)).toMatchObject({ effect: SHOW, attempts: 3 });
    });

    it('an outdated attempt cannot report the comment that it posted, since a later one can have posted another (V5)', async () => {
      const claim = await saveEffects('a', [POST]);
      const outdated = present(await nextEffect(store(), claim, 30));
      await nextEffect(store(), claim, 31);
      await store().finishEffect(outdated, FAILED, 32);
      const newest = present(await nextEffect(store(), claim, 33));
      expect(newest).toMatchObject({ effect: POST, attempts: 3 });
      await store().finishEffect(newest, FAILED, 34);
      expect(present(await nextSignal(store(), claim, 35)).signal).toEqual(FAILED);
    });

    it('ignores a postponement by a worker that lost the effect (G7)', async () => {
      await saveEffects('a', [ASK]);
      const slow = present(await store().claimEffect(30, LEASE));
      await store().claimEffect(30 + LEASE, LEASE);
      await store().postponeEffect(slow, retryAt(0, 'late'));
      expect(await store().claimEffect(31 + LEASE, LEASE)).toBeNull();
    });

    it('stores duplicates that have not started once, within a step and across steps', async () => {
      await saveEffects('a', [SHOW, { type: 'update-run-comment', runId: 'other' }, SHOW]);
      await saveEffects('b', [SHOW]);
      expect(await rows('effects')).toHaveLength(2);
    });

    it('stores a duplicate of a running effect, so that later changes are shown', async () => {
      const claim = await saveEffects('a', [SHOW]);
      const running = present(await nextEffect(store(), claim, 30));
      await saveEffects('b', [SHOW], claim);
      await saveEffects('c', [SHOW], claim);
      await store().finishEffect(running, null, 40);
      const again = present(await nextEffect(store(), claim, 40));
      expect(again).toMatchObject({ effect: SHOW, attempts: 1 });
      await store().finishEffect(again, null, 40);
      expect(await nextEffect(store(), claim, 40)).toBeNull();
    });

    it('stores the signal of a postponed attempt once, and not for the attempt of another worker', async () => {
      const claim = await saveEffects('a', [ASK]);
      const first = present(await store().claimEffect(30, LEASE));
      await store().postponeEffect(first, { now: 31, notBefore: 50, error: 'no', failure: 'other', signal: FAILED });
      await store().postponeEffect(first, { now: 32, notBefore: 60, error: 'no', failure: 'other', signal: null });
      const second = present(await store().claimEffect(70, LEASE));
      await store().postponeEffect(first, { now: 71, notBefore: 99, error: 'no', failure: 'other', signal: FAILED });
      const result = await nextSignal(store(), claim, 80);
      expect(result?.signal).toEqual(FAILED);
      expect((await rows('inbox')).filter(({ kind }) => kind === 'effect-result')).toHaveLength(1);
      expect(second.attempts).toBe(2);
    });

    it('counts failures of one kind in a row, and keeps the counts at a mere postponement (G8, R3)', async () => {
      const claim = await saveEffects('a', [SHOW]);
      const postpone = async (now: number, failure: EffectRetry['failure']) => {
        const effect = present(await nextEffect(store(), claim, now));
        await store().postponeEffect(effect, { ...retryAt(now, 'no'), now, failure });
        return [effect.internalErrors, effect.refusedSince];
      };
      expect(await postpone(30, 'other')).toEqual([0, null]);
      expect(await postpone(100, 'refusal')).toEqual([0, null]);
      expect(await postpone(110, 'refusal')).toEqual([0, 100]);
      expect(await postpone(120, null)).toEqual([0, 100]);
      expect(await postpone(130, 'other')).toEqual([0, 100]);
      expect(await postpone(140, 'refusal')).toEqual([0, null]);
      expect(await postpone(150, 'internal')).toEqual([0, 140]);
      expect(await postpone(160, 'internal')).toEqual([1, null]);
      expect(await postpone(170, null)).toEqual([2, null]);
      expect(await postpone(180, 'other')).toEqual([2, null]);
      expect(await postpone(190, 'refusal')).toEqual([0, null]);
    });

    it('sends a reply with a once key once per pull request', async () => {
      const claim = await saveEffects('a', [reply('fork'), reply('fork'), reply(null), reply(null)]);
      for (const _ of ['fork', null, null])
        await store().finishEffect(present(await nextEffect(store(), claim, 30)), null, 30);
      await saveEffects('b', [reply('fork'), reply('other')], claim);
      await saveEffects('c', [reply('fork')], undefined, 2);
      expect((await rows('effects')).filter(({ onceKey }) => onceKey === 'fork')).toHaveLength(2);
      expect(await rows('effects')).toHaveLength(5);
    });

    it('sends a reply with a repository’s once key once on all its pull requests (S69)', async () => {
      const [key, other] = [`${ONCE_IN_REPOSITORY}7:not-served`, `${ONCE_IN_REPOSITORY}8:not-served`];
      await saveEffects('a', [reply(key)]);
      await saveEffects('c', [reply(key), reply(other)], undefined, 2);
      expect((await rows('effects')).map(({ onceKey }) => onceKey)).toEqual([key, other]);
    });

    it('notifies listeners until they unsubscribe', async () => {
      let notifications = 0;
      const stop = store().onWorkAvailable(() => {
        notifications += 1;
      });
      await store().releaseClaim(await saveEffects('a', [ASK]));
      expect(notifications).toBe(2);
      await store().finishEffect(present(await store().claimEffect(30, LEASE)), FAILED, 30);
      expect(notifications).toBe(3);
      await store().receive(delivery('a'), 40);
      expect(notifications).toBe(3);
      stop();
      await store().receive(delivery('b'), 40);
      expect(notifications).toBe(3);
    });
  });

  /** Saves a step with these effects at 20. */
  async function saveEffects(id: string, effects: readonly Effect[], claim?: Claim, number = 1): Promise<Claim> {
    if (claim !== undefined) await store().receive(delivery(id, number), 10);
    const held = claim ?? (await receiveAndClaim(id, number, id === 'b' ? 10 + LEASE : 10));
    const signal = present(await nextSignal(store(), held, 10 + LEASE));
    await store().save(held, signal, step(pullOf(number), { effects }), 20);
    return held;
  }
}
