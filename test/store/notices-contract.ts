import { describe, expect, it } from 'vitest';
import { CATCH_UP_PAUSE_MS, coalescingKey, type Effect } from '../../src/run/effect.ts';
import type { Signal } from '../../src/run/signal.ts';
import { type Bench, LEASE, nextEffect, nextSignal, present } from './bench.ts';
import { delivery, pullOf, run, step, UNINSTALLED } from './samples.ts';

const SHOW: Effect = { type: 'show-run', runId: 'r1' };

/** What concerns a whole installation reaches each of its pull requests where something goes on. */
export function noticesContract({ store, rows, signalled }: Bench): void {
  /** A pull request whose one delivery is decided, with that left behind. */
  async function decided(number: number, ended: boolean, effects: readonly Effect[] = []): Promise<void> {
    const { claim, signal } = await signalled(`d${number}`, number);
    const phase = ended
      ? ({ kind: 'ended', how: 'finished', by: null, at: '', note: null } as const)
      : ({ kind: 'waiting', turn: 1 } as const);
    const pull = pullOf(number, { run: run(`r${number}`, { phase }) });
    await store().save(claim, signal, step(pull, { effects }), 10);
    await store().release(claim);
  }

  const told = async () =>
    (await rows('inbox')).flatMap(({ kind, pullKey }) => (kind === 'outcome' ? [pullKey] : [])).sort();

  describe('notices', () => {
    it('S90b: those hear of it whose run goes on, or for whom words or effects wait; others do not', async () => {
      await decided(1, false);
      await decided(2, true);
      await decided(3, true, [SHOW]);
      await store().receive([delivery('new', 4)], 10);
      expect(await store().tellAll('gone', UNINSTALLED, 11)).toBe('stored');
      expect(await told()).toEqual(['1/2/1', '1/2/3', '1/2/4']);
    });

    it('S90b: only of the installation and the repositories that are meant', async () => {
      await decided(1, false);
      expect(await store().tellAll('a', { ...UNINSTALLED, installationId: 9 }, 11)).toBe('stored');
      expect(await store().tellAll('b', { ...UNINSTALLED, repositoryIds: [7, 8] }, 11)).toBe('stored');
      expect(await told()).toEqual([]);
      expect(await store().tellAll('c', { ...UNINSTALLED, repositoryIds: [2, 7] }, 11)).toBe('stored');
      expect(await told()).toEqual(['1/2/1']);
    });

    it('F4, F7: a delivery is told once, whatever began since', async () => {
      expect(await store().tellAll('gone', UNINSTALLED, 11)).toBe('stored');
      await decided(1, false);
      expect(await store().tellAll('gone', UNINSTALLED, 12)).toBe('duplicate');
      expect(await told()).toEqual([]);
    });

    it('F16: it comes before what people said, and whatever waits besides is dropped with it', async () => {
      await decided(1, false, [SHOW, { type: 'ask-model', runId: 'r1', turn: 2 }]);
      await store().receive([delivery('words', 1)], 11);
      await store().tellAll('gone', UNINSTALLED, 12);
      const asking = present(await store().claimEffect('other', 12, LEASE));
      const claim = present(await store().claimPull('w', 13, LEASE));
      const signal = present(await nextSignal(store(), claim, 13));
      expect(signal.signal).toEqual({ type: 'access-lost', loss: 'uninstalled' });
      const over = step(pullOf(1), { reason: 'access-lost', dropsRest: true });
      expect(await store().save(claim, signal, over, 13)).toBe('saved');
      expect(await store().nextWork(claim, 14)).toBeNull();
      await store().finishEffect(asking, { type: 'task-due' }, 14);
      expect(await store().claimPull('w', 15, LEASE)).toBeNull();
      expect(await store().nextDue(20)).toEqual({ pull: null, free: null });
    });

    it('F16, G11: but for what is known of a commit: the ledger must have it', async () => {
      const commit = { type: 'commit', runId: 'r1', proposalIds: ['p1'], place: null } as const;
      await decided(1, false, [commit, SHOW, { type: 'ask-model', runId: 'r1', turn: 2 }]);
      const claim = present(await store().claimPull('w', 13, LEASE));
      const asking = present(await store().claimEffect('w', 13, LEASE));
      // What a model said may hold what no database takes for JSON.
      await store().finishEffect(asking, { type: 'model-failed', runId: 'r1', turn: 2, message: '\0 \uD800' }, 13);
      const waits = present(await nextSignal(store(), claim, 13));
      await store().postponeSignal(claim, waits, 99, null);
      const committing = present(await nextEffect(store(), claim, 13));
      expect(committing.effect).toEqual(commit);
      await store().tellAll('gone', UNINSTALLED, 13);
      const landed = { type: 'committed', runId: 'r1', sha: 'c', proposalIds: ['p1'], made: {}, files: [] } as const;
      await store().finishEffect(committing, landed, 14);
      const signal = present(await nextSignal(store(), claim, 14));
      expect(signal.signal).toEqual({ type: 'access-lost', loss: 'uninstalled' });
      const over = step(pullOf(1), { reason: 'access-lost', dropsRest: true });
      expect(await store().save(claim, signal, over, 14)).toBe('saved');
      const last = present(await nextSignal(store(), claim, 15));
      expect(last.signal).toEqual(landed);
      await store().save(claim, last, step(pullOf(1)), 15);
      expect(await store().nextWork(claim, 15)).toBeNull();
    });

    const LANDED = { runId: 'r1', sha: 'c', proposalIds: ['p1'], made: {} } as const;
    /** What its performer comes to know: that it landed, was not to be read yet, or holds something else. */
    const KNOWN = {
      done: { type: 'committed', ...LANDED, files: [] },
      'put back': { type: 'commit-unread', ...LANDED },
      otherwise: { type: 'commit-differs', ...LANDED, differences: [] },
    } as const satisfies Record<string, Signal>;

    it.each(['done', 'put back', 'otherwise'] as const)(
      'G7, G11: also from whoever hung meanwhile, once; the effect is %s',
      async (end) => {
        const commit = { type: 'commit', runId: 'r1', proposalIds: ['p1'], place: null } as const;
        await decided(1, false, [commit, SHOW]);
        const hung = present(await store().claimPull('hung', 12, LEASE));
        const committing = present(await nextEffect(store(), hung, 12));
        await store().tellAll('gone', UNINSTALLED, 13);
        const claim = present(await store().claimPull('w', 12 + LEASE, LEASE));
        const over = step(pullOf(1), { reason: 'access-lost', dropsRest: true });
        expect(await store().save(claim, present(claim.first), over, 13 + LEASE)).toBe('saved');
        const back = { now: 20, notBefore: 99, error: 'gone', stoppedBy: 'other', signal: null } as const;
        await store().finishEffect(committing, { type: 'task-due' }, 14 + LEASE);
        await store().postponeEffect(committing, back);
        expect(await nextSignal(store(), claim, 15 + LEASE)).toBeNull();
        const known = KNOWN[end];
        for (const _ of ['once', 'again']) {
          if (end !== 'put back') await store().finishEffect(committing, known, 14 + LEASE);
          else await store().postponeEffect(committing, { ...back, signal: known });
        }
        const last = present(await store().claimPull('w', 15 + LEASE, LEASE));
        expect(present(last.first).signal).toEqual(known);
        await store().save(last, present(last.first), step(pullOf(1)), 15 + LEASE);
        expect(await store().nextWork(last, 16 + LEASE)).toBeNull();
        expect(await store().nextDue(99 + LEASE)).toEqual({ pull: null, free: null });
      },
    );

    it('F16: where the App may act again, what goes on catches up since it began, one after the other; nothing else does', async () => {
      await decided(1, false);
      await decided(3, false);
      await decided(2, true, [SHOW]);
      const back = { kind: 'unsuspended', installationId: 1, repositoryIds: null } as const;
      expect(await store().tellAll('other', { ...back, installationId: 9 }, 11)).toBe('stored');
      expect(await store().tellAll('back', back, 12)).toBe('stored');
      expect(await store().tellAll('back', back, 13)).toBe('duplicate');
      expect(await store().tellAll('again', back, 14)).toBe('stored');
      expect(await told()).toEqual([]);
      const wanted = { type: 'catch-up', since: run('r1').task.askedAt, expiring: false } as const;
      const effects = (await rows('effects')).filter(({ coalescingKey: key }) => key === coalescingKey(wanted));
      expect(effects.map(({ pullKey, notBefore }) => [pullKey, notBefore])).toEqual([
        ['1/2/1', 12],
        ['1/2/3', 12 + CATCH_UP_PAUSE_MS],
      ]);
      expect(present(await store().claimPull('w', 12, LEASE)).pullKey).toBe('1/2/2');
      const claim = present(await store().claimPull('w', 12, LEASE));
      expect(present(await nextEffect(store(), claim, 12)).effect).toEqual(wanted);
      // It may have looked already.
      expect(await store().tellAll('once more', back, 13)).toBe('stored');
      expect(present(await nextEffect(store(), claim, 13)).effect).toEqual(wanted);
    });

    it('F16: it does since then, too, where all that went on has ended by the time it comes to it', async () => {
      await decided(1, false);
      await store().receive([delivery('stop', 1)], 11);
      await store().tellAll('back', { kind: 'unsuspended', installationId: 1, repositoryIds: null }, 12);
      const claim = present(await store().claimPull('w', 13, LEASE));
      await store().save(claim, present(claim.first), step(pullOf(1)), 13);
      const since = run('r1').task.askedAt;
      expect(present(await nextEffect(store(), claim, 13)).effect).toEqual({
        type: 'catch-up',
        since,
        expiring: false,
      });
    });

    it('F16: so does what nothing goes on of, where a task waits to be decided; until then it is known when', async () => {
      await decided(1, true);
      await store().receive([delivery('task', 1)], 11);
      const claim = present(await store().claimPull('w', 11, LEASE));
      expect(await store().unheardUntil(claim, 11)).toBeNull();
      await store().tellAll('back', { kind: 'unsuspended', installationId: 1, repositoryIds: null }, 12);
      expect(await store().unheardUntil(claim, 11)).toBe(11);
      expect(await store().unheardUntil(claim, 13)).toBe(13);
      await store().save(claim, present(claim.first), step(pullOf(1)), 13);
      const effect = present(await nextEffect(store(), claim, 13));
      await store().postponeEffect(effect, { now: 13, notBefore: 50, error: 'gone', stoppedBy: 'other', signal: null });
      expect(await store().unheardUntil(claim, 13)).toBe(50);
      expect(await store().unheardUntil(claim, 60)).toBe(60);
      await store().finishEffect(effect, null, 14);
      expect(await store().unheardUntil(claim, 14)).toBeNull();
    });
  });
}
