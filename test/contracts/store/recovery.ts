import { describe, expect, it } from 'vitest';
import { delivery, pullOf, run, step, UNINSTALLED } from './samples.ts';
import { LEASE, present, type StoreHarness } from './store-under-test.ts';

/** The turn to look for lost webhooks, and what follows where they are lost for good. */
export function recoveryContract({ store, deadProcess, claimSignal }: StoreHarness): void {
  describe('recovery', () => {
    it('gives the turn to one process, and the next one continues where it ended (F8)', async () => {
      const turns = await Promise.all([1, 2, 3].map(() => store().beginRecovery(10, LEASE, true)));
      const [turn, ...others] = turns.filter((one) => one !== null);
      expect(others).toEqual([]);
      expect(present(turn).recoveredUntil).toBeNull();
      await store().endRecovery(present(turn), 7_000, 60);
      expect(await store().beginRecovery(59, LEASE, false)).toBeNull();
      expect(await store().beginRecovery(60, LEASE, false)).toMatchObject({ recoveredUntil: 7_000 });
    });

    it('gives an early turn before its time, unless another process has it (F8)', async () => {
      const turn = present(await store().beginRecovery(10, LEASE, true));
      expect(await store().beginRecovery(11, LEASE, true)).toBeNull();
      await store().endRecovery(turn, 5, 1_000_000);
      expect(await store().beginRecovery(12, LEASE, true)).not.toBeNull();
    });

    it('takes the turn over from a dead or stalled process, which cannot end it afterwards (G2, G7)', async () => {
      const dead = present(await deadProcess().beginRecovery(10, LEASE, true));
      const next = present(await store().beginRecovery(11, LEASE, true));
      await deadProcess().endRecovery(dead, 99, 0);
      const stalled = present(await store().beginRecovery(11 + LEASE, LEASE, true));
      expect(stalled.recoveredUntil).toBeNull();
      await store().endRecovery(next, 99, 0);
      await store().endRecovery(stalled, 55, 0);
      expect(await store().beginRecovery(12 + LEASE, LEASE, false)).toMatchObject({ recoveredUntil: 55 });
    });

    it('counts a turn that never ended from its start, so that no other process begins at once (H8)', async () => {
      present(await deadProcess().beginRecovery(10, LEASE, true));
      expect(await store().beginRecovery(9 + LEASE, LEASE, false)).toBeNull();
      expect(await store().beginRecovery(10 + LEASE, LEASE, false)).not.toBeNull();
    });

    it('voids votes on every pull request with active or pending work (V4)', async () => {
      const other = await claimSignal('b', 2);
      const ended = { kind: 'ended', reason: 'finished', by: null, at: '', note: null } as const;
      await store().save(other.claim, other.signal, step(pullOf(2, { run: run('q', { phase: ended }) })), 10);
      await store().releaseClaim(other.claim);
      await store().receive([delivery('a', 1)], 10);
      await store().voidVotes(20);
      const claim = present(await store().claimPull('w', 30, LEASE));
      expect(claim.pullRequestKey).toBe('1/2/1');
      expect(present(claim.firstSignal).signal).toEqual({ type: 'dead-lettered', errorId: null });
      expect(await store().claimPull('w', 30, LEASE)).toBeNull();
    });

    it('finds stored deliveries and installation events by id (F4)', async () => {
      await store().receive([delivery('a', 1), delivery('b', 2)], 10);
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
