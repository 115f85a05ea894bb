import { describe, expect, it } from 'vitest';
import { delivery, pullOf, run, step, UNINSTALLED } from './samples.ts';
import { LEASE, nextEffect, nextSignal, present, type StoreHarness } from './store-under-test.ts';

const until = (time: number) => ({ until: time, gap: null });

/** The turn to look for lost webhooks, gaps, and catch-ups. */
export function recoveryContract({ store, deadProcess, claimSignal }: StoreHarness): void {
  describe('recovery', () => {
    it('gives the turn to one process, and the next one continues where it ended (F8)', async () => {
      const turns = await Promise.all([1, 2, 3].map(() => store().beginRecovery(10, LEASE, true)));
      const [turn, ...others] = turns.filter((one) => one !== null);
      expect(others).toEqual([]);
      expect(present(turn).recoveredUntil).toBeNull();
      await store().endRecovery(present(turn), until(7_000), 60);
      expect(await store().beginRecovery(59, LEASE, false)).toBeNull();
      expect(await store().beginRecovery(60, LEASE, false)).toMatchObject({ recoveredUntil: 7_000 });
    });

    it('gives an early turn before its time, unless another process has it (F8)', async () => {
      const turn = present(await store().beginRecovery(10, LEASE, true));
      expect(await store().beginRecovery(11, LEASE, true)).toBeNull();
      await store().endRecovery(turn, until(5), 1_000_000);
      expect(await store().beginRecovery(12, LEASE, true)).not.toBeNull();
    });

    it('takes the turn over from a dead or stalled process, which cannot end it afterwards (G2, G7)', async () => {
      const dead = present(await deadProcess().beginRecovery(10, LEASE, true));
      const next = present(await store().beginRecovery(11, LEASE, true));
      await deadProcess().endRecovery(dead, until(99), 0);
      const stalled = present(await store().beginRecovery(11 + LEASE, LEASE, true));
      expect(stalled.recoveredUntil).toBeNull();
      await store().endRecovery(next, until(99), 0);
      await store().endRecovery(stalled, until(55), 0);
      expect(await store().beginRecovery(12 + LEASE, LEASE, false)).toMatchObject({ recoveredUntil: 55 });
    });

    it('counts a turn that never ended from its start, so that no other process begins at once (H8)', async () => {
      present(await deadProcess().beginRecovery(10, LEASE, true));
      expect(await store().beginRecovery(9 + LEASE, LEASE, false)).toBeNull();
      expect(await store().beginRecovery(10 + LEASE, LEASE, false)).not.toBeNull();
    });

    it('finds no gap in a database that is used for the first time (G13)', async () => {
      await store().recordHeartbeat(1_000, null);
      await store().recordHeartbeat(2_000, 1_000);
      expect(present(await store().beginRecovery(10, LEASE, true)).gap).toBeNull();
    });

    it('opens a gap since the last heartbeat when a process starts (G13)', async () => {
      await store().recordHeartbeat(1_000, null);
      await store().recordHeartbeat(2_000, 1_000);
      await deadProcess().recordHeartbeat(5_000, null);
      await deadProcess().recordHeartbeat(6_000, 5_000);
      expect(present(await store().beginRecovery(10, LEASE, true)).gap).toEqual({ since: 2_000, until: 5_000 });
    });

    it('opens a gap when an older backup was restored (G13)', async () => {
      await store().recordHeartbeat(1_000, null);
      await store().recordHeartbeat(9_000, 8_000);
      expect(present(await store().beginRecovery(10, LEASE, true)).gap).toEqual({ since: 1_000, until: 9_000 });
    });

    it('opens no gap for the heartbeat of another process (G13)', async () => {
      await store().recordHeartbeat(1_000, null);
      await deadProcess().recordHeartbeat(1_500, 1_000);
      await store().recordHeartbeat(2_000, 1_000);
      expect(present(await store().beginRecovery(10, LEASE, true)).gap).toBeNull();
    });

    it('closes a gap part by part, and keeps what was added meanwhile (G13)', async () => {
      const beginWithGap = async (heartbeat: number) => {
        await store().recordHeartbeat(heartbeat, null);
        return present(await store().beginRecovery(10, LEASE, true));
      };
      await store().recordHeartbeat(1_000, null);
      const turn = await beginWithGap(4_000);
      await store().endRecovery(turn, { until: 3_000, gap: turn.gap }, 0);
      const part = present(await store().beginRecovery(10, LEASE, true));
      expect(part.gap).toEqual({ since: 3_000, until: 4_000 });
      await store().recordHeartbeat(6_000, null);
      await store().endRecovery(part, { until: 5_000, gap: part.gap }, 0);
      const grown = present(await store().beginRecovery(10, LEASE, true));
      expect(grown.gap).toEqual({ since: 3_000, until: 6_000 });
      await store().endRecovery(grown, { until: 7_000, gap: grown.gap }, 0);
      expect(present(await store().beginRecovery(10, LEASE, true)).gap).toBeNull();
    });

    it('keeps the whole gap after a failed recovery (G13)', async () => {
      await store().recordHeartbeat(1_000, null);
      await store().recordHeartbeat(4_000, null);
      const turn = present(await store().beginRecovery(10, LEASE, true));
      await store().endRecovery(turn, { until: null, gap: turn.gap }, 0);
      expect(await store().beginRecovery(10, LEASE, true)).toMatchObject({ recoveredUntil: null, gap: turn.gap });
    });

    it('catches up on every active pull request, one after the other or when it is processed anyway (F8)', async () => {
      for (const number of [1, 2, 3]) await store().receive([delivery(`a${number}`, number)], 10);
      expect(await store().scheduleCatchUps('2030-01-01T00:00:00Z', 20, 6_000)).toBe(3);
      expect(await store().scheduleCatchUps('2030-01-01T00:00:00Z', 21, 6_000)).toBe(0);
      for (const number of [1, 2, 3]) {
        const claim = present(await store().claimPull('w', 30, LEASE));
        const signal = present(await nextSignal(store(), claim, 30));
        await store().save(claim, signal, step(pullOf(number)), 30);
        const effect = present(await nextEffect(store(), claim, 30));
        expect(effect.effect).toEqual({ type: 'catch-up', since: '2030-01-01T00:00:00Z', expiresAfter: false });
        const delay = { now: 31, notBefore: 5_000, error: 'away', retryCause: 'other', signal: null } as const;
        await store().postponeEffect(effect, delay);
        expect(await nextEffect(store(), claim, 4_999)).toBeNull();
      }
      expect(await store().claimPull('w', 4_999, LEASE)).toBeNull();
      for (const _ of [1, 2, 3]) {
        const claim = present(await store().claimPull('w', 5_000, LEASE));
        const effect = present(await nextEffect(store(), claim, 5_000));
        expect(effect.attempts).toBe(2);
        await store().finishEffect(effect, null, 5_001);
        await store().releaseClaim(claim);
      }
      expect(await store().nextDue(6_000)).toEqual({ exclusive: null, concurrent: null });
    });

    it('keeps the pause between pull requests without other work (F8)', async () => {
      for (const number of [1, 2]) {
        const { claim, signal } = await claimSignal(`a${number}`, number);
        await store().save(claim, signal, step(pullOf(number, { run: run(`r${number}`) })), 10);
        await store().releaseClaim(claim);
      }
      expect(await store().scheduleCatchUps('2030-01-01T00:00:00Z', 20, 6_000)).toBe(2);
      const first = present(await store().claimPull('w', 20, LEASE));
      await store().finishEffect(present(await nextEffect(store(), first, 20)), null, 20);
      await store().releaseClaim(first);
      expect(await store().claimPull('w', 6_019, LEASE)).toBeNull();
      expect((await store().nextDue(30)).exclusive).toBe(6_020);
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

    it('lists a pull request as active while its run is active (G13)', async () => {
      const { claim, signal } = await claimSignal('a', 1);
      await store().save(
        claim,
        signal,
        step(pullOf(1, { run: run('r', { phase: { kind: 'awaiting-decisions', turn: 1 } }) })),
        10,
      );
      const other = await claimSignal('b', 2);
      const ended = { kind: 'ended', reason: 'finished', by: null, at: '', note: null } as const;
      await store().save(other.claim, other.signal, step(pullOf(2, { run: run('q', { phase: ended }) })), 10);
      expect(await store().listActivePulls()).toEqual([{ repositoryId: 2, number: 1 }]);
    });
  });
}
