import { describe, expect, it } from 'vitest';
import type { Effect } from '../../../src/core/step/effects.ts';
import type { Signal } from '../../../src/core/step/signals.ts';
import { delivery, pullOf, run, step, UNINSTALLED } from './samples.ts';
import { LEASE, nextEffect, nextSignal, present, type StoreHarness } from './store-under-test.ts';

const SHOW: Effect = { type: 'update-run-comment', runId: 'r1' };

/** An event of an installation reaches its pull requests with active or pending work. */
export function installationEventsContract({ store, rows, claimSignal }: StoreHarness): void {
  /** Handles the only delivery of a pull request; its run is then active or ended. */
  async function decided(number: number, ended: boolean, effects: readonly Effect[] = []): Promise<void> {
    const { claim, signal } = await claimSignal(`d${number}`, number);
    const phase = ended
      ? ({ kind: 'ended', reason: 'finished', by: null, at: '', note: null } as const)
      : ({ kind: 'awaiting-decisions', turn: 1 } as const);
    const pull = pullOf(number, { run: run(`r${number}`, { phase }) });
    await store().save(claim, signal, step(pull, { effects }), 10);
    await store().releaseClaim(claim);
  }

  const notifiedPulls = async () =>
    (await rows('inbox')).flatMap(({ kind, pullKey }) => (kind === 'effect-result' ? [pullKey] : [])).sort();

  describe('installation events', () => {
    it('reach pull requests with an active run or pending work, and no others (S90b)', async () => {
      await decided(1, false);
      await decided(2, true);
      await decided(3, true, [SHOW]);
      await store().receive(delivery('new', 4), 10);
      expect(await store().broadcastToPulls('uninstalled', UNINSTALLED, 11)).toBe('stored');
      expect(await notifiedPulls()).toEqual(['1/2/1', '1/2/3', '1/2/4']);
    });

    it('reach only the affected installation and repositories (S90b)', async () => {
      await decided(1, false);
      expect(await store().broadcastToPulls('a', { ...UNINSTALLED, installationId: 9 }, 11)).toBe('stored');
      expect(await store().broadcastToPulls('b', { ...UNINSTALLED, repositoryIds: [7, 8] }, 11)).toBe('stored');
      expect(await notifiedPulls()).toEqual([]);
      expect(await store().broadcastToPulls('c', { ...UNINSTALLED, repositoryIds: [2, 7] }, 11)).toBe('stored');
      expect(await notifiedPulls()).toEqual(['1/2/1']);
    });

    it('are stored once per delivery, even if runs have started since (F4, F7)', async () => {
      expect(await store().broadcastToPulls('uninstalled', UNINSTALLED, 11)).toBe('stored');
      await decided(1, false);
      expect(await store().broadcastToPulls('uninstalled', UNINSTALLED, 12)).toBe('duplicate');
      expect(await notifiedPulls()).toEqual([]);
    });

    it('come before pending comments, and cancel other pending work (F16)', async () => {
      await decided(1, false, [SHOW, { type: 'ask-model', runId: 'r1', turn: 2 }]);
      await store().receive(delivery('comment', 1), 11);
      await store().broadcastToPulls('uninstalled', UNINSTALLED, 12);
      const asking = present(await store().claimEffect(12, LEASE));
      const claim = present(await store().claimPull(13, LEASE));
      const signal = present(await nextSignal(store(), claim, 13));
      expect(signal.signal).toEqual({ type: 'access-lost', cause: 'uninstalled' });
      const over = step(pullOf(1), { reason: 'access-lost', cancelsPendingWork: true });
      expect(await store().save(claim, signal, over, 13)).toBe('saved');
      expect(await store().nextWork(claim, 14)).toBeNull();
      await store().finishEffect(asking, { type: 'next-task-due' }, 14);
      expect(await store().claimPull(15, LEASE)).toBeNull();
      expect(await store().nextDue()).toBeNull();
    });

    it('keep results about a commit, which the ledger needs (F16, G11)', async () => {
      const commit = { type: 'commit', runId: 'r1', proposalIds: ['p1'], location: null } as const;
      await decided(1, false, [commit, SHOW, { type: 'ask-model', runId: 'r1', turn: 2 }]);
      const claim = present(await store().claimPull(13, LEASE));
      const asking = present(await store().claimEffect(13, LEASE));
      // A database rejects these characters in its JSON type.
      await store().finishEffect(
        asking,
        { type: 'model-failed', runId: 'r1', turn: 2, failure: null, message: '\0 \uD800' },
        13,
      );
      const failed = present(await nextSignal(store(), claim, 13));
      await store().postponeSignal(claim, failed, 99, null);
      const committing = present(await nextEffect(store(), claim, 13));
      expect(committing.effect).toEqual(commit);
      await store().broadcastToPulls('uninstalled', UNINSTALLED, 13);
      const committed = {
        type: 'committed',
        runId: 'r1',
        sha: 'c',
        parentSha: 'b',
        proposalIds: ['p1'],
        committedVersions: {},
        files: [],
      } as const;
      await store().finishEffect(committing, committed, 14);
      const signal = present(await nextSignal(store(), claim, 14));
      expect(signal.signal).toEqual({ type: 'access-lost', cause: 'uninstalled' });
      const over = step(pullOf(1), { reason: 'access-lost', cancelsPendingWork: true });
      expect(await store().save(claim, signal, over, 14)).toBe('saved');
      const last = present(await nextSignal(store(), claim, 15));
      expect(last.signal).toEqual(committed);
      await store().save(claim, last, step(pullOf(1)), 15);
      expect(await store().nextWork(claim, 15)).toBeNull();
    });

    const COMMIT = { runId: 'r1', sha: 'c', parentSha: 'b', proposalIds: ['p1'], committedVersions: {} } as const;
    /** The result of the effect: committed, not verifiable yet, or different from the proposal. */
    const RESULTS = {
      done: { type: 'committed', ...COMMIT, files: [] },
      postponed: { type: 'commit-unverified', ...COMMIT },
      mismatched: { type: 'commit-mismatch', ...COMMIT, mismatches: [] },
    } as const satisfies Record<string, Signal>;

    it.each(['done', 'postponed', 'mismatched'] as const)(
      'store a commit reported by a stalled worker once; the effect is %s (G7, G11)',
      async (end) => {
        const commit = { type: 'commit', runId: 'r1', proposalIds: ['p1'], location: null } as const;
        await decided(1, false, [commit, SHOW]);
        const stalled = present(await store().claimPull(12, LEASE));
        const committing = present(await nextEffect(store(), stalled, 12));
        await store().broadcastToPulls('uninstalled', UNINSTALLED, 13);
        const claim = present(await store().claimPull(12 + LEASE, LEASE));
        const over = step(pullOf(1), { reason: 'access-lost', cancelsPendingWork: true });
        expect(await store().save(claim, present(await nextSignal(store(), claim, 12 + LEASE)), over, 13 + LEASE)).toBe(
          'saved',
        );
        const back = { now: 20, notBefore: 99, error: 'lost access', failure: 'other', signal: null } as const;
        await store().finishEffect(committing, { type: 'next-task-due' }, 14 + LEASE);
        await store().postponeEffect(committing, back);
        expect(await nextSignal(store(), claim, 15 + LEASE)).toBeNull();
        const result = RESULTS[end];
        for (const _ of ['once', 'again']) {
          if (end !== 'postponed') await store().finishEffect(committing, result, 14 + LEASE);
          else await store().postponeEffect(committing, { ...back, signal: result });
        }
        const last = present(await store().claimPull(15 + LEASE, LEASE));
        const signal = present(await nextSignal(store(), last, 15 + LEASE));
        expect(signal.signal).toEqual(result);
        await store().save(last, signal, step(pullOf(1)), 15 + LEASE);
        expect(await store().nextWork(last, 16 + LEASE)).toBeNull();
        expect(await store().nextDue()).toBeNull();
      },
    );

    it('void the votes on active pull requests once the App has access again, once (F16, V4)', async () => {
      await decided(1, false);
      await decided(2, true);
      const back = { kind: 'unsuspended', installationId: 1, repositoryIds: null } as const;
      expect(await store().broadcastToPulls('other', { ...back, installationId: 9 }, 11)).toBe('stored');
      expect(await store().broadcastToPulls('back', back, 12)).toBe('stored');
      expect(await store().broadcastToPulls('back', back, 13)).toBe('duplicate');
      const claim = present(await store().claimPull(14, LEASE));
      expect(claim.pullRequestKey).toBe('1/2/1');
      const signal = present(await nextSignal(store(), claim, 14));
      expect(signal.signal).toEqual({ type: 'dead-lettered', errorId: null });
      await store().save(claim, signal, step(pullOf(1)), 14);
      expect(await nextSignal(store(), claim, 15)).toBeNull();
    });
  });
}
