import { describe, expect, it } from 'vitest';
import { UnsupportedSchemaError } from '../../../src/adapters/store/engine/errors.ts';
import { RUN_SCHEMA } from '../../../src/adapters/store/engine/schema.ts';
import { NO_PROPOSALS } from '../../../src/core/step/facts.ts';
import { proposal, pullOf, run, step, vote } from './samples.ts';
import type { DatabaseHarness } from './store-under-test.ts';

const LEDGER = ['votes', 'proposal_outcomes', 'committed_changes'];

const COMMITTED_CHANGE = {
  ...{ proposalId: 'p1', runId: 'r', commitSha: 'c', parentSha: null, shownDigest: 'd', approvers: [] },
  committed: { digest: 'd', range: null, members: [] },
};

/** Failures, foreign writes and unknown schema versions, which only a database has. */
export function databaseContract({ store, value, claimSignal, rebuild }: DatabaseHarness): void {
  describe('database', () => {
    it('O4: says what it is, and that nothing keeps the App from working on it', async () => {
      const facts = await store().describe();
      expect(facts).toEqual({
        server: expect.stringMatching(/PostgreSQL \d+/),
        schema: { version: facts.schema?.newest, newest: expect.any(Number) },
        ...{ isReadOnly: false, canMigrate: true, lockedTables: [], sharesConnections: false },
      });
    });

    it('rolls the whole step back when its last write fails (S79)', async () => {
      const { claim, signal } = await claimSignal('a');
      await value('drop table effects');
      const pull = pullOf(1, {
        run: run('r', { messageCount: 1 }),
        proposals: [proposal('p1', 'r', { state: 'failed' })],
      });
      const doomed = step(pull, {
        votes: [vote('p1')],
        messages: [{ role: 'user', content: 'u' }],
        effects: [{ type: 'update-run-comment', runId: 'r' }],
      });
      await expect(store().save(claim, signal, doomed, 20)).rejects.toThrow();
      expect(await store().load(claim.pullRequestKey, NO_PROPOSALS)).toEqual(pullOf(1));
      expect(await value('select signal from inbox where done_at is null')).toBe(JSON.stringify(signal.signal));
      for (const table of ['runs', 'proposals', 'proposal_outcomes', 'votes', 'messages']) {
        expect(await value(`select count(*) from ${table}`)).toBe(0);
      }
      await rebuild();
    });

    it('keeps votes and outcomes append-only for every client (S71)', async () => {
      const { claim, signal } = await claimSignal('a');
      const done = pullOf(1, { proposals: [proposal('p1', 'r', { state: 'rejected' })] });
      await store().save(
        claim,
        signal,
        step(done, { votes: [vote('p1', 'too long')], ledgerCommits: [COMMITTED_CHANGE] }),
        20,
      );
      for (const table of LEDGER) {
        await expect(value(`update ${table} set digest = 'x'`)).rejects.toThrow('append-only');
        await expect(value(`update ${table} set pull_key = null`)).rejects.toThrow('append-only');
        await expect(value(`delete from ${table}`)).rejects.toThrow('append-only');
        await expect(value(`truncate ${table}`)).rejects.toThrow('append-only');
      }
    });

    it('allows erasing ledger texts, never replacing them (S71, I15)', async () => {
      const { claim, signal } = await claimSignal('a');
      const done = pullOf(1, { proposals: [proposal('p1', 'r', { state: 'rejected', note: 'too long' })] });
      await store().save(claim, signal, step(done, { votes: [vote('p1', 'too long')] }), 20);
      await expect(value(`update votes set text = 'fine'`)).rejects.toThrow('append-only');
      await expect(value(`update proposal_outcomes set note = null, state = 'completed'`)).rejects.toThrow(
        'append-only',
      );
      await value('update votes set text = null');
      await value('update proposal_outcomes set note = null, record = null');
      await expect(value(`update votes set text = 'fine'`)).rejects.toThrow('append-only');
      expect(await value('select count(*) from votes where text is null and login is not null')).toBe(1);
      expect(await value('select count(*) from proposal_outcomes where note is null and digest is not null')).toBe(1);
    });

    it('rejects an unknown schema version with an error of its own (S84)', async () => {
      const { claim, signal } = await claimSignal('a');
      const pull = pullOf(1, { run: run('r'), proposals: [proposal('p1', 'r')] });
      await store().save(claim, signal, step(pull), 20);
      for (const table of ['runs', 'proposals']) {
        await value(`update ${table} set schema = 99`);
        await expect(store().load(claim.pullRequestKey, NO_PROPOSALS)).rejects.toThrow(UnsupportedSchemaError);
        await value(`update ${table} set schema = ${RUN_SCHEMA}`);
      }
      expect(await store().load(claim.pullRequestKey, NO_PROPOSALS)).toEqual(pull);
    });
  });
}
