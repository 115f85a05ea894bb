import { describe, expect, it } from 'vitest';
import { NONE_NAMED } from '../../src/run/named-proposals.ts';
import { DELIVERIES_MS, REMOVED_MS, RUNS_MS } from '../../src/store/prune.ts';
import { type DatabaseBench, LEASE, present } from './bench.ts';
import { delivery, proposal, pullOf, run, step, UNINSTALLED, vote } from './samples.ts';

const WRITE = {
  ...{ proposalId: 'p1', runId: 'r', commit: 'c'.repeat(40), parent: null, shownDigest: 'd'.repeat(64) },
  ...{ made: { digest: 'd'.repeat(64), range: null }, approvers: [] },
};

/** What is kept how long: nothing that still matters goes, and nothing else stays for ever. */
export function retentionContract({ backend, store, rows, value, signalled }: DatabaseBench): void {
  /** A run that is over, with an applied change that somebody approved in words; saved at 20. */
  async function overRun(): Promise<string> {
    const { claim, signal } = await signalled('a');
    const phase = { kind: 'ended', how: 'finished', by: null, at: '', note: null } as const;
    const pull = pullOf(1, {
      run: run('r', { messages: 1, phase }),
      proposals: [proposal('p1', 'r', { state: 'completed', note: 'in words' })],
      proposalCount: 1,
    });
    const messages = [{ role: 'user', content: 'use bigint' }] as const;
    const more = { messages, votes: [vote('p1', 'in words')], writes: [WRITE] };
    await store().save(claim, signal, step(pull, more), 20);
    await store().release(claim);
    return claim.pullKey;
  }

  async function pruneAll(now: number): Promise<number> {
    let batches = 1;
    while (await store().prune(now)) batches += 1;
    return batches;
  }

  const counts = async () =>
    Promise.all(
      ['pulls', 'runs', 'proposals', 'messages', 'votes', 'outcomes', 'writes'].map((table) =>
        value(`select count(*) from ${table}`),
      ),
    );

  describe('retention', () => {
    it('H11: the room of what was forgotten is used again, where no server sees to it', async () => {
      const sizes: number[] = [];
      for (let month = 0; month < 4; month += 1) {
        await store().receive(
          Array.from({ length: 1_000 }, (_, index) => delivery(`m${month}-${index}`, index % 5)),
          10,
        );
        await value(`update inbox set done_at = 10, reason = 'informed'`);
        await pruneAll(11 + DELIVERIES_MS);
        sizes.push(Number(await value(`select pg_relation_size('inbox')`)));
      }
      // The first months leave room where rows were replaced and removed; the later ones find it.
      if (backend().embedded) expect(sizes[3]).toBe(sizes[1]);
    });

    it('H11: however many deliveries there were, a bounded number of rows is left, removed in batches', async () => {
      const many = Array.from({ length: 2_500 }, (_, index) => delivery(`d${index}`, index % 5));
      await store().receive(many, 10);
      await value(`update inbox set done_at = 10, reason = 'informed'`);
      const effect = `'2/2/1', 'pull', 'show-run', '{}', 10, 10, 10`;
      await value(
        `insert into effects (pull_key, lane, type, body, created_at, not_before, done_at)
         select ${effect} from generate_series(1, 1500)`,
      );
      await store().receive([delivery('waits', 0)], 10);
      expect(await pruneAll(11 + DELIVERIES_MS)).toBe(3);
      expect((await rows('inbox')).map(({ deliveryId }) => deliveryId)).toEqual(['waits']);
      expect([await rows('effects'), (await rows('pulls')).length]).toEqual([[], 5]);
    });

    it('F20: the id of a delivery is kept for thirty days, and replayed within them changes nothing', async () => {
      const { claim, signal } = await signalled('a');
      await store().save(claim, signal, step(pullOf(1)), 20);
      await store().tellAll('told', UNINSTALLED, 20);
      await store().prune(20 + DELIVERIES_MS);
      expect(await store().receive([delivery('a')], 20 + DELIVERIES_MS)).toEqual(['duplicate']);
      expect(await store().tellAll('told', UNINSTALLED, 20 + DELIVERIES_MS)).toBe('duplicate');
      expect(await store().knownDeliveries(['a', 'told'])).toEqual(new Set(['a', 'told']));
    });

    it('I15: a run that is over is forgotten, and the ledger keeps who decided what without their words', async () => {
      const key = await overRun();
      await pruneAll(20 + RUNS_MS);
      expect(await counts()).toEqual([1, 1, 1, 1, 1, 1, 1]);
      await pruneAll(21 + RUNS_MS);
      expect(await counts()).toEqual([1, 0, 0, 0, 1, 1, 1]);
      expect(await rows('votes')).toMatchObject([{ digest: 'd'.repeat(64), login: 'ana', text: null }]);
      expect(await rows('outcomes')).toMatchObject([{ state: 'completed', note: null, record: expect.any(String) }]);
      // The next proposal gets another id than any before.
      expect(await store().load(key, NONE_NAMED)).toMatchObject({ run: null, proposals: [], proposalCount: 1 });
    });

    it.each([
      ['it goes on', 'update pulls set active = true'],
      ['a change of it still waits', `update proposals set state = 'proposed'`],
      ['something was said', `update inbox set done_at = null`],
      ['somebody is at it', 'update pulls set lease_until = 99999999999999'],
    ])('a run stays while %s', async (_why, statement) => {
      await overRun();
      await value(statement);
      await pruneAll(21 + RUNS_MS);
      expect(await rows('runs')).toHaveLength(1);
      expect(await rows('votes')).toMatchObject([{ text: 'in words' }]);
    });

    it('I15: where the App was uninstalled everything goes but the ledger’s digests and the ids of deliveries', async () => {
      await overRun();
      await store().receive([delivery('elsewhere', 1), { ...delivery('other'), intent: otherInstallation() }], 30);
      await store().tellAll('gone', UNINSTALLED, 40);
      await pruneAll(40 + REMOVED_MS);
      expect(await counts()).toEqual([2, 1, 1, 1, 1, 1, 1]);
      await pruneAll(41 + REMOVED_MS);
      expect(await counts()).toEqual([1, 0, 0, 0, 1, 1, 1]);
      expect((await rows('inbox')).map(({ deliveryId, signal }) => [deliveryId, signal === null])).toEqual(
        expect.arrayContaining([
          ['a', true],
          ['elsewhere', true],
          ['other', false],
        ]),
      );
      expect(await rows('votes')).toMatchObject([{ digest: 'd'.repeat(64), text: null }]);
      expect(await rows('outcomes')).toMatchObject([{ digest: 'd'.repeat(64), note: null, record: null }]);
      expect(await rows('writes')).toMatchObject([{ shownDigest: 'd'.repeat(64), commitSha: 'c'.repeat(40) }]);
      const claim = present(await store().claimPull('w', 50 + REMOVED_MS, LEASE));
      expect(claim.pullKey).toBe('9/2/1');
    });

    it('what else a notice says removes nothing', async () => {
      await overRun();
      await store().tellAll('moved', { ...UNINSTALLED, loss: 'permissions' }, 40);
      await pruneAll(41 + REMOVED_MS);
      expect(await counts()).toEqual([1, 1, 1, 1, 1, 1, 1]);
    });
  });
}

function otherInstallation() {
  const { intent } = delivery('other');
  return { ...intent, pull: { ...intent.pull, installationId: 9 } };
}
