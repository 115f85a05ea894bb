import { describe, expect, it } from 'vitest';
import { type Effect, PROGRESS_MS } from '../../src/run/effect.ts';
import { NONE_NAMED } from '../../src/run/named-proposals.ts';
import type { Pull } from '../../src/run/run.ts';
import type { Ending, GivenBack, SaveResult } from '../../src/store/store.ts';
import { type Bench, LEASE, nextEffect, present } from './bench.ts';
import { delivery, proposal, pullOf, run, step } from './samples.ts';

const SHOW: Effect = { type: 'show-run', runId: 'r' };
const PROGRESS: Effect = { type: 'show-run', runId: 'r', progress: true };
const ASK: Effect = { type: 'ask-model', runId: 'r', turn: 1 };
const TAKING: Ending = { lease: { worker: 'w', ms: LEASE } };
const DUE = 20 + PROGRESS_MS;

/** How far a run is, is shown a moment later, together with what comes until then; nothing waits for that. */
export function progressContract({ store, rows }: Bench): void {
  describe('progress', () => {
    it('is shown after a moment, once', async () => {
      await saved([PROGRESS]);
      await saved([PROGRESS], { id: 'b' });
      expect(await store().claimPull('w', DUE - 1, LEASE)).toBeNull();
      expect(await store().nextDue(30)).toMatchObject({ pull: DUE });
      expect(await shownAt(DUE)).toMatchObject({ effect: PROGRESS, attempts: 1 });
    });

    it('comes at once with what is to be shown at once', async () => {
      await saved([PROGRESS]);
      await saved([SHOW], { id: 'b', ending: null });
      expect(await shownAt(30)).toMatchObject({ effect: { type: 'show-run' }, attempts: 1 });
    });

    it('comes at once also where the step changes proposals', async () => {
      await saved([PROGRESS]);
      const pull = pullOf(1, { run: run('r'), proposals: [proposal('k7q2', 'r')] });
      await saved([SHOW], { id: 'b', ending: null, pull });
      expect(await shownAt(30)).toMatchObject({ effect: { type: 'show-run' }, attempts: 1 });
    });

    it('of one step, what is to be shown at once counts', async () => {
      await saved([PROGRESS, SHOW], { ending: null });
      expect(await shownAt(30)).toMatchObject({ effect: SHOW });
      await saved([PROGRESS, SHOW], { id: 'b', ending: null, pull: pullOf(1, { run: run('r') }) });
      expect(await rows('effects')).toHaveLength(2);
    });

    it('H8: where GitHub said to wait, nothing brings it forward', async () => {
      await saved([PROGRESS]);
      const claim = present(await store().claimPull('w', DUE, LEASE));
      const tried = present(await nextEffect(store(), claim, DUE));
      const back = {
        now: DUE,
        notBefore: 90_000,
        error: 'GitHub said to wait',
        stoppedBy: 'other',
        signal: null,
      } as const;
      await store().postponeEffect(tried, back);
      await store().release(claim);
      await saved([SHOW], { id: 'b', ending: null });
      await saved([SHOW], { id: 'c', ending: null, pull: pullOf(1, { proposals: [proposal('k7q2', 'r')] }) });
      expect(await rows('effects')).toHaveLength(1);
      const later = await store().claimPull('v', 60_000, LEASE);
      if (later !== null) expect(await nextEffect(store(), later, 60_000)).toBeNull();
      expect(await store().claimPull('w', 90_000, LEASE)).not.toBeNull();
    });

    it.each([
      ['that goes on', pullOf(1)],
      ['that changes proposals', pullOf(1, { proposals: [proposal('k7q2', 'r')] })],
    ])(
      'what failed and waits takes along what is shown at once by a step %s: its tries count from there',
      async (_, pull) => {
        await saved([PROGRESS]);
        const claim = present(await store().claimPull('w', DUE, LEASE));
        const tried = present(await nextEffect(store(), claim, DUE));
        await store().postponeEffect(tried, {
          now: DUE,
          notBefore: 90_000,
          error: 'broken',
          stoppedBy: 'us',
          signal: null,
        });
        await store().release(claim);
        await saved([SHOW], { id: 'b', ending: null, pull, now: 80_000 });
        const since = new Date(80_000).toISOString();
        expect(await shownAt(90_000)).toMatchObject({ attempts: 2, faults: 0, since });
      },
    );

    it('keeps no claim, and the effect that is leased along brings what was known', async () => {
      const pull = pullOf(1, { run: run('r') });
      const first = over(await saved([ASK, PROGRESS], { pull }));
      expect(first.effect).toMatchObject({ effect: ASK, attempts: 1 });
      expect(first.pull).toEqual(pull);
      expect(first.pull).toEqual(await store().load('1/2/1', NONE_NAMED));
    });

    it('keeps no claim where it is due but has to wait for the limits of the installation', async () => {
      await saved([PROGRESS]);
      const limit = { name: 'test', unit: 'writes', most: 10, spanMs: 600_000 } as const;
      await store().spend(1, { rank: 'hear', cost: { points: 0, writes: 10 }, quota: null }, [limit], 25);
      expect(
        await store().spend(1, { rank: 'tell', cost: { points: 0, writes: 1 }, quota: null }, [limit], 26),
      ).not.toBeNull();
      expect(over(await saved([ASK], { id: 'b', now: DUE + 5 }))).toBeDefined();
    });
  });

  type Saved = { readonly id?: string; readonly ending?: Ending | null; readonly pull?: Pull; readonly now?: number };

  /** Saves a step that wants these effects, at 20 unless told otherwise, for words of its own. */
  async function saved(effects: readonly Effect[], more: Saved = {}): Promise<SaveResult> {
    const { id = 'a', ending = TAKING, pull = pullOf(1), now = 20 } = more;
    await store().receive([delivery(id)], 10);
    const claim = present(await store().claimPull('w', Math.max(now, 20), LEASE));
    const first = present(claim.first);
    // As a worker does: what is decided was read before.
    await store().load(claim.pullKey, NONE_NAMED);
    const result = await store().save(claim, first, step(pull, { effects }), now, ending ?? undefined);
    if (result === 'saved') await store().release(claim);
    return result;
  }

  async function shownAt(now: number): Promise<unknown> {
    expect((await rows('effects')).filter(({ doneAt }) => doneAt === null)).toHaveLength(1);
    const claim = present(await store().claimPull('v', now, LEASE));
    const effect = present(await nextEffect(store(), claim, now));
    await store().finishEffect(effect, null, now);
    await store().release(claim);
    return effect;
  }
}

function over(result: SaveResult): GivenBack {
  if (typeof result === 'string') throw new Error(`The claim goes on: ${result}`);
  return result;
}
