import { describe, expect, it } from 'vitest';
import type { Effect } from '../../../src/core/step/effects.ts';
import {
  GITHUB_RATE_LIMITS,
  PRIORITY_SHARES,
  type Priority,
  READ_COST,
  WRITE_COST,
} from '../../../src/core/step/rate-limit.ts';
import { delivery, pullOf, refOf, run, step } from './samples.ts';
import { LEASE, nextEffect, nextSignal, present, type StoreHarness } from './store-under-test.ts';

const NOTIFICATION: Effect = { type: 'reply', to: { at: 'pull-request' }, reply: { kind: 'help' }, onceKey: null };

const ACTION: Effect = { type: 'commit', runId: 'r', proposalIds: [], location: null };

const USES_TOOLS: Effect = { type: 'run-tools', runId: 'r', turn: 1, calls: [] };

const wish = (priority: Priority, cost = WRITE_COST) => ({ priority, cost, quota: null });

/** Rate limits belong to an installation and are shared by all processes; blocked work keeps its place. */
export function rateLimitsContract({ store, claimSignal }: StoreHarness): void {
  /** Sends requests until the priority is blocked; returns until when (ms). */
  async function exhaust(priority: Priority, now: number): Promise<number> {
    for (;;) {
      const until = await store().acquireRateLimit(1, wish(priority), GITHUB_RATE_LIMITS, now);
      if (until !== null) return until;
    }
  }

  /**
   * Stores these effects for pull requests 1, 2 and so on of installation 1, at 10, 11 and so on; all claims are
   * released.
   */
  async function saveEffects(...effectsByPull: readonly (readonly Effect[])[]): Promise<void> {
    const claims: Awaited<ReturnType<StoreHarness['claimSignal']>>[] = [];
    for (const number of effectsByPull.keys()) claims.push(await claimSignal(`start-${number}`, number + 1));
    for (const [index, { claim, signal }] of claims.entries()) {
      const pull = pullOf(index + 1, { run: run(`r${index}`) });
      await store().save(claim, signal, step(pull, { effects: effectsByPull[index] ?? [] }), 10 + index);
    }
    for (const { claim } of claims) await store().releaseClaim(claim);
  }

  describe('rate limits', () => {
    it('grants concurrent processes as much as one process (H8)', async () => {
      const answers = await Promise.all(
        Array.from({ length: 100 }, () => store().acquireRateLimit(1, wish('read'), GITHUB_RATE_LIMITS, 10)),
      );
      expect(answers.filter((until) => until === null)).toHaveLength(80 * PRIORITY_SHARES.read);
    });

    it('holds notifications back until they are unblocked, then runs the oldest first (H8, G16)', async () => {
      await saveEffects([NOTIFICATION], [NOTIFICATION]);
      const until = await exhaust('notify', 20);
      expect(await store().claimPull('w', until - 1, LEASE)).toBeNull();
      expect(await store().nextDue(until - 1)).toEqual({ exclusive: until, concurrent: null });
      const claim = present(await store().claimPull('w', until, LEASE));
      expect(claim.pullRequestKey).toBe('1/2/1');
      expect(present(await nextEffect(store(), claim, until)).effect).toEqual(NOTIFICATION);
    });

    it('holds blocked effects back from the holder of a claim too, and gives out the others (H8)', async () => {
      await saveEffects([NOTIFICATION, ACTION]);
      const until = await exhaust('notify', 20);
      const claim = present(await store().claimPull('w', 20, LEASE));
      const action = present(await nextEffect(store(), claim, 20));
      expect(action.effect).toEqual(ACTION);
      await store().finishEffect(action, null, 20);
      expect(await nextEffect(store(), claim, 20)).toBeNull();
      const later = present(await store().claimPull('w', until, LEASE));
      expect(present(await nextEffect(store(), later, until)).effect).toEqual(NOTIFICATION);
    });

    it('blocks all work of an installation that GitHub rate-limited: comments, results, effects and tools (H8)', async () => {
      await saveEffects([NOTIFICATION, ACTION, USES_TOOLS]);
      await store().receive([delivery('comment', 1), delivery('other-comment', 2)], 12);
      await store().pauseInstallation(1, 900);
      await store().pauseInstallation(1, 500);
      expect(await store().claimPull('w', 899, LEASE)).toBeNull();
      expect(await store().claimEffect('w', 899, LEASE)).toBeNull();
      expect(await store().nextDue(899)).toEqual({ exclusive: 900, concurrent: 900 });
      const claim = present(await store().claimPull('w', 900, LEASE));
      expect(claim.firstSignal).not.toBeNull();
      expect(await nextSignal(store(), claim, 899)).toBeNull();
      expect((await store().claimPull('w', 900, LEASE))?.firstSignal).not.toBeNull();
      expect(present(await store().claimEffect('w', 900, LEASE)).effect).toEqual(USES_TOOLS);
    });

    it('refuses a pause until a fraction of a millisecond', async () => {
      await expect(store().pauseInstallation(1, 900.5)).rejects.toThrow('900.5');
      expect(await store().acquireRateLimit(1, wish('read', READ_COST), GITHUB_RATE_LIMITS, 10)).toBeNull();
    });

    it('refuses every request while an installation is paused (H8)', async () => {
      expect(await store().acquireRateLimit(1, wish('read', READ_COST), GITHUB_RATE_LIMITS, 10)).toBeNull();
      await store().pauseInstallation(1, 900);
      expect(await store().acquireRateLimit(1, wish('read', READ_COST), GITHUB_RATE_LIMITS, 11)).toBe(900);
      expect(await store().acquireRateLimit(1, wish('read', READ_COST), GITHUB_RATE_LIMITS, 900)).toBeNull();
    });

    it('leaves other installations alone (H9)', async () => {
      const intent = { ...delivery('b').intent, pull: { ...refOf(1), installationId: 7 } };
      await store().receive([{ id: 'b', intent, contentKey: null }], 12);
      await store().pauseInstallation(1, 900);
      await exhaust('read', 10);
      expect(await store().acquireRateLimit(7, wish('notify'), GITHUB_RATE_LIMITS, 13)).toBeNull();
      expect(present(await store().claimPull('w', 13, LEASE)).pullRequestKey).toBe('7/2/1');
    });
  });
}
