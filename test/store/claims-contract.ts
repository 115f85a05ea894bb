import { describe, expect, it } from 'vitest';
import type { Claim, StoredSignal } from '../../src/store/store.ts';
import { type Bench, LEASE, present, type TableName } from './bench.ts';
import { delivery, pullOf, step } from './samples.ts';

/** One worker per pull request at a time, and a former one changes nothing. */
export function claimsContract({ store, gone, rows, claimed, signalled }: Bench): void {
  describe('claims', () => {
    it('G6, S86: ten claimers at once, one pull request: one gets it', async () => {
      await store().receive([delivery('a')], 1);
      const claims = await Promise.all(Array.from({ length: 10 }, () => store().claimPull('w', 5, LEASE)));
      const given = claims.filter((claim) => claim !== null);
      expect(given).toMatchObject([{ pullKey: '1/2/1', fence: 1, leaseUntil: 5 + LEASE, first: { attempts: 0 } }]);
    });

    it('ten claimers at once, ten pull requests: each gets one of its own', async () => {
      await store().receive(
        Array.from({ length: 10 }, (_, index) => delivery(`d${index}`, index)),
        1,
      );
      const keys = new Set<string>();
      for (let round = 0; round < 10 && keys.size < 10; round += 1) {
        const claims = await Promise.all(Array.from({ length: 10 }, () => store().claimPull('w', 5, LEASE)));
        for (const claim of claims) if (claim !== null) expect(keys.has(claim.pullKey)).toBe(false);
        for (const claim of claims) if (claim !== null) keys.add(claim.pullKey);
      }
      expect(keys.size).toBe(10);
    });

    it('takes the oldest work first, and none that is not due', async () => {
      await store().receive([delivery('late', 1)], 30);
      await store().receive([delivery('early', 2)], 20);
      expect(await store().claimPull('w', 19, LEASE)).toBeNull();
      expect(present(await store().claimPull('w', 40, LEASE)).pullKey).toBe('1/2/2');
      expect(present(await store().claimPull('w', 40, LEASE)).pullKey).toBe('1/2/1');
      expect(await store().claimPull('w', 40, LEASE)).toBeNull();
    });

    it('an effect of the pull lane is work as well, one of the free lane is not', async () => {
      const { claim, signal } = await signalled('a');
      await store().save(claim, signal, step(pullOf(1), { effects: [{ type: 'ask-model', runId: 'r', turn: 1 }] }), 10);
      await store().release(claim);
      expect(await store().claimPull('w', 20, LEASE)).toBeNull();
      const again = await signalled('b');
      await store().save(
        again.claim,
        again.signal,
        step(pullOf(1), { effects: [{ type: 'show-run', runId: 'r' }] }),
        10,
      );
      await store().release(again.claim);
      expect(await store().claimPull('w', 20, LEASE)).not.toBeNull();
    });

    it('a lease keeps others out until it ends or is renewed', async () => {
      const claim = await claimed('a', 1, 10);
      expect(await store().claimPull('v', 10 + LEASE - 1, LEASE)).toBeNull();
      expect(await store().renew(claim, 500, LEASE)).toBe(true);
      expect(await store().claimPull('v', 10 + LEASE, LEASE)).toBeNull();
      expect(await store().claimPull('v', 500 + LEASE, LEASE)).toMatchObject({ fence: claim.fence + 1 });
    });

    it('S81: the lease of a process that is gone is void at once', async () => {
      const other = gone();
      await store().receive([delivery('a')], 1);
      const lost = present(await other.claimPull('gone', 5, LEASE));
      expect(await store().claimPull('w', 6, LEASE)).toMatchObject({ fence: lost.fence + 1 });
    });

    it('G7: whoever lost its lease changes nothing', async () => {
      const { claim, signal } = await signalled('a');
      const now = 10 + LEASE;
      const next = present(await store().claimPull('v', now, LEASE));
      await changesNothing(claim, signal, now);
      expect(await store().save(next, signal, step(pullOf(1)), now)).toBe('saved');
    });

    it('G7: whoever has a number that a server gave again after it died and forgot changes nothing', async () => {
      const { claim, signal } = await signalled('a');
      const now = 10 + LEASE;
      const next = present(await store().claimPull('v', now, LEASE));
      await changesNothing({ ...next, mark: claim.mark }, signal, now);
      expect(await store().save(next, signal, step(pullOf(1)), now)).toBe('saved');
    });

    it('a claim that was given back is void for its own holder, and the pull request free', async () => {
      const { claim, signal } = await signalled('a');
      await store().release(claim);
      expect(await store().save(claim, signal, step(pullOf(1)), 20)).toBe('lost');
      expect(await store().claimPull('v', 20, LEASE)).not.toBeNull();
    });

    it('tells when the earliest work of each lane may be taken', async () => {
      expect(await store().nextDue(10)).toEqual({ pull: null, free: null });
      const { claim, signal } = await signalled('a');
      expect(await store().nextDue(10)).toEqual({ pull: 10 + LEASE, free: null });
      await store().postponeSignal(claim, signal, 5_000, null);
      expect(await store().nextDue(10)).toEqual({ pull: 5_000, free: null });
      const effects = [
        { type: 'ask-model', runId: 'r', turn: 1 },
        { type: 'show-run', runId: 'r' },
      ] as const;
      await store().save(claim, signal, step(pullOf(1), { effects }), 70);
      expect(await store().nextDue(70)).toEqual({ pull: 10 + LEASE, free: 70 });
      await store().claimEffect('w', 70, LEASE);
      expect(await store().nextDue(70)).toEqual({ pull: 10 + LEASE, free: 70 + LEASE });
      await store().release(claim);
      expect(await store().nextDue(70)).toEqual({ pull: 70, free: 70 + LEASE });
    });

    it('S81: what a process that is gone had leased is due at once', async () => {
      const other = gone();
      await store().receive([delivery('a')], 1);
      const claim = present(await other.claimPull('gone', 5, LEASE));
      const signal = present(claim.first);
      const effects = [{ type: 'ask-model', runId: 'r', turn: 1 }] as const;
      await other.save(claim, signal, step(pullOf(1), { effects }), 6);
      await other.claimEffect('gone', 6, LEASE);
      await store().receive([delivery('b')], 7);
      expect(await store().nextDue(7)).toEqual({ pull: 7, free: 6 });
    });
  });

  async function changesNothing(claim: Claim, signal: StoredSignal, now: number): Promise<void> {
    const effects = [{ type: 'show-run', runId: 'r' }] as const;
    const before = await everything();
    expect(await store().save(claim, signal, step(pullOf(1), { effects }), now)).toBe('lost');
    expect(await store().saveDirect(claim, signal.signal, step(pullOf(1), { effects }), now)).toBe('lost');
    expect(await store().renew(claim, now, LEASE)).toBe(false);
    expect(await store().nextWork(claim, now)).toBeNull();
    await store().postponeSignal(claim, signal, now * 9, { words: 'late', ours: true });
    await store().parkSignal(claim, signal, { id: 'f', words: 'late' }, { told: null, outcome: null }, now);
    await store().release(claim);
    expect(await everything()).toEqual(before);
  }

  async function everything(): Promise<unknown> {
    const tables: readonly TableName[] = ['inbox', 'pulls', 'effects', 'runs'];
    return structuredClone(await Promise.all(tables.map(rows)));
  }
}
