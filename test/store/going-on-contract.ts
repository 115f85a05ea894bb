import { describe, expect, it } from 'vitest';
import type { Effect } from '../../src/run/effect.ts';
import type { Ending, GivenBack, Lease, SaveResult, StoredEffect } from '../../src/store/store.ts';
import { type Bench, LEASE, nextSignal, present } from './bench.ts';
import { delivery, pullOf, step } from './samples.ts';

const ASK = { type: 'ask-model', runId: 'r', turn: 1 } as const;
const SHOW: Effect = { type: 'show-run', runId: 'r' };
const REPLIED = { type: 'model-failed', runId: 'r', turn: 1, message: 'no' } as const;
const MINE: Lease = { worker: 'w', ms: LEASE };
const TAKING: Ending = { lease: MINE };
const LEAVING: Ending = { lease: null };

/** Whoever works on a run may go on where it is: nothing that others would have been given is lost, or done twice. */
export function goingOnContract({ store, signalled, claimed, rows }: Bench): void {
  describe('going on', () => {
    it('a claim ends with the step after which nothing is due, and what it leads to is leased along', async () => {
      const effect = taken(await saved([ASK], TAKING));
      expect(effect).toMatchObject({ effect: ASK, attempts: 1, faults: 0, since: new Date(20).toISOString() });
      expect(await store().claimEffect('v', 20 + LEASE - 1, LEASE)).toBeNull();
      expect(await store().claimEffect('v', 20 + LEASE, LEASE)).toEqual({ ...effect, attempts: 2 });
      expect(await store().claimPull('v', 30, LEASE)).toBeNull();
      await store().receive([delivery('b')], 40);
      expect(await store().claimPull('v', 40, LEASE)).not.toBeNull();
    });

    it('where nothing may be leased, any worker finds it', async () => {
      expect(await saved([ASK], LEAVING)).toEqual({ kind: 'given-back', effect: null });
      expect(await store().claimEffect('v', 20, LEASE)).toMatchObject({ effect: ASK, attempts: 1 });
    });

    it('one that is wanted already is nobody’s but whose it was', async () => {
      await saved([ASK], LEAVING);
      expect(await saved([SHOW], LEAVING, 'b')).toBe('saved');
      expect(await rows('effects')).toHaveLength(2);
    });

    it('of two the first is leased, and the other waits for anybody', async () => {
      const other: Effect = { type: 'ask-model', runId: 'r', turn: 2 };
      expect(taken(await saved([ASK, other], TAKING))?.effect).toEqual(ASK);
      expect(await store().claimEffect('v', 20, LEASE)).toMatchObject({ effect: other });
    });

    it('a claim goes on while words wait, or effects of its own lane', async () => {
      const { claim, signal } = await signalled('a');
      await store().receive([delivery('b')], 15);
      expect(await store().save(claim, signal, step(pullOf(1), { effects: [ASK] }), 20, TAKING)).toBe('saved');
      const next = present(await nextSignal(store(), claim, 20));
      expect(await store().save(claim, next, step(pullOf(1), { effects: [SHOW] }), 20, TAKING)).toBe('saved');
      expect(await store().nextWork(claim, 20)).toMatchObject({ effect: { effect: SHOW } });
      expect(await store().claimEffect('v', 20, LEASE)).toMatchObject({ effect: ASK, attempts: 1 });
    });

    it('what is due later keeps nobody', async () => {
      const { claim, signal } = await signalled('a');
      await store().receive([delivery('later')], 500);
      expect(await store().save(claim, signal, step(pullOf(1)), 20, LEAVING)).toMatchObject({ kind: 'given-back' });
      expect(await store().nextDue(30)).toEqual({ pull: 500, free: null });
    });

    it('G7: whoever lost the claim ends nothing', async () => {
      const { claim, signal } = await signalled('a');
      const now = 10 + LEASE;
      const theirs = present(await store().claimPull('v', now, LEASE));
      expect(await store().save(claim, signal, step(pullOf(1), { effects: [ASK] }), now, TAKING)).toBe('lost');
      expect(await store().claimEffect('w', now, LEASE)).toBeNull();
      expect(await store().renew(theirs, now, LEASE)).toBe(true);
    });

    it('H8: an effect whose rank has to wait is leased to nobody', async () => {
      const { claim, signal } = await signalled('a');
      await store().rest(1, 900);
      const result = await store().save(claim, signal, step(pullOf(1), { effects: [ASK] }), 20, TAKING);
      expect(result).toEqual({ kind: 'given-back', effect: null });
      expect(await store().claimEffect('w', 899, LEASE)).toBeNull();
      expect(await store().claimEffect('w', 900, LEASE)).toMatchObject({ effect: ASK, attempts: 1 });
    });

    it('an outcome brings the claim of its pull request along', async () => {
      const effect = present(taken(await saved([ASK], TAKING)));
      const claim = present(await store().finishEffect(effect, REPLIED, 30, MINE));
      expect(claim).toMatchObject({
        pullKey: '1/2/1',
        leaseUntil: 30 + LEASE,
        first: { signal: REPLIED, attempts: 0 },
      });
      expect(await store().claimPull('v', 30 + LEASE - 1, LEASE)).toBeNull();
      expect(await nextSignal(store(), claim, 30)).toEqual(claim.first);
      expect(await store().save(claim, present(claim.first), step(pullOf(1)), 31)).toBe('saved');
      expect((await rows('inbox')).filter(({ doneAt }) => doneAt === null)).toEqual([]);
    });

    it('G7: not where somebody holds it, who is told of the outcome as ever; and a repeated call brings nothing', async () => {
      const effect = present(taken(await saved([ASK], TAKING)));
      const theirs = await claimed('b', 1, 25);
      expect(await store().finishEffect(effect, REPLIED, 30, MINE)).toBeNull();
      expect(await store().finishEffect(effect, REPLIED, 30, MINE)).toBeNull();
      expect((await nextSignal(store(), theirs, 30))?.signal).toEqual(REPLIED);
      expect((await rows('inbox')).filter(({ kind }) => kind === 'outcome')).toHaveLength(1);
    });

    it('S86: not before another outcome, nor while GitHub told to wait', async () => {
      const first = present(taken(await saved([ASK], TAKING)));
      const second = present(taken(await saved([{ ...ASK, turn: 2 }], TAKING, 'b')));
      await store().finishEffect(first, REPLIED, 30);
      expect(await store().finishEffect(second, { ...REPLIED, turn: 2 }, 31, MINE)).toBeNull();
      const claim = present(await store().claimPull('w', 32, LEASE));
      expect(claim.first?.signal).toEqual(REPLIED);
      await store().save(claim, present(claim.first), step(pullOf(1)), 32);
      const next = present(await nextSignal(store(), claim, 32));
      const third = taken(
        await store().save(claim, next, step(pullOf(1), { effects: [{ ...ASK, turn: 3 }] }), 32, TAKING),
      );
      await store().rest(1, 900);
      expect(await store().finishEffect(present(third), REPLIED, 40, MINE)).toBeNull();
      expect(await store().claimPull('w', 899, LEASE)).toBeNull();
      expect(await store().claimPull('w', 900, LEASE)).not.toBeNull();
    });

    it('an outcome that is nothing claims nothing', async () => {
      const effect = present(taken(await saved([ASK], TAKING)));
      expect(await store().finishEffect(effect, null, 30, MINE)).toBeNull();
      expect(await store().nextDue(30)).toEqual({ pull: null, free: null });
    });
  });

  async function saved(effects: readonly Effect[], ending: Ending, id = 'a'): Promise<SaveResult> {
    const { claim, signal } = await signalled(id);
    return store().save(claim, signal, step(pullOf(1), { effects }), 20, ending);
  }
}

function taken(result: SaveResult): StoredEffect | null {
  const isOver = (one: SaveResult): one is GivenBack => typeof one === 'object';
  if (!isOver(result)) throw new Error(`The claim goes on: ${result}`);
  return result.effect;
}
