import { describe, expect, it } from 'vitest';
import { delivery, pullOf, run, step, UNINSTALLED } from './samples.ts';
import { LEASE, nextSignal, present, type StoreHarness } from './store-under-test.ts';

/** Looks for lost webhooks, and what follows where they are lost for good. */
export function recoveryContract({ store, claimSignal }: StoreHarness): void {
  describe('recovery', () => {
    it('looks once per interval, and continues where the last look ended (F8)', async () => {
      expect(await store().beginRecovery(10, LEASE, false)).toEqual({ recoveredUntil: null });
      await store().endRecovery(7_000);
      expect(await store().beginRecovery(9 + LEASE, LEASE, false)).toBeNull();
      expect(await store().beginRecovery(10 + LEASE, LEASE, false)).toEqual({ recoveredUntil: 7_000 });
    });

    it('looks early where it is asked to, and a slow look takes nothing back (F8, G7)', async () => {
      await store().beginRecovery(10, LEASE, true);
      expect(await store().beginRecovery(11, LEASE, true)).not.toBeNull();
      await store().endRecovery(99);
      await store().endRecovery(55);
      expect(await store().beginRecovery(12, LEASE, true)).toEqual({ recoveredUntil: 99 });
    });

    it('voids votes on every pull request with active or pending work (V4)', async () => {
      const other = await claimSignal('b', 2);
      const ended = { kind: 'ended', reason: 'finished', by: null, at: '', note: null } as const;
      await store().save(other.claim, other.signal, step(pullOf(2, { run: run('q', { phase: ended }) })), 10);
      await store().releaseClaim(other.claim);
      await store().receive(delivery('a', 1), 10);
      await store().voidVotes(20);
      const claim = present(await store().claimPull(30, LEASE));
      expect(claim.pullRequestKey).toBe('1/2/1');
      expect(present(await nextSignal(store(), claim, 30)).signal).toEqual({ type: 'dead-lettered', errorId: null });
      expect(await store().claimPull(30, LEASE)).toBeNull();
    });

    it('finds stored deliveries and installation events by id (F4)', async () => {
      for (const id of ['a', 'b']) await store().receive(delivery(id), 10);
      await store().broadcastToPulls('uninstalled', UNINSTALLED, 11);
      expect([...(await store().findKnownDeliveries(['a', 'uninstalled', 'lost', 'b']))].sort()).toEqual([
        'a',
        'b',
        'uninstalled',
      ]);
      expect(await store().findKnownDeliveries([])).toEqual(new Set());
    });
  });
}
