import { sql } from 'kysely';
import { describe, expect, it, vi } from 'vitest';
import { withClaim } from '../../../src/adapters/store/claims.ts';
import { createStore } from '../../../src/adapters/store/create-store.ts';
import { finishEffect } from '../../../src/adapters/store/effects.ts';
import { LEASE_HOLDER_LOCKS } from '../../../src/adapters/store/engine/backend.ts';
import type { Claim } from '../../../src/adapters/store/store.ts';
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
    it('keeps the lease of a living process, and voids it once the process ends (G6)', async () => {
      const other = await database.open();
      await store().receive([delivery('a')], 1);
      const claim = present(await createStore(other).claimPull('other', 5, LEASE));
      expect(await store().claimPull('w', 6, LEASE)).toBeNull();
      await other.close();
      await vi.waitFor(async () => {
        expect(await store().claimPull('w', 6, LEASE)).toMatchObject({ fencingToken: claim.fencingToken + 1 });
      }, PATIENCE);
    });

    it('notifies other processes about new work, once', async () => {
      const other = await database.open();
      const [here, there] = [vi.fn(), vi.fn()];
      store().onWorkAvailable(here);
      createStore(other).onWorkAvailable(there);
      await store().receive([delivery('a')], 1);
      await vi.waitFor(() => expect(there).toHaveBeenCalledTimes(1), PATIENCE);
      expect(here).toHaveBeenCalledTimes(1);
      await other.close();
    });

    it('restores the lease and the notifications after a broken connection', async () => {
      const other = await database.open();
      const [notified, disconnected] = [vi.fn(), vi.fn()];
      createStore(other).onWorkAvailable(notified);
      createStore(other).onDisconnect(disconnected);
      const kill = `select count(pg_terminate_backend(pid)) from pg_locks where locktype = 'advisory' and objid = ${other.leaseHolderId}`;
      expect(disconnected).not.toHaveBeenCalled();
      expect(await value(kill)).toBe(1);
      await vi.waitFor(() => expect(notified).toHaveBeenCalled(), PATIENCE);
      expect(disconnected).toHaveBeenCalledTimes(1);
      await store().receive([delivery('a')], 1);
      await createStore(other).claimPull('other', 5, LEASE);
      expect(await store().claimPull('w', 6, LEASE)).toBeNull();
      await vi.waitFor(() => expect(notified.mock.calls.length).toBeGreaterThan(1), PATIENCE);
      await other.close();
    });

    it('claims nothing while the connection that holds its leases is broken (G6)', async () => {
      const other = await database.open();
      const own = createStore(other);
      await store().receive([delivery('a')], 1);
      const { promise: meanwhile, resolve } = Promise.withResolvers<Claim | null>();
      own.onDisconnect(() => resolve(own.claimPull('other', 5, LEASE)));
      const kill = `select count(pg_terminate_backend(pid)) from pg_locks where locktype = 'advisory' and objid = ${other.leaseHolderId}`;
      expect(await value(kill)).toBe(1);
      expect(await meanwhile).toBeNull();
      await vi.waitFor(async () => expect(await own.claimPull('other', 6, LEASE)).not.toBeNull(), PATIENCE);
      expect(await store().claimPull('w', 7, LEASE)).toBeNull();
      await other.close();
    });

    it('continues although the server still holds the broken connection with its lock (G6)', async () => {
      const other = await database.open();
      const own = createStore(other);
      await store().receive([delivery('a')], 1);
      const { promise: isLocked, resolve: locked } = Promise.withResolvers<void>();
      const { promise: mayGo, resolve: goOn } = Promise.withResolvers<void>();
      const staleConnection = backend()
        .db.connection()
        .execute(async (connection) => {
          // Simulates the server's stale connection: it queues behind the broken one and gets the lock next.
          const locking =
            sql`select pg_advisory_lock(${LEASE_HOLDER_LOCKS}::integer, ${other.leaseHolderId}::integer)`.execute(
              connection,
            );
          locked();
          await locking;
          await mayGo;
          await sql`select pg_advisory_unlock_all()`.execute(connection);
        });
      await isLocked;
      const waiting = `select count(*) from pg_locks where locktype = 'advisory' and objid = ${other.leaseHolderId} and not granted`;
      await vi.waitFor(async () => expect(Number(await value(waiting))).toBe(1), PATIENCE);
      const { promise: isDisconnected, resolve: disconnect } = Promise.withResolvers<void>();
      own.onDisconnect(disconnect);
      const kill = `select count(pg_terminate_backend(pid)) from pg_locks where locktype = 'advisory' and granted and objid = ${other.leaseHolderId}`;
      expect(await value(kill)).toBe(1);
      await isDisconnected;
      await vi.waitFor(async () => expect(await own.claimPull('other', 6, LEASE)).not.toBeNull(), PATIENCE);
      expect(await store().claimPull('w', 7, LEASE)).toBeNull();
      goOn();
      await staleConnection;
      await other.close();
    });

    it('never starts its own running work again after a broken connection (G6)', async () => {
      const other = await database.open();
      const own = createStore(other);
      await store().receive([delivery('a')], 1);
      const claim = present(await own.claimPull('other', 5, LEASE));
      const signal = present(await nextSignal(own, claim, 5));
      const effects = [{ type: 'ask-model', runId: 'r', turn: 1 }] as const;
      await own.save(claim, signal, step(pullOf(1), { effects }), 6);
      await own.receive([delivery('b')], 6);
      const effect = present(await own.claimEffect('other', 7, LEASE));
      const kill = `select count(pg_terminate_backend(pid)) from pg_locks where locktype = 'advisory' and objid = ${other.leaseHolderId}`;
      expect(await value(kill)).toBe(1);
      expect(await own.claimPull('other', 8, LEASE)).toBeNull();
      expect(await own.claimEffect('other', 8, LEASE)).toBeNull();
      expect(await own.nextDue(8)).toEqual({ exclusive: 5 + LEASE, concurrent: 7 + LEASE });
      expect(await own.renewEffect(effect, 9, LEASE)).toBe(true);
      await other.close();
    });

    it('does not repeat an effect that its previous holder is just finishing (S78)', async () => {
      const other = await database.open();
      const claim = await receiveAndClaim('a');
      const signal = present(await nextSignal(store(), claim, 10));
      await store().save(claim, signal, step(pullOf(1), { effects: [{ type: 'update-run-comment', runId: 'r' }] }), 10);
      const effect = present(await nextEffect(store(), claim, 10));
      const next = present(await createStore(other).claimPull('other', 10 + LEASE, LEASE));
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
        expect(await store().claimPull('w', 10 + LEASE, LEASE)).toBeNull();
        return 'written';
      });
      expect(await result).toBe('written');
      expect(await store().claimPull('w', 10 + LEASE, LEASE)).toMatchObject({ fencingToken: claim.fencingToken + 1 });
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
      const receipts = await Promise.all([store().receive(all, 1), createStore(other).receive(all.toReversed(), 1)]);
      expect(receipts.flat().filter((receipt) => receipt === 'stored')).toHaveLength(200);
      await other.close();
    });
  });
}
