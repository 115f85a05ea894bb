import { describe, expect, it } from 'vitest';
import type { Effect } from '../../src/run/effect.ts';
import { TOLD_FAULTS } from '../../src/store/store.ts';
import { type Bench, LEASE, nextEffect, nextSignal, present } from './bench.ts';
import { delivery, pullOf, refOf, step } from './samples.ts';

const AWAY = { words: 'GitHub was away', ours: false } as const;
/** Nobody hears of it, neither people nor the pull request. */
const UNTOLD = { told: null, outcome: null } as const;
const UNKNOWN = { id: 'f1', words: 'unknown form' } as const;
const TOLD: Effect = { type: 'answer', to: { at: 'pull' }, answer: { kind: 'help' }, once: null };

/** What is received is kept once, and given out in order. */
export function inboxContract({ store, rows, claimed, signalled }: Bench): void {
  describe('inbox', () => {
    it('F4, S80: the same delivery id is stored once, in one call and across calls', async () => {
      const [a, b] = [delivery('a'), delivery('b')];
      expect(await store().receive([a, a, b], 1)).toEqual(['stored', 'duplicate', 'stored']);
      expect(await store().receive([b, delivery('c')], 2)).toEqual(['duplicate', 'stored']);
      expect(await rows('inbox')).toHaveLength(3);
    });

    it('F5, S80: the same comment under two delivery ids is stored once', async () => {
      const first = await store().receive([delivery('a', 1, 'issue-comment:5')], 1);
      const again = await store().receive(
        [delivery('b', 1, 'issue-comment:5'), delivery('c', 1, 'issue-comment:6')],
        2,
      );
      expect([first, again]).toEqual([['stored'], ['duplicate', 'stored']]);
    });

    it('F20: a delivery that was decided long ago is still a duplicate', async () => {
      const { claim, signal } = await signalled('a');
      await store().save(claim, signal, step(pullOf(1)), 20);
      expect(await store().receive([delivery('a')], 90 * 86_400_000)).toEqual(['duplicate']);
      expect(await nextSignal(store(), claim, 90 * 86_400_000)).toBeNull();
    });

    it('B14, G7: whoever is at an outcome that a server forgot as it died settles nothing of what has its id now', async () => {
      const { claim, signal } = await signalled('a');
      const forgotten = { ...signal, receivedAt: signal.receivedAt - 1 };
      const [goesOn, decides] = [step(pullOf(1)), step(pullOf(1), { dropsRest: true })];
      expect(await store().save(claim, forgotten, goesOn, 20)).toBe('lost');
      expect(await store().save(claim, forgotten, decides, 20)).toBe('lost');
      await store().postponeSignal(claim, forgotten, 99, null);
      await store().parkSignal(claim, forgotten, UNKNOWN, UNTOLD, 20);
      expect((await nextSignal(store(), claim, 20))?.id).toBe(signal.id);
    });

    it('receives nothing without complaint', async () => {
      expect(await store().receive([], 1)).toEqual([]);
    });

    it('stores all or none: what one delivery cannot be, takes its call with it and no other', async () => {
      const bad = store().receive([delivery('a'), delivery('b', 1, 'nul\0')], 1);
      const good = store().receive([delivery('c')], 1);
      await expect(bad).rejects.toThrow();
      expect(await good).toEqual(['stored']);
      expect((await rows('inbox')).map(({ deliveryId }) => deliveryId)).toEqual(['c']);
    });

    it('many callers at once each get their own answers', async () => {
      const calls = Array.from({ length: 60 }, (_, index) =>
        store().receive([delivery(`d${index}`, index % 7), delivery(`d${Math.floor(index / 2)}`)], 1),
      );
      const receipts = (await Promise.all(calls)).flat();
      expect(receipts.filter((receipt) => receipt === 'stored')).toHaveLength(60);
      expect(await rows('inbox')).toHaveLength(60);
    });

    it('S86: outcomes come before intents, each in the order received', async () => {
      const { claim, signal } = await signalled('a');
      const effects = [1, 2].map((turn) => ({ type: 'ask-model', runId: 'r', turn }) as const);
      await store().save(claim, signal, step(pullOf(1), { effects }), 20);
      await store().receive([delivery('b'), delivery('c')], 20);
      for (const turn of [1, 2]) {
        const effect = present(await store().claimEffect('w', 20, LEASE));
        await store().finishEffect(effect, { type: 'model-failed', runId: 'r', turn, message: '' }, 30);
      }
      const seen: unknown[] = [];
      for (
        let next = await nextSignal(store(), claim, 30);
        next !== null;
        next = await nextSignal(store(), claim, 30)
      ) {
        seen.push('turn' in next.signal ? next.signal.turn : Object(next.signal)['deliveryId']);
        await store().save(claim, next, step(pullOf(1)), 30);
      }
      expect(seen).toEqual([1, 2, 'b', 'c']);
    });

    it('S86: what failed holds back later words of its pull request, not outcomes', async () => {
      const { claim, signal } = await signalled('a');
      await store().receive([delivery('b')], 20);
      expect(await store().heldUntil(claim, 30)).toBe(30);
      await store().postponeSignal(claim, signal, 500, AWAY);
      expect(await store().heldUntil(claim, 30)).toBe(500);
      expect(await nextSignal(store(), claim, 30)).toBeNull();
      expect(await store().claimPull('w', 30, LEASE)).toBeNull();
      expect(await store().nextDue(30)).toEqual({ pull: 500, free: null });
      const later = present(await store().claimPull('w', 500, LEASE));
      expect(present(await nextSignal(store(), later, 500)).id).toBe(signal.id);
    });

    it('a postponed signal waits for its time; only an error counts as an attempt', async () => {
      const { claim, signal } = await signalled('a');
      await store().postponeSignal(claim, signal, 50, null);
      expect(await nextSignal(store(), claim, 49)).toBeNull();
      const later = present(await store().claimPull('w', 50, LEASE));
      const again = present(later.first);
      expect(again.attempts).toBe(0);
      await store().postponeSignal(later, again, 60, { words: 'it \0 broke', ours: true });
      expect(await nextSignal(store(), later, 60)).toEqual({ ...signal, attempts: 1, faults: 1 });
      expect(await rows('inbox')).toMatchObject([{ error: 'it \uFFFD broke' }]);
    });

    it('a parked signal blocks nothing and stays with its error', async () => {
      const { claim, signal } = await signalled('a');
      await store().receive([delivery('b')], 11);
      await store().parkSignal(claim, signal, UNKNOWN, UNTOLD, 20);
      expect(present(await nextSignal(store(), claim, 20)).signal).toMatchObject({ deliveryId: 'b' });
      const parked = (await rows('inbox')).filter((row) => row['parked'] === true);
      expect(parked).toMatchObject([{ error: 'unknown form' }]);
    });

    it('G8: what people are told of it is wanted with it, once, and for the first ones of a pull request alone', async () => {
      const ids = Array.from({ length: TOLD_FAULTS + 2 }, (_, index) => `words-${index}`);
      await store().receive(
        ids.map((id) => delivery(id)),
        10,
      );
      const claim = present(await store().claimPull('w', 20, LEASE));
      for (const _ of ids) {
        const signal = present(await nextSignal(store(), claim, 20));
        await store().parkSignal(claim, signal, UNKNOWN, { told: TOLD, outcome: null }, 20);
        await store().parkSignal(claim, signal, UNKNOWN, { told: TOLD, outcome: null }, 20);
      }
      expect(await rows('effects')).toHaveLength(TOLD_FAULTS);
      expect(present(await nextEffect(store(), claim, 20)).effect).toEqual(TOLD);
    });

    it('G8, V4: what a pull request hears instead of it comes next, once', async () => {
      const { claim, signal } = await signalled('a');
      await store().receive([delivery('b')], 11);
      const sequel = { told: null, outcome: { type: 'put-aside', fault: 'f' } } as const;
      await store().parkSignal(claim, signal, UNKNOWN, sequel, 20);
      await store().parkSignal(claim, signal, UNKNOWN, sequel, 20);
      const next = present(await nextSignal(store(), claim, 20));
      expect(next.signal).toEqual(sequel.outcome);
      await store().save(claim, next, step(pullOf(1)), 20);
      expect(present(await nextSignal(store(), claim, 20)).signal).toMatchObject({ deliveryId: 'b' });
    });

    it('G8: tries that GitHub stopped are counted apart from faults of ours, which count one after the other', async () => {
      const { claim, signal } = await signalled('a');
      await store().postponeSignal(claim, signal, 20, AWAY);
      const again = present(await nextSignal(store(), claim, 20));
      expect(again).toMatchObject({ attempts: 1, faults: 0 });
      await store().postponeSignal(claim, again, 20, { words: 'broken', ours: true });
      const broken = present(await nextSignal(store(), claim, 20));
      expect(broken).toMatchObject({ attempts: 2, faults: 1 });
      await store().postponeSignal(claim, broken, 20, AWAY);
      expect(await nextSignal(store(), claim, 20)).toMatchObject({ attempts: 3, faults: 0 });
    });

    it('S84: where a pull request is can be told without the rest of it', async () => {
      const { claim } = await signalled('a', 3);
      expect(await store().refOf(claim.pullKey)).toEqual(refOf(3));
    });

    it('S84: operators can list what was parked, of any pull request, newest first and only so many', async () => {
      const first = await signalled('a', 1);
      await store().parkSignal(first.claim, first.signal, UNKNOWN, UNTOLD, 20);
      const second = await signalled('b', 2);
      await store().postponeSignal(second.claim, second.signal, 10, AWAY);
      await store().parkSignal(
        second.claim,
        { ...second.signal, attempts: 1 },
        { id: 'f2', words: 'gave up' },
        UNTOLD,
        30,
      );
      await store().receive([delivery('c')], 40);
      const [newest, oldest] = await store().parked(10);
      expect(await store().parked(10)).toHaveLength(2);
      const b = {
        pullKey: '1/2/2',
        deliveryId: 'b',
        error: 'gave up',
        faultId: 'f2',
        attempts: 1,
        receivedAt: 10,
        parkedAt: 30,
      };
      expect(newest).toEqual({ id: second.signal.id, ...b });
      expect(oldest).toMatchObject({ id: first.signal.id, deliveryId: 'a', error: 'unknown form', parkedAt: 20 });
      expect(await store().parked(1)).toEqual([newest]);
    });

    it('tells when what people said may be heard: the earliest of it, and nothing of others or of outcomes', async () => {
      const { claim, signal } = await signalled('a');
      await store().receive([delivery('z', 2)], 5);
      expect(await store().heldUntil(claim, 10)).toBe(10);
      expect(await store().heldUntil(claim, 9)).toBe(10);
      expect(await store().heldUntil(claim, 70)).toBe(70);
      await store().postponeSignal(claim, signal, 50, null);
      expect(await store().heldUntil(claim, 20)).toBe(50);
      await store().receive([delivery('b')], 30);
      expect(await store().heldUntil(claim, 20)).toBe(30);
      expect(await store().heldUntil(claim, 40)).toBe(40);
    });

    it('S86: what failed holds back later words, and says until when', async () => {
      const { claim, signal } = await signalled('a');
      await store().postponeSignal(claim, signal, 500, AWAY);
      await store().receive([delivery('b')], 30);
      expect(await store().heldUntil(claim, 40)).toBe(500);
      expect(await store().heldUntil(claim, 500)).toBe(500);
      expect(await store().heldUntil(claim, 501)).toBe(501);
    });

    it('words that were decided or parked are waited for no more, and outcomes never', async () => {
      const { claim, signal } = await signalled('a');
      const effects = [{ type: 'ask-model', runId: 'r', turn: 1 }] as const;
      await store().save(claim, signal, step(pullOf(1), { effects }), 20);
      expect(await store().heldUntil(claim, 20)).toBeNull();
      const effect = present(await store().claimEffect('w', 20, LEASE));
      await store().finishEffect(effect, { type: 'model-failed', runId: 'r', turn: 1, message: '' }, 30);
      expect(await store().heldUntil(claim, 30)).toBeNull();
      await store().receive([delivery('b')], 30);
      await store().save(claim, present(await nextSignal(store(), claim, 30)), step(pullOf(1)), 30);
      await store().parkSignal(claim, present(await nextSignal(store(), claim, 30)), UNKNOWN, UNTOLD, 30);
      expect(await store().heldUntil(claim, 30)).toBeNull();
    });

    it('keeps the reason of every decision, and no words that were not for us', async () => {
      const first = await signalled('a');
      await store().save(first.claim, first.signal, step(pullOf(1), { reason: 'not-ours' }), 20);
      expect(await rows('inbox')).toMatchObject([{ reason: 'not-ours', signal: null }]);
      const claim = await claimed('b', 2);
      const signal = present(await nextSignal(store(), claim, 10));
      await store().save(claim, signal, step(pullOf(2), { reason: 'approved' }), 20);
      const [kept] = (await rows('inbox')).filter(({ reason }) => reason === 'approved');
      expect(present(kept)['signal']).not.toBeNull();
    });
  });
}
