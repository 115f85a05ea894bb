import { sql } from 'kysely';
import { describe, expect, it, vi } from 'vitest';
import { withClaim } from '../../../src/adapters/store/claims.ts';
import { finishEffect } from '../../../src/adapters/store/effects.ts';
import { createStore } from '../../../src/adapters/store/open.ts';
import { delivery, pullOf, step } from './samples.ts';
import { type DatabaseHarness, LEASE, nextEffect, nextSignal, PATIENCE, present } from './store-under-test.ts';
import type { TestDatabase } from './test-database.ts';

/** Records for each commit of `pulls` whether it waits for the disk. */
const RECORD_SYNCS = [
  'create table synced (id serial, how text)',
  `create function record_sync() returns trigger language plpgsql as
    $$ begin insert into synced (how) values (current_setting('synchronous_commit')); return null; end $$`,
  `create constraint trigger record_syncs after update on pulls deferrable initially deferred
      for each row execute function record_sync()`,
];

const STOP_RECORDING = ['drop function record_sync cascade', 'drop table synced'];

const SYNCED = 'select how from synced order by id desc limit 1';

/** Several processes on one database. */
export function replicasContract(
  { backend, store, value, receiveAndClaim, claimSignal }: DatabaseHarness,
  database: TestDatabase,
): void {
  describe('replicas', () => {
    it('does not repeat an effect that its previous holder is just finishing (S78)', async () => {
      const other = await database.open();
      const claim = await receiveAndClaim('a');
      const signal = present(await nextSignal(store(), claim, 10));
      await store().save(claim, signal, step(pullOf(1), { effects: [{ type: 'update-run-comment', runId: 'r' }] }), 10);
      const effect = present(await nextEffect(store(), claim, 10));
      const next = present(await createStore(other).claimPull(10 + LEASE, LEASE));
      const given = await backend()
        .db.transaction()
        .execute(async (transaction) => {
          await finishEffect(transaction, effect, null, 20);
          const asked = nextEffect(createStore(other), next, 10 + LEASE);
          await waitForBlockedQuery();
          return { asked };
        });
      expect(await given.asked).toBeNull();
      await other.close();
    });

    /** Waits until a connection waits for a row lock. */
    async function waitForBlockedQuery(): Promise<void> {
      const blocked = 'select count(*) from pg_stat_activity where cardinality(pg_blocking_pids(pid)) > 0';
      await vi.waitFor(async () => expect(Number(await value(blocked))).toBeGreaterThan(0), PATIENCE);
    }

    it('cannot claim a pull request while its holder writes, even after the lease expired (G7)', async () => {
      const other = await database.open();
      const claim = await receiveAndClaim('a');
      const result = withClaim(other.db, claim, 'deliveries', 'lost', async () => {
        expect(await store().claimPull(10 + LEASE, LEASE)).toBeNull();
        return 'written';
      });
      expect(await result).toBe('written');
      expect(await store().claimPull(10 + LEASE, LEASE)).toMatchObject({ fencingToken: claim.fencingToken + 1 });
      expect(await withClaim(other.db, claim, 'deliveries', 'lost', async () => 'written')).toBe('lost');
      await other.close();
    });

    it('every commit is synced to disk, because the server can fail alone', async () => {
      for (const statement of RECORD_SYNCS) await sql.raw(statement).execute(backend().db);
      const { claim, signal } = await claimSignal('a');
      expect(await value(SYNCED)).toBe('on');
      expect(await store().save(claim, signal, step(pullOf(1)), 20)).toBe('saved');
      expect(await value(SYNCED)).toBe('on');
      await store().releaseClaim(claim);
      expect(await value(SYNCED)).toBe('on');
      for (const statement of STOP_RECORDING) await sql.raw(statement).execute(backend().db);
    });

    it('stores deliveries once that two processes receive in different orders (F4, G6)', async () => {
      const other = await database.open();
      const all = Array.from({ length: 200 }, (_, index) => delivery(`d${index}`, index % 20, `key${index}`));
      const receipts = await Promise.all([
        ...all.map((one) => store().receive(one, 1)),
        ...all.toReversed().map((one) => createStore(other).receive(one, 1)),
      ]);
      expect(receipts.filter((receipt) => receipt === 'stored')).toHaveLength(200);
      await other.close();
    });
  });
}
