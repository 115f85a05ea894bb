import { describe, expect, it } from 'vitest';
import type { SaveResult } from '../../../src/adapters/store/store.ts';
import type { PullState } from '../../../src/core/state/pull-state.ts';
import { type Effect, PROGRESS_DELAY_MS } from '../../../src/core/step/effects.ts';
import { NO_PROPOSALS } from '../../../src/core/step/facts.ts';
import { delivery, proposal, pullOf, step } from './samples.ts';
import { LEASE, nextEffect, nextSignal, present, type StoreHarness } from './store-under-test.ts';

const SHOW: Effect = { type: 'update-run-comment', runId: 'r' };

const PROGRESS: Effect = { type: 'update-run-comment', runId: 'r', progress: true };

const DUE = 20 + PROGRESS_DELAY_MS;

/** Progress of a run is shown after a delay, together with later changes, and blocks nothing. */
export function progressContract({ store, rows }: StoreHarness): void {
  describe('progress', () => {
    it('is shown once, after a delay', async () => {
      await saved([PROGRESS]);
      await saved([PROGRESS], { id: 'b' });
      expect(await store().claimPull(DUE - 1, LEASE)).toBeNull();
      expect(await store().nextDue()).toBe(DUE);
      expect(await shownAt(DUE)).toMatchObject({ effect: PROGRESS, attempts: 1 });
    });

    it('is shown at once together with an immediate update', async () => {
      await saved([PROGRESS]);
      await saved([SHOW], { id: 'b' });
      expect(await shownAt(30)).toMatchObject({ effect: { type: 'update-run-comment' }, attempts: 1 });
    });

    it('never comes before the time that GitHub set (H8)', async () => {
      await saved([PROGRESS]);
      const claim = present(await store().claimPull(DUE, LEASE));
      const tried = present(await nextEffect(store(), claim, DUE));
      const back = {
        now: DUE,
        notBefore: 90_000,
        error: 'GitHub asked us to wait',
        failure: 'other',
        signal: null,
      } as const;
      await store().postponeEffect(tried, back);
      await store().releaseClaim(claim);
      await saved([SHOW], { id: 'b' });
      await saved([SHOW], { id: 'c', pull: pullOf(1, { proposals: [proposal('k7q2', 'r')] }) });
      expect(await rows('effects')).toHaveLength(1);
      const later = await store().claimPull(60_000, LEASE);
      if (later !== null) expect(await nextEffect(store(), later, 60_000)).toBeNull();
      expect(await store().claimPull(90_000, LEASE)).not.toBeNull();
    });

    it.each([
      ['without proposals', pullOf(1)],
      ['with changed proposals', pullOf(1, { proposals: [proposal('k7q2', 'r')] })],
    ])('of a failed update that is requested again by a step %s counts errors from then on', async (_, pull) => {
      await saved([PROGRESS]);
      const claim = present(await store().claimPull(DUE, LEASE));
      const tried = present(await nextEffect(store(), claim, DUE));
      await store().postponeEffect(tried, {
        now: DUE,
        notBefore: 90_000,
        error: 'broken',
        failure: 'internal',
        signal: null,
      });
      await store().releaseClaim(claim);
      await saved([SHOW], { id: 'b', pull, now: 80_000 });
      const requestedAt = new Date(80_000).toISOString();
      expect(await shownAt(90_000)).toMatchObject({ attempts: 2, internalErrors: 0, requestedAt });
    });
  });

  type Saved = { readonly id?: string; readonly pull?: PullState; readonly now?: number };

  /** Saves a step with these effects for a delivery of its own, at 20 by default. */
  async function saved(effects: readonly Effect[], more: Saved = {}): Promise<SaveResult> {
    const { id = 'a', pull = pullOf(1), now = 20 } = more;
    await store().receive(delivery(id), 10);
    const claim = present(await store().claimPull(Math.max(now, 20), LEASE));
    const first = present(await nextSignal(store(), claim, Math.max(now, 20)));
    // A worker loads before it saves.
    await store().load(claim.pullRequestKey, NO_PROPOSALS);
    const result = await store().save(claim, first, step(pull, { effects }), now);
    await store().releaseClaim(claim);
    return result;
  }

  async function shownAt(now: number): Promise<unknown> {
    expect((await rows('effects')).filter(({ doneAt }) => doneAt === null)).toHaveLength(1);
    const claim = present(await store().claimPull(now, LEASE));
    const effect = present(await nextEffect(store(), claim, now));
    await store().finishEffect(effect, null, now);
    await store().releaseClaim(claim);
    return effect;
  }
}
