import { sql } from 'kysely';
import { describe, expect, it, vi } from 'vitest';
import type { Backend } from '../../../src/adapters/store/engine/schema.ts';
import { createStore } from '../../../src/adapters/store/open.ts';
import type { Claim } from '../../../src/adapters/store/store.ts';
import { delivery, PREFLIGHT, pullOf, run, step } from './samples.ts';
import { type DatabaseHarness, PATIENCE } from './store-under-test.ts';
import type { TestDatabase } from './test-database.ts';

const STARTED = step(pullOf(1, { run: run('r') }));

/** A delivery is either seen by the save of another process, or stored after it. */
export function receiveDuringSaveContract(
  { store, value, claimSignal, receiveAndClaim }: DatabaseHarness,
  database: TestDatabase,
): void {
  describe('deliveries during a save', () => {
    it('stores a denial after the commit attempt that is being saved (S77, B14)', async () => {
      const { claim, signal } = await claimSignal('a');
      await store().save(claim, signal, step(pullOf(1)), 20);
      const other = await database.open();
      const barrier = await holdLocks(other, 'lock table runs in exclusive mode');
      const saving = store().saveIfInboxEmpty(claim, PREFLIGHT, STARTED, 20);
      await waitForWaiters(1);
      const settled = vi.fn();
      const receiving = createStore(other).receive(delivery('deny'), 20);
      const runsWhenStored = receiving.then(() => value('select count(*) from runs')).finally(settled);
      await vi.waitFor(async () => expect(settled.mock.calls.length + (await waiters())).toBe(2), PATIENCE);
      await barrier.release();
      expect(await saving).toBe('saved');
      expect(await receiving).toBe('stored');
      expect(await runsWhenStored).toBe(1);
      expect(await store().saveIfInboxEmpty(claim, PREFLIGHT, STARTED, 20)).toBe('inbox-not-empty');
      await other.close();
    });

    it('a commit attempt is held back by a denial that is being stored, and does not start (S77, B14)', async () => {
      const { claim, signal } = await claimSignal('a');
      await store().save(claim, signal, step(pullOf(1)), 20);
      const other = await database.open();
      const barrier = await holdLocks(other, SAME_COMMENT);
      const receiving = createStore(other).receive(delivery('deny', 1, 'comment'), 20);
      await waitForWaiters(1);
      const saved = vi.fn();
      const saving = store().saveIfInboxEmpty(claim, PREFLIGHT, STARTED, 20).finally(saved);
      await vi.waitFor(async () => expect(saved.mock.calls.length + (await waiters())).toBe(2), PATIENCE);
      await barrier.release();
      expect(await receiving).toBe('stored');
      expect(await saving).toBe('inbox-not-empty');
      expect(await value('select count(*) from runs')).toBe(0);
      await other.close();
    });

    it('two processes store and acknowledge everything while commit attempts start (S77)', async () => {
      const [other, numbers] = [await database.open(), Array.from({ length: 10 }, (_, index) => index)];
      const before = await deadlocks();
      const claims: Claim[] = [];
      for (const number of numbers) claims.push(await receiveAndClaim(`first${number}`, number));
      const batch = (name: string, round: number) =>
        numbers.map((number) => delivery(`${name}${round}-${number}`, number + 5 * (round % 3)));
      const rounds = Array.from({ length: 20 }, async (_, round) => {
        const received = await Promise.all([
          ...batch('here', round).map((one) => store().receive(one, 20)),
          ...batch('there', round).map((one) => createStore(other).receive(one, 20)),
          ...claims.map((claim) => store().saveIfInboxEmpty(claim, PREFLIGHT, step(pullOf(1)), 20)),
        ]);
        return received.filter((receipt) => receipt === 'stored').length;
      });
      expect(await Promise.all(rounds)).toEqual(Array(20).fill(20));
      expect(await deadlocks()).toBe(before);
      await other.close();
    });
  });

  /** Connections that wait for a lock. */
  async function waiters(): Promise<number> {
    const blocked = "datname = current_database() and wait_event_type = 'Lock'";
    return Number(await value(`select count(*) from pg_stat_activity where ${blocked}`));
  }

  async function waitForWaiters(count: number): Promise<void> {
    await vi.waitFor(async () => expect(await waiters()).toBe(count), PATIENCE);
  }

  function deadlocks(): Promise<unknown> {
    return value('select deadlocks from pg_stat_database where datname = current_database()');
  }
}

/** Stores the same comment without a commit, so that the next receiver of it has to wait. */
const SAME_COMMENT = `insert into inbox (pull_key, kind, content_key, received_at, not_before)
  values ('1/2/1', 'webhook', 'comment', 1, 1)`;

/** Runs a statement in a transaction that stays open until it is released, and is then rolled back. */
async function holdLocks({ db }: Backend, statement: string): Promise<{ readonly release: () => Promise<void> }> {
  const transaction = await db.startTransaction().execute();
  await sql.raw(statement).execute(transaction);
  return {
    release: async () => {
      await transaction.rollback().execute();
    },
  };
}
