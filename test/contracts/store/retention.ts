import { describe, expect, it } from 'vitest';
import { DELIVERY_RETENTION_MS, RUN_RETENTION_MS, UNINSTALL_GRACE_MS } from '../../../src/adapters/store/cleanup.ts';
import { editedIntoCommand } from '../../../src/core/messages/replies.ts';
import type { Effect } from '../../../src/core/step/effects.ts';
import { NO_PROPOSALS } from '../../../src/core/step/facts.ts';
import { answeredQuestion, answerTo, delivery, proposal, pullOf, run, step, UNINSTALLED, vote } from './samples.ts';
import { type DatabaseHarness, LEASE, nextEffect, present } from './store-under-test.ts';

const COMMITTED_CHANGE = {
  ...{ proposalId: 'p1', runId: 'r', commitSha: 'c'.repeat(40), parentSha: null, shownDigest: 'd'.repeat(64) },
  ...{ committed: { digest: 'd'.repeat(64), range: null, members: [] }, approvers: [] },
};

/** Cleanup deletes expired rows, and nothing that still matters. */
export function retentionContract({ store, rows, value, claimSignal }: DatabaseHarness): void {
  /** Saves an ended run at 20, with an approved change and comment texts. */
  async function saveEndedRun(): Promise<string> {
    const { claim, signal } = await claimSignal('a');
    const phase = { kind: 'ended', reason: 'finished', by: null, at: '', note: null } as const;
    const pull = pullOf(1, {
      run: run('r', { messageCount: 1, phase }),
      proposals: [proposal('p1', 'r', { state: 'completed', note: 'too long' })],
      proposalCount: 1,
    });
    const messages = [{ role: 'user', content: 'use bigint' }] as const;
    const more = { messages, votes: [vote('p1', 'too long')], ledgerCommits: [COMMITTED_CHANGE] };
    await store().save(claim, signal, step(pull, more), 20);
    await store().releaseClaim(claim);
    return claim.pullRequestKey;
  }

  async function deleteAllExpired(now: number): Promise<number> {
    let batches = 1;
    while (await store().deleteExpired(now)) batches += 1;
    return batches;
  }

  const counts = async () =>
    Promise.all(
      ['pulls', 'runs', 'proposals', 'messages', 'votes', 'proposal_outcomes', 'committed_changes'].map((table) =>
        value(`select count(*) from ${table}`),
      ),
    );

  describe('retention', () => {
    it('keeps a bounded number of rows, and deletes in batches (H11)', async () => {
      const pulls = [0, 1, 2, 3, 4];
      await Promise.all(pulls.map((number) => store().receive(delivery(`d${number}`, number), 10)));
      await value(
        `insert into inbox (pull_key, kind, delivery_id, received_at, not_before)
         select pull_key, 'webhook', delivery_id || '-' || n, 10, 10 from inbox, generate_series(1, 499) as n`,
      );
      await value(`update inbox set done_at = 10, reason = 'info-replied'`);
      const effect = `'2/2/1', 'exclusive', 'update-run-comment', '{}', 10, 10, 10`;
      await value(
        `insert into effects (pull_key, lane, type, body, created_at, not_before, done_at)
         select ${effect} from generate_series(1, 1500)`,
      );
      await store().receive(delivery('pending', 0), 10);
      expect(await deleteAllExpired(11 + DELIVERY_RETENTION_MS)).toBe(3);
      expect((await rows('inbox')).map(({ deliveryId }) => deliveryId)).toEqual(['pending']);
      expect([await rows('effects'), (await rows('pulls')).length]).toEqual([[], 5]);
    });

    it('keeps the replies that are posted once in a repository, and no others', async () => {
      const replies = ['repository:2:not-served', 'fork', null].map(
        (onceKey): Effect => ({ type: 'reply', to: { at: 'pull-request' }, reply: editedIntoCommand(), onceKey }),
      );
      const send = async (id: string, number: number, now: number): Promise<void> => {
        const { claim, signal } = await claimSignal(id, number);
        await store().save(claim, signal, step(pullOf(number), { effects: replies }), now);
        for (const _ of replies) {
          const effect = await nextEffect(store(), claim, now);
          if (effect !== null) await store().finishEffect(effect, null, now);
        }
        await store().releaseClaim(claim);
      };
      const onceKeys = async () => new Set((await rows('effects')).map(({ onceKey }) => onceKey));
      await send('a', 1, 20);
      expect(await onceKeys()).toEqual(new Set(['repository:2:not-served', 'fork', null]));
      await deleteAllExpired(21 + DELIVERY_RETENTION_MS);
      expect(await onceKeys()).toEqual(new Set(['repository:2:not-served']));
      await send('b', 3, 21 + DELIVERY_RETENTION_MS);
      expect(await rows('effects')).toHaveLength(3);
      expect(await onceKeys()).toEqual(new Set(['repository:2:not-served', 'fork', null]));
    });

    it('keeps delivery ids for thirty days, so that a redelivery changes nothing (F20)', async () => {
      const { claim, signal } = await claimSignal('a');
      await store().save(claim, signal, step(pullOf(1)), 20);
      await store().broadcastToPulls('uninstalled', UNINSTALLED, 20);
      await store().deleteExpired(20 + DELIVERY_RETENTION_MS);
      expect(await store().receive(delivery('a'), 20 + DELIVERY_RETENTION_MS)).toBe('duplicate');
      expect(await store().broadcastToPulls('uninstalled', UNINSTALLED, 20 + DELIVERY_RETENTION_MS)).toBe('duplicate');
      expect(await store().findKnownDeliveries(['a', 'uninstalled'])).toEqual(new Set(['a', 'uninstalled']));
    });

    it('deletes an ended run, and keeps the votes in the ledger without their texts (I15)', async () => {
      const key = await saveEndedRun();
      await deleteAllExpired(20 + RUN_RETENTION_MS);
      expect(await counts()).toEqual([1, 1, 1, 1, 1, 1, 1]);
      await deleteAllExpired(21 + RUN_RETENTION_MS);
      expect(await counts()).toEqual([1, 0, 0, 0, 1, 1, 1]);
      expect(await rows('votes')).toMatchObject([{ digest: 'd'.repeat(64), login: 'ana', text: null }]);
      expect(await rows('proposal_outcomes')).toMatchObject([
        { state: 'completed', note: null, record: expect.any(String) },
      ]);
      // Ids of proposals are never reused.
      expect(await store().load(key, NO_PROPOSALS)).toMatchObject({ run: null, proposals: [], proposalCount: 1 });
    });

    it('records who answered a question of the agent, and erases the answer with its run (S71, I15)', async () => {
      const { claim, signal } = await claimSignal('a');
      const phase = { kind: 'ended', reason: 'rejected', by: null, at: '', note: null } as const;
      const asked = { ...answeredQuestion('q4w8'), runId: 'r' };
      const pull = pullOf(1, { run: run('r', { phase, questions: [asked] }), proposalCount: 1 });
      await store().save(claim, signal, step(pull, { answers: [answerTo('q4w8', 'canary')] }), 20);
      await store().releaseClaim(claim);
      const recorded = { proposalId: 'q4w8', action: 'answer', login: 'ana', digest: 'd'.repeat(64) };
      expect(await rows('votes')).toMatchObject([{ ...recorded, text: '"canary"' }]);
      expect((await store().load(claim.pullRequestKey, NO_PROPOSALS)).run?.questions).toEqual([asked]);
      await deleteAllExpired(21 + RUN_RETENTION_MS);
      expect(await rows('votes')).toMatchObject([{ ...recorded, text: null }]);
    });

    it.each([
      ['it is active', 'update pulls set active = true'],
      ['one of its changes is pending', `update proposals set state = 'proposed'`],
      ['a comment is pending', `update inbox set done_at = null`],
      ['the pull request is claimed', 'update pulls set lease_until = 99999999999999'],
    ])('keeps a run while %s', async (_why, statement) => {
      await saveEndedRun();
      await value(statement);
      await deleteAllExpired(21 + RUN_RETENTION_MS);
      expect(await rows('runs')).toHaveLength(1);
      expect(await rows('votes')).toMatchObject([{ text: 'too long' }]);
    });

    it('keeps only digests and delivery ids after an uninstall (I15)', async () => {
      await saveEndedRun();
      await store().receive(delivery('elsewhere', 1), 30);
      await store().receive({ ...delivery('other'), intent: otherInstallation() }, 30);
      await store().broadcastToPulls('uninstalled', UNINSTALLED, 40);
      await deleteAllExpired(40 + UNINSTALL_GRACE_MS);
      expect(await counts()).toEqual([2, 1, 1, 1, 1, 1, 1]);
      await deleteAllExpired(41 + UNINSTALL_GRACE_MS);
      expect(await counts()).toEqual([1, 0, 0, 0, 1, 1, 1]);
      expect((await rows('inbox')).map(({ deliveryId, signal }) => [deliveryId, signal === null])).toEqual(
        expect.arrayContaining([
          ['a', true],
          ['elsewhere', true],
          ['other', false],
        ]),
      );
      expect(await rows('votes')).toMatchObject([{ digest: 'd'.repeat(64), text: null }]);
      expect(await rows('proposal_outcomes')).toMatchObject([{ digest: 'd'.repeat(64), note: null, record: null }]);
      expect(await rows('committed_changes')).toMatchObject([
        { shownDigest: 'd'.repeat(64), commitSha: 'c'.repeat(40) },
      ]);
      const claim = present(await store().claimPull(50 + UNINSTALL_GRACE_MS, LEASE));
      expect(claim.pullRequestKey).toBe('9/2/1');
    });
  });
}

function otherInstallation() {
  const { intent } = delivery('other');
  return { ...intent, pull: { ...intent.pull, installationId: 9 } };
}
