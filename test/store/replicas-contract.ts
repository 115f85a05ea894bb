import { type KyselyPlugin, sql } from 'kysely';
import { describe, expect, it, vi } from 'vitest';
import { NONE_NAMED } from '../../src/run/named-proposals.ts';
import { HOLDERS } from '../../src/store/backend.ts';
import { whileHeld } from '../../src/store/claims.ts';
import { finishEffect } from '../../src/store/effects.ts';
import type { Claim, Store, StoredSignal } from '../../src/store/store.ts';
import { storeOn } from '../../src/store/store-on.ts';
import { type DatabaseBench, LEASE, nextEffect, nextSignal, PATIENCE, present } from './bench.ts';
import { delivery, pullOf, run, step } from './samples.ts';
import type { TestDatabase } from './test-database.ts';

/** Everything is done, but nobody hears of a step that it was stored. */
const unanswered: KyselyPlugin = {
  transformQuery: ({ node }) => node,
  async transformResult({ result }) {
    const [row] = result.rows;
    if (result.rows.length === 1 && Object.keys(Object(row)).join() === 'ends,taken') throw new Error('no answer');
    return result;
  },
};

/** Writes down, as each change of `pulls` is committed, whether that waits for the disk. */
const NOTING = [
  'create table synced (id serial, how text)',
  `create function note() returns trigger language plpgsql as
    $$ begin insert into synced (how) values (current_setting('synchronous_commit')); return null; end $$`,
  `create constraint trigger noting after update on pulls deferrable initially deferred
    for each row execute function note()`,
];
const NOTING_NO_MORE = ['drop function note cascade', 'drop table synced'];
const SYNCED = 'select how from synced order by id desc limit 1';

async function claimedBy(store: Store): Promise<{ claim: Claim; signal: StoredSignal }> {
  await store.receive([delivery('a')], 10);
  const claim = present(await store.claimPull('w', 10, 100 * LEASE));
  return { claim, signal: present(await nextSignal(store, claim, 10)) };
}

