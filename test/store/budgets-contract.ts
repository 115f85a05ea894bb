import { describe, expect, it } from 'vitest';
import { GITHUB_LIMITS, type Rank, READ, SHARES, WRITE } from '../../src/budget/limits.ts';
import type { Effect } from '../../src/run/effect.ts';
import { type Bench, LEASE, nextEffect, nextSignal, present } from './bench.ts';
import { delivery, pullOf, refOf, run, step } from './samples.ts';

const TELLS: Effect = { type: 'answer', to: { at: 'pull' }, answer: { kind: 'help' }, once: null };
const ACTS: Effect = { type: 'commit', runId: 'r', proposalIds: [], place: null };
const USES_TOOLS: Effect = { type: 'use-tools', runId: 'r', turn: 1, calls: [] };
const wish = (rank: Rank, cost = WRITE) => ({ rank, cost, quota: null });

/** GitHub's limits belong to an installation, whichever process asks, and work that has to wait for them keeps its place. */
export function budgetsContract({ store, signalled }: Bench): void {
  /** Sends at once until the rank has to wait; until when (ms). */
  async function exhaust(rank: Rank, now: number): Promise<number> {
    for (;;) {
      const until = await store().spend(1, wish(rank), GITHUB_LIMITS, now);
      if (until !== null) return until;
    }
  }

  /** Pull requests 1, 2 and so on of installation 1, on which these effects are wanted since 10, 11 and so on; nobody holds them. */
  async function wanting(...wanted: readonly (readonly Effect[])[]): Promise<void> {
    const held: Awaited<ReturnType<Bench['signalled']>>[] = [];
    for (const number of wanted.keys()) held.push(await signalled(`begins ${number}`, number + 1));
    for (const [index, { claim, signal }] of held.entries()) {
      const pull = pullOf(index + 1, { run: run(`r${index}`) });
      await store().save(claim, signal, step(pull, { effects: wanted[index] ?? [] }), 10 + index);
    }
    for (const { claim } of held) await store().release(claim);
  }

  describe('budgets', () => {
    it('H8: any number of processes that ask at once get what one would get', async () => {
      const answers = await Promise.all(
        Array.from({ length: 100 }, () => store().spend(1, wish('hear'), GITHUB_LIMITS, 10)),
      );
      expect(answers.filter((until) => until === null)).toHaveLength(80 * SHARES.hear);
    });

    it('H8, G16: what only tells is not given out before its time, and then the oldest of it first', async () => {
      await wanting([TELLS], [TELLS]);
      const until = await exhaust('tell', 20);
      expect(await store().claimPull('w', until - 1, LEASE)).toBeNull();
      expect(await store().nextDue(until - 1)).toEqual({ pull: until, free: null });
      const claim = present(await store().claimPull('w', until, LEASE));
      expect(claim.pullKey).toBe('1/2/1');
      expect(present(await nextEffect(store(), claim, until)).effect).toEqual(TELLS);
    });

    it('H8: whoever holds a pull request is given nothing of it either, but what comes before', async () => {
      await wanting([TELLS, ACTS]);
      const until = await exhaust('tell', 20);
      const claim = present(await store().claimPull('w', 20, LEASE));
      const acts = present(await nextEffect(store(), claim, 20));
      expect(acts.effect).toEqual(ACTS);
      await store().finishEffect(acts, null, 20);
      expect(await nextEffect(store(), claim, 20)).toBeNull();
      const later = present(await store().claimPull('w', until, LEASE));
      expect(present(await nextEffect(store(), later, until)).effect).toEqual(TELLS);
    });

    it('H8: after GitHub told an installation to wait, nothing of it goes on before: words, outcomes, effects, tools', async () => {
      await wanting([TELLS, ACTS, USES_TOOLS]);
      await store().receive([delivery('words', 1), delivery('other words', 2)], 12);
      await store().rest(1, 900);
      await store().rest(1, 500);
      expect(await store().claimPull('w', 899, LEASE)).toBeNull();
      expect(await store().claimEffect('w', 899, LEASE)).toBeNull();
      expect(await store().nextDue(899)).toEqual({ pull: 900, free: 900 });
      const claim = present(await store().claimPull('w', 900, LEASE));
      expect(claim.first).not.toBeNull();
      expect(await nextSignal(store(), claim, 899)).toBeNull();
      expect((await store().claimPull('w', 900, LEASE))?.first).not.toBeNull();
      expect(present(await store().claimEffect('w', 900, LEASE)).effect).toEqual(USES_TOOLS);
    });

    it('H8: a request that is on its way when that happens is the last one', async () => {
      expect(await store().spend(1, wish('hear', READ), GITHUB_LIMITS, 10)).toBeNull();
      await store().rest(1, 900);
      expect(await store().spend(1, wish('hear', READ), GITHUB_LIMITS, 11)).toBe(900);
      expect(await store().spend(1, wish('hear', READ), GITHUB_LIMITS, 900)).toBeNull();
    });

    it('H9: another installation knows nothing of it', async () => {
      const intent = { ...delivery('b').intent, pull: { ...refOf(1), installationId: 7 } };
      await store().receive([{ id: 'b', intent, naturalKey: null }], 12);
      await store().rest(1, 900);
      await exhaust('hear', 10);
      expect(await store().spend(7, wish('tell'), GITHUB_LIMITS, 13)).toBeNull();
      expect(present(await store().claimPull('w', 13, LEASE)).pullKey).toBe('7/2/1');
    });
  });
}
