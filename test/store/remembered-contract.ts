import { describe, expect, it } from 'vitest';
import { GITHUB_LIMITS, WRITE } from '../../src/budget/limits.ts';
import { NONE_NAMED } from '../../src/run/named-proposals.ts';
import type { Pull } from '../../src/run/run.ts';
import { RUNS_MS } from '../../src/store/prune.ts';
import type { Claim, Store } from '../../src/store/store.ts';
import { storeOn } from '../../src/store/store-on.ts';
import { type DatabaseBench, LEASE, nextEffect, nextSignal, present } from './bench.ts';
import { delivery, proposal, pullOf, run, step } from './samples.ts';

/** What a process remembers of what it stored, while others store as well: the database is what counts. */
export function rememberedContract({ store, backend, value, rebuild }: DatabaseBench): void {
  /** Takes the next signal of the pull request and saves it like this. */
  async function saved(by: Store, id: string, pull: Pull, now: number): Promise<Claim> {
    await by.receive([delivery(id)], now);
    const claim = present(await by.claimPull('w', now, LEASE));
    await by.load(claim.pullKey, NONE_NAMED);
    const signal = present(await nextSignal(by, claim, now));
    expect(await by.save(claim, signal, step(pull), now)).toBe('saved');
    expect(await by.load(claim.pullKey, NONE_NAMED)).toEqual(pull);
    return claim;
  }

  const first = pullOf(1, { run: run('r'), proposals: [proposal('p1', 'r')], proposalCount: 1 });
  const second = pullOf(1, { run: run('r', { turns: 7 }), proposals: [proposal('p1', 'r')], proposalCount: 9 });

  describe('what is remembered', () => {
    it('G7: what another process saved in between is what the next step goes on from', async () => {
      const other = storeOn(backend());
      await store().release(await saved(store(), 'a', first, 10));
      await other.release(await saved(other, 'b', second, 20));
      await store().receive([delivery('c')], 30);
      const claim = present(await store().claimPull('w', 30, LEASE));
      expect(await store().load(claim.pullKey, NONE_NAMED)).toEqual(second);
    });

    it('G7: also where that process never gave it back', async () => {
      await store().release(await saved(store(), 'a', first, 10));
      await saved(storeOn(backend()), 'b', second, 20);
      await store().receive([delivery('c')], 30);
      const claim = present(await store().claimPull('w', 30 + LEASE, LEASE));
      expect(await store().load(claim.pullKey, NONE_NAMED)).toEqual(second);
    });

    it('G7: whoever lost it to another process and reads all the same stores nothing of that', async () => {
      const other = storeOn(backend());
      const late = await saved(store(), 'a', first, 10);
      await store().receive([delivery('b'), delivery('c')], 20);
      const signal = present(await nextSignal(store(), late, 20));
      const now = 20 + LEASE;
      const claim = present(await other.claimPull('w', now, LEASE));
      expect(await store().save(late, signal, step(await store().load(late.pullKey, NONE_NAMED)), now)).toBe('lost');
      await store().release(late);
      await other.load(claim.pullKey, NONE_NAMED);
      await other.save(claim, present(await nextSignal(other, claim, now)), step(second), now);
      await other.release(claim);
      const again = present(await store().claimPull('w', now, LEASE));
      expect(await store().load(again.pullKey, NONE_NAMED)).toEqual(second);
    });

    it('G7: an effect of a step that another process saved meanwhile is performed on what that one stored', async () => {
      const other = storeOn({ ...backend(), embedded: false });
      const here = storeOn({ ...backend(), embedded: false });
      await saved(here, 'a', first, 10);
      await here.receive([delivery('b')], 20);
      const claim = present(await other.claimPull('w', 20 + LEASE, LEASE));
      const signal = present(await nextSignal(other, claim, 20 + LEASE));
      const wanting = step(second, { effects: [{ type: 'use-tools', runId: 'r', turn: 7, calls: [] }] });
      await other.save(claim, signal, wanting, 20 + LEASE);
      const effect = present(await here.claimEffect('w', 20 + LEASE, LEASE));
      expect(await here.load(effect.pullKey, NONE_NAMED)).toEqual(second);
    });

    it('S79: a step that could not be stored is not gone on from', async () => {
      const claim = await saved(store(), 'a', first, 10);
      await store().receive([delivery('b')], 20);
      const signal = present(await nextSignal(store(), claim, 20));
      await value('drop table effects');
      const doomed = step(second, { effects: [{ type: 'show-run', runId: 'r' }] });
      await expect(store().save(claim, signal, doomed, 20)).rejects.toThrow();
      expect(await store().load(claim.pullKey, NONE_NAMED)).toEqual(first);
      await rebuild();
    });

    it('I15: a run that was forgotten is forgotten by whoever worked on it last', async () => {
      const over = pullOf(1, {
        run: run('r', { phase: { kind: 'ended', how: 'finished', by: null, at: '', note: null } }),
      });
      await store().release(await saved(store(), 'a', over, 10));
      while (await store().prune(20 + RUNS_MS));
      await store().receive([delivery('b')], 20 + RUNS_MS);
      const claim = present(await store().claimPull('w', 20 + RUNS_MS, LEASE));
      expect(await store().load(claim.pullKey, NONE_NAMED)).toEqual({ ...over, run: null });
    });

    it('I15: also where somebody has not given it back yet who was stopped for long', async () => {
      const over = pullOf(1, {
        run: run('r', { phase: { kind: 'ended', how: 'finished', by: null, at: '', note: null } }),
      });
      const late = await saved(store(), 'a', over, 10);
      while (await store().prune(20 + RUNS_MS));
      await store().release(late);
      await store().receive([delivery('b')], 20 + RUNS_MS);
      const claim = present(await store().claimPull('w', 20 + RUNS_MS, LEASE));
      expect(await store().load(claim.pullKey, NONE_NAMED)).toEqual({ ...over, run: null });
    });

    it('H8: processes that send in turn have one budget', async () => {
      const other = storeOn(backend());
      const answers: (number | null)[] = [];
      for (let sent = 0; sent < 100; sent += 1) {
        const by = sent % 3 === 0 ? other : store();
        answers.push(await by.spend(1, { rank: 'hear', cost: WRITE, quota: null }, GITHUB_LIMITS, 10));
      }
      expect(answers.filter((until) => until === null)).toHaveLength(80);
    });

    it('S78: a request that writes leaves only once the attempt that it belongs to is on disk', async () => {
      const send = () => store().spend(1, { rank: 'act', cost: WRITE, quota: null }, GITHUB_LIMITS, 20);
      const claim = await saved(store(), 'a', first, 10);
      await store().receive([delivery('b')], 20);
      const signal = present(await nextSignal(store(), claim, 20));
      await store().save(claim, signal, step(first, { effects: [{ type: 'show-run', runId: 'r' }] }), 20);
      await send();
      expect(await nextEffect(store(), claim, 20)).not.toBeNull();
      const begun = await value('select pg_current_wal_insert_lsn()');
      await send();
      expect(await value(`select pg_current_wal_flush_lsn() >= '${begun}'`)).toBe(true);
    });
  });
}