/** Several processes on one database. */
export function replicasContract(
  { backend, store, value, claimed, signalled }: DatabaseBench,
  database: TestDatabase,
): void {
  describe('replicas', () => {
    it('G6: a living process keeps its lease, and loses it the moment it is gone', async () => {
      const other = await database.open();
      await store().receive([delivery('a')], 1);
      const claim = present(await storeOn(other).claimPull('other', 5, LEASE));
      expect(await store().claimPull('w', 6, LEASE)).toBeNull();
      await other.close();
      await vi.waitFor(async () => {
        expect(await store().claimPull('w', 6, LEASE)).toMatchObject({ fence: claim.fence + 1 });
      }, PATIENCE);
    });

    it('work that one process stores wakes the others, and them only once more', async () => {
      const other = await database.open();
      const [here, there] = [vi.fn(), vi.fn()];
      store().onWake(here);
      storeOn(other).onWake(there);
      await store().receive([delivery('a')], 1);
      await vi.waitFor(() => expect(there).toHaveBeenCalledTimes(1), PATIENCE);
      expect(here).toHaveBeenCalledTimes(1);
      await other.close();
    });

    it('a connection that breaks between two statements ends their transaction and nothing else', async () => {
      const other = await database.open();
      const transaction = other.db.transaction().execute(async (within) => {
        const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(within);
        await value(`select pg_terminate_backend(${rows[0]?.pid})`);
        const left = `select count(*) from pg_stat_activity where pid = ${rows[0]?.pid}`;
        await vi.waitFor(async () => expect(Number(await value(left))).toBe(0), PATIENCE);
        await sql`select 1`.execute(within);
      });
      await expect(transaction).rejects.toThrow();
      await expect(storeOn(other).ping()).resolves.not.toThrow();
      await other.close();
    });

    it('S79: what was read while a step was stored is not gone on from where its connection broke before the answer', async () => {
      const other = await database.open();
      const deaf = storeOn({ ...other, db: other.db.withPlugin(unanswered) });
      const { claim, signal } = await claimedBy(deaf);
      const { promise: mayStore, resolve: goOn } = Promise.withResolvers<void>();
      const { promise: isKept, resolve: kept } = Promise.withResolvers<void>();
      const barrier = backend()
        .db.transaction()
        .execute(async (within) => {
          await sql`select 1 from pulls for update`.execute(within);
          kept();
          await mayStore;
        });
      await isKept;
      const next = pullOf(1, { run: run('r') });
      const saving = expect(deaf.save(claim, signal, step(next), 20)).rejects.toThrow('no answer');
      await deaf.load(claim.pullKey, NONE_NAMED);
      goOn();
      await Promise.all([barrier, saving]);
      expect(await deaf.load(claim.pullKey, NONE_NAMED)).toEqual(next);
      await other.close();
    });

    it('F4: hundreds of deliveries that are stored at once take 256 locks of the server at most', async () => {
      const other = await database.open();
      const many = Array.from({ length: 500 }, (_, index) => delivery(`d${index}`, 1 + (index % 250)));
      await store().receive([delivery('first')], 1);
      const { promise: mayStore, resolve: goOn } = Promise.withResolvers<void>();
      const { promise: isKept, resolve: kept } = Promise.withResolvers<void>();
      const barrier = backend()
        .db.transaction()
        .execute(async (within) => {
          await sql`select 1 from pulls for update`.execute(within);
          kept();
          await mayStore;
        });
      await isKept;
      const receiving = storeOn(other).receive(many, 2);
      const locks = `select count(*) from pg_locks where locktype = 'advisory' and pid in (
        select pid from pg_locks where not granted)`;
      const held = await vi
        .waitFor(async () => {
          const count = Number(await value(locks));
          expect(count).toBeGreaterThan(0);
          return count;
        }, PATIENCE)
        .finally(goOn);
      await Promise.all([barrier, receiving]);
      await other.close();
      expect(held).toBeLessThanOrEqual(256);
      expect(await receiving).toEqual(many.map(() => 'stored'));
    });

    it('a broken connection is replaced: the lease holds again and wake-ups are heard', async () => {
      const other = await database.open();
      const [heard, cut] = [vi.fn(), vi.fn()];
      storeOn(other).onWake(heard);
      storeOn(other).onCut(cut);
      const kill = `select count(pg_terminate_backend(pid)) from pg_locks where locktype = 'advisory' and objid = ${other.holder}`;
      expect(cut).not.toHaveBeenCalled();
      expect(await value(kill)).toBe(1);
      await vi.waitFor(() => expect(heard).toHaveBeenCalled(), PATIENCE);
      expect(cut).toHaveBeenCalledTimes(1);
      await store().receive([delivery('a')], 1);
      await storeOn(other).claimPull('other', 5, LEASE);
      expect(await store().claimPull('w', 6, LEASE)).toBeNull();
      await vi.waitFor(() => expect(heard.mock.calls.length).toBeGreaterThan(1), PATIENCE);
      await other.close();
    });

    it('G6: a process takes nothing while the connection that keeps its leases is away, as others may take it too', async () => {
      const other = await database.open();
      const own = storeOn(other);
      await store().receive([delivery('a')], 1);
      const { promise: meanwhile, resolve } = Promise.withResolvers<Claim | null>();
      own.onCut(() => resolve(own.claimPull('other', 5, LEASE)));
      const kill = `select count(pg_terminate_backend(pid)) from pg_locks where locktype = 'advisory' and objid = ${other.holder}`;
      expect(await value(kill)).toBe(1);
      expect(await meanwhile).toBeNull();
      await vi.waitFor(async () => expect(await own.claimPull('other', 6, LEASE)).not.toBeNull(), PATIENCE);
      expect(await store().claimPull('w', 7, LEASE)).toBeNull();
      await other.close();
    });

    it('G6: a process goes on though the server keeps the connection that broke, which holds its leases meanwhile', async () => {
      const other = await database.open();
      const own = storeOn(other);
      await store().receive([delivery('a')], 1);
      const { promise: isKept, resolve: kept } = Promise.withResolvers<void>();
      const { promise: mayGo, resolve: goOn } = Promise.withResolvers<void>();
      const former = backend()
        .db.connection()
        .execute(async (connection) => {
          // Stands for it: whoever waits for the lock behind the one that is cut off gets it first.
          const locking = sql`select pg_advisory_lock(${HOLDERS}::integer, ${other.holder}::integer)`.execute(
            connection,
          );
          kept();
          await locking;
          await mayGo;
          await sql`select pg_advisory_unlock_all()`.execute(connection);
        });
      await isKept;
      const waiting = `select count(*) from pg_locks where locktype = 'advisory' and objid = ${other.holder} and not granted`;
      await vi.waitFor(async () => expect(Number(await value(waiting))).toBe(1), PATIENCE);
      const { promise: isCut, resolve: cut } = Promise.withResolvers<void>();
      own.onCut(cut);
      const kill = `select count(pg_terminate_backend(pid)) from pg_locks where locktype = 'advisory' and granted and objid = ${other.holder}`;
      expect(await value(kill)).toBe(1);
      await isCut;
      await vi.waitFor(async () => expect(await own.claimPull('other', 6, LEASE)).not.toBeNull(), PATIENCE);
      expect(await store().claimPull('w', 7, LEASE)).toBeNull();
      goOn();
      await former;
      await other.close();
    });

    it('G6: a process whose connection broke begins nothing again that it is at itself', async () => {
      const other = await database.open();
      const own = storeOn(other);
      await store().receive([delivery('a')], 1);
      const claim = present(await own.claimPull('other', 5, LEASE));
      const signal = present(await nextSignal(own, claim, 5));
      const effects = [{ type: 'ask-model', runId: 'r', turn: 1 }] as const;
      await own.save(claim, signal, step(pullOf(1), { effects }), 6);
      await own.receive([delivery('b')], 6);
      const effect = present(await own.claimEffect('other', 7, LEASE));
      const kill = `select count(pg_terminate_backend(pid)) from pg_locks where locktype = 'advisory' and objid = ${other.holder}`;
      expect(await value(kill)).toBe(1);
      expect(await own.claimPull('other', 8, LEASE)).toBeNull();
      expect(await own.claimEffect('other', 8, LEASE)).toBeNull();
      expect(await own.nextDue(8)).toEqual({ pull: 5 + LEASE, free: 7 + LEASE });
      expect(await own.renewEffect(effect, 9, LEASE)).toBe(true);
      await other.close();
    });

    it('S78: an effect that its former holder is just finishing is not given out again', async () => {
      const other = await database.open();
      const claim = await claimed('a');
      const signal = present(await nextSignal(store(), claim, 10));
      await store().save(claim, signal, step(pullOf(1), { effects: [{ type: 'show-run', runId: 'r' }] }), 10);
      const effect = present(await nextEffect(store(), claim, 10));
      const next = present(await storeOn(other).claimPull('other', 10 + LEASE, LEASE));
      const given = await backend()
        .db.transaction()
        .execute(async (transaction) => {
          await finishEffect(transaction, effect, null, 20);
          const asked = nextEffect(storeOn(other), next, 10 + LEASE);
          await waitingForLock();
          return { asked };
        });
      expect(await given.asked).toBeNull();
      await other.close();
    });

    /** Until somebody waits for a row that another transaction holds. */
    async function waitingForLock(): Promise<void> {
      const blocked = 'select count(*) from pg_stat_activity where cardinality(pg_blocking_pids(pid)) > 0';
      await vi.waitFor(async () => expect(Number(await value(blocked))).toBeGreaterThan(0), PATIENCE);
    }

    it('G7: nobody takes a pull request over while its holder is writing, even past the lease', async () => {
      const other = await database.open();
      const claim = await claimed('a');
      const result = whileHeld(other.db, claim, 'lost', async () => {
        expect(await store().claimPull('w', 10 + LEASE, LEASE)).toBeNull();
        return 'written';
      });
      expect(await result).toBe('written');
      expect(await store().claimPull('w', 10 + LEASE, LEASE)).toMatchObject({ fence: claim.fence + 1 });
      expect(await whileHeld(other.db, claim, 'lost', async () => 'written')).toBe('lost');
      await other.close();
    });

    it('what a holder goes on from waits for the disk, for the server may die alone; what it leaves to others does not', async () => {
      const { claim, signal } = await signalled('a');
      for (const statement of NOTING) await sql.raw(statement).execute(backend().db);
      await store().receive([delivery('b')], 15);
      expect(await store().save(claim, signal, step(pullOf(1)), 20, { lease: null })).toBe('saved');
      expect(await value(SYNCED)).toBe('on');
      const next = present(await nextSignal(store(), claim, 20));
      expect(await store().save(claim, next, step(pullOf(1)), 20, { lease: null })).toMatchObject({
        kind: 'given-back',
      });
      expect(await value(SYNCED)).toBe('off');
      for (const statement of NOTING_NO_MORE) await sql.raw(statement).execute(backend().db);
    });

    it('F4, G6: deliveries that two processes receive at once, in other orders, are stored once', async () => {
      const other = await database.open();
      const all = Array.from({ length: 200 }, (_, index) => delivery(`d${index}`, index % 20, `key${index}`));
      const receipts = await Promise.all([store().receive(all, 1), storeOn(other).receive(all.toReversed(), 1)]);
      expect(receipts.flat().filter((receipt) => receipt === 'stored')).toHaveLength(200);
      await other.close();
    });

    it('F4, G6: so are the same words under other ids, again and again', async () => {
      const other = await database.open();
      for (let round = 0; round < 20; round += 1) {
        const named = (by: string) =>
          Array.from({ length: 200 }, (_, index) =>
            delivery(`${by}${round}-${index}`, index % 20, `key${round}-${index}`),
          );
        const [mine, others] = [named('d'), named('caught-up').toReversed()];
        const receipts = await Promise.all([store().receive(mine, 1), storeOn(other).receive(others, 1)]);
        expect(receipts.flat().filter((receipt) => receipt === 'stored')).toHaveLength(200);
      }
      await other.close();
    });
  });
}
