import { describe, expect, it } from 'vitest';
import type { Claim, StoredSignal } from '../../../src/adapters/store/store.ts';
import { delivery, pullOf, step } from './samples.ts';
import { LEASE, present, type StoreHarness, type TableName } from './store-under-test.ts';

/** One worker at a time holds a pull request, and a previous one changes nothing. */
export function claimsContract({ store, rows, receiveAndClaim, claimSignal }: StoreHarness): void {
  describe('claims', () => {
    it('gives one pull request to one of ten concurrent claimers (G6, S86)', async () => {
      await store().receive(delivery('a'), 1);
      const claims = await Promise.all(Array.from({ length: 10 }, () => store().claimPull(5, LEASE)));
      const given = claims.filter((claim) => claim !== null);
      expect(given).toEqual([{ pullRequestKey: '1/2/1', fencingToken: 1, leaseUntil: 5 + LEASE }]);
    });

    it('claims the oldest work first, and only due work', async () => {
      await store().receive(delivery('late', 1), 30);
      await store().receive(delivery('early', 2), 20);
      expect(await store().claimPull(19, LEASE)).toBeNull();
      expect(present(await store().claimPull(40, LEASE)).pullRequestKey).toBe('1/2/2');
      expect(present(await store().claimPull(40, LEASE)).pullRequestKey).toBe('1/2/1');
      expect(await store().claimPull(40, LEASE)).toBeNull();
    });

    it('claims a pull request for an exclusive effect, not for a concurrent one', async () => {
      const { claim, signal } = await claimSignal('a');
      await store().save(claim, signal, step(pullOf(1), { effects: [{ type: 'ask-model', runId: 'r', turn: 1 }] }), 10);
      await store().releaseClaim(claim);
      expect(await store().claimPull(20, LEASE)).toBeNull();
      const again = await claimSignal('b');
      await store().save(
        again.claim,
        again.signal,
        step(pullOf(1), { effects: [{ type: 'update-run-comment', runId: 'r' }] }),
        10,
      );
      await store().releaseClaim(again.claim);
      expect(await store().claimPull(20, LEASE)).not.toBeNull();
    });

    it('blocks other workers until the lease expires, and a renewal extends it', async () => {
      const claim = await receiveAndClaim('a', 1, 10);
      expect(await store().claimPull(10 + LEASE - 1, LEASE)).toBeNull();
      expect(await store().renewClaim(claim, 500, LEASE)).toBe(true);
      expect(await store().claimPull(10 + LEASE, LEASE)).toBeNull();
      expect(await store().claimPull(500 + LEASE, LEASE)).toMatchObject({ fencingToken: claim.fencingToken + 1 });
    });

    it('ignores every write of a worker that lost its lease (G7)', async () => {
      const { claim, signal } = await claimSignal('a');
      const now = 10 + LEASE;
      const next = present(await store().claimPull(now, LEASE));
      await expectNoChange(claim, signal, now);
      expect(await store().save(next, signal, step(pullOf(1)), now)).toBe('saved');
    });

    it('returns when the earliest work can start', async () => {
      expect(await store().nextDue()).toBeNull();
      const { claim, signal } = await claimSignal('a');
      expect(await store().nextDue()).toBe(10 + LEASE);
      await store().postponeSignal(claim, signal, 5_000, null);
      expect(await store().nextDue()).toBe(5_000);
      const effects = [
        { type: 'ask-model', runId: 'r', turn: 1 },
        { type: 'update-run-comment', runId: 'r' },
      ] as const;
      await store().save(claim, signal, step(pullOf(1), { effects }), 70);
      expect(await store().nextDue()).toBe(70);
      await store().claimEffect(70, LEASE);
      expect(await store().nextDue()).toBe(10 + LEASE);
      expect([await store().nextDue('pull'), await store().nextDue('effect')]).toEqual([10 + LEASE, 70 + LEASE]);
      await store().releaseClaim(claim);
      expect(await store().nextDue()).toBe(70);
    });
  });

  async function expectNoChange(claim: Claim, signal: StoredSignal, now: number): Promise<void> {
    const effects = [{ type: 'update-run-comment', runId: 'r' }] as const;
    const before = await allRows();
    expect(await store().save(claim, signal, step(pullOf(1), { effects }), now)).toBe('lost');
    expect(await store().saveIfInboxEmpty(claim, signal.signal, step(pullOf(1), { effects }), now)).toBe('lost');
    expect(await store().renewClaim(claim, now, LEASE)).toBe(false);
    expect(await store().nextWork(claim, now)).toBeNull();
    await store().postponeSignal(claim, signal, now * 9, { now, error: 'late', failure: 'internal' });
    await store().deadLetterSignal(claim, signal, { id: 'f', errorText: 'late' }, { reply: null, signal: null }, now);
    await store().releaseClaim(claim);
    expect(await allRows()).toEqual(before);
  }

  async function allRows(): Promise<unknown> {
    const tables: readonly TableName[] = ['inbox', 'pulls', 'effects', 'runs'];
    return structuredClone(await Promise.all(tables.map(rows)));
  }
}
