import { describe, expect, it } from 'vitest';
import { type Bench, LEASE, nextEffect, nextSignal, present } from './bench.ts';
import { delivery, pullOf, run, step, UNINSTALLED } from './samples.ts';

const until = (time: number) => ({ until: time, doubt: null });

/** Who looks for lost webhooks, and what the store says of those it has. */
export function sweepsContract({ store, gone, signalled }: Bench): void {
  describe('sweeps', () => {
    it('F8: of all processes one has the turn, and the next one goes on where it ended', async () => {
      const turns = await Promise.all([1, 2, 3].map(() => store().beginSweep(10, LEASE, true)));
      const [turn, ...others] = turns.filter((one) => one !== null);
      expect(others).toEqual([]);
      expect(present(turn).heardUntil).toBeNull();
      await store().endSweep(present(turn), until(7_000), 60);
      expect(await store().beginSweep(59, LEASE, false)).toBeNull();
      expect(await store().beginSweep(60, LEASE, false)).toMatchObject({ heardUntil: 7_000 });
    });

    it('F8: a process that has just begun need not wait for the time, only for whoever is at it', async () => {
      const turn = present(await store().beginSweep(10, LEASE, true));
      expect(await store().beginSweep(11, LEASE, true)).toBeNull();
      await store().endSweep(turn, until(5), 1_000_000);
      expect(await store().beginSweep(12, LEASE, true)).not.toBeNull();
    });

    it('G2, G7: the turn of a process that died, or hangs, is taken over, and it can end it no more', async () => {
      const dead = present(await gone().beginSweep(10, LEASE, true));
      const next = present(await store().beginSweep(11, LEASE, true));
      await gone().endSweep(dead, until(99), 0);
      const hung = present(await store().beginSweep(11 + LEASE, LEASE, true));
      expect(hung.heardUntil).toBeNull();
      await store().endSweep(next, until(99), 0);
      await store().endSweep(hung, until(55), 0);
      expect(await store().beginSweep(12 + LEASE, LEASE, false)).toMatchObject({ heardUntil: 55 });
    });

    it('G13: a database that was never in use before has forgotten nothing', async () => {
      await store().heartbeat(1_000, null);
      await store().heartbeat(2_000, 1_000);
      expect(present(await store().beginSweep(10, LEASE, true)).doubt).toBeNull();
    });

    it('G13: since it was last known to be in use, a process that begins knows nothing of what was answered', async () => {
      await store().heartbeat(1_000, null);
      await store().heartbeat(2_000, 1_000);
      await gone().heartbeat(5_000, null);
      await gone().heartbeat(6_000, 5_000);
      expect(present(await store().beginSweep(10, LEASE, true)).doubt).toEqual({ since: 2_000, until: 5_000 });
    });

    it('G13: nor does one under which an older backup was restored', async () => {
      await store().heartbeat(1_000, null);
      await store().heartbeat(9_000, 8_000);
      expect(present(await store().beginSweep(10, LEASE, true)).doubt).toEqual({ since: 1_000, until: 9_000 });
    });

    it('G13: another one that goes on in the same database leaves nothing in doubt', async () => {
      await store().heartbeat(1_000, null);
      await gone().heartbeat(1_500, 1_000);
      await store().heartbeat(2_000, 1_000);
      expect(present(await store().beginSweep(10, LEASE, true)).doubt).toBeNull();
    });

    it('G13: what was looked into is in doubt no more, part by part, and what is in doubt since is', async () => {
      const doubtful = async (process: number) => {
        await store().heartbeat(process, null);
        return present(await store().beginSweep(10, LEASE, true));
      };
      await store().heartbeat(1_000, null);
      const turn = await doubtful(4_000);
      await store().endSweep(turn, { until: 3_000, doubt: turn.doubt }, 0);
      const part = present(await store().beginSweep(10, LEASE, true));
      expect(part.doubt).toEqual({ since: 3_000, until: 4_000 });
      await store().heartbeat(6_000, null);
      await store().endSweep(part, { until: 5_000, doubt: part.doubt }, 0);
      const grown = present(await store().beginSweep(10, LEASE, true));
      expect(grown.doubt).toEqual({ since: 3_000, until: 6_000 });
      await store().endSweep(grown, { until: 7_000, doubt: grown.doubt }, 0);
      expect(present(await store().beginSweep(10, LEASE, true)).doubt).toBeNull();
    });

    it('G13: a sweep that came to nothing leaves all in doubt', async () => {
      await store().heartbeat(1_000, null);
      await store().heartbeat(4_000, null);
      const turn = present(await store().beginSweep(10, LEASE, true));
      await store().endSweep(turn, { until: null, doubt: turn.doubt }, 0);
      expect(await store().beginSweep(10, LEASE, true)).toMatchObject({ heardUntil: null, doubt: turn.doubt });
    });

    it('F8: every pull request where something goes on catches up, one after the other, or as soon as it is worked on', async () => {
      for (const number of [1, 2, 3]) await store().receive([delivery(`a${number}`, number)], 10);
      expect(await store().catchUpAll('2030-01-01T00:00:00Z', 20, 6_000)).toBe(3);
      expect(await store().catchUpAll('2030-01-01T00:00:00Z', 21, 6_000)).toBe(0);
      for (const number of [1, 2, 3]) {
        const claim = present(await store().claimPull('w', 30, LEASE));
        const signal = present(await nextSignal(store(), claim, 30));
        await store().save(claim, signal, step(pullOf(number)), 30);
        const effect = present(await nextEffect(store(), claim, 30));
        expect(effect.effect).toEqual({ type: 'catch-up', since: '2030-01-01T00:00:00Z', expiring: false });
        const delay = { now: 31, notBefore: 5_000, error: 'away', stoppedBy: 'other', signal: null } as const;
        await store().postponeEffect(effect, delay);
        expect(await nextEffect(store(), claim, 4_999)).toBeNull();
      }
      expect(await store().claimPull('w', 4_999, LEASE)).toBeNull();
      for (const _ of [1, 2, 3]) {
        const claim = present(await store().claimPull('w', 5_000, LEASE));
        const effect = present(await nextEffect(store(), claim, 5_000));
        expect(effect.attempts).toBe(2);
        await store().finishEffect(effect, null, 5_001);
        await store().release(claim);
      }
      expect(await store().nextDue(6_000)).toEqual({ pull: null, free: null });
    });

    it('F8: nobody is hurried where nothing happens', async () => {
      for (const number of [1, 2]) {
        const { claim, signal } = await signalled(`a${number}`, number);
        await store().save(claim, signal, step(pullOf(number, { run: run(`r${number}`) })), 10);
        await store().release(claim);
      }
      expect(await store().catchUpAll('2030-01-01T00:00:00Z', 20, 6_000)).toBe(2);
      const first = present(await store().claimPull('w', 20, LEASE));
      await store().finishEffect(present(await nextEffect(store(), first, 20)), null, 20);
      await store().release(first);
      expect(await store().claimPull('w', 6_019, LEASE)).toBeNull();
      expect((await store().nextDue(30)).pull).toBe(6_020);
    });

    it('F4: deliveries and notices that are stored are known by their ids', async () => {
      await store().receive([delivery('a', 1), delivery('b', 2)], 10);
      await store().tellAll('gone', UNINSTALLED, 11);
      expect([...(await store().knownDeliveries(['a', 'gone', 'lost', 'b']))].sort()).toEqual(['a', 'b', 'gone']);
      expect(await store().knownDeliveries([])).toEqual(new Set());
    });

    it('G13: a pull request counts as active while its run goes on', async () => {
      const { claim, signal } = await signalled('a', 1);
      await store().save(
        claim,
        signal,
        step(pullOf(1, { run: run('r', { phase: { kind: 'waiting', turn: 1 } }) })),
        10,
      );
      const other = await signalled('b', 2);
      const ended = { kind: 'ended', how: 'finished', by: null, at: '', note: null } as const;
      await store().save(other.claim, other.signal, step(pullOf(2, { run: run('q', { phase: ended }) })), 10);
      expect(await store().activePulls()).toEqual([{ repositoryId: 2, number: 1 }]);
    });
  });
}
